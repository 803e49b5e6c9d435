"""Every URL of the house, with a sample for each of its arguments."""

import re

from django.urls import get_resolver
from django.urls.resolvers import RoutePattern, URLResolver

SAMPLES = {"int": "1", "slug": "face-up", "day": "2026-03-07", "str": "x", "path": "x", "uuid": "0" * 32}


def addresses(resolver=None, prefix=""):
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern.pattern, RoutePattern):
            part = re.sub(r"<(?:(\w+):)?\w+>", lambda found: SAMPLES[found[1] or "str"], str(pattern.pattern))
        else:
            part = re.sub(r"\(\?P<\w+>[^)]*\)|[\^$]|\\Z", "", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, prefix + part)
        else:
            yield pattern.name, "/" + prefix + part


ALL = sorted({path for _name, path in addresses()})
