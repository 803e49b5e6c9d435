"""Hiring, changing, letting go and taking back, and the one-time code of each newcomer."""

from dataclasses import replace
from datetime import date

import pytest
from django.contrib.auth.models import Group
from hypothesis import given, strategies as st

from casino import roles
from casino.models import Staff
from casino.staff import hiring
from casino.staff.hiring import LastManager, OwnAccount, UsernameTaken
from ledger.errors import BadText, NotAllowed
from ledger.models import HouseEvent
from tables.errors import StalePage
from tests.support.cast import PIN
from tests.support.recorded import recorded_with

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("identity_verifies")]
ZOE = {
    "username": "zoe",
    "full_name": "Zoë 小明 عبد",
    "badge": "B-1024",
    "badge_expires": date(2027, 1, 31),
    "roles": frozenset({"dealer", "floor"}),
}
KNOWN = {name: ZOE[name] for name in ZOE if name != "username"}


def events(kind):
    return list(HouseEvent.objects.filter(kind=kind).order_by("pk"))


def again(person):
    return Staff.objects.get(pk=person.pk)


def wears(person, badge):
    person = again(person)
    person.badge = badge
    person.save()


def test_a_newcomer_has_roles_and_a_code_and_nothing_that_anybody_else_knows(act):
    zoe, code = hiring.hire(**ZOE, act=act)
    zoe = again(zoe)
    assert {name: getattr(zoe, name) for name in ZOE} == ZOE
    assert zoe.has_code(code.replace("-", ""), act.now)
    assert zoe.must_renew
    assert not zoe.has_usable_password()
    assert not zoe.pin


def test_hiring_is_noted_with_who_did_it_and_never_the_code(act, manager):
    before = len(events("staff_changed"))
    zoe, code = hiring.hire(**ZOE, act=act)
    (hired,), (made,) = events("staff_changed")[before:], events("code_made")
    assert (hired.actor, made.actor, hired.terminal) == (manager, manager, "office 10.0.0.9")
    assert hired.data["before"] is None
    assert hired.data["after"] == {
        **ZOE,
        "roles": ["dealer", "floor"],
        "badge_expires": "2027-01-31",
        "is_active": True,
        "is_superuser": False,
    }
    assert made.data == {"staff": zoe.pk, "until": "2026-03-08T20:00:00+00:00", "approver": None}
    assert not recorded_with(code)


@pytest.mark.parametrize("name", ["z0e", "modem", "JIM"])
def test_no_username_looks_like_another(act, employ, name):
    for known in ("zoe", "modern", "jlm"):
        employ(known, "dealer")
    with pytest.raises(UsernameTaken, match="looks like"):
        hiring.hire(**ZOE | {"username": name}, act=act)


@pytest.mark.parametrize("name", ["zoe", "Zoe", "ZOE", " zoe "])
def test_a_username_belongs_to_one_person_for_ever(act, name):
    zoe, _code = hiring.hire(**ZOE, act=act)
    hiring.let_go(person_id=zoe.pk, act=act)
    with pytest.raises(UsernameTaken) as refused:
        hiring.hire(**ZOE | {"username": name}, act=act)
    assert (refused.value.code, refused.value.field) == ("username_taken", "username")
    assert Staff.objects.filter(username__iexact="zoe").count() == 1


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("username", ""),
        ("username", "zoe and yan"),
        ("username", "z" * 151),
        ("full_name", "小" * 61),
        ("full_name", "Zoe\nYan"),
        ("badge", "9" * 31),
        ("badge", "9\u0000"),
    ],
)
def test_what_cannot_be_recorded_is_refused_and_nobody_is_hired(act, field, text):
    before = Staff.objects.count()
    with pytest.raises(BadText) as refused:
        hiring.hire(**ZOE | {field: text}, act=act)
    assert refused.value.field == field
    assert Staff.objects.count() == before


@given(name=st.text(st.characters(codec="utf-8", categories=["L", "M", "N", "P"]), min_size=1, max_size=60))
def test_a_name_in_any_script_is_kept_as_it_was_typed(name):
    person = Staff(username="zoe", full_name=name)
    hiring._verify_texts(person)
    assert person.full_name == name


