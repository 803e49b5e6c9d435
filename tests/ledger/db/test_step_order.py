"""Rows of documents and their steps that SQL writes past the program: what the database itself refuses."""

import pytest
from django.db import IntegrityError, connection, transaction

from ledger.db import step_order
from ledger.models import Account, Document, DocumentStep

pytestmark = pytest.mark.django_db
NOTHING = {"pieces": "{}", "chips_cents": 0, "cash_cents": 0}
SENT = {"pieces": '{"chips": [[500, 200]]}', "chips_cents": 100_000, "cash_cents": 0}


@pytest.fixture
def paper(game):
    """Write a document by SQL: `paper(1, kind="fill", number=1)`."""
    bank, cash = game.session.bank_chips_id, game.session.bank_cash_id

    def written(pk, kind="fill", number=1, **columns):
        transit = [
            Account.objects.create(site=game.site, kind="transit", asset=asset, label="on its way").pk
            for asset in ("chips", "cash")
        ]
        row = {
            "id": 1000 + pk,
            "site_id": game.site.pk,
            "kind": kind,
            "number": number,
            "place": "Table 1",
            "chips_id": bank,
            "cash_id": cash,
            "transit_chips_id": transit[0],
            "transit_cash_id": transit[1],
            "gaming_day": "2026-03-07",
            **SENT | columns,
        }
        insert(Document, row)

    return written


@pytest.fixture
def step(game, floor, floor2, cashier, regulator):
    """Write a step by SQL: `step(1, 1, 0, "requested", None, 0)`, the last being who."""
    people = [game.dealer, floor, cashier, floor2, regulator]
    game.seat("Ann", "Bob", "Cat")
    entries = list(game.site.entries.filter(document_step=None).order_by("pk"))

    def written(pk, document, ordinal, name, after, who, **columns):
        posted = name in ("sent", "received", "differed")
        row = {
            "id": 1000 + pk,
            "site_id": game.site.pk,
            "document_id": 1000 + document,
            "ordinal": ordinal,
            "step": name,
            "after_id": after and 1000 + after,
            "person_id": people[who].pk,
            "second_id": None,
            "at": game.now,
            "gaming_day": "2026-03-07",
            "terminal": "",
            "reason": "",
            "reference": "",
            **(SENT if name in ("sent", "received") else NOTHING),
            "entry_id": entries[pk % 3].pk if posted else None,
            "key": f"step {pk}",
        }
        row |= columns
        if type(row["second_id"]) is int:
            row["second_id"] = people[row["second_id"]].pk
        insert(DocumentStep, row)

    return written


def insert(model, row):
    table, places = model._meta.db_table, ", ".join(["%s"] * len(row))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", list(row.values()))


def no(call, *args, **columns):
    with pytest.raises(IntegrityError):
        call(*args, **columns)


VOID = {"reason": "a mistake", "second_id": 1}


def test_a_number_is_there_once_in_its_series(paper):
    paper(1)
    no(paper, 2)
    paper(3, kind="credit")
    no(paper, 4, kind="loan")
    no(paper, 5, number=0)
    no(paper, 6, number=2, chips_cents=0)
    no(paper, 7, number=2, chips_cents=-5)


def test_steps_follow_each_other_by_the_people_who_may_take_them(paper, step):
    paper(1)
    no(step, 1, 1, 0, "authorised", None, 1)
    step(1, 1, 0, "requested", None, 0)
    no(step, 2, 1, 0, "requested", None, 1)
    no(step, 2, 1, 1, "sent", 1, 2)
    no(step, 2, 1, 1, "authorised", 1, 0)
    no(step, 2, 1, 2, "authorised", 1, 1)  # out of its place
    step(2, 1, 1, "authorised", 1, 1)
    no(step, 3, 1, 2, "authorised", 2, 3)
    no(step, 3, 1, 2, "sent", 2, 2, **NOTHING)
    no(step, 3, 1, 2, "sent", 2, 2, entry_id=None)
    no(step, 3, 1, 2, "sent", 2, 2, reference="Carl")  # which a fill has not
    no(step, 3, 1, 2, "sent", 2, 1)  # who authorised it
    no(step, 3, 1, 2, "sent", 2, 0)  # who asked for it
    step(3, 1, 2, "sent", 2, 2)
    no(step, 4, 1, 3, "voided", 3, 0, **VOID)
    no(step, 4, 1, 3, "received", 3, 2)  # who sent it
    no(step, 4, 1, 3, "differed", 3, 0)  # without reason and second person
    step(4, 1, 3, "received", 3, 0)  # the dealer who asked
    no(step, 5, 1, 4, "received", 4, 3)
    no(step, 5, 1, 4, "voided", 4, 1, reason="a mistake", second_id=3)


