"""The ASGI application."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
django = get_asgi_application()

from casino.serving.edge import Edge  # noqa: E402 (with the apps ready, like all that belongs to Django)

application = Edge(django, settings.TRUSTED_PROXIES)
