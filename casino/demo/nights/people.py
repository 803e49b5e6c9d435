"""The made-up people of a simulated night: staff, and guests with their habits."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count, zip_longest
from random import Random
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q

from casino.demo.nights.guests_hands import Temper
from ledger.journal.acts import Act
from tables.errors import NotDemo
from tables.models import Player, Sitting, TableSession
from tables.seats.players import Person, know_player

FIRST_NAMES = (
    *("Ada", "Alma", "Amir", "Andre", "Anh", "Ben", "Bianca", "Bo", "Carla", "Chen", "Dana", "Dewei"),
    *("Dolores", "Earl", "Edith", "Elena", "Emil", "Farid", "Fay", "Felix", "Gloria", "Grace", "Guy", "Hana"),
    *("Harvey", "Hugo", "Ines", "Ivan", "Jade", "Jin", "Joan", "Jorge", "Kai", "Kim", "Lan", "Lars"),
    *("Leo", "Lin", "Lola", "Lucia", "Mai", "Marcus", "Mei", "Miguel", "Mina", "Ned", "Nina", "Noor"),
    *("Olga", "Omar", "Otto", "Paz", "Pearl", "Quan", "Ray", "Rita", "Rosa", "Sam", "Sol", "Tess"),
    *("Tomas", "Uma", "Vera", "Victor", "Wei", "Yara", "Yen", "Zoe"),
)
INITIALS = "ABCDEFGHJKLMNOPRSTVWYZ"
# Some guests give neither name nor card and are known by a description.
DESCRIPTIONS = ("grey cap", "green jacket", "silver beard", "red scarf", "tinted glasses", "blue suit")
CARD_NUMBERS_FROM = 4000


@dataclass(frozen=True)
class Crew:
    floor: Any
    floor2: Any
    dealer: Any
    cashier: Any


def crew() -> Crew:
    """Return the demo staff who run a night. Raises NotDemo if they do not work here."""
    names = ("floor", "floor2", "dealer", "cashier")
    people = {person.username: person for person in get_user_model().objects.filter(username__in=names)}
    missing = [name for name in names if name not in people]
    if missing:
        raise NotDemo(f"The demo people do not work here ({', '.join(missing)}): set up a demo house first.")
    return Crew(**people)


FIRST_HIRED = 3  # the demo's second dealer stays free to try a push
NAMES_OF_HIRED = ("Priya Nair", "Jonas Weber", "Carmen Ortiz", "Daniel Kim", "Aisha Bello", "Luca Romano")


def free_dealer(first: Any) -> Any:
    """Return a dealer who deals nowhere: `first`, else dealer3, dealer4 ..., hired at need."""
    staff = get_user_model()
    busy = set(TableSession.objects.filter(closed_at=None).values_list("dealer", flat=True))
    if first.pk not in busy:
        return first
    hired = zip_longest((f"dealer{number}" for number in count(FIRST_HIRED)), NAMES_OF_HIRED, fillvalue="")
    name, full_name = next(
        one for one in hired if not staff.objects.filter(username=one[0], pk__in=busy).exists()
    )
    person, new = staff.objects.get_or_create(username=name, defaults={"full_name": full_name})
    if new:
        person.set_unusable_password()
        person.save(update_fields=["password"])
        person.groups.set(first.groups.all())
    return staff.objects.get(pk=person.pk)  # reload, because the object caches its permissions


def require_demo(site: Any) -> None:
    if site is None:
        raise NotDemo("There is no demo room here: make one with `manage.py seed`.")
    if not site.demo:
        raise NotDemo(f"{site.name} is not a demo room, so made-up play may not be entered.")


@dataclass
class Guest:
    """A guest and their habits; `sitting` is set while they are at a table."""

    name: str
    card: str
    description: str
    temper: Temper
    points: int
    stays: timedelta
    brings_chips: bool
    pays_cash: bool
    adds_on: float
    player: Player | None = None
    sitting: int | None = None
    seat: int = 0
    leaves_at: datetime | None = None
    back_at: datetime | None = None
    must_be_back: datetime | None = None
    took_cents: int = 0
    short_rounds: int = 0
    out_until: datetime | None = None

    def known(self, site: Any, act: Act) -> Player:
        if self.player is None:
            with transaction.atomic():
                self.player = know_player(self.person(), site=site, act=act)
        return self.player

    def person(self) -> Person:
        return Person(self.name, self.card, self.description)


def guests(rng: Random, *, first: int, step: int) -> Iterator[Guest]:
    number = first
    while True:
        yield _guest(rng, number)
        number += step


def _guest(rng: Random, number: int) -> Guest:
    name, card, description = name_of(number), str(CARD_NUMBERS_FROM + number), ""
    if number % 11 == 5:
        name, card, description = "", "", DESCRIPTIONS[number % len(DESCRIPTIONS)]
    elif number % 3 == 1:
        name = ""  # known by the card alone
    return Guest(
        name=name,
        card=card,
        description=description,
        temper=Temper(bold=rng.uniform(0.1, 0.7), careless=rng.uniform(0.02, 0.12)),
        points=rng.choice((30, 40, 40, 50, 60, 60, 80, 100)),
        stays=timedelta(minutes=round(min(rng.lognormvariate(4.9, 0.6), 600))),
        brings_chips=rng.random() < 0.3,
        pays_cash=rng.random() < 0.08,
        adds_on=rng.uniform(0.1, 0.8),
    )


def name_of(number: int) -> str:
    """Return the name of the guest with this number; unique up to 1,496."""
    turn, place = divmod(number, len(FIRST_NAMES))
    return f"{FIRST_NAMES[place]} {INITIALS[(place + 7 * turn) % len(INITIALS)]}."


def seated(guest: Guest, site: Any, now: datetime) -> bool:
    """Return whether another night has the guest seated in the house now or later."""
    sittings = Sitting.objects.filter(player__site=site, player__number=guest.card)
    return bool(guest.card) and sittings.filter(Q(left_at=None) | Q(left_at__gt=now)).exists()
