"""Writing an export: the same records give the same bytes, streamed, and nothing is left out unseen."""

import io
import json
import tracemalloc
import zipfile
from dataclasses import replace

import pytest

from ledger.papers.paper import declared
from ledger.proof.audit.errors import BadBundle
from ledger.proof.audit.export.bundle_writing import BundleContents, write_bundle
from ledger.proof.audit.export.manifest import Consistency, Manifest, Proofs, sheet_member
from ledger.proof.audit.tree.merkle import leaf_hash
from tests.support.log_by_hand import KEY, SHEET, VERIFIER, bundle, night, record


def write(out, records, leaves, progress=None, **more):
    manifest = Manifest("house/1/1", 1, 0, more.pop("count"), 10**6, None, None, (KEY.text,), "1")
    options = {
        "checkpoint": b"c",
        "proofs": Proofs((), ()),
        "sheets": {},
        "verifier": VERIFIER,
    }
    contents = BundleContents(manifest=manifest, records=records, leaves=leaves, **(options | more))
    write_bundle(out, contents, progress)


def test_the_same_records_give_the_same_bytes_in_one_order():
    assert bundle() == bundle()
    with zipfile.ZipFile(io.BytesIO(bundle(since=9))) as archive:
        assert archive.namelist() == [
            *("README.txt", "manifest.json", "checkpoint", "since", "proofs.json", "earlier.jsonl", "leaves"),
            *("records.jsonl", "rates.json", "controls.json", "sheets/western.1.toml"),
            *(f"papers/{paper.name}" for paper in declared(players=False)),
            "verify.pyz",
        ]
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.read("records.jsonl") == b"".join(record(body) + b"\n" for body in night())
        assert archive.read("sheets/western.1.toml") == SHEET


class Pipe(io.RawIOBase):
    """A stream that cannot be rewound, like an answer to a browser."""

    def __init__(self):
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.data += data
        return len(data)


def test_an_export_is_streamed_into_what_cannot_be_wound_back():
    pipe, record = Pipe(), b'[1,{"record":"down"}]'
    write(pipe, [record], [leaf_hash(record)], count=1)
    with zipfile.ZipFile(io.BytesIO(bytes(pipe.data))) as archive:
        assert archive.testzip() is None
        assert archive.read("records.jsonl") == record + b"\n"


@pytest.mark.parametrize("records", [[], [b"[]", b"[]"]])
def test_another_number_of_records_than_the_manifest_counts_is_refused(records):
    with pytest.raises(ValueError, match="counts 1"):
        write(io.BytesIO(), records, [bytes(32)], count=1)
    with pytest.raises(ValueError, match="counts 1"):
        write(io.BytesIO(), [b"[]"], [bytes(32)] * len(records), count=1)


def test_what_is_no_line_and_no_hash_is_refused():
    with pytest.raises(ValueError, match="one line"):
        write(io.BytesIO(), [b"[\n]"], [bytes(32)], count=1)
    with pytest.raises(ValueError, match="32 bytes"):
        write(io.BytesIO(), [b"[]"], [bytes(31)], count=1)
    with pytest.raises(ValueError, match="no sheet"):
        sheet_member("../western", 1)


def test_progress_is_told_and_ends_with_all_of_them():
    told = []
    write(io.BytesIO(), [b"[]"] * 2500, [bytes(32)] * 2500, count=2500, progress=told.append)
    assert told == [1000, 2000, 2500]


def test_memory_does_not_grow_with_the_records():
    one = record(night()[19])

    def peak(count):
        tracemalloc.start()
        write(Pipe(), (one for _ in range(count)), (bytes(32) for _ in range(count)), count=count)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(4000) < peak(400) + 200_000


def test_manifest_and_proofs_are_read_as_they_were_written_and_no_other_way():
    manifest = Manifest(
        "house/1/1", 1, 3, 2, 9, "2026-11-20", None, (KEY.text,), "1", 4, sha256={"a": "0" * 64}
    )
    manifest = replace(manifest, offsets=(("", "-07:00"), ("2026-11-01T09:00", "-08:00")), players=True)
    assert Manifest.parse(manifest.data) == manifest
    with pytest.raises(BadBundle):
        Manifest.parse(manifest.data.replace(b" ", b""))
    for wrong in (
        [["", "7"]],
        [["2026-11-01T09:00", "-08:00"]],
        [["", "-08:00"], ["", "-07:00"]],
        [[1, "-08:00"]],
        {},
    ):
        said = json.loads(manifest.data) | {"offsets": wrong}
        with pytest.raises(BadBundle):
            Manifest.parse((json.dumps(said, indent=1, sort_keys=True) + "\n").encode())
    for name in said:
        without = {one: value for one, value in json.loads(manifest.data).items() if one != name}
        with pytest.raises(BadBundle):
            Manifest.parse((json.dumps(without, indent=1, sort_keys=True) + "\n").encode())
    proofs = Proofs((bytes(32),), (b"\1" * 32, b"\2" * 32), Consistency(2, b"\3" * 32, (b"\4" * 32,)))
    assert Proofs.parse(proofs.data(manifest), manifest) == proofs
    for wrong in (b"", b"{}", b"[]", proofs.data(manifest).replace(b"AAAA", b"****", 1)):
        with pytest.raises(BadBundle):
            Proofs.parse(wrong, manifest)
