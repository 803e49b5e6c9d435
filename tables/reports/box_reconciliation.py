"""How the expected contents of one drop box come about: the fees charged at its table while it stood there,
what became of them, and what else went into it; in cents."""

from collections.abc import Iterable
from dataclasses import dataclass

from ledger.cage.boxes import DropBox
from tables.models import Charge, FeePayment
from tables.reports.reconciliation import Sums
from tables.rules.table.paying import Method
from tables.state.runners import sessions_of


@dataclass(frozen=True, slots=True)
class BoxSums:
    """`charged` are the fees charged at the table while the box stood there; `elsewhere_cents` of them went
    into other boxes. `others_cents` of other fees went into this one. `recovered_cents` went into it after
    they had been recorded as uncollected."""

    charged: Sums
    elsewhere_cents: int
    others_cents: int
    recovered_cents: int

    @property
    def expected_cents(self) -> int:
        its = self.charged
        return its.expected_cents - its.cage_cents - its.due_cents - self.elsewhere_cents + self.others_cents


def box_sums(box: DropBox, fees: Iterable[FeePayment]) -> BoxSums:
    """Return the sums of a box, of which `fees` are all payments that went into it. Four queries and more."""
    here = {fee.charge_id: fee for fee in fees if fee.in_force}
    stood = {"charged_at__gte": box.installed_at}
    if box.pulled_at is not None:
        stood["charged_at__lte"] = box.pulled_at
    charges = Charge.objects.filter(session__in=sessions_of(box), **stood)
    charges = charges.select_related("uncollected").with_payments("recovery")
    charged, elsewhere, own = Sums(), 0, set()
    for charge in charges:
        if not charge.counts:
            continue
        charged += Sums.of(charge)
        own.add(charge.pk)
        paid = charge.payment
        if paid is not None and paid.method in (Method.STACK, Method.CASH) and charge.pk not in here:
            elsewhere += charge.cents
    recovered = FeePayment.objects.filter(pk__in=[fee.pk for fee in here.values()], recovery__isnull=False)
    return BoxSums(
        charged=charged,
        elsewhere_cents=elsewhere,
        others_cents=sum(fee.charge.cents for pk, fee in here.items() if pk not in own),
        recovered_cents=sum(recovered.values_list("charge__cents", flat=True)),
    )
