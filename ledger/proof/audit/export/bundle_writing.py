"""Write an export: a streamed zip of the members that `manifest` lists. Pure: all data is passed in. The
same records give the same bytes. Memory is constant: papers wait in temporary files."""

import shutil
import tempfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import IO, Any, NamedTuple

from ledger.papers.controls import table_data
from ledger.papers.paper import Line, Papers, PaperSource, names_of
from ledger.proof.audit.errors import LineTooLong
from ledger.proof.audit.export import register
from ledger.proof.audit.export.manifest import (
    MOST_OF_A_LINE,
    PAPERS,
    Earlier,
    Manifest,
    Member,
    Proofs,
    sheet_member,
)
from ledger.proof.audit.export.register import Rates
from ledger.proof.audit.export.zip_form import Directory, Packed, directory_of
from ledger.proof.audit.tree.merkle import HASH_BYTES
from ledger.records.canonical import body_of
from ledger.records.findings import Body, name_of
from ledger.records.withheld import Text, line_that_opens


class ZipWriting:
    """A zip that is written to `out`: member after member, and at the end its directory (`finish`)."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._members: list[Packed] = []

    @contextmanager
    def member(self, name: str) -> Iterator["MemberWriting"]:
        """Write a member within the block. If it is broken off, no reader takes the file for a zip."""
        begin = self._members[-1].end if self._members else 0
        self._out.write(Packed(name, begin, 0, 0, 0).header)
        writing = MemberWriting(self._out)
        yield writing
        packed = writing.finished(name, begin)
        self._out.write(packed.descriptor)
        self._members.append(packed)

    def add(self, name: str, data: bytes) -> None:
        with self.member(name) as member:
            member.write(data)

    def finish(self) -> None:
        directory = directory_of(self._members)
        begin = self._members[-1].end if self._members else 0
        self._out.write(directory + Directory(begin, len(directory), len(self._members)).end)


class MemberWriting:
    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._deflating = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        self._crc = self._packed = self._size = 0

    def write(self, data: bytes) -> None:
        self._crc, self._size = zlib.crc32(data, self._crc), self._size + len(data)
        self._put(self._deflating.compress(data))

    def finished(self, name: str, begin: int) -> Packed:
        """Write what is left, and return the member as the directory has it."""
        self._put(self._deflating.flush())
        return Packed(name, begin, self._crc, self._packed, self._size)

    def _put(self, packed: bytes) -> None:
        if packed:
            self._packed += len(packed)
            self._out.write(packed)


_TOLD_EVERY = 1000

Progress = Callable[[int], None]
Committed = Callable[[int], tuple[str, str]]
"""Returns the salt and text committed to by a change of a player's entry, by its id."""
Withheld = Callable[[int], tuple[str, Sequence[Text]]]
"""Returns the salt and texts committed to by a record of withheld texts, by its id."""


@dataclass(frozen=True)
class BundleContents:
    """The contents of an export, apart from what is derived: digests, papers, README. `records` yields the
    exact bytes of the manifest's leaves in order, `leaves` their stored hashes; each is read once. `earlier`
    are records outside the range that those inside refer to. `committed` names players and `withheld` opens
    other texts, if the manifest says that the export does."""

    manifest: Manifest
    records: Iterable[bytes]
    leaves: Iterable[bytes]
    checkpoint: bytes
    proofs: Proofs
    sheets: Mapping[tuple[str, int], bytes]
    verifier: bytes
    earlier: Iterable[Earlier] = ()
    committed: Committed | None = None
    withheld: Withheld | None = None
    since: bytes | None = None
    witnessed: bytes | None = None


