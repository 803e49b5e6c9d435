"""The whole log of a house as exported, and what somebody with its key can make of it: other records, sealed
and signed, beside the papers of those that were."""

from collections import Counter
from functools import cached_property
from itertools import zip_longest

from django.utils import timezone

from ledger.papers.paper import Papers, PaperSource
from ledger.proof.audit.export import register
from ledger.proof.audit.export.manifest import Manifest, Proofs
from ledger.proof.audit.reader import Reader
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.merkle import inclusion_proof, leaf_hash, root_of
from ledger.proof.log import keys, sealing
from ledger.records.canonical import body_of
from tests.support.changed_exports import packed
from tests.support.changed_records import changed, leaves, other
from tests.support.log_by_hand import record
from tests.support.trees import in_memory

FIXED = frozenset({"id", "record", "kind", "gaming_day", "recorded_at"})
"""What a record is, and when: with these changed it would be another one."""

MOST_OF_A_KIND = 40


class ExportedLog:
    """`bodies` are its records; changes are other bodies by leaf."""

    def __init__(self, site, members):
        self.site, self.members = site, members
        self.bodies = [body_of(line) for line in members["records.jsonl"].splitlines()]
        self.manifest = Manifest.parse(members["manifest.json"])

    def papers(self, changes, only=None):
        """Return the lines of papers by these records, each with the leaf that made it. Nobody makes lines of
        a record that is of another form."""
        opened = iter(self.members["players.jsonl"].splitlines(keepends=True))

        def facts(body):
            return register.opened_by(next(opened), body) or {}

        source = PaperSource(self.manifest.whole, self.manifest.offsets, facts)
        made = Papers(source, self.manifest.days, only)
        lines = {name: [(None, line)] for name, line in made.begin()}
        for leaf, body in enumerate(self.bodies):
            told = changes.get(leaf, body)
            for name, line in made.take(told) if self.is_read(leaf, told, body) else ():
                lines[name].append((leaf, line))
        for name, line in made.finish():
            lines[name].append((None, line))
        return lines

    def is_read(self, leaf, told, body):
        return told is body or Reader([], site=self.manifest.site).read(leaf, record(told))[0] is not None

    @cached_property
    def made(self):
        return self.papers({})

    def differing(self, changes, only=None):
        """Return the papers that are others after these changes, with the leaf that makes the first line of
        each that differs."""
        found = {}
        for name, lines in self.papers(changes, only).items():
            pairs = zip_longest(lines, self.made[name], fillvalue=(None, None))
            differs = [one[0] for one, other in pairs if one[1] != other[1]]
            if differs:
                found[name] = differs[0]
        return found

    def change_of(self, paper):
        """Return a change of one value in one record that changes this paper."""
        for most in (1, MOST_OF_A_KIND):
            for leaf, body in self.taken_by(paper, most):
                for path, value in leaves(body):
                    if path[-1] not in FIXED:
                        change = {leaf: changed([body], 0, path, other(value))[0]}
                        if self.is_read(leaf, change[leaf], body) and self.differing(change, {paper.name}):
                            return change
        raise LookupError(f"no record was found that changes {paper.name}")

    def taken_by(self, paper, most):
        """Yield the records that a paper takes, so many of each kind at most."""
        seen = Counter()
        for leaf, body in enumerate(self.bodies):
            kind = body["record"], body.get("kind")
            seen[kind] += 1
            if seen[kind] <= most and (paper.takes is None or body["record"] in paper.takes):
                yield leaf, body

    def resealed(self, changes):
        """Return an export with these changes, sealed and signed, beside the papers as they were."""
        log, now = sealing.log_of(self.site), timezone.now()
        records = [record(changes.get(leaf, body)) for leaf, body in enumerate(self.bodies)]
        hashes = [leaf_hash(one) for one in records]
        tree, size = in_memory(hashes), len(hashes)
        signer = keys.signer_of(log, now=now)
        ends = (tuple(inclusion_proof(leaf, size, tree)) for leaf in (0, size - 1))
        return packed(
            self.members
            | {
                "records.jsonl": b"".join(one + b"\n" for one in records),
                "leaves": b"".join(hashes),
                "checkpoint": signer.signed(TreeHead(log.origin, size, root_of(hashes)), now=now),
                "proofs.json": Proofs(*ends).data(self.manifest),
            }
        )
