"""No page, paper or act of one day reads a growing table from end to end. SQLite explains the plans, because
it plans without statistics, as if every table were large; `benchmarks/year.py` measures PostgreSQL. URLs are
requested by somebody who may, as in `test_rights.py`."""

import json
import re

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from ledger.journal.days import day_bounds, gaming_day
from ledger.models import Site
from ledger.tasks import seal_logs
from tables import tasks
from tables.reports.days import day_events
from tables.seats.chip_counts import variances_between
from tests.casino.test_rights import ADDRESSES, MATRIX, come_in, house, path_of, people  # noqa: F401
from tests.casino.test_search import ASKED
from tests.support.plans import Statements
from tests.support.whole_house import entries

BY_MOMENT = re.compile(r'"tables_(round|tableevent)"\."(ended_at|at)" >= ')
"""No index serves this; without the sessions, PostgreSQL would read all rows."""
A_FEW = "a few a night, in a series of their own"
FROM_ALL = "Places works out what was ever taken and made, and not from the balances that it compares"
ALLOWED = {
    ("ledger_dropbox", 'SUM(("ledger_dropsignoff"'): FROM_ALL,
    ("ledger_receipt", 'SUM("ledger_transfer"."cents")'): FROM_ALL,
    ("ledger_documentstep", '"ledger_document"."kind" IN'): FROM_ALL,
    ("ledger_houseevent", "kind"): "asked by the index of kinds: keys, clocks, hires and what managers did",
    ("ledger_account", "kind"): "asked by the index of kinds, for those of which a house has one or two",
    ("ledger_auditrecord", "kind"): "asked by the index of kinds: rates",
    ("ledger_checkpoint", "ledger_cosignature"): "the newest few that were cosigned",
    ("ledger_keptpaper", "beyond"): "papers that somebody had kept, counted for an inspection",
    ("ledger_withheld", "COUNT"): "how many pages there are",
    ("ledger_withheld", "OFFSET 1000"): "the newest thousand of a house, by the index of its texts",
    ("ledger_withheldbatch", "COUNT"): "how many pages there are",
    ("tables_waitingplace", "state"): "asked by the index of states, for those that still wait",
    ("tables_correctionrequest", "state"): "asked by the index of states, for those that still wait",
    ("tables_attention", "cleared_at"): "what needs somebody now",
    ("tables_player", "merged_into_id"): "asked by the index of those who were merged",
    ("tables_player", "name"): "people, not nights: a search and a name",
    ("tables_claim", "settled_at"): A_FEW,
    ("tables_dispute", "number"): A_FEW,
    ("tables_dispute", "COUNT"): "how many pages there are",
    ("tables_waiver", "gaming_day"): A_FEW,
    ("tables_recovery", "gaming_day"): A_FEW,
    ("tables_uncollected", "gaming_day"): A_FEW,
    ("ledger_cageslip", "slip_id"): A_FEW,
    ("ledger_document", '"kind" IN ('): "unclaimed chips of a house: a few a year",
    ("ledger_document", "COUNT"): "how many pages there are, by the index of their numbers",
    ("ledger_document", "LIMIT 20"): "the newest twenty of a kind, by the index of their numbers",
    ("ledger_dropsignoff", "counted_cash"): A_FEW,
    ("ledger_documentbox", "counted_cash"): A_FEW,
    ("ledger_dropbox", "counted_cash"): A_FEW,
    ("ledger_reversalslip", "gaming_day"): A_FEW,
}
"""By table and a word of the statement: why an unselective read is acceptable."""


def wrong(statements):
    return [
        f"{by}: {table}: {sql}"
        for by, table, sql in statements.read_whole()
        if not any(table == allowed and word in sql for allowed, word in ALLOWED)
    ]


@pytest.fixture
def read(client, monkeypatch, house):  # noqa: F811
    monkeypatch.setattr(timezone, "now", lambda: house["now"])
    statements = Statements()

    def ask(method, name, path, entry):
        with transaction.atomic(), statements.noted(f"{method} {name}"):
            if path.startswith("/api/") and method == "post":
                verb = "PUT" if path.endswith("/draft") else "POST"
                answer = client.generic(verb, path, json.dumps(entry), content_type="application/json")
            else:
                answer = getattr(client, method)(path, entry)
            if answer.streaming:
                b"".join(answer.streaming_content)
            transaction.set_rollback(True)

    ask.statements = statements
    return ask


@pytest.mark.parametrize("method", ["get", "post"])
def test_no_page_and_no_act_reads_a_growing_table_whole(method, read, house, people, come_in):  # noqa: F811
    asked = [(min(MATRIX[name][method]), name, parts) for name, parts in ADDRESSES if MATRIX[name][method]]
    signed_in = None
    for role, name, parts in sorted(asked):
        if role != signed_in:
            come_in(people[role])
            sent = entries(house, people[role].username)
            signed_in = role
        read(method, name, path_of(name, parts, house), sent.get(name) if method == "post" else None)
    assert wrong(read.statements) == []


def test_no_search_reads_a_growing_table_whole(read, people, come_in):  # noqa: F811
    for role in ("dealer", "manager"):
        come_in(people[role])
        for text in ASKED:
            read("get", f"search {text}", "/search/", {"q": text})
    assert wrong(read.statements) == []


def test_no_task_reads_a_growing_table_whole(house, monkeypatch, tmp_path):  # noqa: F811
    monkeypatch.setattr(timezone, "now", lambda: house["now"])
    monkeypatch.setattr(settings, "PAPERS", tmp_path)
    statements = Statements()
    for task in (
        tasks.announce_boundaries,
        tasks.tend_attention,
        tasks.expire_places,
        tasks.write_papers,
        seal_logs,
    ):
        with statements.noted(task.__name__):
            task()
    assert wrong(statements) == []


def test_what_a_day_asks_by_the_moment_it_asks_of_its_own_sessions(house):  # noqa: F811
    site = Site.objects.get()
    day = day_bounds(site, gaming_day(site, house["now"]))
    with CaptureQueriesContext(connection) as sent:
        day_events(site, *day)
        variances_between(site, *day)
    by_moment = [one["sql"] for one in sent if BY_MOMENT.search(one["sql"])]
    assert len(by_moment) == 2
    assert [sql for sql in by_moment if '"session_id" IN (' not in sql] == []
