"""Leaked passwords are refused where the house has a list of them."""

from hashlib import sha1

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from casino import checks

pytestmark = pytest.mark.django_db
LEAKED = [f"leaked in a breach {number}" for number in range(500)]


def line(password, digits=40):
    return f"{sha1(password.encode()).hexdigest().upper()[:digits]}:{len(password)}"


@pytest.fixture
def keeps(tmp_path, settings):
    """`keeps(lines)`: the house has a list of these lines."""

    def keep(lines, end="\r\n"):
        path = tmp_path / "leaked.txt"
        path.write_bytes(end.join(lines).encode())
        settings.BREACHED_PASSWORDS = str(path)
        return path

    return keep


def codes(password):
    try:
        validate_password(password)
    except ValidationError as refused:
        return [error.code for error in refused.error_list]
    return []


def wrong():
    return [problem.msg.partition(":")[0] for problem in checks.breached_passwords()]


def test_without_a_list_none_is_looked_up():
    assert (codes(LEAKED[0]), wrong()) == ([], [])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [[], [""]])
def test_each_password_of_the_list_is_refused_and_no_other(keeps, end, last):
    keeps([*sorted(map(line, LEAKED)), *last], end)
    assert wrong() == []
    assert {tuple(codes(password)) for password in LEAKED} == {("breached_password",)}
    assert {tuple(codes(f"own {password}")) for password in LEAKED} == {()}


def test_a_list_of_one_is_one(keeps):
    keeps([line(LEAKED[0]).lower()])
    assert (codes(LEAKED[0]), codes(LEAKED[1]), wrong()) == (["breached_password"], [], [])


@pytest.mark.parametrize(
    "lines", [LEAKED, sorted(map(line, LEAKED), reverse=True), sorted(line(one, 32) for one in LEAKED)]
)
def test_what_is_no_such_list_is_named_at_the_start(keeps, lines):
    keeps(lines)
    assert wrong() == ["BREACHED_PASSWORDS has to be a list of SHA-1 hashes in their order, one a line."]


def test_a_list_that_cannot_be_read_lets_nobody_set_a_password(keeps):
    keeps([])
    assert (codes(LEAKED[0]), wrong()) == (["no_list"], ["BREACHED_PASSWORDS can't be read"])
    keeps(["x"]).unlink()
    assert (codes(LEAKED[0]), wrong()) == (["no_list"], ["BREACHED_PASSWORDS can't be read"])
