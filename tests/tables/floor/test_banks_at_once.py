"""Documents of a table's bank from several processes: killed at any moment, and two for one step at once."""

import random
from collections.abc import Iterator
from datetime import datetime

import pytest
from django.utils import timezone

from ledger.cage import boxes, documents
from ledger.chart import AccountKind
from ledger.journal import balances
from ledger.models import Account, AuditRecord, Document, DocumentBox, DocumentStep, JournalEntry, Site
from ledger.proof.log import sealing, verifying
from ledger.rules.denominations import Pieces
from tables.floor import banks, opening
from tables.models import TableSession
from tests.support.acting import acting
from tests.support.balances import differences
from tests.support.cage import pieces as pieces_in
from tests.support.counting import count_box
from tests.support.killing import Say, Told, keep_killing
from tests.support.lengths import DOCUMENT_NUMBERS
from tests.support.together import run_together

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "reading"])
HERE = "tests.tables.floor.test_banks_at_once"
CHIPS = Pieces({500: 2})
SERIES = ("fill", "credit")
# Who may take which step; more than one, so that two processes want it at once.
STEPS = {
    "fill": {
        "requested": ("authorised", "authorised", "voided"),
        "authorised": ("sent", "sent", "voided"),
        "sent": ("received", "received", "differed"),
    },
    "credit": {"requested": ("sent", "sent", "voided"), "sent": ("received", "received", "differed")},
}
REFUSED = {"wrong_step", "document_ended", "second_person", "not_allowed"}
ENDS = {"received", "differed", "voided"}


# -- killed again and again ------------------------------------------------------------------------


def carry_on(*, session: int, now: str, numbers: int, seed: int) -> list[Told]:
    """Keep two processes alive that ask for fills and credits and carry them on, and kill one after the
    other until there are so many numbers of each series."""

    def works(number: int, say: Say) -> None:
        _carry_on_for_ever(random.Random(seed + number), number, say, session, datetime.fromisoformat(now))

    def is_enough(lines: list[Told]) -> bool:
        begun = [said.split("/")[0] for _, what, said in lines if what == "requested"]
        return all(begun.count(kind) >= numbers for kind in SERIES)

    return keep_killing({"one": works, "two": works}, times=numbers, seed=seed, is_enough=is_enough)


def _carry_on_for_ever(rng: random.Random, number: int, say: Say, session_id: int, now: datetime) -> None:
    from casino.models import Staff

    people = {person.username: person for person in Staff.objects.all()}
    at_table = [people[name] for name in ("floor", "floor2", "dealer")]
    site = TableSession.objects.get(pk=session_id).table.site
    for turn in range(1_000_000):
        key = f"{number}-{turn}"
        waiting = _waiting(site)
        if len(waiting) < 4:
            kind = rng.choice(SERIES)
            by = {"actor": rng.choice(at_table), "now": now, "key": key}
            document = acting(banks.ask, session_id=session_id, kind=kind, pieces=CHIPS, **by)
            say("requested", f"{kind}/{document.number}/{key}")
            continue
        document, last = rng.choice(waiting)
        step = rng.choice(STEPS[document.kind][last])
        counts = {"received": CHIPS, "differed": Pieces({500: rng.choice((1, 3))})}.get(step)
        two = {"reason": "as it is", "approver": people["manager"]} if step in ("voided", "differed") else {}
        asked = "received" if step == "differed" else step
        person = rng.choice([*at_table, people["cashier"]])
        by = {"actor": person, "now": now, "key": key, **two}
        if _done(banks.take_step, document=document, step=asked, pieces=counts, **by):
            say(step, key)


def _waiting(site: object) -> list[tuple[Document, str]]:
    """Return the documents that have not ended, with their last steps, read without the product. Another
    process may have ended one since the first query."""
    found = []
    for document in Document.objects.filter(site=site).exclude(steps__step__in=ENDS).order_by("pk"):
        last = document.steps.order_by("ordinal").last()
        if last.step not in ENDS:
            found.append((document, last.step))
    return found


def _done(call, **options) -> bool:
    from ledger.errors import Refusal

    try:
        acting(call, **options)
    except Refusal as refused:
        if refused.code not in REFUSED:
            raise
        return False
    return True


