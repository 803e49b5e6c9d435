"""The second person for codes and roles: nobody is both people, and the log names both."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from casino.house.acts import Sought, deeds
from casino.models import Staff
from casino.roles import ROLES
from casino.sign_in import factors, noting, terminals
from casino.sign_in.coming_in import CAME
from casino.staff import hiring
from casino.staff.hiring import APPROVERS, second_people
from ledger.errors import NotAllowed, SecondPerson
from ledger.models import HouseEvent
from ledger.proof.audit.checks.identity import SIGNERS
from tests.support.cast import PIN
from tests.support.second_steps import SECRET, shown

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("identity_verifies")]
KEY = "a-key-of-this-page"
ZOE = {
    "username": "zoe",
    "full_name": "Zoë",
    "badge": "",
    "badge_expires": None,
    "roles": frozenset({"dealer"}),
}
KNOWN = {name: ZOE[name] for name in ZOE if name != "username"}


@pytest.fixture
def set_own_pin(site):
    """`set_own_pin(person)`: log that they set their PIN."""
    return lambda person: noting.note("pin_set", actor=person, staff=person.pk)


@pytest.fixture
def grown_up(site, manager, floor, set_own_pin, act):
    """A house in which the floor could sign, with a PIN and a terminal; returns the terminal's token."""
    set_own_pin(floor)
    return terminals.enrol(name="Floor desk", act=replace(act, actor=floor))


def handed_out(act, somebody):
    """Return every act that gives a way in or a role, by name."""
    gone = Staff.objects.get(username="gone")
    return {
        "hire": lambda: hiring.hire(**ZOE, act=act),
        "code": lambda: hiring.make_code(person_id=somebody.pk, act=act),
        "factors": lambda: hiring.reset_factors(person_id=somebody.pk, act=act),
        "back": lambda: hiring.take_back(person_id=gone.pk, act=act),
        "role": lambda: hiring.change_person(
            person_id=somebody.pk, **KNOWN | {"roles": frozenset({"cashier", "dealer"})}, act=act
        ),
    }


@pytest.fixture
def cashier_with_app(cashier, employ, act):
    hiring.let_go(person_id=employ("gone", "dealer").pk, act=act)
    factors.add_app(cashier, SECRET, shown(), replace(act, actor=cashier, now=timezone.now()))
    return cashier


@pytest.mark.parametrize("what", ["hire", "code", "factors", "back", "role"])
def test_nobody_hands_out_a_way_in_alone_once_somebody_could_sign(grown_up, act, cashier_with_app, what):
    before = HouseEvent.objects.count()
    with pytest.raises(SecondPerson, match="A second person has to sign this"):
        handed_out(act, cashier_with_app)[what]()
    assert HouseEvent.objects.count() == before
    assert factors.has_step(cashier_with_app)


@pytest.mark.parametrize("what", ["hire", "code", "factors", "back", "role"])
def test_with_the_floor_beside_them_it_is_done_and_both_are_in_the_log(
    grown_up, act, floor, manager, cashier_with_app, what
):
    last = HouseEvent.objects.latest("pk").pk
    handed_out(replace(act, approver=floor), cashier_with_app)[what]()
    signed = [
        event for event in HouseEvent.objects.filter(pk__gt=last).order_by("pk") if "approver" in event.data
    ]
    assert {(event.actor, event.data["approver"]) for event in signed} == {(manager, floor.pk)}
    said = [deed.sentence for deed in deeds(manager_site(), Sought())]
    assert any(sentence.endswith("floor signed beside them.") for sentence in said[:3])


def manager_site():
    return HouseEvent.objects.first().site


@pytest.mark.parametrize("role", [*sorted(set(ROLES) - SIGNERS)])
def test_whose_work_does_not_answer_for_the_staff_signs_nothing(grown_up, act, dealer, employ, role):
    with pytest.raises((NotAllowed, SecondPerson)):
        hiring.make_code(person_id=dealer.pk, act=replace(act, approver=employ("yan", role)))


@pytest.mark.parametrize("role", sorted(SIGNERS))
def test_floor_compliance_and_another_manager_sign(grown_up, act, dealer, employ, role):
    assert hiring.make_code(person_id=dealer.pk, act=replace(act, approver=employ("yan", role)))


