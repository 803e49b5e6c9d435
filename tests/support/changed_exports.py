"""Change members of an export."""

import io
import zipfile

from ledger.proof.audit.export.bundle_writing import ZipWriting
from tests.support.log_by_hand import bundle


def no_checks(sheets):
    return []


def members_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members):
    """Return a zip of these members, in order, written like an export."""
    out = io.BytesIO()
    archive = ZipWriting(out)
    for name, data in members.items():
        archive.add(name, data)
    archive.finish()
    return out.getvalue()


def tampered(change, **options):
    """Return an export after `change(members)`, with members by name."""
    members = members_of(bundle(**options))
    change(members)
    return packed(members)


def lines_of(members):
    return members["records.jsonl"].splitlines(keepends=True)


def put_lines(members, lines):
    members["records.jsonl"] = b"".join(lines)