def test_processes_that_are_killed_leave_each_series_whole_and_no_document_in_two_states(
    game, floor2, cashier, manager
):
    asked = {"session": game.session.pk, "now": game.now.isoformat(), "numbers": DOCUMENT_NUMBERS}
    (lines,) = run_together(f"{HERE}:carry_on", [asked | {"seed": 20261125}])
    assert [said for _, what, said in lines if what == "refused"] == []
    _require_told_is_there(lines)
    for kind in SERIES:
        numbers = sorted(Document.objects.filter(kind=kind).values_list("number", flat=True))
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= DOCUMENT_NUMBERS
    for document in Document.objects.all():
        _require_whole(document)
    _require_books_whole(game)
    _end_all(game, floor2, cashier, manager)
    sealing.seal(game.site, now=timezone.now(), whole=True)
    assert [str(finding) for finding in verifying.Verification(game.site).run()] == []


def _require_told_is_there(lines) -> None:
    """What a process was told of is in the books under the number that it was told."""
    said = dict(DocumentStep.objects.values_list("key", "step"))
    begun = {
        f"{step.document.kind}/{step.document.number}/{step.key}"
        for step in DocumentStep.objects.filter(ordinal=0).select_related("document")
    }
    assert {key for _, what, key in lines if what == "requested"} <= begun
    told = [(key, what) for _, what, key in lines if what != "requested"]
    assert all(said[key] == what for key, what in told)
    steps = {what for _, what in told}
    assert {"authorised", "sent"} <= steps  # how documents end is chance, and some end
    assert steps & ENDS


def _require_whole(document) -> None:
    """Steps follow each other one by one, chips are under way between `sent` and the end alone."""
    steps = list(document.steps.order_by("ordinal"))
    assert [step.ordinal for step in steps] == list(range(len(steps)))
    assert [step.after_id for step in steps] == [None, *[step.pk for step in steps[:-1]]]
    assert not {step.step for step in steps[:-1]} & ENDS
    ended, sent = steps[-1].step in ENDS, "sent" in {step.step for step in steps}
    transit = document.transit_chips
    assert transit.balance_cents == (document.chips_cents if sent and not ended else 0)
    assert (transit.closed_at is not None) == (document.transit_cash.closed_at is not None) == ended
    assert document.transit_cash.balance_cents == 0


def _require_books_whole(game) -> None:
    assert balances.asset_sums(game.site) == {"chips": 0, "cash": 0}
    assert differences(game.site) == {}
    for kind, model in (
        ("document", Document),
        ("document_step", DocumentStep),
        ("entry", JournalEntry),
    ):
        recorded = sorted(AuditRecord.objects.filter(kind=kind).values_list("subject", flat=True))
        assert recorded == sorted(model.objects.values_list("pk", flat=True))
    posted = JournalEntry.objects.filter(kind__startswith="document_").count()
    assert DocumentStep.objects.filter(entry__isnull=False).count() == posted
    assert Account.objects.filter(kind=AccountKind.TRANSIT).count() == 2 * Document.objects.count()


def _end_all(game, floor2, cashier, manager) -> None:
    """End what still waits, so that the table closes."""
    for document, last in _waiting(game.site):
        by = {"now": game.now, "key": game.key()}
        if last == "sent":
            senders = set(document.steps.filter(step="sent").values_list("person", flat=True))
            if document.kind == "credit":
                person = cashier
            else:
                person = next(one for one in (game.floor, floor2) if one.pk not in senders)
            acting(banks.take_step, document=document, step="received", pieces=CHIPS, actor=person, **by)
        else:
            by |= {"reason": "closing", "approver": manager}
            acting(banks.take_step, document=document, step="voided", actor=game.floor, **by)
    assert not Account.objects.filter(kind=AccountKind.TRANSIT, closed_at=None).exists()
    assert not Account.objects.filter(kind=AccountKind.TRANSIT).exclude(balance_cents=0).exists()
    game.close(floor2)


# -- two at once -----------------------------------------------------------------------------------


def call(verb, actor, now, **asked):
    """Take a step, or close the table, in a process of its own; return `ok` or the code of the refusal."""
    from casino.models import Staff
    from ledger.errors import Refusal
    from tables.floor import closing

    people = {person.username: person for person in Staff.objects.all()}
    common = {"actor": people[actor], "now": datetime.fromisoformat(now), "key": asked.pop("key")}
    try:
        if verb == "close":
            count = pieces_in(Site.objects.get(), **asked.pop("bank"))
            counts = {"count": count, "second_count": count, "second": people["floor2"]}
            acting(closing.close_table, session_id=asked["session"], **counts, **common)
        elif verb == "deposit":
            site = Site.objects.get(boxes__pk=asked["box"])
            said = {"site": site, "kind": verb, "pieces": Pieces(cash={2000: 3}), "boxes": [asked["box"]]}
            acting(documents.begin, **said, **common)
        else:
            document = Document.objects.get(pk=asked["document"])
            pieces = CHIPS if verb == "received" else None
            two = {"reason": "not needed", "approver": people["manager"]} if verb == "voided" else {}
            acting(banks.take_step, document=document, step=verb, pieces=pieces, **common, **two)
    except Refusal as refused:
        return refused.code
    return "ok"