def test_the_rights_asked_for_are_those_of_the_roles_that_the_verifier_names():
    assert {role for role, given in ROLES.items() if set(APPROVERS) & set(given)} == SIGNERS


def test_nobody_signs_beside_themselves_or_their_own_code(grown_up, act, manager, floor):
    for approver, whose in ((manager, floor), (floor, floor)):
        with pytest.raises(SecondPerson, match="choose somebody else"):
            hiring.make_code(person_id=whose.pk, act=replace(act, approver=approver))


def test_before_that_the_first_manager_acts_alone_and_the_log_says_so(site, act, manager, set_own_pin, floor):
    assert not second_people().is_needed(manager.pk)
    hiring.hire(**ZOE, act=act)
    said = [deed.sentence for deed in deeds(site, Sought())]
    assert "Made a one-time code for Zoë. Nobody else could sign yet." in said
    set_own_pin(floor)  # no device accepts a PIN yet
    assert not second_people().is_needed(manager.pk)
    terminals.enrol(name="Floor desk", act=act)
    assert second_people().is_needed(manager.pk)


def test_who_could_sign_has_left_and_still_nobody_acts_alone(grown_up, act, floor, dealer):
    hiring.let_go(person_id=floor.pk, act=act)
    with pytest.raises(SecondPerson):
        hiring.make_code(person_id=dealer.pk, act=act)


def test_a_role_less_and_a_badge_take_nobody_else(grown_up, act, employ):
    yan = employ("yan", "dealer", "floor")
    hiring.change_person(person_id=yan.pk, **KNOWN | {"full_name": "", "badge": "B-7"}, act=act)
    assert yan.roles == {"dealer"}
    hiring.let_go(person_id=yan.pk, act=act)


def on_people(manager, other, dealer):
    """Return what changes a name, one's own record, or takes a manager out, by name."""
    own = {"full_name": "", "badge": "B-7", "badge_expires": None, "roles": frozenset({"manager"})}
    return {
        "name": (hiring.change_person, dealer, KNOWN),
        "own badge": (hiring.change_person, manager, own),
        "own name": (hiring.change_person, manager, own | {"full_name": "Mei", "badge": ""}),
        "manager's role": (hiring.change_person, other, own | {"badge": "", "roles": frozenset()}),
        "manager": (hiring.let_go, other, {}),
    }


@pytest.mark.parametrize("what", ["name", "own badge", "own name", "manager's role", "manager"])
def test_nobody_renames_people_vouches_for_themselves_or_removes_a_manager_alone(
    grown_up, act, manager, employ, dealer, floor, what
):
    other = employ("max", "manager")
    verb, whom, entry = on_people(manager, other, dealer)[what]
    before = HouseEvent.objects.count()
    with pytest.raises(SecondPerson, match="A second person has to sign this"):
        verb(person_id=whom.pk, **entry, act=act)
    assert HouseEvent.objects.count() == before
    verb(person_id=whom.pk, **entry, act=replace(act, approver=floor))
    changed = HouseEvent.objects.filter(kind="staff_changed").latest("pk")
    assert (changed.data["staff"], changed.data["approver"]) == (whom.pk, floor.pk)


def test_the_pages_ask_for_the_second_person_of_a_manager_and_of_ones_own_badge(
    grown_up, act, manager, employ, dealer, client
):
    other = employ("max", "manager")
    client.force_login(manager)
    for path, asked in (
        (f"{other.pk}/let-go/", True),
        (f"{dealer.pk}/let-go/", False),
        (f"{manager.pk}/", True),
    ):
        assert ('name="second_pin"' in client.get(f"/house/staff/{path}").text) is asked, path


def test_lost_second_steps_are_recorded_apart_from_codes(grown_up, act, floor, cashier_with_app):
    hiring.reset_factors(person_id=cashier_with_app.pk, act=replace(act, approver=floor))
    kinds = list(HouseEvent.objects.order_by("pk").values_list("kind", flat=True))[-2:]
    assert kinds == ["factors_reset", "factor_removed"]
    cashier_with_app.refresh_from_db()
    assert cashier_with_app.has_usable_password()
    assert not factors.has_step(cashier_with_app)


