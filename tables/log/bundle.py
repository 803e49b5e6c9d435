"""The floor's part of an export, and the checks it registers with the ledger."""

from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import QuerySet

from ledger.records import canonical
from ledger.records.findings import Check, Finding
from tables.audit.replay import Replay
from tables.models import PlayerChange, PlayerMerge, Rate, SheetVersion, Sitting, TableEvent, TableSession
from tables.rules.errors import RuleError
from tables.rules.game.sheet import parse_sheet


class LiveReplay(Replay):
    """The replay, with a final check of the seated players' fantasy land (R41)."""

    @property
    def given(self) -> dict[str, Any]:
        """The game sheets, by name. They are passed in, so they are not part of its memory."""
        floor = self._floor
        sheets = {
            f"sheet {code} {version}": sheet for (code, version), sheet in floor.sheets.items() if sheet
        }
        return {"sheets": floor.sheets, "libraries": floor.libraries, **sheets}

    def finish(self) -> Iterable[Finding]:
        yield from super().finish()
        due = {one.id: one.fantasy_land for one in self.seated()}
        rows = Sitting.objects.filter(pk__in=due).order_by("pk").values_list("pk", "fantasy_land")
        for pk, there in rows:
            if there is not due[pk]:
                sentence = f"fantasy_land is {there}, but {due[pk]} by the rounds in the log."
                yield Finding("row_differs", sentence, None, f"sitting {pk}")


def game_checks(site: Any) -> list[Check]:
    return [
        LiveReplay({key: _readable(key[0], data) for key, data in stored_sheets(site).items()}, whole=True)
    ]


def _readable(code: str, data: bytes) -> bytes | None:
    """Return a sheet; None if no game can be parsed from it, which `rows.sheets` reports."""
    try:
        parse_sheet(data, f"{code}.toml")
    except RuleError:
        return None
    return data


# -- what goes into an export --------------------------------------------------------------------------------


def entries_of_players(site: Any, players: Collection[int]) -> dict[str, QuerySet[Any]]:
    """Return the changes and merges that say who these players are, and whom they were merged into."""
    merges = PlayerMerge.objects.filter(site=site)
    known, into = set(players), set(players)
    while into := set(merges.filter(merged__in=into).values_list("into", flat=True)) - known:
        known |= into
    changes = PlayerChange.objects.filter(site=site, player__in=known)
    return {"player_change": changes, "player_merge": merges.filter(merged__in=known)}


def committed_by(change: int) -> tuple[str, str]:
    salt, after = PlayerChange.objects.values_list("salt", "after").get(pk=change)
    return salt, canonical.text(after)


def stored_sheets(site: Any) -> dict[tuple[str, int], bytes]:
    """Return the game sheets that tables of this house were opened with: {(code, version): bytes}."""
    used = SheetVersion.objects.filter(pk__in=TableSession.objects.filter(table__site=site).values("sheet"))
    return {(sheet.code, sheet.version): bytes(sheet.raw) for sheet in used}


def sheets_named(leaves: QuerySet[Any]) -> dict[tuple[str, int], bytes]:
    """Return the game sheets that tables were opened with in these leaves: {(code, version): bytes}."""
    sessions = _events(leaves, TableEvent.Kind.OPENED).values("session")
    used = SheetVersion.objects.filter(pk__in=TableSession.objects.filter(pk__in=sessions).values("sheet"))
    return {(sheet.code, sheet.version): bytes(sheet.raw) for sheet in used}


def rates_named(leaves: QuerySet[Any]) -> QuerySet[Rate]:
    """Return the rates that tables name in these leaves: opened with, announced or taking effect."""
    told = _events(leaves, *_NAME_A_RATE).values_list("data", flat=True)
    return Rate.objects.filter(pk__in={data["rate"]["id"] for data in told.iterator()})


def _events(leaves: QuerySet[Any], *kinds: str) -> QuerySet[TableEvent]:
    subjects = leaves.filter(record__kind="table_event").order_by().values("record__subject")
    return TableEvent.objects.filter(kind__in=kinds, pk__in=subjects)


_NAME_A_RATE = (TableEvent.Kind.OPENED, TableEvent.Kind.RATE_ANNOUNCED, TableEvent.Kind.RATE_CHANGED)
