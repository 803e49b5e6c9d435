"""Stock the cage in a test: two people count the same fewest pieces. And let patrons hold chips."""

from ledger.cage import beyond, stocking
from ledger.journal.acts import Act
from ledger.rules.denominations import Pieces, fewest_pieces


def pieces(site, *, chips=0, cash=0):
    values = stocking.denominations(site)
    return Pieces(fewest_pieces(chips, values["chips"]), fewest_pieces(cash, values["cash"]))


def stock(site, *, chips=0, cash=0, by, second, now, key="float", way="in"):
    return stocking.stock_cage(
        site=site,
        way=way,
        pieces=pieces(site, chips=chips, cash=cash),
        act=Act(actor=by, approver=second, now=now, key=key),
    )


def in_pockets(site, cents, *, by, second, now, key="in pockets"):
    """Let patrons hold so many chips that the books had not handed out."""
    act = Act(actor=by, approver=second, now=now, key=key, reason="They were here before the books.")
    return beyond.accept(site=site, cents=cents, act=act)
