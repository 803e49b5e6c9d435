"""The ASGI application."""

import os

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
django.setup(set_prefix=False)

from casino.serving.answering import Answering  # noqa: E402 (needs the apps to be ready)
from casino.serving.edge import Edge  # noqa: E402
from tables.live.hub import Streams  # noqa: E402

application = Edge(Streams(Answering()), settings.TRUSTED_PROXIES)
