"""The withheld texts compared with their commitments in the log. No finding quotes one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice

from ledger.journal.records import moment
from ledger.journal.withholding import EVERY, payload_of
from ledger.models import Leaf, Site, Withheld, WithheldBatch
from ledger.proof.log.state import LATE_AFTER
from ledger.records import canonical
from ledger.records.findings import Finding
from ledger.records.withheld import commitment_of_batch

AT_ONCE = 1000  # batches or texts in memory


def compared(site: Site) -> Iterator[Finding]:
    """Yield texts that differ from their commitment, changed batches, and texts left out."""
    batches = WithheldBatch.objects.filter(site=site).order_by("pk").iterator(AT_ONCE)
    while some := list(islice(batches, AT_ONCE)):
        texts: defaultdict[int, list[str]] = defaultdict(list)
        rows = Withheld.objects.filter(in_batch__batch__in=some).select_related("in_batch").order_by("pk")
        for one in rows.iterator(AT_ONCE):
            texts[one.in_batch.batch_id].append(one.commitment)
            yield from _text(site, one)
        for batch in some:
            if commitment_of_batch(batch.salt, texts[batch.pk]) != batch.commitment:
                sentence = (
                    "its texts do not come to the commitment in the log: one was changed, added or removed."
                )
                yield Finding("commitment_differs", sentence, None, str(batch))
    yield from _left_out(site)


def _text(site: Site, one: Withheld) -> Iterator[Finding]:
    name = f"withheld text {one.pk}"
    if canonical.commitment(one.salt, one.text) != one.commitment:
        yield Finding("commitment_differs", "its salt and text do not match its commitment.", None, name)
        return
    row = {"what": one.what, "at": moment(one.recorded_at)}
    payload = payload_of(one)
    if one.site_id != site.pk or any(payload.get(column) != value for column, value in row.items()):
        yield Finding("row_differs", "its house, kind or time differs from its text.", None, name)


def _left_out(site: Site) -> Iterator[Finding]:
    """Yield texts that should be in a batch: a newer batch exists, or records were sealed long after them."""
    batch = WithheldBatch.objects.filter(site=site).order_by("-pk").first()
    leaf = Leaf.objects.filter(log__site=site).order_by("-number").first()
    due: Iterable[datetime] = [
        *([batch.recorded_at - LATE_AFTER] if batch else ()),
        *([leaf.recorded_at - EVERY - LATE_AFTER] if leaf else ()),
    ]
    waiting = Withheld.objects.filter(site=site, in_batch__isnull=True)
    for one in waiting.order_by("pk").iterator(AT_ONCE):
        yield from _text(site, one)
        if any(one.recorded_at < latest for latest in due):
            sentence = "no record has committed to it, though later ones have been written."
            yield Finding("not_sealed", sentence, None, f"withheld text {one.pk}")
