"""Stock the vault in a test: two people count the same fewest pieces. Give cashiers drawers, and let
patrons hold chips."""

from django.contrib.auth import get_user_model

from casino.demo.nights.bank import bring_in
from ledger.cage import beyond, drawers, stocking, window
from ledger.journal import vault_counts
from ledger.journal.acts import Act
from ledger.journal.bank_differences import uncounted_banks
from ledger.models import Account, CageSlip
from ledger.rules.denominations import Pieces, fewest_pieces, field_of
from tables.floor import closing
from tables.models import TableSession
from tables.seats.players import enter_player


def pieces(site, *, chips=0, cash=0):
    values = stocking.denominations(site)
    return Pieces(fewest_pieces(chips, values["chips"]), fewest_pieces(cash, values["cash"]), meant=True)


def fields_of(counted, other=None):
    """Return the fields of a form in which two people count this, or the second one something `other`."""
    return {
        f"{prefix}{field_of(asset, value)}": str(number)
        for prefix, one in (("", counted), ("second_", other or counted))
        for asset in ("chips", "cash")
        for value, number in one.of(asset).items()
    }


def handed(amount):
    """Return the fields of a form that sells or redeems so much in chips of the smallest denomination, as a
    button does that bears them."""
    cents = round(float(amount.lstrip("$")) * 100)
    return {"amount": amount, "only": f"{cents // 50}x50"}


def stock(site, *, chips=0, cash=0, by, second, now, key="float", way="opening", drawer=None):
    """Count a slip by two; of a vault that is open, have them order it instead, each on its document."""
    if way == "opening" and vault_counts.was_moved(site):
        more = Act(actor=by, approver=second, now=now, key=key)
        for kind, of in (("chip_purchase", {"chips": chips}), ("cash_order", {"cash": cash})):
            bring_in(site, kind, pieces(site, **of), more)
        return None
    return stocking.stock_cage(
        site=site,
        way=way,
        drawer=drawer,
        pieces=pieces(site, chips=chips, cash=cash),
        act=Act(actor=by, approver=second, now=now, key=key),
    )


def give_drawer(site, *, chips=0, cash=0, by, second, now, key="drawer"):
    """Open a drawer for a cashier and take so much into it from the vault; two people count."""
    drawer = drawers.open_drawer(site=site, act=Act(actor=by, now=now, key=f"{key}-opens"))
    if chips or cash:
        counted = {"chips": chips, "cash": cash, "by": by, "second": second, "now": now}
        stock(site, way="to_drawer", drawer=drawer, key=f"{key}-filled", **counted)
    return drawer


def close_drawer(drawer, *, chips, cash, by, second, now, key="drawer-closed"):
    counted = {"chips": chips, "cash": cash, "by": by, "second": second, "now": now, "key": key}
    return stock(drawer.site, way="closing", drawer=drawer, **counted)


def drawers_hold(site):
    """Return what all open drawers have by the books, in cents by asset."""
    held = {"chips": 0, "cash": 0}
    for drawer in drawers.open_drawers(site).select_related("chips", "cash"):
        held["chips"] += drawer.chips.balance_cents
        held["cash"] += drawer.cash.balance_cents
    return held


def close_cage(site, now):
    """Count every open drawer as the books have it, and close it; then the vault. A cashier and the floor
    count."""
    floor = _somebody("floor")
    for drawer in drawers.open_drawers(site):
        held = {"chips": drawer.chips.balance_cents, "cash": drawer.cash.balance_cents}
        by = {"by": drawer.cashier, "second": floor, "now": now, "key": f"close drawer {drawer.number}"}
        close_drawer(drawer, **held, **by)
    if not vault_counts.counted_since_moved(site, now.date()):
        count_vault(site, now)
    count_banks(site, now)


def count_banks(site, now):
    """Have floor and cashier count the banks of the tables that play on, as the books have them."""
    for bank in uncounted_banks(site, now.date()):
        session = TableSession.objects.select_related("bank_chips", "bank_cash").get(bank_chips=bank)
        held = pieces(site, chips=session.bank_chips.balance_cents, cash=session.bank_cash.balance_cents)
        act = Act(_somebody("floor"), now, f"bank {session.pk} counted {now:%d %H:%M}")
        counts = {"count": held, "second_count": held, "second": _somebody("cashier")}
        closing.count_bank(session_id=session.pk, **counts, act=act)


def count_unclaimed(site, now):
    """Have a cashier and the floor count the unclaimed chips as the books have them."""
    held = Account.objects.get(site=site, kind="unclaimed").balance_cents
    by = {"by": _somebody("cashier"), "second": _somebody("floor")}
    return stock(site, way="unclaimed", chips=held, now=now, key="unclaimed", **by)


def count_vault(site, now, *, key="vault", **over):
    """Have a cashier and the floor count what the vault has by the books, and so much more (`chips`,
    `cash`)."""
    held = {asset: cents + over.get(asset, 0) for asset, cents in stocking.holds(site).items()}
    by = {"by": _somebody("cashier"), "second": _somebody("floor"), "now": now}
    return stock(site, way="count", **held, **by, key=f"{key} {CageSlip.objects.count()}")


def with_drawer(site, cashier, now):
    """Have the cashier work from an open drawer with $20,000 of each in it."""
    if drawers.drawer_of(site, cashier) is None:
        key = f"drawer of {cashier} at {now:%d %H:%M:%S}"
        give_drawer(
            site, chips=2_000_000, cash=2_000_000, by=cashier, second=_somebody("floor"), now=now, key=key
        )


def _somebody(role):
    return get_user_model().objects.filter(groups__name=role).order_by("pk").first()


def in_pockets(site, cents, *, by, second, now, key="in pockets"):
    """Let patrons hold so many chips that the books had not handed out."""
    act = Act(actor=by, approver=second, now=now, key=key, reason="They were here before the books.")
    return beyond.accept(site=site, cents=cents, confirmed=cents, act=act)


def sell(*, site, cents, act, **more):
    """Sell the fewest chips of this amount, as who stands at the window has confirmed it."""
    return window.sell_chips(**_exchanged(site, cents, act) | more)


def redeem(*, site, cents, act, **more):
    """Redeem the fewest chips of this amount, as who stands at the window has confirmed it."""
    return window.redeem_chips(**_exchanged(site, cents, act) | more)


def _exchanged(site, cents, act):
    patron = window.NOBODY
    if cents >= 300_000:
        somebody = lambda: enter_player(site=site, description="somebody", act=act).pk  # noqa: E731
        patron = window.Patron(enter=somebody, identified=True)
    handed = pieces(site, chips=cents)
    return {
        "site": site,
        "cents": cents,
        "pieces": handed,
        "patron": patron,
        "confirmed": cents,
        "act": act,
    }