def write_bundle(out: IO[bytes], contents: BundleContents, progress: Progress | None = None) -> None:
    """Write an export to `out`, which need not be seekable. `progress` gets the number of records written.
    Raises ValueError if there are not as many records as the manifest counts or one contains a newline,
    LineTooLong if one is longer than a line may be."""
    sheets = {sheet_member(*sheet): data for sheet, data in sorted(contents.sheets.items())}
    table = table_data()
    hashed = sheets | {Member.VERIFIER.value: contents.verifier, Member.CONTROLS.value: table}
    whole = replace(
        contents.manifest, sha256={name: sha256(data).hexdigest() for name, data in hashed.items()}
    )
    archive = ZipWriting(out)
    with ExitStack() as stack:
        archive.add(Member.README, whole.readme)
        archive.add(Member.MANIFEST, whole.data)
        archive.add(Member.CHECKPOINT, contents.checkpoint)
        for checkpoint, note in ((Member.SINCE, contents.since), (Member.WITNESSED, contents.witnessed)):
            if note is not None:
                archive.add(checkpoint, note)
        archive.add(Member.PROOFS, contents.proofs.data(whole))
        names = names_of(players=whole.players)
        files = {name: stack.enter_context(tempfile.TemporaryFile()) for name in names}
        opened = stack.enter_context(tempfile.TemporaryFile())
        made, rates = papers_of(whole, contents.committed, opened), Rates()
        with archive.member(Member.EARLIER) as member:
            for one in contents.earlier:
                body = body_of(one.record)
                member.write(_line(one.line, name_of(body)))
                made.earlier(body)
                rates.take(body)
        with archive.member(Member.LEAVES) as member:
            _copy_leaves(member, contents.leaves, whole.count)
        with archive.member(Member.RECORDS) as member:
            batches = _copy_records(
                member, contents.records, _Following(made, rates), files, whole.count, progress
            )
        if whole.players:
            _copy(archive, Member.OPENED, opened)
        if whole.opened:
            if contents.withheld is None:
                raise ValueError("what is withheld is opened by its salts and texts")
            with archive.member(Member.WITHHELD) as member:
                for batch in batches:
                    line = line_that_opens(batch, *contents.withheld(batch))
                    member.write(_line(line, f"what opens withheld {batch}"))
        archive.add(Member.RATES, rates.data)
        archive.add(Member.CONTROLS, table)
        for name, data in sheets.items():
            archive.add(name, data)
        for name, file in files.items():
            _copy(archive, PAPERS + name, file)
        archive.add(Member.VERIFIER, contents.verifier)
    archive.finish()


def papers_of(
    manifest: Manifest, committed: Committed | None, opened: IO[bytes], only: Container[str] | None = None
) -> Papers:
    """Return the maker of an export's papers, all or `only` these; it writes what opens players' entries to
    `opened`."""

    def open_record(body: Body) -> Mapping[str, Any]:
        if committed is None:
            raise ValueError("players are named by what opens their records")
        line = register.line_that_opens(body["id"], *committed(body["id"]))
        opened.write(line)
        return register.opened_by(line, body) or {}

    return Papers(
        PaperSource(manifest.whole, manifest.offsets, open_record if manifest.players else None),
        manifest.days,
        only,
    )


def _copy(archive: ZipWriting, name: str, file: IO[bytes]) -> None:
    file.seek(0)
    with archive.member(name) as member:
        shutil.copyfileobj(file, member, 1 << 16)


def _copy_leaves(member: MemberWriting, leaves: Iterable[bytes], count: int) -> None:
    written = 0
    for leaf in leaves:
        if len(leaf) != HASH_BYTES:
            raise ValueError(f"a leaf hash has {HASH_BYTES} bytes, not {len(leaf)}")
        member.write(leaf)
        written += 1
    _require(written, count, "leaf hashes")


class _Following(NamedTuple):
    made: Papers
    rates: Rates

    def take(self, body: Body) -> list[Line]:
        self.rates.take(body)
        return self.made.take(body)


def _copy_records(
    member: MemberWriting,
    records: Iterable[bytes],
    following: "_Following",
    files: Mapping[str, IO[bytes]],
    count: int,
    progress: Progress | None,
) -> list[int]:
    """Write the records and what follows from them; return the ids of those that withhold texts."""
    written, batches = 0, []
    keep_lines(files, following.made.begin())
    for record in records:
        body = body_of(record)
        member.write(_line(record + b"\n", name_of(body)))
        keep_lines(files, following.take(body))
        if body.get("record") == "withheld":
            batches.append(body["id"])
        written += 1
        if progress is not None and not written % _TOLD_EVERY:
            progress(written)
    keep_lines(files, following.made.finish())
    _require(written, count, "records")
    if progress is not None:
        progress(written)
    return batches


def _line(line: bytes, name: str) -> bytes:
    """Return the line. Raises ValueError if it is not exactly one, LineTooLong."""
    if line.index(b"\n") != len(line) - 1:
        raise ValueError("a record is one line")
    if len(line) > MOST_OF_A_LINE:
        raise LineTooLong(
            f"{name[:1].upper()}{name[1:]} has {len(line):,} bytes, and a line of an export has "
            f"{MOST_OF_A_LINE:,} at most. Nothing was exported. Ask for days without it, or for an export "
            "that does not open what is withheld."
        )
    return line


def keep_lines(files: Mapping[str, IO[bytes]], lines: Iterable[Line]) -> None:
    for name, line in lines:
        files[name].write(line)


def _require(written: int, count: int, what: str) -> None:
    if written != count:
        raise ValueError(f"the manifest counts {count} records, and {written} {what} came")
