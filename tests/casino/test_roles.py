"""Permissions of roles, and roles that exclude each other."""

import re
from itertools import combinations
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.db import transaction
from django.template import engines
from django.urls import reverse

from casino import roles
from casino.models import Staff
from casino.roles import RolesConflict, assign
from ledger import rights as rights_at_the_books
from ledger.rights import (
    COUNT_BOXES,
    OPEN_WITHHELD,
    READ_BOOKS,
    SIGN_OFF_DROPS,
    TAKE_NAMES,
    TAKE_WITHHELD,
    WORK_CAGE,
)
from tables import rights as rights_at_the_tables
from tables.rights import DEAL, HANDLE_CHIPS, MANAGE_HOUSE, READ_TABLES, RUN_FLOOR


def rights(person):
    return set(Staff.objects.get(pk=person.pk).get_all_permissions())


@pytest.mark.parametrize("role", sorted(roles.ROLES))
def test_a_role_has_exactly_its_rights(employ, role):
    assert rights(employ("zoe", role)) == set(roles.ROLES[role])


def test_a_cashier_sees_no_counts_and_a_counter_signs_nothing(cashier, counter1):
    assert not cashier.has_perm("ledger.count_boxes")
    assert not counter1.has_perm("ledger.sign_off_drops")
    assert not counter1.has_perm("ledger.read_books")


def test_a_regulator_can_change_nothing(regulator):
    takes = {TAKE_NAMES, OPEN_WITHHELD, TAKE_WITHHELD}
    assert rights(regulator) == {READ_BOOKS, READ_TABLES, *takes}


def test_a_manager_moves_no_money(manager):
    assert not rights(manager) & {HANDLE_CHIPS, WORK_CAGE, SIGN_OFF_DROPS, COUNT_BOXES}


PAIRS = [(first, second) for first, second, _why in roles.KEPT_APART]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_roles_that_one_person_may_not_hold_together(employ, first, second):
    for held, asked in ((first, second), (second, first)):
        zoe = employ(f"zoe-{held}", held)
        with pytest.raises(RolesConflict) as refused:
            assign(zoe, asked)
        assert refused.value.code == "roles_conflict"
        assert zoe.roles == {held}


@pytest.mark.parametrize(("first", "second", "why"), roles.KEPT_APART)
def test_the_refusal_gives_the_reason(first, second, why):
    with pytest.raises(RolesConflict, match=re.escape(why)):
        roles.verify_together({first, second})


def test_every_other_pair_may_be_one_person(employ):
    assert len(set(map(frozenset, PAIRS))) == len(PAIRS)
    allowed = {frozenset(pair) for pair in combinations(roles.ROLES, 2)} - set(map(frozenset, PAIRS))
    assert allowed == {
        frozenset(pair)
        for pair in (
            *(("dealer", "cashier"), ("dealer", "floor"), ("dealer", "manager"), ("dealer", "compliance")),
            *(("floor", "manager"), ("floor", "compliance"), ("manager", "compliance")),
        )
    }
    for pair in allowed:
        assert employ("-".join(sorted(pair)), *pair).roles == pair


def test_who_counts_shares_no_person_with_any_role_that_signs_or_sees_what_is_expected():
    signs = {RUN_FLOOR, DEAL, HANDLE_CHIPS, SIGN_OFF_DROPS, WORK_CAGE, READ_BOOKS, MANAGE_HOUSE}
    for role, codes in roles.ROLES.items():
        if signs & set(codes):
            with pytest.raises(RolesConflict):
                roles.verify_together({"counter", role})


def test_floor_and_dealer_may_be_one_person(employ):
    assert employ("zoe", "floor", "dealer").roles == {"floor", "dealer"}


TOGETHER = [pair for pair in combinations(roles.ROLES, 2) if not roles.conflicts({*pair})]
STARTS = {"counter": "count", "manager": "house", "compliance": "exclusions", "regulator": "audit"}


def badge_on(page):
    return re.search(r'<p class="bar-who">.*?<span>(.*?)</span>', page.content.decode(), re.S)[1].strip()


@pytest.mark.parametrize("held", [(role,) for role in roles.ROLES] + TOGETHER, ids=" and ".join)
def test_where_people_start_and_the_badge_they_wear_are_of_one_role(client, employ, held):
    """Of two roles it is the first one in `ROLES`."""
    client.force_login(employ("zoe", *reversed(held)))
    assert client.get("/").headers["Location"] == reverse(STARTS.get(held[0], held[0]))
    assert badge_on(client.get(reverse("password"))) == held[0].capitalize()


def test_who_has_no_role_yet_is_told_so(client, employ):
    client.force_login(employ("zoe"))
    assert badge_on(client.get(reverse("password"))) == "No role yet"


@pytest.mark.parametrize("role", roles.ROLES)
def test_a_page_knows_what_its_reader_may_do_by_the_name_of_the_right(employ, rf, role):
    request = rf.get("/")
    request.user = employ("zoe", role)
    page = "".join(
        "{% if may." + name + " %}" + right + " {% endif %}" for name, right in roles.RIGHTS.items()
    )
    assert set(engines["django"].from_string(page).render({}, request).split()) == set(roles.ROLES[role])


def test_a_page_that_misspells_a_right_fails_instead_of_hiding_a_part_of_itself(floor, rf):
    request = rf.get("/")
    request.user = floor
    with pytest.raises(roles.UnknownRight, match="run_flor"):
        engines["django"].from_string("{% if may.run_flor %}Open a table{% endif %}").render({}, request)


def test_an_unknown_role_is_a_mistake_of_the_program(employ):
    with pytest.raises(KeyError):
        assign(employ("zoe"), "croupier")


def test_no_back_door_holds_conflicting_roles(employ):
    zoe = employ("zoe", "cashier")
    counters = Group.objects.get(name="counter")
    doors = (
        lambda: zoe.groups.add(counters),
        lambda: counters.user_set.add(zoe),
        lambda: zoe.groups.set(Group.objects.filter(name__in=["regulator", "cashier"])),
    )
    for door in doors:
        with pytest.raises(RolesConflict), transaction.atomic():
            door()
    assert zoe.roles == {"cashier"}


def test_roles_are_changed_for_others_in_one_step(employ):
    zoe = employ("zoe", "cashier")
    zoe.groups.set(Group.objects.filter(name="counter"))
    assert zoe.roles == {"counter"}


def test_rights_that_were_added_by_hand_are_gone_after_the_next_migration(employ):
    from django.contrib.auth.models import Permission

    dealers = Group.objects.get(name="dealer")
    dealers.permissions.add(Permission.objects.get(codename="work_cage"))
    call_command("migrate", verbosity=0)
    assert rights(employ("zoe", "dealer")) == set(roles.ROLES["dealer"])


RIGHT = re.compile(r"\"((?:tables|ledger)\.[a-z_]+)\"")


def test_a_right_is_named_in_one_place():
    """Only the modules of rights write a right as text; everybody else imports its name."""
    rights = {
        value
        for module in (rights_at_the_books, rights_at_the_tables)
        for name, value in vars(module).items()
        if name.isupper()
    }
    written = {
        str(path.relative_to(settings.BASE_DIR)): found
        for room in ("casino", "ledger", "tables")
        for path in (Path(settings.BASE_DIR) / room).rglob("*.py")
        if "migrations" not in path.parts and (found := rights & set(RIGHT.findall(path.read_text())))
    }
    assert set(written) == {"ledger/rights.py", "tables/rights.py"}
    assert set.union(*written.values()) == rights
    codes = {code for codes in roles.ROLES.values() for code in codes}
    assert rights == codes
