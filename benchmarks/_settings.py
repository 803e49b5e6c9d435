"""The product's settings, with one address more: an empty view behind the same middleware (benchmarks/_urls.py)."""

from casino.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks._urls"
