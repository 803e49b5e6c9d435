"""A page that hands all that was entered to its verb has a form with the verb's parameters, and no others.
What a verb takes is handed to it by somebody."""

import ast
import dataclasses
import inspect
import re
import typing
from collections import defaultdict
from pathlib import Path

import pytest
from django.conf import settings

from casino import urls  # noqa: F401 (imports every page)
from ledger.cage import exclusions
from ledger.views.pages import FormPage
from tests.support.declarations import file_of


def pages(of=FormPage):
    for page in of.__subclasses__():
        yield page
        yield from pages(page)


def handed_on():
    """Yield the name of each page whose `do` hands `form.entered` to a verb, its form, its verb, and which
    parameters and fields are handed on otherwise."""
    for page in dict.fromkeys(pages()):
        do = vars(page).get("do")
        if do is None or "form.entered" not in inspect.getsource(do):
            continue
        form = typing.get_type_hints(do)["form"]
        source = inspect.getsource(do).lstrip().replace("\n    ", "\n")
        calls = list(filter(is_call, ast.walk(ast.parse(source))))
        taken = {call.args[0].value for call in calls if getattr(call.func, "attr", "") == "pop"}
        (call,) = [call for call in calls if any(one.arg is None for one in call.keywords)]
        verb = eval(ast.unparse(call.func), vars(inspect.getmodule(page)))
        yield page.__name__, form, verb, {one.arg for one in call.keywords if one.arg}, taken


def is_call(node):
    return isinstance(node, ast.Call)


# Subclasses come in the order of imports, which is another in each worker.
HANDED_ON = sorted(handed_on(), key=lambda row: row[0])


def test_some_pages_hand_on_what_was_entered():
    assert {"WaiveFee", "PublishReason", "Entry"} <= {page for page, *_rest in HANDED_ON}


def names_of(parameter):
    """Return the names that a verb takes by it: `**listing` are the fields of a `Listing`."""
    if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
        return [parameter.name]
    return [field.name for field in dataclasses.fields(getattr(exclusions, parameter.name.title()))]


@pytest.mark.parametrize(
    ("form", "verb", "given", "taken"), [rest for _, *rest in HANDED_ON], ids=[page for page, *_ in HANDED_ON]
)
def test_a_form_asks_for_what_its_verb_takes(form, verb, given, taken):
    takes = {name for one in inspect.signature(verb).parameters.values() for name in names_of(one)} - given
    asks = set(form.base_fields) - {"key"} - taken
    names = f"{form.__name__} in {file_of(form)}", f"{verb.__name__} in {file_of(verb)}"
    assert takes - asks == set(), f"{names[1]} takes it; {names[0]} does not ask for it."
    assert asks - takes == set(), f"{names[0]} asks for it; {names[1]} does not take it."


ACT = re.compile(r"\bact(=|: Act|\")")


def verbs_and_calls():
    """Return the parameters of each verb, by file and name, and what calls outside the demo hand to each name
    in which files; None stands for `**`."""
    verbs, calls = {}, defaultdict(lambda: defaultdict(set))
    for app in ("casino", "tables", "ledger"):
        for path in sorted(Path(settings.BASE_DIR, app).rglob("*.py")):
            file, text = path.relative_to(settings.BASE_DIR).as_posix(), path.read_text()
            if "/migrations/" in file or file.startswith("casino/demo/") or not ACT.search(text):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef) and not node.args.args:
                    verbs[file, node.name] = [one.arg for one in node.args.kwonlyargs]
                elif is_call(node):
                    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                    calls[name][file].update(one.arg for one in node.keywords)
    return {verb: takes for verb, takes in verbs.items() if "act" in takes}, calls


CALLED_OTHERWISE = {"sell_chips", "redeem_chips", "stock_cage"}
"""The window's page chooses between two verbs; a cage is stocked by a command and by the demo."""


def test_whatever_a_verb_takes_is_handed_to_it():
    verbs, calls = verbs_and_calls()
    assert ("tables/collection/clock.py", "stop_clock") in verbs
    for (file, verb), takes in verbs.items():
        called = calls[verb]
        handed = set().union(*called.values())
        if None not in handed and verb not in CALLED_OTHERWISE:
            nobody = f"nobody hands it on: see {' or '.join(called) or 'tables/views/'}"
            assert set(takes) - handed == set(), f"{verb} in {file} takes it; {nobody}."