@pytest.fixture
def at_once(game, floor2, cashier, manager) -> Iterator:
    """`at_once(("sent", "cashier", {...}), ...)`: the answers of processes that begin together."""

    def asked(*calls):
        now = game.now.isoformat()
        keyed = [
            {"verb": verb, "actor": actor, "now": now, "key": f"at-once-{number}", **more}
            for number, (verb, actor, more) in enumerate(calls)
        ]
        return run_together(f"{HERE}:call", keyed)

    yield asked
    _require_books_whole(game)
    for document in Document.objects.all():
        _require_whole(document)


@pytest.fixture
def fill(game, floor2):
    by = {"actor": floor2, "now": game.now}
    session = game.session.pk
    asked = acting(banks.ask, session_id=session, kind="fill", pieces=CHIPS, key=game.key(), **by)
    acting(banks.take_step, document=asked, step="authorised", actor=game.floor, now=game.now, key=game.key())
    return asked


def last(document):
    return document.steps.order_by("ordinal").last().step


def bank_of(game):
    return Account.objects.get(pk=game.session.bank_chips_id).balance_cents


def test_of_two_who_receive_one_fill_at_once_one_has_received_it(game, fill, at_once, cashier):
    acting(banks.take_step, document=fill, step="sent", actor=cashier, now=game.now, key=game.key())
    before = bank_of(game)
    receive = {"document": fill.pk}
    answers = at_once(("received", "floor", receive), ("received", "dealer", receive))
    assert sorted(answers) == ["document_ended", "ok"]
    assert bank_of(game) == before + 1000


def test_of_two_who_prepare_a_deposit_of_one_box_at_once_one_has(
    game, at_once, employ, cashier, counter1, counter2
):
    employ("cashier2", "cashier")
    box = game.session.box
    by = {"now": game.now}
    acting(
        opening.change_box, session_id=game.session.pk, second=game.dealer, actor=game.floor, **by, key="pull"
    )
    count_box(box, (counter1, counter2), game.now, chips=0, cash=6_000)
    acting(boxes.sign_off, box=box, cause="nobody entered it", actor=cashier, **by, key="sign")
    deposit = {"box": box.pk}
    answers = at_once(("deposit", "cashier", deposit), ("deposit", "cashier2", deposit))
    assert sorted(answers) == ["box_deposited", "ok"]
    assert DocumentBox.objects.count() == 1


def test_of_two_who_send_one_fill_at_once_one_has_sent_it(game, fill, at_once, employ, cashier):
    employ("cashier2", "cashier")
    send = {"document": fill.pk}
    answers = at_once(("sent", "cashier", send), ("sent", "cashier2", send))
    assert sorted(answers) == ["ok", "wrong_step"]
    assert JournalEntry.objects.filter(document_step__document=fill).count() == 1


def test_a_fill_that_is_sent_and_voided_at_once_is_either(fill, at_once):
    which = {"document": fill.pk}
    answers = at_once(("sent", "cashier", which), ("voided", "floor", which))
    assert (answers, last(fill)) in (
        (["ok", "wrong_step"], "sent"),
        (["document_ended", "ok"], "voided"),
    )


def test_a_table_does_not_close_while_its_fill_is_sent_at_once(game, fill, at_once):
    cash = Account.objects.get(pk=game.session.bank_cash_id).balance_cents
    closing = {"session": game.session.pk, "bank": {"chips": bank_of(game), "cash": cash}}
    answers = at_once(("sent", "cashier", {"document": fill.pk}), ("close", "floor", closing))
    assert answers == ["ok", "document_under_way"]
    assert last(fill) == "sent"
    assert TableSession.objects.get(pk=game.session.pk).closed_at is None


def test_a_table_that_closes_while_its_fill_is_voided_closes_after_it_or_not_at_all(game, fill, at_once):
    cash = Account.objects.get(pk=game.session.bank_cash_id).balance_cents
    closing = {"session": game.session.pk, "bank": {"chips": bank_of(game), "cash": cash}}
    answers = at_once(("voided", "cashier", {"document": fill.pk}), ("close", "floor", closing))
    closed = TableSession.objects.get(pk=game.session.pk).closed_at is not None
    assert (answers, closed) in ((["ok", "ok"], True), (["ok", "document_under_way"], False))
    assert last(fill) == "voided"
