"""The floor comes to the books by one door; what still goes past it stands in lists that only get shorter."""

import configparser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(("contract", "most"), [("door", 5), ("screens-door", 3)])
def test_what_goes_past_the_door_only_gets_less(contract, most):
    read = configparser.ConfigParser()
    read.read(ROOT / ".importlinter")
    past = read[f"importlinter:contract:{contract}"]["ignore_imports"].split("\n")
    assert len([line for line in past if line]) <= most, "Come in by the door, or shorten the list first."
