"""Every URL of the house, with a sample for each of its arguments."""

import re

from django.urls import get_resolver
from django.urls.resolvers import RoutePattern, URLResolver

SAMPLES = {"int": "1", "slug": "face-up", "day": "2026-03-07", "str": "x", "path": "x", "uuid": "0" * 32}


def addresses(resolver=None, prefix="", given=None):
    """Yield name and path; an argument is what is `given` for its name, else its sample."""

    def argument(found):
        return str((given or {}).get(found[2], SAMPLES[found[1] or "str"]))

    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern.pattern, RoutePattern):
            part = re.sub(r"<(?:(\w+):)?(\w+)>", argument, str(pattern.pattern))
        else:
            part = re.sub(r"\(\?P<\w+>[^)]*\)|[\^$]|\\Z", "", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern, prefix + part, given)
        else:
            yield pattern.name, "/" + prefix + part


ALL = sorted({path for _name, path in addresses()})


def of(*given):
    """Return every path with each of these sets of arguments, as {"session_id": 7}."""
    return sorted({path for ids in given for _name, path in addresses(given=ids)})
