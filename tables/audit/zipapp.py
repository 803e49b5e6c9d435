"""Pack the verifier into one file, verify.pyz, with its licence: the same sources always give the same bytes."""

import io
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

# What the verifier imports, by package: whole folders, or single files.
_WHOLE = ("ledger.audit", "tables.audit", "tables.rules")
_FILES = {"ledger": ("__init__.py", "errors.py", "money.py", "chart.py"), "tables": ("__init__.py",)}
# Packages that verifying never imports: words for screens, and the part that needs NumPy.
_LEFT_OUT = {"tables/rules/words", "tables/rules/batch"}
# The earliest date a zip file can have; any other would make the bytes depend on when they were made.
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
# The Apache licence asks that whoever gets the program gets the licence too.
_LICENSE = Path(__file__).parents[2] / "LICENSE"
_MAIN = "import sys\n\nfrom tables.audit.main import main\n\nsys.exit(main(sys.argv[1:]))\n"


@cache
def verifier_bytes() -> bytes:
    """Return the bytes of verify.pyz. Running `python3 -I verify.pyz FILE.zip` needs nothing else."""
    packed = io.BytesIO()
    packed.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(_members().items()):
            member = zipfile.ZipInfo(name, _FIRST_DAY)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3
            member.external_attr = 0o644 << 16
            archive.writestr(member, data)
    return packed.getvalue()


def _members() -> dict[str, bytes]:
    return {"LICENSE": _LICENSE.read_bytes(), "__main__.py": _MAIN.encode(), **dict(_sources())}


def _sources() -> Iterator[tuple[str, bytes]]:
    for package, names in _FILES.items():
        for name in names:
            yield f"{package}/{name}", resources.files(package).joinpath(name).read_bytes()
    for package in _WHOLE:
        yield from _folder(resources.files(package), package.replace(".", "/"))


def _folder(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        inside = f"{path}/{entry.name}"
        if entry.is_dir() and inside not in _LEFT_OUT:
            yield from _folder(entry, inside)
        elif entry.name.endswith(".py"):
            yield inside, entry.read_bytes()
