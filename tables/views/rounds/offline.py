"""What a dealer's tablet keeps to work without the network: the version of its files, and the rules."""

import hashlib
import io
import zipfile
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import to_locale

from ledger.views.pages import read_by
from tables.rights import DEAL

BESIDE = (
    "ledger/__init__.py",
    "ledger/errors.py",
    "ledger/money.py",
    "ledger/rules/__init__.py",
    "ledger/rules/saying.py",
    "tables/__init__.py",
    "tables/errors.py",
    "tables/rounds/__init__.py",
    "tables/rounds/checked.py",
    "tables/rounds/entry.py",
    "tables/rounds/on_tablet.py",
)
"""What runs on a tablet beside the rules."""
SHOWN = ("casino/static", "templates/dealer", "templates/base.html")
SCRIPT = "text/javascript"
WASM = "'wasm-unsafe-eval'"
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def rules_files() -> list[Path]:
    """Return the files of the rules that run on a tablet, and those beside them; without batches."""
    rules = settings.BASE_DIR / "tables/rules"
    found = [path for path in rules.rglob("*") if path.suffix in (".py", ".toml", ".md")]
    found = [path for path in found if path.relative_to(rules).parts[0] != "batch"]
    return sorted((*found, *(settings.BASE_DIR / name for name in BESIDE)))


@lru_cache
def rules_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in rules_files():
            member = zipfile.ZipInfo(path.relative_to(settings.BASE_DIR).as_posix(), ZIP_TIME)
            archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
        for language, _ in settings.LANGUAGES:
            path = settings.LOCALE_PATHS[0] / to_locale(language) / "LC_MESSAGES/django.mo"
            if path.exists():
                member = zipfile.ZipInfo(f"locale/{language}.mo", ZIP_TIME)
                archive.writestr(member, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


@lru_cache
def shell_version() -> str:
    """Return what changes with any file of the dealer's page or of the rules."""
    found = hashlib.sha256(rules_zip())
    for place in SHOWN:
        path = settings.BASE_DIR / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                found.update(f"{file.relative_to(settings.BASE_DIR)} {file.stat().st_size}\n".encode())
                found.update(file.read_bytes())
    return found.hexdigest()[:16]


FILES = {"rules.zip": "application/zip", "keeper.js": SCRIPT, "engine.js": SCRIPT}
"""What a tablet fetches below its pages' address, by name."""


@read_by(DEAL)
def tablet_file(request: HttpRequest, name: str) -> HttpResponse:
    """Return the rules packed, the service worker of the dealer's pages, or the script of the thread that
    runs the rules: of all our scripts it alone may compile WebAssembly."""
    if name not in FILES:
        raise Http404
    body = rules_zip() if name == "rules.zip" else _script(name)
    answer = HttpResponse(body, content_type=FILES[name])
    if name == "keeper.js":
        answer.headers["Service-Worker-Allowed"] = "/dealer/"
    if name == "engine.js":
        answer._csp_update = {"script-src": [WASM]}  # type: ignore[attr-defined]
    return answer


def _script(name: str) -> bytes:
    return (settings.BASE_DIR / "casino/static/js/dealer" / name).read_bytes()
