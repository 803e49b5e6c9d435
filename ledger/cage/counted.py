"""The moves that follow from a count: the counted amount goes to the vault, the difference from the books to
over/short. The caller has read the balances under a lock."""

from ledger.chart import AccountKind
from ledger.journal import posting
from ledger.models import Account, Site


def moves_as_counted(site: Site, account: Account, cents: int) -> list[posting.Move]:
    """Return the moves that empty an account in which `cents` were counted."""
    vault = posting.house_account(site, AccountKind.VAULT, account.asset).pk
    held = account.balance_cents
    out = [posting.Move(account.pk, vault, min(cents, held))] if cents and held else []
    return [*out, *moves_of_difference(site, account, cents, into=vault)]


def moves_of_difference(site: Site, account: Account, cents: int, *, into: int) -> list[posting.Move]:
    """Return the move between an account and over/short if the `cents` counted in it differ from the books.
    An overage goes to the account `into`."""
    over_short = posting.house_account(site, AccountKind.OVER_SHORT, account.asset).pk
    over = cents - account.balance_cents
    if over < 0:
        return [posting.Move(account.pk, over_short, -over)]
    return [posting.Move(over_short, into, over)] if over else []