def test_a_large_difference_has_its_evidence_and_a_second_person_who_took_no_step(paper, step):
    paper(1)
    for number, (name, who) in enumerate((("requested", 0), ("authorised", 1), ("sent", 2))):
        step(number + 1, 1, number, name, number or None, who)
    gone = {"reason": "gone", "second_id": 3, "evidence": "clip 7", "threshold_cents": 10_000}
    for wrong in ({"evidence": ""}, {"second_id": 1}, {"threshold_cents": None, "evidence": None}):
        no(step, 4, 1, 3, "differed", 3, 0, **gone | wrong)
    no(step, 4, 1, 3, "received", 3, 0, evidence="clip 7", threshold_cents=10_000)
    few = {"threshold_cents": 100_001, "evidence": "", "second_id": 1}
    no(step, 4, 1, 3, "differed", 3, 0, **gone | few | {"threshold_cents": 100_000})
    step(4, 1, 3, "differed", 3, 0, **gone | few)


def test_small_differences_of_a_day_at_one_table_are_a_large_one_together(paper, step):
    signed = {"reason": "gone", "second_id": 1, "evidence": "", "threshold_cents": 100_000}
    short = {"pieces": '{"chips": [[500, 80]]}', "chips_cents": 40_000, "cash_cents": 0}
    for number in (1, 2):
        paper(number, number=number)
        for ordinal, (name, who) in enumerate((("requested", 0), ("authorised", 1), ("sent", 2))):
            pk = 11 * number + ordinal - 1
            step(pk, number, ordinal, name, pk - 1 if ordinal else None, who)
        if number == 1:
            step(13, 1, 3, "differed", 12, 0, **signed, **short)
    with pytest.raises(IntegrityError, match="somebody uninvolved"):
        step(24, 2, 3, "differed", 23, 3, **signed, **short)


def test_a_document_is_voided_by_two_and_follows_its_own_steps(paper, step):
    paper(1)
    paper(2, number=2)
    step(1, 1, 0, "requested", None, 0)
    step(2, 2, 0, "requested", None, 0)
    no(step, 3, 1, 1, "voided", 1, 0, reason="a mistake")
    no(step, 3, 1, 1, "voided", 1, 0, second_id=1)
    no(step, 3, 1, 1, "voided", 1, 0, reason="a mistake", second_id=0)
    no(step, 3, 1, 1, "authorised", 2, 1)  # follows a step of the other document
    no(step, 3, 1, 1, "requested", 2, 1)
    no(step, 3, 9, 0, "requested", None, 1)  # of no document
    no(step, 3, 1, 1, "burned", 1, 1)
    step(3, 1, 1, "voided", 1, 0, **VOID)


def test_a_step_of_a_deposit_has_its_reference(paper, step):
    paper(1, kind="deposit", pieces='{"cash": [[500, 200]]}', chips_cents=0, cash_cents=100_000)
    step(1, 1, 0, "requested", None, 2)
    step(2, 1, 1, "authorised", 1, 1)
    no(step, 3, 1, 2, "sent", 2, 2)
    step(3, 1, 2, "sent", 2, 2, reference="Carl Carrier")
    no(step, 4, 1, 3, "received", 3, 1)
    step(4, 1, 3, "received", 3, 1, reference="slip 4711")


def test_a_key_and_an_entry_stand_for_one_step(paper, step):
    paper(1)
    paper(2, number=2)
    for document in (1, 2):
        step(10 * document, document, 0, "requested", None, 0)
        step(10 * document + 1, document, 1, "authorised", 10 * document, 1)
    step(3, 1, 2, "sent", 11, 2)
    no(step, 4, 2, 2, "sent", 21, 2, key="step 3")
    no(step, 4, 2, 2, "sent", 21, 2, entry_id=DocumentStep.objects.get(pk=1003).entry_id)


def test_written_steps_stay(paper, step):
    paper(1)
    step(1, 1, 0, "requested", None, 0)
    for changed in ({"step": "authorised"}, {"person": 1}, {"reason": "another"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            DocumentStep.objects.filter(pk=1001).update(**changed)
    with pytest.raises(IntegrityError), transaction.atomic():
        Document.objects.filter(pk=1001).update(chips_cents=5)
    with pytest.raises(IntegrityError), transaction.atomic():
        DocumentStep.objects.filter(pk=1001).delete()


@pytest.mark.parametrize(
    ("table", "name"),
    [
        *((step_order.TABLE, name) for name in ("order", "apart", "reference")),
        (step_order.BOXES, "once"),
        (step_order.DRAWERS, "one_open"),
    ],
)
def test_a_trigger_that_is_gone_is_named_and_made_again(table, name):
    on = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {table}_{name}{on}")
    assert step_order.HELD.lacking(connection) == [f"{table}_{name}"]
    assert [error.id for error in step_order.HELD.check(None, ["default"])] == ["ledger.E005"]
    step_order.HELD.protect("default")
    assert step_order.HELD.lacking(connection) == []
