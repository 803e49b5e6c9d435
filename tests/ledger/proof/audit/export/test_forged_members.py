"""What somebody without the key can add to an export, around its members or where nothing is signed, is
named."""

import io
import json
import re
import struct
import zipfile
import zlib
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from ledger.papers.controls import ControlsPaper, table_data
from ledger.papers.paper import Papers, PaperSource, names_of
from ledger.proof.audit.errors import BadBundle
from ledger.proof.audit.export import zip_form
from ledger.proof.audit.export.bundle_writing import ZipWriting
from ledger.proof.audit.export.manifest import Manifest, members_in_order
from ledger.proof.audit.export.members import Members
from ledger.proof.audit.export.zip_form import Directory, Packed
from ledger.proof.audit.packing import dateless
from ledger.records.canonical import body_of
from tests.support.changed_exports import members_of, packed, tampered
from tests.support.entries_by_hand import other
from tests.support.log_by_hand import OTHER_KEY, OTHER_SIGNER, SIGNER, at, bundle, night

PAGE = (Path(__file__).resolve().parents[5] / "docs" / "audit-format.md").read_text()

# Members that follow from no record


def listed(name, data):
    """Add a member, with its hash in the manifest, before the verifier."""

    def change(members):
        verifier = members.pop("verify.pyz")
        members |= {name: data, "verify.pyz": verifier}
        manifest = Manifest.parse(members["manifest.json"])
        hashes = {**manifest.sha256, name: sha256(data).hexdigest()}
        members["manifest.json"] = replace(manifest, sha256=hashes).data

    return change


@pytest.mark.parametrize(
    "name",
    [
        "papers/tokes.csv",
        "papers/verify.py",
        "papers/players.csv",
        "verify.py",
        "sheets/western.1.TOML",
        "sheets/../evil.1.toml",
        "sheets/",
        "players.jsonl",
        "Since",
    ],
)
def test_a_member_that_the_manifest_lists_and_no_export_has_is_named(judge, name):
    (wrong,) = judge(tampered(listed(name, b"trust me\n"))).findings
    assert (wrong.code, wrong.sentence) == ("member_unknown", f"{name} does not belong to this export.")


def test_a_hash_of_a_member_that_no_export_has_is_named_without_the_member_too(found):
    def change(members):
        listed("papers/tokes.csv", b"")(members)
        del members["papers/tokes.csv"]

    assert found(tampered(change)) == [("member_unknown", None)]


def in_order(members):
    sheets = sorted(name for name in members if name.startswith("sheets/"))
    late = {
        name: members.pop(name) for name in [*members] if name.startswith("papers/") or name == "verify.pyz"
    }
    members |= {name: members.pop(name) for name in sheets} | late


@pytest.mark.parametrize("part", [{}, {"end": 8}])
def test_a_sheet_that_no_table_was_opened_with_is_named(judge, part):
    def change(members):
        listed("sheets/eastern.1.toml", b'code = "eastern"\nversion = 1\n')(members)
        in_order(members)

    (wrong,) = judge(tampered(change, **part)).findings
    assert (wrong.code, "sheets/eastern.1.toml" in wrong.sentence) == ("member_unknown", True)


def test_a_key_that_no_record_notes_is_named(found):
    def change(members):
        manifest = Manifest.parse(members["manifest.json"])
        keys = (*manifest.verifier_keys, OTHER_KEY.text)
        members["manifest.json"] = replace(manifest, verifier_keys=keys).data

    assert found(tampered(change)) == [("bad_verifier_key", None)]
    assert found(tampered(change, first=7)) == [("bad_verifier_key", None)]


