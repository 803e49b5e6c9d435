"""The games that tables can play: the built-in sheets and the house's own, from the folder `settings.HOUSE_SHEETS`.

Its *.toml files are read again when one has changed, so that no restart is needed. A file that is no sheet is left out and
named; it never hides the good ones. What an open table plays is not looked up here: those bytes were kept.
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

# Name, size and two times of each file: alike where nothing changed.
Stamps = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class HouseSheets:
    """What was found: every sheet that can be played, and a sentence for each file of the house that is none."""

    library: Library
    faults: tuple[str, ...]


def house_sheets() -> HouseSheets:
    """Return the sheets as their files are now; one look at the folder where nothing has changed."""
    folder = Path(settings.HOUSE_SHEETS)
    try:
        stamps = _stamps(folder)
    except FileNotFoundError:
        missing = () if folder == settings.VAR_DIR / "sheets" else (f"{folder}: this folder is not there",)
        return HouseSheets(library(), missing)
    except OSError as fault:
        return HouseSheets(library(), (f"{folder}: {fault.strerror}",))
    return _read(folder, stamps)


def _stamps(folder: Path) -> Stamps:
    """The folder's sheets in the order of their names; what an editor hides is none."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".toml") and name[0] != ".")
    return tuple((name, *_stamp(folder / name)) for name in names)


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        stat = path.stat()
    except OSError:
        return -1, 0, 0  # gone since, or a link to nowhere; reading it says so
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
    """The sheet in a file of the house. Raises BadSheet for whatever cannot be read, or kept as a game of a table."""
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
    """Whether the sheet came with the program, and not from the house's folder."""
    return (sheet.code, sheet.version) in library().sheets


def keep_sheet(sheet: Sheet, now: datetime) -> SheetVersion:
    """Return the stored sheet, keeping its bytes at first use.

    Refuses a file that differs from the bytes kept under the same code and version (`sheet_changed`).
    """
    kept, _ = SheetVersion.objects.get_or_create(
        code=sheet.code,
        version=sheet.version,
        defaults={"title": title_of(sheet), "raw": sheet.raw, "sha256": sheet.sha256, "first_used_at": now},
    )
    if kept.sha256 != sheet.sha256:
        raise SheetChanged(_changed(sheet), field="game")
    return kept


def _changed(sheet: Sheet) -> str:
    return (
        f"The file of {sheet.code} has changed under version {sheet.version}, which tables have used. "
        "A changed game needs a new version."
    )


def changed_games(sheets: Iterable[Sheet]) -> dict[str, str]:
    """Those of these sheets whose file has changed under a version that tables have used: code to sentence, one query."""
    by_version = {(sheet.code, sheet.version): sheet for sheet in sheets}
    return {
        kept.code: _changed(sheet)
        for kept in _KEPT.rows()
        if (sheet := by_version.get((kept.code, kept.version))) is not None and sheet.sha256 != kept.sha256
    }


_KEPT = Compiled(lambda _: SheetVersion.objects.only("code", "version", "sha256"))


def sheet_to_read(code: str, version: int | None = None) -> Sheet:
    """The sheet whose rules somebody asks for: as tables have used this version, else as its file is.

    Without a version the newest that can be opened, or, of a game that is no longer offered, the newest that was used.
    Refuses `unknown_game`.
    """
    loaded = house_sheets().library
    used = SheetVersion.objects.filter(code=code)
    if version is None and code in loaded.newest:
        version = loaded.newest[code].version
    if version is not None:
        used = used.filter(version=version)
    kept = used.order_by("-version").first()
    if kept is not None:
        return parse_sheet(bytes(kept.raw), f"{code}.toml")
    sheet = None if version is None else loaded.sheets.get((code, version))
    if sheet is None:
        raise UnknownGame(f"No table here plays {code[:40]!r}.", field="game")
    return sheet


def check_house_sheets(**_: Any) -> list[checks.CheckMessage]:
    """W001: a file in the house's folder of sheets that is no sheet, and is therefore left out."""
    return [
        checks.Warning(f"A sheet of the house is left out. {fault}", id="tables.W001")
        for fault in house_sheets().faults
    ]
