"""The games that tables can play: built-in sheets and those in `settings.HOUSE_SHEETS`.

Changed files are read again without a restart; an invalid one is left out and reported. Open tables use
stored bytes. A manager can take games off."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.validators import slug_re
from django.db import transaction

from ledger.db.compiled import Compiled
from ledger.journal import house_events, posting
from ledger.journal.acts import Act
from ledger.rights import require
from tables.errors import BadEntry, GameNotOffered, SheetChanged, UnknownGame
from tables.models import GameOffer, SheetVersion
from tables.rights import MANAGE_HOUSE
from tables.rules.errors import BadSheet
from tables.rules.game.rounds import Library, Sheet, library, parse_sheet

LARGEST_FILE = 64 * 1024  # bytes; the largest built-in sheet has less than two thousand
LONGEST_TITLE = 120

# Name, size and two timestamps of each file.
Stamps = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class HouseSheets:
    library: Library
    faults: tuple[str, ...]


def house_sheets() -> HouseSheets:
    """Return the sheets as their files are now; if nothing changed, only the folder is listed."""
    folder = Path(settings.HOUSE_SHEETS)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".toml") and name[0] != ".")
        stamps = tuple((name, *_stamp(folder / name)) for name in names)
    except FileNotFoundError:
        missing = () if folder == settings.VAR_DIR / "sheets" else (f"{folder}: this folder does not exist",)
        return HouseSheets(library(), missing)
    except OSError as fault:
        return HouseSheets(library(), (f"{folder}: {fault.strerror}",))
    return _read(folder, stamps)


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        stat = path.stat()
    except OSError:
        return -1, 0, 0  # deleted meanwhile, or a broken link; reading reports it
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@lru_cache(maxsize=1)
def _read(folder: Path, stamps: Stamps) -> HouseSheets:
    sheets, faults = library(), []
    for name, *_ in stamps:
        try:
            sheets = sheets.with_sheet(_read_file(folder / name))
        except BadSheet as fault:
            named = fault.message.startswith(f"{name}: ")
            faults.append(fault.message if named else f"{name}: {fault.message}")
    return HouseSheets(sheets, tuple(faults))


def _read_file(path: Path) -> Sheet:
    """Return the sheet in a house file. Raises BadSheet if it cannot be read or stored."""
    if not path.is_file():
        raise BadSheet(f"{path.name}: not a file")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as fault:
        raise BadSheet(f"{path.name}: {fault.strerror}") from fault
    if len(data) > LARGEST_FILE:
        raise BadSheet(f"{path.name}: larger than {LARGEST_FILE} bytes")
    sheet = parse_sheet(data, path.name)
    if len(sheet.title) > LONGEST_TITLE or not sheet.title.isprintable():
        raise BadSheet(
            f"{path.name}: title: at most {LONGEST_TITLE} characters, all printable", field="title"
        )
    return sheet


def games() -> list[Sheet]:
    return sorted(house_sheets().library.newest.values(), key=title_of)


def game(code: str) -> Sheet:
    """Return the newest version of one game. Refuses `unknown_game`."""
    sheet = house_sheets().library.newest.get(code)
    if sheet is None:
        raise UnknownGame(f"No table here plays {code[:40]!r}.", field="game")
    return sheet


def title_of(sheet: Sheet) -> str:
    return sheet.title.strip() or sheet.code


def is_built_in(sheet: Sheet) -> bool:
    return (sheet.code, sheet.version) in library().sheets


def keep_sheet(sheet: Sheet, now: datetime) -> SheetVersion:
    """Return the stored sheet, storing its bytes at first use. Refuses changed bytes (`sheet_changed`)."""
    stored, _ = SheetVersion.objects.get_or_create(
        code=sheet.code,
        version=sheet.version,
        defaults={"title": title_of(sheet), "raw": sheet.raw, "sha256": sheet.sha256, "first_used_at": now},
    )
    if stored.sha256 != sheet.sha256:
        raise SheetChanged(_changed(sheet), field="game")
    return stored


def _changed(sheet: Sheet) -> str:
    return (
        f"The file of {sheet.code} has changed under version {sheet.version}, which tables have used. "
        "A changed game needs a new version."
    )


def changed_games(sheets: Iterable[Sheet]) -> dict[str, str]:
    """Return a sentence, by code, for each sheet whose file changed under a used version; one query."""
    by_version = {(sheet.code, sheet.version): sheet for sheet in sheets}
    return {
        stored.code: _changed(sheet)
        for stored in _STORED.rows()
        if (sheet := by_version.get((stored.code, stored.version))) is not None
        and sheet.sha256 != stored.sha256
    }


_STORED = Compiled(lambda _: SheetVersion.objects.all(), read="code version sha256")


def sheet_to_read(code: str, version: int | None = None) -> Sheet:
    """Return the sheet to show: as stored when used, else from its file. Without a version: the newest on
    offer, else the newest used. Refuses `unknown_game`."""
    loaded = house_sheets().library
    # PostgreSQL refuses a text with a NUL, and an address may have one.
    is_code = slug_re.fullmatch(code)
    used = SheetVersion.objects.filter(code=code) if is_code else SheetVersion.objects.none()
    if version is None and code in loaded.newest:
        version = loaded.newest[code].version
    if version is not None:
        used = used.filter(version=version)
    stored = used.order_by("-version").first()
    if stored is not None:
        return parse_sheet(bytes(stored.raw), f"{code}.toml")
    sheet = None if version is None else loaded.sheets.get((code, version))
    if sheet is None:
        raise UnknownGame(f"No table here plays {code[:40]!r}.", field="game")
    return sheet


# -- on offer ------------------------------------------------------------------------------------------------

CHOSEN, OFFERED = "games_offered", "sheet_offered"

_TAKEN_OFF = Compiled(lambda site: GameOffer.objects.filter(site=site, offered=False), read="code")


def taken_off(site: Any) -> set[str]:
    return {one.code for one in _TAKEN_OFF.rows(site.pk)}


def offered_games(site: Any) -> list[Sheet]:
    """Return the newest version of every game that the house offers, by title."""
    without = taken_off(site)
    return [sheet for sheet in games() if sheet.code not in without]


def require_on_offer(site: Any, sheet: Sheet) -> None:
    """Refuse a game that the house does not offer (`game_not_offered`)."""
    if sheet.code in taken_off(site):
        raise GameNotOffered(
            f"The house does not offer {title_of(sheet)}: a manager must put it on offer.", field="game"
        )


def choose_games(*, site: Any, codes: Collection[str], act: Act) -> bool:
    """Offer exactly these games; return whether anything changed. Refuses `bad_entry` for none,
    `unknown_game`."""
    require(act.actor, MANAGE_HOUSE)
    known = {sheet.code for sheet in games()}
    for code in codes:
        game(code)
    if not codes:
        raise BadEntry("Offer at least one game, or no table can be opened.", field="games")
    offered = sorted(codes)
    with transaction.atomic():
        posting.lock_house(site)
        if house_events.noted_before(site, CHOSEN, act, {"offered": offered}):
            return False
        before = sorted(known - taken_off(site))
        if before == offered:
            return False
        for code in known:
            GameOffer.objects.update_or_create(site=site, code=code, defaults={"offered": code in codes})
        data: dict[str, Any] = {
            "offered": offered,
            "taken_off": sorted(known - set(codes)),
            "before": {"offered": before},
        }
        house_events.note(site, CHOSEN, act=act, key=act.key, **data)
    return True


def note_sheets(site: Any, *, act: Act) -> int:
    """Record the house's own offered sheets that are new or changed; return how many."""
    own = [sheet for sheet in offered_games(site) if not is_built_in(sheet)]
    if not own or not _not_noted(site, own):
        return 0
    with transaction.atomic():
        posting.lock_house(site)
        for sheet in (found := _not_noted(site, own)):
            facts: dict[str, Any] = {"code": sheet.code, "version": sheet.version, "sha256": sheet.sha256}
            house_events.note(site, OFFERED, act=act, **facts)
    return len(found)


def _not_noted(site: Any, sheets: Iterable[Sheet]) -> list[Sheet]:
    noted = {
        (event.data["code"], event.data["version"]): event.data["sha256"]
        for event in site.events.filter(kind=OFFERED).order_by("pk")
    }
    return [sheet for sheet in sheets if noted.get((sheet.code, sheet.version)) != sheet.sha256]


def check_house_sheets(**_: Any) -> list[checks.CheckMessage]:
    """W001: a file in the house's folder of sheets is not a valid sheet and is left out."""
    return [
        checks.Warning(f"A house sheet is left out. {fault}", id="tables.W001")
        for fault in house_sheets().faults
    ]
