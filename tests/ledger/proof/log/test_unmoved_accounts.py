"""Accounts of drawers and documents that nothing has moved yet: their rows are held against what opened
them."""

import pytest

from ledger.cage import documents, drawers
from ledger.journal import posting
from ledger.journal.acts import Act
from ledger.models import Account
from ledger.proof.log import book_rows, sealing, verifying
from ledger.rules.denominations import Pieces
from tests.support.behind import behind_the_triggers


@pytest.fixture
def unmoved(stocked, floor, employ, now, monkeypatch):
    """The accounts of a drawer that its cashier has not filled, and of a fill that nobody has sent."""
    monkeypatch.setattr(verifying, "_checks", [])  # no table has this bank
    monkeypatch.setattr(verifying, "_rows", [*book_rows.QUESTIONS])
    opened = Act(actor=employ("cashier2", "cashier"), now=now, key="a second drawer")
    drawer = drawers.open_drawer(site=stocked, act=opened)
    bank = [
        posting.open_account(site=stocked, kind="table_bank", asset=asset, label="Table 1", now=now)
        for asset in ("chips", "cash")
    ]
    asked = {"site": stocked, "kind": "fill", "place": documents.HoldingPlace("Table 1", *bank)}
    fill = documents.begin(**asked, pieces=Pieces({500: 1}), act=Act(actor=floor, now=now, key="a fill"))
    sealing.seal(stocked, now=now)
    return {"drawer": drawer.chips_id, "transit": fill.transit_chips_id}


@pytest.mark.parametrize("place", ["drawer", "transit"])
@pytest.mark.parametrize("change", [{"kind": "tokes"}, {"kind": "table_bank"}, {"label": "Table 9"}])
def test_what_waits_for_its_end_is_not_hidden_by_another_kind_or_name_of_its_account(
    stocked, unmoved, place, change
):
    assert [*verifying.Verification(stocked).run()] == []
    with behind_the_triggers("ledger_account"):
        Account.objects.filter(pk=unmoved[place]).update(**change)
    named = [(one.code, one.record) for one in verifying.Verification(stocked).run()]
    assert named == [("row_differs", f"account {unmoved[place]}")]
