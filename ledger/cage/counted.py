"""What a count moves: out of a place, the counted amount goes to the vault; the difference from the books
goes to over/short. The balances are the caller's to have read under a lock."""

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
    """Return the move between an account and over/short if `cents` were counted in it and the books have
    another amount. What is too much goes `into` an account."""
    over_short = posting.house_account(site, AccountKind.OVER_SHORT, account.asset).pk
    over = cents - account.balance_cents
    if over < 0:
        return [posting.Move(account.pk, over_short, -over)]
    return [posting.Move(over_short, into, over)] if over else []
