"""The ASGI application."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
django = get_asgi_application()

from casino.serving.edge import Edge  # noqa: E402 (with the apps ready, like all that belongs to Django)
from tables.live.streams import Streams  # noqa: E402

application = Edge(Streams(django), settings.TRUSTED_PROXIES)
