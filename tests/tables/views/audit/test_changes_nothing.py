"""A regulator can change nothing: whatever is sent to whichever address,
the answer is no and the rows stay."""

import pytest
from django.apps import apps

from casino.requests.middleware import AT_THE_DOOR, OPENED_BY_READERS
from tests.support.addresses import addresses
from tests.support.lengths import LONG

# A reader, too, may say who they are; how the house does is asked of nobody in particular, and only by GET.
ALL = sorted(
    {path for name, path in addresses() if name not in AT_THE_DOOR and not path.startswith("/healthz")}
)
OPENING = {path for name, path in addresses() if name in OPENED_BY_READERS}
OTHERS = ["put", "patch", "delete"]
"""In short each address is asked by post and by one of these."""


def rows():
    """How many rows every table has, sessions of browsers apart."""
    return {
        model._meta.label: model.objects.count()
        for model in apps.get_models()
        if model._meta.label not in ("sessions.Session",)
    }


def test_the_list_holds_the_addresses_that_matter():
    assert {"/cashier/sell/", "/count/boxes/1/", "/floor/open/", "/api/rounds/1/settle", "/rounds/1/"} <= set(
        ALL
    )
    assert len(ALL) > 60


@pytest.mark.parametrize("method", ["post", *OTHERS])
def test_a_regulator_is_refused_everywhere(at, regulator, evening, method):
    browser = at(regulator)  # whose sign-in is noted in the log
    before = rows()
    asked = ALL if method == "post" or LONG else ALL[OTHERS.index(method) :: len(OTHERS)]
    answers = {path: getattr(browser, method)(path).status_code for path in asked}
    if method == "post":  # forms of theirs, empty or to what is not there
        assert {answers.pop(path) for path in OPENING} == {400, 404}
    assert {path: status for path, status in answers.items() if status != 403} == {}
    assert rows() == before


def test_the_refusal_has_the_house_s_shape(at, regulator, evening):
    answer = at(regulator).post("/api/rounds/1/settle")
    assert answer.json()["code"] == "not_allowed"
    assert "not_allowed" in at(regulator).post("/floor/open/").content.decode()


def test_a_regulator_still_leaves_by_the_door(at, regulator, evening):
    assert at(regulator).post("/sign-out/").status_code == 302


@pytest.mark.parametrize("who", ["floor", "dealer", "cashier", "counter1", "manager"])
def test_those_who_work_here_are_not_held_by_it(at, evening, request, who):
    from casino.roles import only_reads

    assert not only_reads(request.getfixturevalue(who))
