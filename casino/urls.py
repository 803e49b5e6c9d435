"""Addresses of the whole project."""

urlpatterns: list = []
