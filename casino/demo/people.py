"""The made-up staff of a demo house, who share one password."""

from django.db import transaction

from casino import roles
from casino.models import Staff

PASSWORD = "demo"  # noqa: S105  (printed on the sign-in page of a demo; refused everywhere else)
PIN = "1357"
"""Everybody's PIN in a demo; refused everywhere else, like the password."""
# Username, role and full name, in the order shown.
STAFF = (
    ("floor", "floor", "Rosa Delgado"),
    ("floor2", "floor", "Marcus Webb"),
    ("dealer", "dealer", "Mei Tanaka"),
    ("dealer2", "dealer", "Tomás Rivera"),
    ("cashier", "cashier", "Hannah Cole"),
    ("counter1", "counter", "Amir Haddad"),
    ("counter2", "counter", "Edith Novák"),
    ("compliance", "compliance", "Grace Okafor"),
    ("regulator", "regulator", "Victor Lindqvist"),
    ("manager", "manager", "Lucía Ferrer"),
)
PEOPLE = tuple((username, role) for username, role, _ in STAFF)
FIRST_BADGE = 2041


@transaction.atomic
def employ_people() -> None:
    known = set(Staff.objects.filter(username__in=dict(PEOPLE)).values_list("username", flat=True))
    for badge, (username, role, full_name) in enumerate(STAFF, FIRST_BADGE):
        if username not in known:
            person = Staff(username=username, full_name=full_name, badge=f"LA-{badge}")
            person.set_password(PASSWORD)
            person.set_pin(PIN)
            person.save()
            roles.assign(person, role)
