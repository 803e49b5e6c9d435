"""The floor uses the books through one door; exceptions are listed, and the lists only get shorter."""

import configparser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Open to the floor. Of a partly open package, the open modules are here, the others in the contract.
FOR_VERBS = {
    *"cage chart errors jurisdiction lengths money papers records reports rights rules".split(),
    *"db.beginnings db.compiled db.keeping proof.audit proof.log.following".split(),
    *"proof.log.keeping_papers proof.log.state".split(),
}
FOR_SCREENS = {
    *"cage chart errors jurisdiction lengths money records reports rights rules templatetags".split(),
    *"views.api views.day views.downloads views.fields views.forms views.listing views.pages".split(),
    *"views.pictures views.terminal".split(),
}
# Joins the two apps at start; neither verb nor screen.
JOINS = {"apps", "migrations"}


def contract(name):
    read = configparser.ConfigParser()
    read.read(ROOT / ".importlinter")
    section = read[f"importlinter:contract:{name}"]
    return {key: [line for line in section[key].split("\n") if line] for key in section}


def inside(folder):
    found = {path.stem for path in folder.glob("*.py")} | {
        path.parent.name for path in folder.glob("*/__init__.py")
    }
    return found - {"__init__"}


def packages_of(module):
    """Return the packages that hold a module: of "proof.log.state", "proof" and "proof.log"."""
    parts = module.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts))}


@pytest.mark.parametrize(("name", "most"), [("door", 2), ("screens-door", 3)])
def test_what_goes_past_the_door_only_gets_less(name, most):
    past = contract(name)["ignore_imports"]
    assert not [line for line in past if "*" in line], "One line for each import."
    assert len(past) <= most, "Come in by the door, or shorten the list first."


@pytest.mark.parametrize(("name", "is_open"), [("door", FOR_VERBS), ("screens-door", FOR_SCREENS)])
def test_every_module_of_the_books_is_open_to_the_floor_or_closed(name, is_open):
    closed = {line.removeprefix("ledger.") for line in contract(name)["forbidden_modules"]}
    in_part = {package for one in closed | is_open for package in packages_of(one)}
    modules = inside(ROOT / "ledger")
    for package in in_part:
        modules |= {f"{package}.{one}" for one in inside(ROOT / "ledger" / package.replace(".", "/"))}
    # The whole journal is open but the module that writes.
    is_open = is_open | {one for one in modules if one.startswith("journal.") and one not in closed}
    assert not is_open & closed
    assert modules - in_part == is_open | closed


def test_every_module_of_the_floor_is_behind_one_door():
    behind = [contract(name)["source_modules"] for name in ("door", "screens-door")]
    names = [line.removeprefix("tables.") for lines in behind for line in lines]
    assert sorted(names) == sorted(inside(ROOT / "tables") - JOINS)
