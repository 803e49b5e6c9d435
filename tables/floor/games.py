"""The games that tables can play: the built-in sheets and the house's own, from the folder `settings.HOUSE_SHEETS`.

The folder's *.toml files are read again when one has changed, so no restart is needed. A file that is not a valid sheet
is left out and reported; the others stay usable. An open table does not use this: its sheet's bytes are stored.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks

from ledger.db.compiled import Compiled
from tables.errors import SheetChanged, UnknownGame
from tables.models import SheetVersion
from tables.rules.errors import BadSheet
from tables.rules.game.rounds import Library, Sheet, library, parse_sheet

LARGEST_FILE = 64 * 1024  # bytes; the largest built-in sheet has less than two thousand
LONGEST_TITLE = 120

# Name, size and two timestamps of each file: equal if nothing has changed.
Stamps = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class HouseSheets:
    """Every sheet that can be played, and a sentence for each house file that is not a valid sheet."""

    library: Library
    faults: tuple[str, ...]


def house_sheets() -> HouseSheets:
    """Return the sheets as their files are now; if nothing has changed, the folder is only listed."""
    folder = Path(settings.HOUSE_SHEETS)
    try:
        stamps = _stamps(folder)
    except FileNotFoundError:
        missing = () if folder == settings.VAR_DIR / "sheets" else (f"{folder}: this folder does not exist",)
        return HouseSheets(library(), missing)
    except OSError as fault:
        return HouseSheets(library(), (f"{folder}: {fault.strerror}",))
    return _read(folder, stamps)


def _stamps(folder: Path) -> Stamps:
    """Return the stamps of the folder's sheets by name, without hidden files."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".toml") and name[0] != ".")
    return tuple((name, *_stamp(folder / name)) for name in names)


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        stat = path.stat()
    except OSError:
        return -1, 0, 0  # deleted meanwhile, or a broken link; reading it reports that
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
    """Return the sheet in a house file. Raises BadSheet if it cannot be read, or stored as a table's game."""
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
    """The newest version of every game, by title."""
    return sorted(house_sheets().library.newest.values(), key=title_of)


def game(code: str) -> Sheet:
    """The newest version of one game. Refuses `unknown_game`."""
    sheet = house_sheets().library.newest.get(code)
    if sheet is None:
        raise UnknownGame(f"No table here plays {code[:40]!r}.", field="game")
    return sheet


def title_of(sheet: Sheet) -> str:
    """What a game is called: its title, or its code where it has none."""
    return sheet.title.strip() or sheet.code


def is_built_in(sheet: Sheet) -> bool:
    """Whether the sheet came with the program rather than from the house's folder."""
    return (sheet.code, sheet.version) in library().sheets


def keep_sheet(sheet: Sheet, now: datetime) -> SheetVersion:
    """Return the stored sheet, storing its bytes at first use.

    Refuses a file that differs from the bytes stored under the same code and version (`sheet_changed`).
    """
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
    """Return, by code, a sentence for each sheet whose file changed under a version already used; one query."""
    by_version = {(sheet.code, sheet.version): sheet for sheet in sheets}
    return {
        stored.code: _changed(sheet)
        for stored in _STORED.rows()
        if (sheet := by_version.get((stored.code, stored.version))) is not None
        and sheet.sha256 != stored.sha256
    }


_STORED = Compiled(lambda _: SheetVersion.objects.only("code", "version", "sha256"))


def sheet_to_read(code: str, version: int | None = None) -> Sheet:
    """Return the sheet whose rules are requested: as stored when tables used this version, else from its file.

    Without a version, the newest that can be opened or, for a game no longer offered, the newest that was used.
    Refuses `unknown_game`.
    """
    loaded = house_sheets().library
    used = SheetVersion.objects.filter(code=code)
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


def check_house_sheets(**_: Any) -> list[checks.CheckMessage]:
    """W001: a file in the house's folder of sheets is not a valid sheet and is left out."""
    return [
        checks.Warning(f"A house sheet is left out. {fault}", id="tables.W001")
        for fault in house_sheets().faults
    ]
