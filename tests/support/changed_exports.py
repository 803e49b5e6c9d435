"""Taking an export apart and putting it together again, with something changed."""

import io
import zipfile

from ledger.audit.packing import Streamed, dateless
from tests.support.log_by_hand import bundle


def no_checks(sheets):
    return []


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members):
    """A zip of these members in their order, written the way exports are."""
    out = io.BytesIO()
    with zipfile.ZipFile(Streamed(out), "w") as archive:
        for name, data in members.items():
            with archive.open(dateless(name), "w", force_zip64=True) as member:
                member.write(data)
    return out.getvalue()


def tampered(change, **options):
    """An export with its members changed: `change` gets them by name."""
    members = members_of(bundle(**options))
    change(members)
    return packed(members)


def lines_of(members):
    return members["records.jsonl"].splitlines(keepends=True)


def put_lines(members, lines):
    members["records.jsonl"] = b"".join(lines)
