"""The floor's part of an export, and the checks it registers with the ledger."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from ledger.audit.findings import Check, Finding
from ledger.audit.tree import canonical
from tables.audit.replay import Replay
from tables.models import (
    PlayerChange,
    PlayerMerge,
    Rate,
    SheetVersion,
    Sitting,
    TableSession,
)
from tables.rules.errors import RuleError
from tables.rules.game.sheet import parse_sheet


class LiveReplay(Replay):
    """The replay, and at its end a look at those who sit at the tables: whether they are due fantasy land (R41)."""

    @property
    def given(self) -> dict[str, Any]:
        """What it was given and does not remember: the game sheets, by name."""
        floor = self._floor
        sheets = {
            f"sheet {code} {version}": sheet for (code, version), sheet in floor.sheets.items() if sheet
        }
        return {"sheets": floor.sheets, "libraries": floor.libraries, **sheets}

    def finish(self) -> Iterable[Finding]:
        """Yield what the replay has to say, and the sittings whose row says otherwise."""
        yield from super().finish()
        due = {one.id: one.fantasy_land for one in self.seated() if one.fantasy_land is not None}
        rows = Sitting.objects.filter(pk__in=due).order_by("pk").values_list("pk", "fantasy_land")
        for pk, there in rows:
            if there is not due[pk]:
                sentence = f"fantasy_land is {there}, but {due[pk]} by the rounds in the log."
                yield Finding("row_differs", sentence, None, f"sitting {pk}")


def game_checks(site: Any) -> list[Check]:
    """The check that knows the game: everything at the tables, replayed."""
    return [
        LiveReplay({key: _readable(key[0], data) for key, data in stored_sheets(site).items()}, whole=True)
    ]


def _readable(code: str, data: bytes) -> bytes | None:
    """The bytes of a sheet; None if no game can be read from them, which `rows.sheets` names."""
    try:
        parse_sheet(data, f"{code}.toml")
    except RuleError:
        return None
    return data


# -- what goes into an export ---------------------------------------------------------------------------------


def entries_of_players(site: Any, players: Collection[int]) -> dict[str, QuerySet[Any]]:
    """Return the changes and merges that say who these players are, and who they became."""
    merges = PlayerMerge.objects.filter(site=site)
    known, into = set(players), set(players)
    while into := set(merges.filter(merged__in=into).values_list("into", flat=True)) - known:
        known |= into
    changes = PlayerChange.objects.filter(site=site, player__in=known)
    return {"player_change": changes, "player_merge": merges.filter(merged__in=known)}


def committed_by(change: int) -> tuple[str, str]:
    """Return the salt and the text that a change of a player's entry has committed to."""
    salt, after = PlayerChange.objects.values_list("salt", "after").get(pk=change)
    return salt, canonical.text(after)


def stored_sheets(site: Any) -> dict[tuple[str, int], bytes]:
    """Return the game sheets that tables of this house were opened with: {(code, version): bytes}."""
    used = SheetVersion.objects.filter(pk__in=TableSession.objects.filter(table__site=site).values("sheet"))
    return {(sheet.code, sheet.version): bytes(sheet.raw) for sheet in used}


def published_rates(site: Any) -> Iterator[dict[str, Any]]:
    """Yield every rate the house has published, in order of publication."""
    names = ("id", "option", "version", "limit_cents", "fee_cents", "approval_reference", "effective_from")
    for rate in Rate.objects.filter(site=site).order_by("pk").values(*names):
        yield rate | {"effective_from": rate["effective_from"].isoformat()}
