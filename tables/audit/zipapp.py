"""The verifier as one file, verify.pyz, from the sources that are installed: the same sources give the same bytes."""

import io
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

# What the verifier imports, by package: whole folders, or the files named.
_WHOLE = ("ledger.audit", "tables.audit", "tables.rules")
_FILES = {"ledger": ("__init__.py", "errors.py", "money.py", "chart.py"), "tables": ("__init__.py",)}
# Rooms that verifying never enters: words for screens, and the part that needs NumPy.
_LEFT_OUT = {"tables/rules/words", "tables/rules/batch"}
# Zip files know no earlier day; with any other the bytes would tell when they were made.
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
_MAIN = "import sys\n\nfrom tables.audit.main import main\n\nsys.exit(main(sys.argv[1:]))\n"


@cache
def verifier_bytes() -> bytes:
    """The bytes of verify.pyz: `python3 -I verify.pyz FILE.zip` needs nothing else."""
    packed = io.BytesIO()
    packed.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted({**dict(_sources()), "__main__.py": _MAIN.encode()}.items()):
            member = zipfile.ZipInfo(name, _FIRST_DAY)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3
            member.external_attr = 0o644 << 16
            archive.writestr(member, data)
    return packed.getvalue()


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