def test_a_key_that_replaced_another_goes_with_every_part_and_cannot_be_left_out(found):
    bodies = night()
    noted = {"kind": "audit_key", "at": at(70), "actor": None, "terminal": ""}
    data = {"verifier_key": OTHER_KEY.text, "replaces": SIGNER.key.text}
    bodies.insert(36, other("house_event", 9, 70, **noted, data=data))
    keys = {"verifier_keys": (SIGNER.key.text, OTHER_KEY.text), "signer": OTHER_SIGNER}
    for part in ({}, {"first": 8, "end": 20}, {"first": 36, "end": 37}):
        assert found(bundle(bodies, **keys, **part)) == []
        assert {code for code, _ in found(bundle(bodies, **part))} == {"bad_verifier_key"}

    def forget(members):
        members["earlier.jsonl"] = b"".join(
            line for line in members["earlier.jsonl"].splitlines(keepends=True) if b"audit_key" not in line
        )

    assert found(tampered(forget, bodies=bodies, first=7, end=20, **keys)) == [("bad_verifier_key", None)]


def test_older_records_that_nothing_here_refers_to_are_named(found):
    older = members_of(bundle(first=20, end=25))["earlier.jsonl"].splitlines(keepends=True)
    assert [json.loads(json.loads(line)["record"])[1]["record"] for line in older] == ["house_event"] * 2
    whole = members_of(bundle(first=7))["earlier.jsonl"].splitlines(keepends=True)
    (rate,) = [line for line in whole if b'\\"record\\":\\"rate\\"' in line]

    def change(members):
        members["earlier.jsonl"] += rate

    assert found(tampered(change, first=20, end=25)) == [
        ("bad_bundle", None),
        ("member_changed", None),  # rates.json
        ("paper_differs", None),  # and the history of rates
    ]


def test_a_part_that_does_not_say_by_which_clock_the_house_goes_is_named(found):
    """The papers are made again without the clock, so that nothing differs."""

    def change(members):
        members["earlier.jsonl"] = b"".join(
            line for line in members["earlier.jsonl"].splitlines(True) if b"house_opened" not in line
        )
        manifest = replace(Manifest.parse(members["manifest.json"]), offsets=())
        members["manifest.json"] = manifest.data
        made = Papers(PaperSource(manifest.whole), manifest.days)
        for line in members["earlier.jsonl"].splitlines():
            made.earlier(body_of(json.loads(line)["record"]))
        bodies = map(body_of, members["records.jsonl"].decode().splitlines())
        again = dict.fromkeys(names_of(players=False), b"")
        for lines in (made.begin(), *(made.take(body) for body in bodies), made.finish()):
            for name, line in lines:
                again[name] += line
        members.update((f"papers/{name}", lines) for name, lines in again.items())

    assert found(tampered(change, first=7)) == [("wrong_offsets", None)]


def test_a_line_more_under_the_checkpoint_is_named(found):
    line = "— Everything.is.right AAAAAAAA\n".encode()
    assert found(tampered(lambda members: members.update(checkpoint=members["checkpoint"] + line))) == [
        ("bad_note", None)
    ]
    twice = members_of(bundle())["checkpoint"].splitlines(keepends=True)[-1]
    assert found(tampered(lambda members: members.update(checkpoint=members["checkpoint"] + twice))) == [
        ("bad_note", None)
    ]


def test_a_line_that_an_earlier_checkpoint_has_twice_is_named(found):
    twice = members_of(bundle(since=10))["since"].splitlines(keepends=True)[-1]
    assert found(tampered(lambda members: members.update(since=members["since"] + twice), since=10)) == [
        ("bad_note", None)
    ]


# What the manifest may say


