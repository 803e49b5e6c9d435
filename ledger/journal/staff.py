"""Who of the staff holds a right, by their roles."""

from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet


def holders(*any_of: str) -> QuerySet[Any]:
    """Return everybody who works here and has one of these rights by a role."""
    people = get_user_model().objects.filter(is_active=True, is_superuser=False)
    codenames = [right.rpartition(".")[2] for right in any_of]
    return people.filter(groups__permissions__codename__in=codenames).distinct()