# -- the pages -------------------------------------------------------------------------------------


@pytest.fixture
def desk(grown_up, manager):
    """The manager at a terminal, who signed in a while ago."""
    client = Client()
    client.force_login(manager)
    client.cookies[terminals.COOKIE] = grown_up
    return client


def code_page(desk, person, **said):
    return desk.post(f"/house/staff/{person.pk}/code/", {"key": KEY, **said})


def codes(answer):
    errors = answer.context["form"].errors.as_data()
    return {name: [error.code for error in found] for name, found in errors.items()}


def test_a_code_takes_the_own_password_and_the_second_persons_pin(desk, dealer):
    page = desk.get(f"/house/staff/{dealer.pk}/code/").context["form"]
    assert {"second", "second_pin", "password"} <= page.fields.keys()
    signed = {"second": "floor", "second_pin": PIN}
    answer = code_page(desk, dealer, **signed)
    assert (answer.status_code, codes(answer)) == (400, {"password": ["bad_text"]})
    answer = code_page(desk, dealer, **signed, password="a guess")
    assert (answer.status_code, codes(answer)) == (400, {"password": ["invalid_login"]})
    answer = code_page(desk, dealer, **signed | {"second_pin": "000000"}, password="manager signs in")
    assert codes(answer) == {"second_pin": ["wrong_pin"]}
    answer = code_page(desk, dealer, **signed, password="manager signs in")
    assert answer.context["code"]
    # The password need not be typed again for ten minutes; the second person's PIN must.
    assert code_page(desk, dealer, **signed).context["code"]
    assert codes(code_page(desk, dealer)) == {"second": ["bad_text"], "second_pin": ["bad_text"]}


def test_whoever_needs_the_code_is_not_offered_beside_it(desk, floor, employ):
    employ("yan", "compliance")
    form = desk.get(f"/house/staff/{floor.pk}/code/").context["form"]
    assert form.offered == ["yan"]
    assert [name for name, _ in form.fields["second"].widget.choices] == ["", "yan"]


def test_another_role_or_name_asks_for_somebody_and_a_new_badge_does_not(desk, dealer):
    page = f"/house/staff/{dealer.pk}/"
    given = {"key": KEY, "full_name": "Mei", "badge": "", "badge_expires": "", "roles": ["dealer"]}
    empty, floors = {"second": "", "second_pin": ""}, {"second": "floor", "second_pin": PIN}
    assert desk.post(page, given | empty).status_code == 403
    assert desk.post(page, given | floors).status_code == 302
    given["badge"] = "B-7"
    assert desk.post(page, given | empty).status_code == 302
    answer = desk.post(page, given | empty | {"roles": ["dealer", "floor"]})
    assert (answer.status_code, codes(answer)) == (403, {"second": ["second_person"]})
    assert desk.post(page, given | floors | {"roles": ["dealer", "floor"]}).status_code == 302
    assert dealer.roles == {"dealer", "floor"}


def test_lost_second_steps_have_a_page_where_there_are_some(desk, dealer, cashier_with_app):
    assert "Lost second step" not in desk.get(f"/house/staff/{dealer.pk}/").content.decode()
    assert "Lost second step" in desk.get(f"/house/staff/{cashier_with_app.pk}/").content.decode()
    said = {"key": KEY, "second": "floor", "second_pin": PIN, "password": "manager signs in"}
    answer = desk.post(f"/house/staff/{cashier_with_app.pk}/second-steps/", said, follow=True)
    assert "are removed." in answer.content.decode()
    assert not factors.has_step(cashier_with_app)


def test_a_new_house_hires_on_its_first_page_without_anybody_beside(client, site, manager):
    client.force_login(manager)
    session = client.session
    session[CAME] = (timezone.now() - timedelta(minutes=2)).timestamp()
    session.save()
    page = client.get("/house/staff/hire/")
    assert not {"second", "password"} & page.context["form"].fields.keys()
    assert "Nobody else can sign yet" in page.content.decode()
    said = {"key": KEY, "username": "flo", "full_name": "Flo", "roles": ["floor"]}
    assert client.post("/house/staff/hire/", said).context["code"]