def test_roles_that_are_kept_apart_are_refused_and_nobody_is_hired(act):
    before = Staff.objects.count()
    with pytest.raises(roles.RolesConflict):
        hiring.hire(**ZOE | {"roles": frozenset({"cashier", "floor"})}, act=act)
    with pytest.raises(BadText):
        hiring.hire(**ZOE | {"roles": frozenset({"croupier"})}, act=act)
    assert Staff.objects.count() == before


def test_a_change_is_noted_once_with_before_and_after(act, dealer, manager):
    before = len(events("staff_changed"))
    hiring.change_person(person_id=dealer.pk, **KNOWN, act=act)
    (changed,) = events("staff_changed")[before:]
    assert (changed.actor, changed.data["staff"]) == (manager, dealer.pk)
    assert (changed.data["before"]["roles"], changed.data["after"]["roles"]) == (
        ["dealer"],
        ["dealer", "floor"],
    )
    assert (changed.data["before"]["badge"], changed.data["after"]["badge"]) == ("", "B-1024")
    hiring.change_person(person_id=dealer.pk, **KNOWN, act=act)
    assert len(events("staff_changed")) == before + 1
    assert again(dealer).has_pin(PIN)


def test_a_change_to_roles_that_are_kept_apart_changes_nothing(act, dealer):
    with pytest.raises(roles.RolesConflict):
        hiring.change_person(
            person_id=dealer.pk, **KNOWN | {"roles": frozenset({"counter", "dealer"})}, act=act
        )
    assert (again(dealer).full_name, dealer.roles) == ("", {"dealer"})


def test_somebody_let_go_has_no_way_in_and_keeps_their_record(act, dealer, client):
    client.force_login(dealer)
    hiring.let_go(person_id=dealer.pk, act=act)
    assert client.get("/").url == "/sign-in/?next=/"
    gone = again(dealer)
    assert (gone.is_active, gone.pin, gone.code, gone.has_usable_password()) == (False, "", "", False)
    assert gone.roles == {"dealer"}
    assert events("staff_changed")[-1].data["after"]["is_active"] is False


def test_somebody_taken_back_comes_in_by_a_code_and_no_old_session_lives_again(act, dealer, client):
    client.force_login(dealer)
    hiring.let_go(person_id=dealer.pk, act=act)
    code = hiring.take_back(person_id=dealer.pk, act=act)
    assert client.get("/").url == "/sign-in/?next=/"
    back = again(dealer)
    assert (back.is_active, back.must_renew, back.roles) == (True, True, {"dealer"})
    assert back.has_code(code.replace("-", ""), act.now)


def test_nobody_changes_their_own_roles_lets_themselves_go_or_resets_themselves(act, manager, employ):
    employ("max", "manager")
    own = (
        lambda: hiring.change_person(person_id=manager.pk, **KNOWN | {"roles": frozenset()}, act=act),
        lambda: hiring.let_go(person_id=manager.pk, act=act),
        lambda: hiring.make_code(person_id=manager.pk, act=act),
    )
    for act_on_oneself in own:
        with pytest.raises(OwnAccount):
            act_on_oneself()
    assert (again(manager).is_active, manager.roles) == (True, {"manager"})


@pytest.mark.parametrize("badge", ["LA-7", "la-7", "dealer", "DEALER"])
def test_nobody_gets_the_badge_of_a_colleague_nor_their_name_as_a_badge(act, dealer, cashier, badge):
    """A terminal has one field for both, so the colleague would be taken for them."""
    Staff.objects.filter(pk=dealer.pk).update(badge="LA-7")
    with pytest.raises(BadText) as refused:
        hiring.change_person(person_id=cashier.pk, **KNOWN | {"badge": badge}, act=act)
    assert refused.value.field == "badge"
    with pytest.raises(BadText) as refused:
        hiring.hire(**ZOE | {"badge": badge}, act=act)
    assert refused.value.field == "badge"
    assert not Staff.objects.filter(username="zoe").exists()


def test_nobody_is_called_like_the_badge_of_a_colleague(act, dealer):
    Staff.objects.filter(pk=dealer.pk).update(badge="LA-7")
    with pytest.raises(BadText) as refused:
        hiring.hire(**ZOE | {"username": "la-7"}, act=act)
    assert refused.value.field == "username"


