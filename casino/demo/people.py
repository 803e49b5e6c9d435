"""The made-up people of a demo room, who all sign in with one password. A real room has none of them."""

from django.db import transaction

from casino import roles
from casino.models import Staff

PASSWORD = "demo"  # noqa: S105  (printed on the sign-in page of a demo; refused everywhere else)
PIN = "1357"
"""Of everybody in a demo; refused everywhere else, like the password."""
# Username and role, in the order in which they are shown.
PEOPLE = (
    ("floor", "floor"),
    ("floor2", "floor"),
    ("dealer", "dealer"),
    ("dealer2", "dealer"),
    ("cashier", "cashier"),
    ("counter1", "counter"),
    ("counter2", "counter"),
    ("compliance", "compliance"),
    ("regulator", "regulator"),
    ("manager", "manager"),
)
FULL_NAMES = {
    "floor": "Rosa Delgado",
    "floor2": "Marcus Webb",
    "dealer": "Mei Tanaka",
    "dealer2": "Tomás Rivera",
    "cashier": "Hannah Cole",
    "counter1": "Amir Haddad",
    "counter2": "Edith Novák",
    "compliance": "Grace Okafor",
    "regulator": "Victor Lindqvist",
    "manager": "Lucía Ferrer",
}
FIRST_BADGE = 2041


@transaction.atomic
def employ_people() -> None:
    """Make every demo person who is not there yet, with their role."""
    known = set(Staff.objects.filter(username__in=dict(PEOPLE)).values_list("username", flat=True))
    for badge, (username, role) in enumerate(PEOPLE, FIRST_BADGE):
        if username not in known:
            person = Staff(username=username, full_name=FULL_NAMES[username], badge=f"LA-{badge}")
            person.set_password(PASSWORD)
            person.set_pin(PIN)
            person.save()
            roles.assign(person, role)
