"""Where a new column, field or entry has to go besides: each message names the file. What was there before
without it stands in tests/support/leads.toml, which only gets shorter."""

import re
import tomllib
from pathlib import Path

import pytest
from django import forms
from django.db import models
from django.forms.utils import pretty_name
from django.utils import translation

from casino import urls  # noqa: F401 (imports every page)
from casino.languages import ROOMS
from ledger.db import keeping
from ledger.papers.exceptions import EXCEPTIONS
from ledger.records import declaring
from tables.models import WaiverReason
from tests.support.declarations import ROOT, file_of, forms_of, where
from tools.messages import messages

LISTED = tomllib.loads((Path(__file__).parent / "support" / "leads.toml").read_text())
LIST = "tests/support/leads.toml"
VERBS = (
    "casino/",
    "ledger/cage/",
    "ledger/journal/",
    "tables/collection/",
    "tables/floor/",
    "tables/rounds/",
)
VERBS += ("tables/seats/",)


# -- a column of text ----------------------------------------------------------------------------------------


def conditions(model):
    return [one.condition for one in model._meta.constraints if isinstance(one, models.CheckConstraint)]


def lookups(condition):
    """Yield each (column, lookup, value) of a condition."""
    for child in condition.children:
        if isinstance(child, tuple):
            column, _, lookup = child[0].partition("__")
            yield column, lookup, child[1]
        elif hasattr(child, "children"):
            yield from lookups(child)


def texts():
    for model in keeping.models():
        for field in model._meta.local_fields:
            if isinstance(field, models.CharField | models.TextField) and not field.choices:
                yield model, field.name


def without_form():
    """Return the columns that take any text, with where a form would have to stand."""
    for model, name in texts():
        held = any(column == name for one in conditions(model) for column, *_ in lookups(one))
        if not held and name not in LISTED["free_texts"]["columns"].split():
            yield (
                f"{model.__name__}.{name} in {file_of(model)} takes any text. Give it its form: a pattern in"
                f" ledger/lengths.py, and check(..., Q({name}__regex=...)) beside it; or list it in {LIST}."
            )


def patterns():
    """Yield each column that a constraint holds to a pattern."""
    for model in keeping.models():
        for one in conditions(model):
            yield from ((model, column, value) for column, how, value in lookups(one) if how == "regex")


def declared_as(model, column):
    """Yield the fields of records that set a column, each with its form."""
    label = model._meta.label
    for record in declaring.kinds():
        for kind in ("", *declaring.kinds_inside(record)):
            tops = forms_of(record, kind) if kind else [declaring.form(record)]
            for form, field in fields(tops):
                if field.name == column or any((at.of, at.path) == (label, column) for at in field.columns):
                    yield form, field


def fields(tops):
    for form in tops:
        for field in form.fields.values():
            yield form, field
            yield from fields(field.look.forms)


def leads_of_patterns():
    """Yield what a column with a pattern still lacks: its record's unit, and the verb that refuses."""
    for model, column, pattern in patterns():
        name = pattern_name(pattern)
        for form, field in declared_as(model, column):
            if not field.look.deeper or field.look.deeper("\0") is None:
                yield (
                    f"{field.name} of {where(form)} takes any text; {model.__name__}.{column} has a pattern:"
                    f" Annotated[str, Unit(..., re.compile({name}))]. The offline check then refuses others."
                )
        used = {path for path in product() if re.search(rf"\b{name}\b", path.read_text())}
        if not any(str(path.relative_to(ROOT)).startswith(VERBS) for path in used):
            yield (
                f"No verb refuses what {model.__name__}.{column} does not take ({name}). Its refusal is a"
                " class in tables/errors.py or ledger/errors.py, unless one there fits; then"
                " `manage.py errors --write docs/errors.md`."
            )


def product():
    return [
        path for app in keeping.APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts
    ]


def pattern_name(pattern):
    """Return the name of a pattern in ledger/lengths.py, or the pattern itself."""
    from ledger import lengths

    return next((name for name, value in vars(lengths).items() if value == pattern), repr(pattern))


def test_a_column_of_text_has_a_form_or_is_listed():
    assert list(without_form()) == []
    there = {name for _, name in texts()}
    assert sorted(set(LISTED["free_texts"]["columns"].split()) - there) == []


def test_what_a_column_is_held_to_its_record_and_its_verb_are_held_to():
    assert list(dict.fromkeys(leads_of_patterns())) == []


