"""The cost of one entry in statements, and the canonical text of its hash."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.journal.posting import canonical, post, post_all


def test_canonical_text_is_the_same_for_equal_values():
    assert canonical({"b": [1, None, True], "a": "Zoë "}) == '{"a":"Zoë ","b":[1,null,true]}'
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
def test_what_is_no_json_has_no_canonical_text(value):
    with pytest.raises((TypeError, ValueError)):
        canonical({"x": value})


def statements(run) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        run()
    return [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]


def test_an_entry_costs_the_same_statements_for_one_transfer_and_for_twelve(stacks, stocked, draft, now):
    ann, bob = stacks
    one = draft("one", "round", (ann.pk, bob.pk, 1))
    twelve = draft("twelve", "round", *[(ann.pk, bob.pk, 1)] * 12)
    # Lock and read, then write everything; SQLite asks for the key first, and writes one table after the
    # other.
    cost = 6 if connection.vendor == "sqlite" else 2
    for each in (one, twelve):
        assert len(statements(lambda each=each: post(site=stocked, draft=each))) == cost


def test_two_entries_together_cost_no_more_than_one(stacks, stocked, draft, now):
    ann, bob = stacks
    drafts = [draft(key, "round", (ann.pk, bob.pk, 1)) for key in "ab"]
    cost = 6 if connection.vendor == "sqlite" else 2
    assert len(statements(lambda: post_all(site=stocked, drafts=drafts))) == cost


def test_an_entry_without_transfers_touches_no_account(stocked, draft, now):
    cost = 3 if connection.vendor == "sqlite" else 1
    assert len(statements(lambda: post(site=stocked, draft=draft("push", "round")))) == cost


def test_accounts_are_locked_in_the_order_of_their_ids_before_anything_is_read(stacks, stocked, draft, now):
    ann, bob = stacks
    sql = statements(lambda: post(site=stocked, draft=draft("r", "round", (bob.pk, ann.pk, 1))))
    assert "ledger_account" in sql[0]
    assert "ORDER BY id" in sql[0]
    assert ("FOR NO KEY UPDATE" in sql[0]) == (connection.vendor == "postgresql")
