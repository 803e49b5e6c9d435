"""The chips of the house by denomination: those made, and those in each place that is known by pieces. Reads
only."""

from collections import Counter

from ledger.chart import TITLES, AccountKind, EntryKind
from ledger.journal.closing import open_documents, open_drawers
from ledger.journal.records import evidence_in
from ledger.journal.vault_counts import counts, moved_between
from ledger.models import AuditRecord, CageSlip, DocumentStep, Drawer, JournalEntry, Site
from ledger.rules.by_denomination import MADE, ChipsNow, Number, compared_with_made, contradiction
from ledger.rules.denominations import pieces_of
from ledger.rules.documents import COUNTED, HANDED_ON, KINDS, Step
from ledger.rules.slip_ways import STAYS

_INTO_VAULT = {"opening": 1, "in": 1, "out": -1, "to_drawer": -1, "from_drawer": 1, "closing": 1}
_AT_WINDOW = {EntryKind.CHIP_SALE: -1, EntryKind.CHIP_REDEMPTION: 1, EntryKind.CHIP_CHANGE: 1}


def of_house(site: Site) -> ChipsNow:
    """Return the chips that were made, and the places that have them, piece by piece. Twelve queries, and two
    for each open drawer."""
    places: dict[str, Number] = {TITLES[place]: of_place(site, way) for way, place in STAYS.items()}
    drawers = list(open_drawers(site))
    of_drawers = [of_drawer(site, drawer) for drawer in drawers]
    known = [one for one in of_drawers if one is not None]
    if known or not drawers:
        sums: Counter[int] = Counter()
        for one in known:
            for value, number in one.items():
                sums[value] += number
        places[TITLES[AccountKind.DRAWER]] = sums
    # Chips that the maker has delivered and nobody has counted yet do not count as made.
    found: Counter[int] = Counter()
    ordered = [kind.code for kind in KINDS.values() if kind.source == AccountKind.CHIP_MAKER]
    under_way = open_documents(site).exclude(kind__in=ordered)
    sent = DocumentStep.objects.filter(document__in=under_way, step=Step.SENT)
    for step in sent:
        _add(found, step.pieces, 1)
    places[TITLES[AccountKind.TRANSIT]] = found
    return compared_with_made(chips_made(site), places, _contradiction(site))


def chips_made(site: Site) -> dict[int, int]:
    """Return the chips that came into the house by denomination, less those that left it. Two queries."""
    made: Counter[int] = Counter()
    for slip in CageSlip.objects.filter(site=site, way__in=MADE, result__entry__isnull=False):
        _add(made, slip.pieces, MADE[slip.way])
    of_maker = DocumentStep.objects.filter(site=site, document__kind__in=MADE, step__in=COUNTED)
    for step in of_maker.select_related("document"):
        _add(made, step.pieces, MADE[step.document.kind])
    return {value: number for value, number in made.items() if number}


def of_place(site: Site, way: str) -> Number:
    """Return the chips of the place that slips of this way count: the last count, with the pieces that came
    and went since."""
    place = STAYS[way]
    last = next(iter(counts(site, way)[:1]), None)
    found: Counter[int] = Counter()
    since: dict[str, object] = {"entry__isnull": False}
    if last is not None:
        _add(found, last.pieces, 1)
        since |= {"entry__gt": last.result.entry_id, "gaming_day__gte": last.gaming_day}
    kinds = [kind.code for kind in KINDS.values() if place in (kind.source, kind.target, *HANDED_ON.values())]
    steps = DocumentStep.objects.filter(site=site, document__kind__in=kinds, **since)
    for step in steps.select_related("document"):
        _add(found, step.pieces, _into(place, step))
    if place == AccountKind.VAULT:
        slips = CageSlip.objects.filter(site=site, way__in=_INTO_VAULT, result__entry__isnull=False)
        if last is not None:
            slips = slips.filter(result__entry__gt=last.result.entry_id)
        for slip in slips:
            _add(found, slip.pieces, _INTO_VAULT[slip.way])
    return found


def _into(place: AccountKind, step: DocumentStep) -> int:
    """Return 1 if a step brings its pieces into a place, -1 out of it, else 0."""
    kind = KINDS[step.document.kind]
    if step.step in HANDED_ON:
        return (HANDED_ON[Step(step.step)] == place) - (kind.target == place)
    return (step.step in COUNTED and kind.target == place) - (step.step == Step.SENT and kind.source == place)


def of_drawer(site: Site, drawer: Drawer) -> Number | None:
    """Return the chips of an open drawer, None if some of them were recorded by amount alone."""
    found: Counter[int] = Counter()
    for slip in CageSlip.objects.filter(drawer=drawer, result__entry__isnull=False):
        _add(found, slip.pieces, -_INTO_VAULT[slip.way])
    entries = JournalEntry.objects.filter(site=site, gaming_day__gte=drawer.gaming_day, kind__in=_AT_WINDOW)
    at_window = entries.filter(
        actor=drawer.cashier_id, recorded_at__gte=drawer.opened_at, reversed_by__isnull=True
    )
    kinds = dict(at_window.values_list("pk", "kind"))
    said_of = AuditRecord.objects.filter(site=site, kind="entry", subject__in=kinds)
    for entry, text in said_of.values_list("subject", "text"):
        said = evidence_in(text)
        if "pieces" not in said:
            return None
        _add(found, said["pieces"], _AT_WINDOW[EntryKind(kinds[entry])])
        if "given" in said:
            _add(found, said["given"], -1)
    return found


def _contradiction(site: Site) -> str:
    two = list(counts(site)[:2])
    if len(two) < 2 or moved_between(*two[::-1]):
        return ""
    now, before = two
    said = contradiction(pieces_of(before.pieces), pieces_of(now.pieces))
    return f"{now}: {said}" if said else ""


def _add(sums: Counter[int], pieces: object, sign: int) -> None:
    for value, number in pieces_of(pieces).chips.items():  # type: ignore[arg-type]
        sums[value] += sign * number