def test_a_column_with_a_pattern_leads_to_its_record_and_its_verb(monkeypatch):
    held = keeping.check("only_letters", models.Q(text__regex="^[a-z]+$"))
    monkeypatch.setattr(WaiverReason._meta, "constraints", [held])
    leads = "\n".join(leads_of_patterns())
    assert "text of WaiverReasonPublished in tables/audit/records/house_events.py takes any text" in leads
    assert "No verb refuses what WaiverReason.text does not take" in leads
    assert "tables/errors.py" in leads


# -- a field of a form ---------------------------------------------------------------------------------------


def forms_below(of=forms.BaseForm):
    for one in of.__subclasses__():
        yield one
        yield from forms_below(one)


def is_translated(form):
    file = file_of(form)
    said = [place.partition(":") for room in ROOMS for place in room.sentences]
    return any(
        module == file and (not names or form.__name__ in names.split(",")) for module, _, names in said
    )


def unlabelled():
    """Yield the fields that would stand in English on a translated screen."""
    said = messages()["django"]
    for form in sorted(set(forms_below()), key=lambda one: one.__qualname__):
        if not form.__module__.startswith(keeping.APPS) or not is_translated(form):
            continue
        for name, field in form.base_fields.items():
            if f"{form.__name__}.{name}" in LISTED["labels"] or field.widget.is_hidden:
                continue
            with translation.override("zh-hant"):
                label = str(field.label or pretty_name(name))
                if label.isascii() and label not in said and translation.gettext(label) == label:
                    which = f"{form.__name__} in {file_of(form)}"
                    yield f'{which}: give {name} a label="...", then `make messages`.'


def test_the_label_of_a_field_is_translated():
    assert list(unlabelled()) == []


# -- a field of a record -------------------------------------------------------------------------------------


def told(key):
    """Return the places that an exception's template names: `evidence.waiver.number`."""
    one = EXCEPTIONS[key]
    parts = [part for part in (one.what, one.old, one.new, one.reason) if isinstance(part, str)]
    return {name for part in parts for name in re.findall(r"\{([a-z_.]+)", part)}


def untold():
    """Yield the fields beside those that a template names, and which it does not name."""
    for key in EXCEPTIONS:
        record, _, kind = key.partition(" ")
        for form in forms_of(record, kind):
            inside = {"entry": "evidence"}.get(record, "data") if kind else ""
            yield from _untold(key, form, inside, told(key))


def _untold(key, form, above, names):
    places = {f"{above}.{name}".strip("."): field for name, field in form.fields.items()}
    if key.startswith("entry ") and above == "evidence":
        wanted = {}  # the fee itself; a template tells what is about the exception
    else:
        wanted = {place: one for place, one in places.items() if one.name not in declaring.EVERY}
    if names & wanted.keys():
        for place in wanted.keys() - names:
            yield key, place, form
    for place, one in places.items():
        for deeper in one.look.forms if one.look.types == {dict} else ():
            yield from _untold(key, deeper, place, names)


def test_what_is_beside_what_an_exception_tells_is_told_or_listed():
    found = {f"{key}: {place}": form for key, place, form in untold()}
    listed = {f"{key}: {name}" for key, names in LISTED["untold"].items() for name in names.split()}
    leads = [
        f"{name} (of {where(form)}) is in no column of exceptions.csv: put it into the template of"
        f" tables/audit/exceptions.py or ledger/papers/exceptions.py, or list it in {LIST}."
        for name, form in found.items()
        if name not in listed
    ]
    assert sorted(leads) == []
    assert sorted(listed - found.keys()) == []


def without_cell():
    """Yield the fields of records, one of whose neighbours goes into a column of a paper."""
    for record in declaring.kinds():
        for kind in ("", *declaring.kinds_inside(record)):
            for form, field in fields(forms_of(record, kind) if kind else [declaring.form(record)]):
                papers = {cell.paper for one in form.fields.values() for cell in one.cells}
                if papers and not field.cells:
                    yield f"{form.name}.{field.name}", form, sorted(papers)


def test_what_is_beside_a_column_of_a_paper_has_one_or_is_listed():
    found = {name: (form, papers) for name, form, papers in without_cell()}
    listed = {f"{form}.{name}" for form, names in LISTED["no_cell"].items() for name in names.split()}
    leads = [
        f"{name} ({where(form)}) is in no column of {' or '.join(papers)}: mark it Cell(...), and the"
        f" paper says where the column goes; or list it in {LIST}."
        for name, (form, papers) in found.items()
        if name not in listed
    ]
    assert sorted(leads) == []
    assert sorted(listed - found.keys()) == []


@pytest.mark.parametrize("part", LISTED)
def test_each_list_is_read(part):
    assert part in {"free_texts", "labels", "untold", "no_cell"}
