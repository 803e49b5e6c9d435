"""Verify an export: everything in it, and how far it can be trusted. Pure.

One change is one finding as far as possible. After a record that is not the sealed one, the checks' findings
mean nothing and are not quoted; if the leaves were changed but the records lead to the signed root, the
records are right and only the leaves are reported."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from ledger.papers.controls import table_data
from ledger.papers.paper import later_names, names_of
from ledger.proof.audit.checks.books import BooksCheck
from ledger.proof.audit.checks.days import GamingDays
from ledger.proof.audit.errors import NOT_BELIEVED, BadBundle, BadProof
from ledger.proof.audit.export.beside import Beside, Checks, pays
from ledger.proof.audit.export.bindings import Bindings, Bound
from ledger.proof.audit.export.contents import Contents, Progress, controls_in
from ledger.proof.audit.export.held import Held
from ledger.proof.audit.export.manifest import PAPERS, Earlier, Manifest, Member, Proofs, members_in_order
from ledger.proof.audit.export.members import Members
from ledger.proof.audit.export.register import may_be_earlier, may_be_later
from ledger.proof.audit.export.trust import Pinned, Trust
from ledger.proof.audit.kept import KeptFolder, KeptSeries
from ledger.proof.audit.policy import Policy, Witnessed
from ledger.proof.audit.reader import Reader
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.audit.tree.merkle import leaf_hash, verify_inclusion
from ledger.records.findings import Check, Finding


@dataclass(frozen=True)
class Brought:
    """What the reader brings: trusted keys (else those the export names), earlier checkpoints or folders of
    them that it has to continue, a policy of witnesses, and the current time."""

    keys: Sequence[Pinned] = ()
    held: Sequence[bytes | Path] = ()
    policy: Policy | None = None
    now: datetime | None = None

    @property
    def pinned(self) -> list[Pinned]:
        return [*self.keys, *(Pinned(key.text) for key in (self.policy.logs if self.policy else ()))]


_MOST_EARLIER = 100
"""Wrong lines of earlier.jsonl after which it is not read on."""
_MOST_UNPROVEN = 5000
"""Lines of it that are read without a checkpoint to prove them by."""
_MOST_OF_SHEETS = 1 << 24
"""Bytes of all sheets together."""


@dataclass
class Verdict:
    """The result of verifying an export: findings, what was checked and how often, and what was not.
    `signed_by` are the keys with a valid signature under the checkpoint; `tree` is that checkpoint, or None
    if not trusted; `policy` is the reader's, `witnessed` its witnesses' cosignatures. `left_out` says in
    sentences what could not be judged, `incomplete` what of its gaming days may be missing."""

    manifest: Manifest | None = None
    findings: list[Finding] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    signed_by: tuple[LogKey, ...] = ()
    tree: TreeHead | None = None
    policy: Policy | None = None
    witnessed: Witnessed | None = None

    @property
    def right(self) -> bool:
        return not self.findings


def verify_bundle(
    path: Path | str,
    *,
    checks: Checks,
    brought: Brought = Brought(),
    program: bytes | None = None,
    progress: Progress | None = None,
    apart: bool | None = None,
) -> Verdict:
    """Verify an export. `program` is the running verifier if it is a verify.pyz. `apart`: run the checks that
    need sheets in a second process; None: do so where that is faster. The verdict is the same. Whatever the
    file contains raises nothing; OSError for a folder that cannot be read."""
    verdict = Verdict(policy=brought.policy)
    try:
        with closing(Members(path)) as members:
            manifest = Manifest.parse(members.whole(Member.MANIFEST))
            apart = pays(manifest.count) if apart is None else apart
            _Verifying(members, verdict, manifest, brought).run(checks, program, progress, apart=apart)
    except BadBundle as error:
        verdict.findings.append(Finding(error.code, str(error)))
    except OSError:
        raise
    except (
        Exception
    ) as error:  # a fault of this program, or what somebody made to find one: never an export that is right
        why = f"{type(error).__name__}: {error}"
        verdict.findings.append(
            Finding("not_judged", f"The verifier broke off, and judged no further ({why}).")
        )
    return verdict


class _Verifying:
    def __init__(self, members: Members, verdict: Verdict, manifest: Manifest, brought: Brought) -> None:
        self._members = members
        self._verdict = verdict
        self._manifest = verdict.manifest = manifest
        self._brought = brought
        self._earlier_count = 0
        self._trust = Trust(manifest, brought.pinned)
        self._believed: list[tuple[str, bytes]] = []

    def _wrong(self, code: str, sentence: str) -> None:
        self._verdict.findings.append(Finding(code, sentence))

    def run(self, checks: Checks, program: bytes | None, progress: Progress | None, *, apart: bool) -> None:
        manifest, findings, members = self._manifest, self._verdict.findings, self._members
        proofs = self._read_proofs()
        self._judge_names(proofs)
        sheets = self._read_plain_members(program)
        findings += self._trust.read_keys()
        if members.has(Member.CHECKPOINT):
            findings += self._trust.read_tree(members.whole(Member.CHECKPOINT))
        if self._trust.tree is not None:
            self._believed.append((Member.CHECKPOINT, members.whole(Member.CHECKPOINT)))
        self._verdict.signed_by, self._verdict.tree = self._trust.signed_by, self._trust.tree
        if proofs is None:
            self._verdict.left_out.append("Without its proofs, nothing of the export is proven.")
            return
        self._read_earlier(proofs)
        earlier, folders = self._read_held()
        brought = Held([one.size for one in earlier], folders)
        bindings = Bindings(manifest, self._whole(Member.RATES))
        books = BooksCheck(whole=manifest.whole, since=manifest.from_day)
        with_sheets = self._made(checks, sheets, bindings)
        beside = None
        if sheets and with_sheets and apart:
            with suppress(OSError):  # if none can be started, this process does it all
                beside = Beside(checks, sheets, manifest)
        contents = Contents(
            members,
            manifest,
            proofs,
            [books, bindings, *(() if beside else with_sheets)],
            brought,
            self._trust.tree.size if self._trust.tree else None,
        )
        contents.run(progress, beside, self._earlier(bindings))
        self._tell_people(contents, bindings)
        findings += self._trust.signed_times(self._believed, self._brought.now, bindings.ahead_until)
        proven = self._trust.tree is not None and contents.own_root == self._trust.tree.root
        if proven:
            findings += self._trust.replaced_keys(self._believed, bindings.keys)
        self._verdict.checked |= contents.checked
        self._verdict.incomplete += _not_here(manifest, books.days)
        if self._brought.policy is not None:
            findings += self._trust.is_late(self._brought.policy, contents.newest)
        self._judge(contents, proofs)
        for checkpoint in earlier:
            self._judge_held(checkpoint, contents, brought.roots, proofs)
        if self._trust.tree is not None:
            findings += brought.judge(self._trust.tree, bindings.ahead_until, proven=proven)
            self._verdict.checked |= brought.checked
            self._verdict.left_out += brought.left_out

    # -- the members that stand for themselves ---------------------------------------------------------------

    def _read_proofs(self) -> Proofs | None:
        try:
            return Proofs.parse(self._members.whole(Member.PROOFS), self._manifest)
        except BadBundle as error:
            if self._members.has(Member.PROOFS):
                self._wrong(error.code, str(error))
            return None

    def _judge_names(self, proofs: Proofs | None) -> None:
        manifest, members = self._manifest, self._members
        earlier_ones = (
            (Member.SINCE, proofs and proofs.consistency),
            (Member.WITNESSED, proofs and proofs.witnessed),
        )
        given = {name for name, proof in earlier_ones if proof or members.has(name)}
        lacking = {name for name in later_names() if not members.has(PAPERS + name)}
        papers = [name for name in names_of(players=manifest.players) if name not in lacking]
        expected = members_in_order(manifest, papers, given)
        self._verdict.findings += members.unlike(expected)
        for name in manifest.foreign:
            if not members.has(name):  # else reported already
                self._wrong("member_unknown", f"manifest.json names {name}, which no export has.")

    def _read_plain_members(self, program: bytes | None) -> dict[tuple[str, int], bytes] | None:
        """Check the members that no record is needed for. Return the sheets; None if one is wrong."""
        manifest, right = self._manifest, dict[str, bytes]()
        names = sorted({*manifest.sha256, Member.VERIFIER} - {*manifest.foreign})
        if sum(map(self._members.size, manifest.sheets.values())) > _MOST_OF_SHEETS:
            raise BadBundle("The sheets are too large.")
        for name in names:
            data = self._whole(name)
            if data is not None and sha256(data).hexdigest() != manifest.sha256.get(name):
                self._wrong("member_changed", f"{name} is not the one that manifest.json names.")
            elif data is not None:
                right[name] = data
        if (readme := self._whole(Member.README)) is not None and readme != manifest.readme:
            self._wrong("member_changed", "README.txt and manifest.json do not belong together.")
        if program is not None and right.get(Member.VERIFIER, program) != program:
            self._verdict.left_out.append(
                "The verify.pyz inside the export is another one than this program. This program judges the"
                " export."
            )
        if Member.CONTROLS in right:
            self._judge_controls(right[Member.CONTROLS])
        sheets = manifest.sheets
        if any(name not in right for name in sheets.values()):
            return None
        return {sheet: right[name] for sheet, name in sheets.items()}

    def _judge_controls(self, data: bytes) -> None:
        if controls_in(self._members, self._manifest) is None:
            self._wrong("member_damaged", f"{Member.CONTROLS} is no table of controls.")
        elif data != table_data():
            self._verdict.left_out.append(
                "The export's table of controls is another one than this program's. Its papers of controls"
                " were made again by its own."
            )

    def _whole(self, name: str) -> bytes | None:
        """Return a member's bytes; None if it is unreadable, or missing (reported elsewhere)."""
        try:
            return self._members.whole(name) if self._members.has(name) else None
        except BadBundle as error:
            self._wrong("member_damaged", str(error))
            return None

    def _made(
        self, checks: Checks, sheets: dict[tuple[str, int], bytes] | None, bindings: Bindings
    ) -> list[Check]:
        if sheets is None:
            self._verdict.left_out.append("Rounds and fees were not worked out again: a sheet is wrong.")
            return []
        try:
            return [Bound(check, bindings) for check in checks(sheets)]
        except Exception as error:  # whatever a malformed sheet may contain
            self._wrong("bad_sheet", f"A sheet cannot be read: {error}")
            return []

    # -- records outside the range ---------------------------------------------------------------------------

    def _earlier(self, bindings: Bindings) -> Iterator[Mapping[str, Any]]:
        reader, last, wrong = Reader([], site=self._manifest.site), -1, 0
        most = None if self._trust.tree else _MOST_UNPROVEN
        for line in islice(self._members.pieces(Member.EARLIER, self._verdict.findings), most):
            try:
                one = Earlier.parse(line)
                body = self._outside(reader, one, last)
                self._verdict.findings += bindings.earlier(one.leaf, body)
            except (BadBundle, BadProof) as error:
                self._wrong(error.code, f"earlier.jsonl: {error}")
                wrong += 1
                if wrong > _MOST_EARLIER:
                    return
                continue
            last = one.leaf
            self._earlier_count += 1
            yield body

    def _outside(self, reader: Reader, one: Earlier, last: int) -> Mapping[str, Any]:
        """Return the body of a record outside the range. Raises BadBundle, BadProof if not in the tree."""
        manifest, tree = self._manifest, self._trust.tree
        end = manifest.first_leaf + manifest.count
        if one.leaf <= last or manifest.first_leaf <= one.leaf < end:
            raise BadBundle(f"leaf {one.leaf} is not outside the export, or not in order.")
        if tree is not None:
            hashed = leaf_hash(one.record)
            verify_inclusion(leaf=hashed, index=one.leaf, size=tree.size, proof=one.hashes, root=tree.root)
        body, wrong = reader.read(one.leaf, one.record)
        if body is None or wrong:
            raise BadBundle(str(wrong))
        if not (may_be_earlier(body, players=manifest.players) if one.leaf < end else may_be_later(body)):
            raise BadBundle(f"nothing in the export refers to leaf {one.leaf}.")
        return body

    def _tell_people(self, contents: Contents, bindings: Bindings) -> None:
        if self._earlier_count:
            self._verdict.checked["records from outside these, that they refer to"] = self._earlier_count
        if contents.unnamed:
            self._verdict.checked["staff who acted, without a record of who they are"] = len(contents.unnamed)
        if bindings.unknown_zone:
            self._verdict.left_out.append(
                f"Local times were not judged: this computer does not know {bindings.unknown_zone}."
            )

    # -- checkpoints in the export ---------------------------------------------------------------------------

    def _read_earlier(self, proofs: Proofs) -> None:
        findings, members = self._verdict.findings, self._members
        since, cosigned = (
            members.whole(name) if members.has(name) else None for name in (Member.SINCE, Member.WITNESSED)
        )
        for name, note, proof in (
            (Member.SINCE, since, proofs.consistency),
            (Member.WITNESSED, cosigned, proofs.witnessed),
        ):
            wrong = list(self._trust.read_earlier(name, note, proof))
            findings += wrong
            if note is not None and not wrong:
                self._believed.append((name, note))
                # Of other signatures under it, those of the reader's witnesses must hold.
                if (policy := self._brought.policy) is not None:
                    self._verdict.left_out += self._trust.unjudged(name, note, policy)
                    findings += self._trust.read_since(note, policy) if name == Member.SINCE else ()
        if self._brought.policy is not None and not wrong:
            believed = cosigned if self._trust.tree is not None else None
            findings += self._trust.read_witnesses(believed, self._brought.policy)
            self._verdict.witnessed = self._trust.witnessed

    # -- the tree --------------------------------------------------------------------------------------------

    def _judge(self, contents: Contents, proofs: Proofs) -> None:
        """Report what is wrong with the records; quote the checks only before the first wrong record."""
        findings, manifest = self._verdict.findings, self._manifest
        signed = self._trust.tree.root if self._trust.tree else None
        proven = signed is not None and contents.own_root == signed
        of_that_size = self._trust.tree is None or self._trust.tree.size == manifest.tree_size
        # Proofs of a tree of another size, which is reported already, cannot hold.
        findings += [wrong for wrong in contents.damage if of_that_size or wrong.code != "bad_proof"]
        if signed is None:
            self._verdict.left_out.append(
                "Without a checkpoint that may be believed, nothing of this is proven."
            )
        elif proven:
            findings += self._trust.read_ends(proofs, contents.first, contents.last)
        if contents.sealed and not proven:
            self._tell_unsealed(contents, signed)
            return
        if contents.sealed:
            if self._members.has(Member.LEAVES):
                self._wrong("leaves_changed", "leaves does not hold the hashes of the records.")
        elif contents.lines != manifest.count and not contents.ended:
            sentence = f"records.jsonl has {contents.lines} lines; manifest.json says {manifest.count}."
            self._wrong("wrong_count", sentence)
        elif not contents.damage and contents.withheld != manifest.withheld:
            sentence = (
                f"{contents.withheld} records have a withheld text; manifest.json says {manifest.withheld}."
            )
            self._wrong("wrong_count", sentence)
        elif signed is not None and not proven and not contents.damage:
            self._wrong(
                "not_proven",
                "records.jsonl, leaves and proofs.json do not lead to the root that is signed in checkpoint:"
                " one of them was changed, and if it was a record, its leaf with it.",
            )
        findings += contents.found.sure + contents.found.doubtful
        if contents.found.more:
            self._wrong("more", f"{contents.found.more} more things are wrong.")

    def _tell_unsealed(self, contents: Contents, signed: bytes | None) -> None:
        """Report the records that are not the sealed ones, by proven leaves or else by those in the file."""
        findings, has = self._verdict.findings, self._members.has
        findings += contents.found.sure
        if not has(Member.LEAVES):
            self._wrong("not_proven", "Records are wrong; without leaves nobody can tell which.")
        elif has(Member.RECORDS):
            cut = any(one.sentence.startswith(Member.RECORDS) for one in contents.damage)
            findings += [one for one in contents.sealed if not (cut and one.code == "record_missing")]
            if signed is not None and contents.leaves_root != signed and not contents.damage:
                self._wrong("not_proven", "leaves does not lead to the signed root either.")
        self._verdict.left_out.append(
            "From the first record on that is not the one that was sealed, contents and papers were not "
            "judged: they follow from each other."
        )

    # -- checkpoints that somebody brings --------------------------------------------------------------------

    def _read_held(self) -> tuple[list[TreeHead], list[KeptSeries]]:
        earlier, folders = [], []
        for held in self._brought.held:
            if isinstance(held, Path):
                folders.append(KeptFolder(held, self._manifest.origin))
                continue
            try:
                earlier.append(self._trust.read_held(held))
                self._believed.append(("The checkpoint that you hold", held))
            except NOT_BELIEVED as error:
                self._wrong(error.code, f"The checkpoint that you hold: {error}")
        keys, beside, now = self._trust.all_keys, self._trust.signed(self._believed), self._brought.now
        return earlier, [KeptSeries(folder, keys, now=now, beside=beside) for folder in folders]

    def _judge_held(
        self, held: TreeHead, contents: Contents, roots: Mapping[int, bytes], proofs: Proofs
    ) -> None:
        """Judge whether the tree continues a checkpoint of the reader, by `since` or by a root met here."""
        tree, checked, words = self._trust.tree, self._verdict.checked, "checkpoints that you hold"
        known = dict(roots) if tree is not None and contents.own_root == tree.root else {}
        if proofs.consistency is not None:
            known[proofs.consistency.size] = proofs.consistency.root
        if tree is not None:
            known[tree.size] = tree.root
        if held.size not in known:
            self._wrong(
                "not_continued",
                f"Nothing here shows that the log continues the checkpoint of {held.size} leaves that you "
                "hold: ask for an export made since it.",
            )
        elif known[held.size] != held.root:
            self._wrong(
                "not_continued",
                f"The log of {held.size} leaves that you hold a checkpoint of is not the one this export is "
                "of: something that was sealed by then has been changed.",
            )
        else:
            checked[words] = checked.get(words, 0) + 1


def _not_here(manifest: Manifest, days: GamingDays) -> Iterator[str]:
    """Yield what of its gaming days may be missing: records before it, or after it was made."""
    end = manifest.first_leaf + manifest.count
    if manifest.first_leaf and manifest.from_day is None:
        yield f"what comes before leaf {manifest.first_leaf:,} is not here"
    if manifest.from_day is not None and not days.begun:
        yield f"nothing here shows that it begins before gaming day {manifest.from_day} was closed"
    if days.unbalanced:
        yield (
            f"what accounts held before gaming day {days.unbalanced} is not here, so its closing balances"
            " were not worked out"
        )
    if manifest.to_day is None and end < manifest.tree_size:
        yield f"what comes after leaf {end - 1:,} is not here"
    unclosed = days.open_from
    if manifest.to_day is not None:
        unclosed = (
            min(unclosed or manifest.to_day, manifest.to_day) if days.closed_to < manifest.to_day else None
        )
    if unclosed is not None:
        yield f"gaming day {unclosed} had not been closed when this was exported"
