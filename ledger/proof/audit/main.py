"""The verifier's command line: `python3 -I verify.pyz FILE.zip`. It prints what it checked. Pure."""

import argparse
import sys
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path

from ledger.proof.audit.errors import BadPolicy, BadVerifierKey
from ledger.proof.audit.export.beside import Checks, collect_less
from ledger.proof.audit.export.trust import Pinned
from ledger.proof.audit.export.verdict import Brought, Verdict, verify_bundle
from ledger.proof.audit.policy import Policy
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.audit.tree.note import MOST_BYTES
from ledger.records.shown import shown

RIGHT, WRONG, USAGE = 0, 1, 2
_MOST_LINES = 1000
"""Findings that are printed."""

_AFTER = """\
status: 0 if everything is right, 1 if something is wrong, 2 if the command is not understood

Without --key it checks that the export agrees with the key that it names itself. Compare the fingerprint that
is printed with the one that the house has published, or give it with --key.
"""

_LIMITS = (
    "What a signature cannot prove: whoever has the house's private key can sign another history. A "
    "checkpoint that left the house earlier (--checkpoint) shows that nothing sealed by then was changed; "
    "for records newer than the last checkpoint that left, this export proves only that they agree with "
    "each other.",
)


def main(argv: Sequence[str] | None = None, *, checks: Checks) -> int:
    """Verify the export on the command line. Return 0 if right, 1 if wrong, 2 for a bad command line."""
    parser = _parser()
    try:
        asked = parser.parse_args(argv)
        brought = Brought(
            [Pinned(text) for text in asked.key],
            [_held(path) for path in asked.checkpoint],
            asked.policy and Policy.parse(asked.policy.read_bytes()),
            datetime.now(UTC),
        )
        with asked.file.open("rb"):
            pass
    except SystemExit as end:
        return int(end.code or 0)
    except (BadVerifierKey, BadPolicy, OSError) as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return USAGE
    collect_less()
    verdict = verify_bundle(
        asked.file,
        checks=checks,
        brought=brought,
        program=_program(),
        progress=_show if sys.stderr.isatty() else None,
    )
    if isinstance(sys.stdout, TextIOWrapper):  # a console that lacks a letter must not end the verdict
        sys.stdout.reconfigure(errors="backslashreplace")
    for line in report(verdict, pinned=bool(brought.pinned)):
        sys.stdout.write(f"{line}\n")
    return RIGHT if verdict.right else WRONG


def report(verdict: Verdict, *, pinned: bool) -> list[str]:
    lines = [shown(f"NOT COMPLETE: {'; '.join(verdict.incomplete)}.")] if verdict.incomplete else []
    lines += [_witnesses(verdict), ""]
    if (manifest := verdict.manifest) is not None:
        end = manifest.first_leaf + manifest.count
        lines.append(shown(f"An export of the log {manifest.origin}, house {manifest.site}:"))
        lines.append(
            f"  {manifest.count:,} records, leaves {manifest.first_leaf:,} to {end - 1:,}, of"
            f" {manifest.tree_size:,}."
        )
        if manifest.withheld:
            lines.append(
                f"  Of {manifest.withheld:,} records the text is withheld: they hold a commitment to it."
            )
    lines += _signers(verdict, pinned=pinned)
    if verdict.checked:
        lines += ["", "Checked:"]
        lines += [f"  {count:>12,}  {shown(words)}" for words, count in verdict.checked.items()]
    if verdict.left_out:
        lines += ["", "Not judged:", *(f"  {shown(sentence)}" for sentence in verdict.left_out)]
    lines.append("")
    if verdict.right:
        lines.append("Everything is right.")
    else:
        count = len(verdict.findings)
        lines.append("One thing is wrong:" if count == 1 else f"{count:,} things are wrong:")
        lines += [f"  [{finding.code}] {finding}" for finding in verdict.findings[:_MOST_LINES]]
        if count > _MOST_LINES:
            lines.append(f"  and {count - _MOST_LINES:,} more")
    return [*lines, "", *_LIMITS]


def _witnesses(verdict: Verdict) -> str:
    if verdict.policy is None:
        return "Witnesses are not judged: no policy says whom to believe (--policy)."
    of, witnessed = len(verdict.policy.witnesses), verdict.witnessed
    if witnessed is None or witnessed.newest is None:
        return f"WITNESSED by 0 of {of}."
    when = f"newest at {witnessed.newest:%Y-%m-%d %H:%M:%S} UTC"
    return f"WITNESSED by {len(witnessed.at)} of {of}, {when}, over {witnessed.tree.size:,} leaves."


def _signers(verdict: Verdict, *, pinned: bool) -> list[str]:
    if verdict.tree is None:
        return ["  Its checkpoint cannot be believed."]
    lines = [
        f"  Signed over {verdict.tree.size:,} leaves with both halves of the key {_in_groups(key)}"
        for key in verdict.signed_by
    ]
    lines.append(
        "  which is the key that you gave."
        if pinned
        else "  which this file names itself: compare it with the one that the house has published."
    )
    return lines


def _in_groups(key: LogKey) -> str:
    return " ".join(key.fingerprint[at : at + 8] for at in range(0, len(key.fingerprint), 8))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="verify.pyz",
        description="Checks an export of a house's audit log, with nothing but this program and Python.",
        epilog=_AFTER,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, metavar="FILE.zip", help="the export")
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        help="the house's key: 16 or more digits of its fingerprint, or its whole text; more than once for"
        " several",
    )
    parser.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help="whose witness you believe, and how many have to have cosigned (C2SP tlog-policy); its log keys"
        " count as --key",
    )
    parser.add_argument(
        "--checkpoint",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="an earlier checkpoint that you hold, or a copy of the folder that the house keeps all of them "
        "in: the log has to continue them",
    )
    return parser


def _held(path: Path) -> bytes | Path:
    if path.is_dir():
        return path
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _program() -> bytes | None:
    for parent in Path(__file__).parents:
        if parent.is_file():
            return parent.read_bytes() if zipfile.is_zipfile(parent) else None
    return None


def _show(done: int, total: int) -> None:
    share = min(100, 100 * done // total) if total else 100
    sys.stderr.write(f"\r{done:,} of {total:,} records, {share} %" + ("\n" if done >= total else ""))
    sys.stderr.flush()