@pytest.mark.parametrize(
    "said",
    [
        {"verifier_version": "2"},
        {"verifier_version": "Everything is right."},
        {"from_day": "2026-02-30"},
        {"from_day": "2026-11-21", "to_day": "2026-11-20"},
        {"count": 0},
        {"count": 10**30, "tree_size": 10**31},
        {"site": -1},
    ],
)
def test_a_manifest_that_says_what_none_says_is_refused(found, said):
    def change(members):
        manifest = Manifest.parse(members["manifest.json"])
        members["manifest.json"] = replace(manifest, **said).data

    assert found(tampered(change)) == [("bad_bundle", None)]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("manifest.json", b'{\n "count"', b'{\n "count": 99,\n "count"'),
        ("proofs.json", b'{\n "consistency"', b'{\n "consistency": null,\n "consistency"'),
        ("rates.json", b'"fee_cents"', b'"fee_cents": 1,\n  "fee_cents"'),
        ("records.jsonl", b'[1,{"actor":3', b'[1,{"actor":4,"actor":3'),
        ("earlier.jsonl", b'{"hashes"', b'{"leaf": 9, "hashes"'),
    ],
)
def test_a_key_that_is_there_twice_is_named_wherever_json_is_read(judge, name, old, new):
    before = members_of(bundle(first=7))[name]
    assert old in before
    findings = judge(
        tampered(lambda members: members.update({name: before.replace(old, new, 1)}), first=7)
    ).findings
    assert findings
    assert name == "records.jsonl" or all(name in one.sentence for one in findings[:1])


# The table of controls


def by_table(table, *, made=True):
    """An export of a program whose table of controls was this one; its paper is made by it or stays."""

    def change(members):
        manifest = Manifest.parse(members["manifest.json"])
        members["controls.json"] = table
        hashes = {**manifest.sha256, "controls.json": sha256(table).hexdigest()}
        members["manifest.json"] = replace(manifest, sha256=hashes).data
        if not made:
            return
        papers = Papers(PaperSource(offsets=manifest.offsets, controls=table), only={ControlsPaper.name})
        lines = [*papers.begin()]
        for line in members["records.jsonl"].splitlines():
            lines += papers.take(body_of(line))
        lines += papers.finish()
        members["papers/controls.csv"] = b"".join(line for _, line in lines)

    return change


OLDER = (json.dumps(json.loads(table_data())[1:], ensure_ascii=False, indent=1) + "\n").encode()


def test_an_export_of_a_program_with_other_controls_is_right_and_says_so(judge):
    verdict = judge(tampered(by_table(OLDER)))
    assert verdict.findings == []
    assert any("table of controls is another one" in sentence for sentence in verdict.left_out)


def test_controls_by_another_table_than_the_export_carries_are_named(found):
    assert [code for code, _ in found(tampered(by_table(OLDER, made=False)))] == ["paper_differs"]


def test_a_table_of_controls_that_is_changed_or_cannot_be_read_is_named(found):
    changed = tampered(lambda members: members.update({"controls.json": OLDER}))
    assert found(changed) == [("member_changed", None)]
    assert ("member_damaged", None) in found(tampered(by_table(b"[1]", made=False)))


# The zip around the members


def moved_to(name, place):
    def change(members):
        names = [one for one in members if one != name]
        names.insert(place, name)
        ordered = {one: members[one] for one in names}
        members.clear()
        members.update(ordered)

    return change


@pytest.mark.parametrize(("name", "place"), [("verify.pyz", 0), ("papers/journal.csv", 13), ("leaves", 9)])
def test_members_in_another_order_are_named(found, name, place):
    assert found(tampered(moved_to(name, place))) == [("member_order", None)]


def test_the_page_lists_the_members_in_their_order():
    manifest = Manifest.parse(members_of(bundle())["manifest.json"])
    every = replace(manifest, players=True, opened=True)
    names = members_in_order(every, names_of(players=True), ("since", "witnessed"))
    (table,) = re.findall(r"these members in this order.*?\n\n(\| member .*?)\n\n", PAGE, re.DOTALL)
    listed = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    assert [name.replace("western.1", "CODE.VERSION") for name in names] == listed


DATA = bundle()
HEADERS = [(info.filename, info.header_offset) for info in zipfile.ZipFile(io.BytesIO(DATA)).infolist()]
DIRECTORY = zip_form.directory_in(DATA[-zip_form.TAIL_BYTES :], len(DATA))


