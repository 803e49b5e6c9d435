"""What is counted out of a place: the counted amount goes to the vault, the difference from the books to
over/short."""

from ledger.chart import AccountKind
from ledger.journal import posting
from ledger.models import Account, Site


def moves_as_counted(site: Site, account: Account, cents: int) -> list[posting.Move]:
    """Return the moves that empty an account in which `cents` were counted; its balance is the caller's to
    have read under a lock."""
    vault, over_short = (
        posting.house_account(site, kind, account.asset).pk
        for kind in (AccountKind.VAULT, AccountKind.OVER_SHORT)
    )
    held = account.balance_cents
    moves = (
        posting.Move(account.pk, vault, min(cents, held)),
        posting.Move(account.pk, over_short, held - cents),
        posting.Move(over_short, vault, cents - held),
    )
    return [move for move in moves if move.cents > 0]
