"""The product's settings with one more URL: an empty view behind the same middleware."""

from casino.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks._urls"