@pytest.fixture
def unlike(tmp_path):
    def unlike(data):
        path = tmp_path / "changed.zip"
        path.write_bytes(data)
        try:
            with closing(Members(path)) as members:
                return [one.sentence for one in members.unlike([name for name, _ in HEADERS])]
        except BadBundle as error:
            return [str(error)]

    return unlike


@pytest.mark.parametrize(("name", "begin"), HEADERS, ids=[name for name, _ in HEADERS])
def test_whatever_byte_of_a_members_header_is_changed_is_named(unlike, name, begin):
    for place in range(begin, begin + 30 + len(name) + 20):
        broken = bytearray(DATA)
        broken[place] ^= 0x20
        assert unlike(broken) == [f"{name} is not packed the way exports are."], place


def test_whatever_byte_of_the_directory_is_changed_is_found(unlike):
    assert unlike(DATA) == []
    for place in range(DIRECTORY.begin, len(DATA), 3):
        broken = bytearray(DATA)
        broken[place] ^= 0x01
        assert unlike(broken), place


class Pipe:
    """A browser's end of a stream: it can only be written to."""

    def __init__(self):
        self.data = bytearray()

    def write(self, data):
        self.data += data
        return len(data)


class Streamed(Pipe):
    """A stream that a zip is written to without rewinding."""

    def flush(self):
        pass


def written(members, *, extra=b"", comment=b"", attributes=None, method=None, stream=True):
    out = Streamed() if stream else io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            info = dateless(name)
            info.extra, info.comment = extra, comment
            info.external_attr = info.external_attr if attributes is None else attributes
            info.compress_type = zipfile.ZIP_DEFLATED if method is None else method
            with archive.open(info, "w", force_zip64=True) as member:
                member.write(data)
    return bytes(out.data) if stream else out.getvalue()


@pytest.mark.parametrize(
    "way",
    [
        {"extra": b"\xfe\xca\x04\x00evil"},
        {"comment": b"Everything is right."},
        {"attributes": 0o120777 << 16},  # a link
        {"attributes": 0o755 << 16},
        {"attributes": 0x10},  # a folder
        {"method": zipfile.ZIP_STORED},
        {"method": zipfile.ZIP_LZMA},
        {"stream": False},
    ],
)
def test_a_zip_that_is_written_in_another_way_is_named(judge, way):
    findings = judge(written(members_of(DATA), **way)).findings
    assert findings
    assert {one.code for one in findings} <= {"member_damaged", "member_unknown", "bad_bundle"}
    assert judge(packed(members_of(DATA))).right


def spliced(at_place, hidden):
    """Return the export with bytes inserted, and all dependent numbers adjusted."""
    members, directory = [], b""
    for one in zip_form.members_in(DATA[DIRECTORY.begin : DIRECTORY.begin + DIRECTORY.size]):
        begin = one.begin + (len(hidden) if one.begin >= at_place else 0)
        members.append(replace(one, begin=begin))
    directory = zip_form.directory_of(members)
    body = DATA[:at_place] + hidden + DATA[at_place : DIRECTORY.begin]
    return body + directory + Directory(len(body), len(directory), len(members)).end


@pytest.mark.parametrize(
    "place", [0, HEADERS[3][1], DIRECTORY.begin], ids=["before all", "between", "before the directory"]
)
def test_bytes_that_no_member_has_are_named(found, place):
    assert spliced(0, b"") == DATA
    (wrong,) = found(spliced(place, b"hidden"))
    assert wrong[0] in ("member_damaged", "member_unknown")


def test_a_member_that_the_directory_does_not_list_is_named(found):
    data = zlib.compressobj(wbits=-15)
    raw = data.compress(b"#!/bin/sh") + data.flush()
    one = Packed("evil", 0, zlib.crc32(b"#!/bin/sh"), len(raw), 9)
    hidden = one.header + raw + one.descriptor
    for place in (0, HEADERS[5][1], DIRECTORY.begin):
        (wrong,) = found(spliced(place, hidden))
        assert wrong[0] in ("member_damaged", "member_unknown")


