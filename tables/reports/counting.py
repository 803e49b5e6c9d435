"""The tables that a count sheet names because they had no drop box. Reads only."""

from datetime import date
from typing import Any

from ledger.cage.boxes import boxes_of
from tables.models import Table


def without_box(site: Any, day: date) -> list[str]:
    places = {box.place for box in boxes_of(site, day).boxes}
    tables = Table.objects.filter(site=site, retired_at__isnull=True).order_by("number")
    return [str(table) for table in tables if str(table) not in places]