@pytest.mark.parametrize(("gone", "colleague"), [("LA-7", "la-7"), ("FLOOR", "")])
def test_nobody_comes_back_with_a_badge_that_is_a_colleagues_way_in_by_now(
    act, dealer, cashier, floor, gone, colleague
):
    hiring.let_go(person_id=dealer.pk, act=act)
    wears(dealer, gone)
    wears(cashier, colleague)
    with pytest.raises(BadText) as refused:
        hiring.take_back(person_id=dealer.pk, act=act)
    assert refused.value.field == "badge"
    assert f"{gone} is how somebody else signs in" in refused.value.message
    assert not again(dealer).is_active
    hiring.change_person(
        person_id=dealer.pk, **KNOWN | {"badge": "LA-8", "roles": frozenset({"dealer"})}, act=act
    )
    hiring.take_back(person_id=dealer.pk, act=act)
    assert again(dealer).is_active


def test_nobody_comes_back_whose_username_is_a_colleagues_badge_by_now(act, dealer, cashier):
    hiring.let_go(person_id=dealer.pk, act=act)
    wears(cashier, "Dealer")
    with pytest.raises(BadText) as refused:
        hiring.take_back(person_id=dealer.pk, act=act)
    assert refused.value.field == "username"
    wears(cashier, "LA-9")
    hiring.take_back(person_id=dealer.pk, act=act)
    assert again(dealer).is_active


def test_a_manager_changes_the_own_name_and_badge(act, manager):
    hiring.change_person(person_id=manager.pk, **KNOWN | {"roles": frozenset({"manager"})}, act=act)
    assert again(manager).full_name == ZOE["full_name"]


def test_the_last_manager_stays(act, manager, employ):
    owner = Staff.objects.create_superuser("owner", password="the machine is mine")
    by_owner = replace(act, actor=owner)
    with pytest.raises(LastManager):
        hiring.let_go(person_id=manager.pk, act=by_owner)
    with pytest.raises(LastManager):
        hiring.change_person(person_id=manager.pk, **KNOWN, act=by_owner)
    other = employ("max", "manager")
    hiring.let_go(person_id=manager.pk, act=by_owner)
    with pytest.raises(LastManager):
        hiring.let_go(person_id=other.pk, act=by_owner)
    assert again(other).is_active


def test_acts_that_are_too_late_are_told_so(act, dealer):
    with pytest.raises(StalePage):
        hiring.take_back(person_id=dealer.pk, act=act)
    hiring.let_go(person_id=dealer.pk, act=act)
    for late in (hiring.let_go, hiring.make_code):
        with pytest.raises(StalePage):
            late(person_id=dealer.pk, act=act)


def test_nobody_touches_a_superuser(act):
    owner = Staff.objects.create_superuser("owner", password="the machine is mine")
    for verb in (hiring.let_go, hiring.make_code, hiring.take_back):
        with pytest.raises(StalePage):
            verb(person_id=owner.pk, act=act)
    with pytest.raises(StalePage):
        hiring.change_person(person_id=owner.pk, **KNOWN, act=act)
    assert again(owner).check_password("the machine is mine")


@pytest.mark.parametrize("role", sorted(set(roles.ROLES) - {"manager"}))
def test_none_but_managers(act, employ, dealer, role):
    other = replace(act, actor=employ("yan", role))
    verbs = (
        lambda: hiring.hire(**ZOE, act=other),
        lambda: hiring.change_person(person_id=dealer.pk, **KNOWN, act=other),
        lambda: hiring.make_code(person_id=dealer.pk, act=other),
        lambda: hiring.let_go(person_id=dealer.pk, act=other),
        lambda: hiring.take_back(person_id=dealer.pk, act=other),
    )
    for verb in verbs:
        with pytest.raises(NotAllowed):
            verb()


def test_a_manager_who_was_let_go_meanwhile_changes_nobody(act, manager, dealer):
    Staff.objects.filter(pk=manager.pk).update(is_active=False)
    with pytest.raises(NotAllowed):
        hiring.let_go(person_id=dealer.pk, act=act)


def test_rights_follow_the_roles_at_once(act, dealer, client):
    client.force_login(dealer)
    assert client.get("/").url == "/dealer/"
    hiring.change_person(person_id=dealer.pk, **KNOWN | {"roles": frozenset({"counter"})}, act=act)
    assert client.get("/").url == "/count/"
    assert Group.objects.get(name="counter").user_set.get() == dealer