def test_bytes_behind_the_packed_data_of_a_member_are_named(judge):
    """Programs that unpack skip them; the descriptor and the directory count them."""
    name = "papers/staff.csv"
    members, out = [], b""
    for one in zip_form.members_in(DATA[DIRECTORY.begin : DIRECTORY.begin + DIRECTORY.size]):
        raw = DATA[one.begin + len(one.header) : one.begin + len(one.header) + one.packed]
        raw += b"hidden" if one.name == name else b""
        new = replace(one, begin=len(out), packed=len(raw))
        members.append(new)
        out += new.header + raw + new.descriptor
    directory = zip_form.directory_of(members)
    (wrong,) = judge(out + directory + Directory(len(out), len(directory), len(members)).end).findings
    assert (wrong.code, name in wrong.sentence) == ("member_damaged", True)


def test_a_second_directory_is_refused(found):
    first = DATA[DIRECTORY.begin :]
    assert found(DATA + first) == [("bad_bundle", None)]
    assert found(DATA[: DIRECTORY.begin] + first[: DIRECTORY.size] + first) != []


def test_numbers_of_eight_bytes_where_four_do_are_refused(found):
    larger = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, *[len(HEADERS)] * 2, *DIRECTORY[1::-1])
    larger += struct.pack("<4sLQL", b"PK\6\7", 0, DIRECTORY.begin + DIRECTORY.size, 1)
    assert found(DATA[:-22] + larger + DATA[-22:]) == [("bad_bundle", None)]


def test_the_bytes_of_an_export_are_the_same_under_every_python():
    """Debian 12's `zipfile` writes other headers than a newer one."""
    name = b"README.txt"
    head = b"PK\3\4" + bytes([45, 0, 8, 0, 8, 0, 0, 0, 0x21, 0, 0, 0, 0, 0]) + b"\xff" * 8
    assert DATA.startswith(head + bytes([len(name), 0, 20, 0]) + name + bytes([1, 0, 16, 0]) + bytes(16))
    entry = b"PK\1\2" + bytes([45, 3, 45, 0, 8, 0, 8, 0, 0, 0, 0x21, 0])
    assert DATA[DIRECTORY.begin :].startswith(entry)


def test_any_program_can_read_the_zip():
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        assert archive.testzip() is None
        found = [
            Packed(one.filename, one.header_offset, one.CRC, one.compress_size, one.file_size)
            for one in archive.infolist()
        ]
    assert found == list(zip_form.members_in(DATA[DIRECTORY.begin : DIRECTORY.begin + DIRECTORY.size]))
    pipe = Pipe()
    writing = ZipWriting(pipe)
    for name, data in members_of(DATA).items():
        writing.add(name, data)
    writing.finish()
    assert bytes(pipe.data) == DATA


@pytest.mark.parametrize("begin", [0, (1 << 31) - 200, 3 << 30, 5 << 32])
def test_a_directory_beyond_gigabytes_is_found(begin):
    one = Packed("papers/journal.csv", begin, 1, 2, 3)
    end = Directory(one.end, len(one.entry), 1).end
    assert list(zip_form.members_in(one.entry)) == [one]
    size = one.end + len(one.entry) + len(end)
    assert zip_form.directory_in(end[-zip_form.TAIL_BYTES :], size) == (one.end, len(one.entry), 1)


@pytest.mark.parametrize(
    "large",
    [{"size": 5 << 30}, {"size": 5 << 30, "begin": 3 << 30}, {"packed": 1 << 32}, {"begin": 5 << 32}],
)
def test_members_of_gigabytes_are_listed_as_the_library_reads_them(large):
    one = replace(Packed("records.jsonl", 7, 1, 2, 3), **large)
    file = io.BytesIO(one.entry + Directory(0, len(one.entry), 1).end)
    (info,) = zipfile.ZipFile(file).infolist()
    assert (info.header_offset, info.compress_size, info.file_size) == (one.begin, one.packed, one.size)
    assert list(zip_form.members_in(one.entry)) == [one]
