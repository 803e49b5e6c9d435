"""Pack a program of plain Python into one file, with its licence: the same sources give the same bytes."""

import io
import zipfile
from collections.abc import Collection, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

# The earliest date a zip can have; the real one would make the bytes differ.
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
# The Apache licence must be distributed with the program.
_LICENSE = Path(__file__).parents[3] / "LICENSE"
_MAIN = "import sys\n\nfrom {module} import main\n\nsys.exit(main(sys.argv[1:]))\n"


def packed(
    module: str,
    *,
    whole: Collection[str],
    files: Mapping[str, Collection[str]],
    left_out: Collection[str] = (),
) -> bytes:
    """Return a zipapp that runs the `main` of a module, with whole packages and single files of others."""
    members = {"LICENSE": _LICENSE.read_bytes(), "__main__.py": _MAIN.format(module=module).encode()}
    for package, names in files.items():
        for name in names:
            members[f"{package.replace('.', '/')}/{name}"] = (
                resources.files(package).joinpath(name).read_bytes()
            )
    for package in whole:
        members |= dict(_folder(resources.files(package), package.replace(".", "/"), left_out))
    out = io.BytesIO()
    out.write(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(members.items()):
            archive.writestr(dateless(name), data)
    return out.getvalue()


def dateless(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _FIRST_DAY)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3
    member.external_attr = 0o644 << 16
    return member


def _folder(folder: Traversable, path: str, left_out: Collection[str]) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        inside = f"{path}/{entry.name}"
        if entry.is_dir() and inside not in left_out:
            yield from _folder(entry, inside, left_out)
        elif entry.name.endswith(".py"):
            yield inside, entry.read_bytes()
