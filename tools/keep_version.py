"""Keep a filled house of this version for the test of upgrades: `python tools/keep_version.py`, and again
behind `tools/servers.py` for PostgreSQL.

It opens the demo in an empty place, seals and verifies its log, and packs into tests/versions/VERSION what an
operator would have: a backup, the key, the folder of checkpoints, and an export. With them go the hashes of
all migrations, which stay as they are from then on. Run it once for each release, with the oldest PostgreSQL
that docs/operations.md names."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MIGRATIONS = ("casino", "ledger", "tables")
NAME = "house"


def main() -> int:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    kept = ROOT / "tests" / "versions" / version
    vendor = "postgresql" if os.environ.get("DATABASE_URL", "").startswith("postgres") else "sqlite"
    if (packed := kept / f"{vendor}.tar.xz").exists():
        print(f"{packed} is kept already: a version is kept once.", file=sys.stderr)
        return 1
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = fill(Path(folder))
        with tarfile.open(packed, "w:xz", preset=9) as archive:
            archive.add(made, arcname=NAME)
        if not (export := kept / "export.zip").exists():
            shutil.copyfile(Path(folder) / "export.zip", export)
    (kept / "migrations.txt").write_text("".join(f"{line}\n" for line in hashed_migrations()))
    print(f"{packed}: {packed.stat().st_size // 1024} kB")
    return 0


def fill(folder: Path) -> Path:
    """Open a demo below `folder`, with an export; return its backup, with the key and the checkpoints."""
    rooms = folder / "var"
    rooms.mkdir()
    environment = os.environ | {"CASINO_DEMO": "1", "CASINO_VAR": str(rooms)}

    def manage(*arguments: str) -> None:
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)

    manage("prepare")
    manage("audit", "seal")
    manage("audit", "verify", "--full")
    manage("audit", "export", "-o", str(folder / "export.zip"))
    manage("audit", "seal")
    manage("backup", str(folder / "backups"))
    (made,) = (folder / "backups").iterdir()
    shutil.copyfile(rooms / "audit_key", made / "audit_key")
    shutil.copytree(rooms / "checkpoints", made / "checkpoints")
    return made


def hashed_migrations() -> list[str]:
    """Return a line for each migration: the SHA-256 of its file, and its path."""
    files = sorted(file for app in MIGRATIONS for file in (ROOT / app / "migrations").glob("[0-9]*.py"))
    return [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(ROOT)}" for file in files]


if __name__ == "__main__":
    sys.exit(main())
