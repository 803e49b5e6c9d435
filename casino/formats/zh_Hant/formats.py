"""Figures and dates of Traditional Chinese pages: the English ones."""

from django.conf.locale.en.formats import *  # type: ignore[import-untyped]  # noqa: F403
