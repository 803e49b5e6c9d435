"""`manage.py audit`: verify and monitor the audit log, print its checkpoint, prove a record, replace its key,
export."""

import argparse
import getpass
import os
import sys
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from ledger.db import roles, snapshots
from ledger.errors import CheckpointNotKept, LedgerError
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import AuditLog, HouseEvent, Site
from ledger.proof.audit.export.trust import Pinned
from ledger.proof.audit.kept import KeptFolder
from ledger.proof.audit.packing import packed
from ledger.proof.log import (
    archived,
    continuing,
    exporting,
    keys,
    monitoring,
    proofs,
    sealing,
    setting_aside,
    tree,
    verifying,
    witnessing,
)
from ledger.records.findings import Finding
from ledger.records.shown import shown

WIDTH = 40
MOST_OF_A_KEY = 10_000


class Command(BaseCommand):
    help = "Verify the books and their audit log, or print what proves them."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add one option for each action. --site is needed if there are several houses, except to verify all
        of them."""
        parser.add_argument(
            "--site", help="the name of the house, where there are several; verify takes all without it"
        )
        actions = parser.add_subparsers(dest="action", required=True, parser_class=argparse.ArgumentParser)
        verify = actions.add_parser("verify", help="work everything out again and name whatever is wrong")
        verify.add_argument("--full", action="store_true", help="do not go on from what was verified before")
        verify.add_argument(
            "--checkpoint", type=Path, metavar="FILE", help="a checkpoint that was kept outside"
        )
        verify.add_argument(
            "--checkpoints",
            type=Path,
            default=settings.CHECKPOINTS,
            metavar="FOLDER",
            help="where all checkpoints are kept outside the books (%(default)s)",
        )
        verify.add_argument("--key", default="", help="the fingerprint that the house's key must have")
        actions.add_parser("seal", help="seal what waits, through the whole log, and sign")
        actions.add_parser("checkpoint", help="print the newest checkpoint, to be kept outside of the house")
        actions.add_parser("key", help="print the key that signs, and its fingerprint")
        actions.add_parser(
            "monitor", help="name what the house's policy of witnesses does not allow, for cron"
        )
        proof = actions.add_parser("proof", help="prove one record: C2SP tlog-proof, the record inside")
        proof.add_argument("record", help="the number of an entry, or KIND:NUMBER such as charge:12")
        export = actions.add_parser("export", help="write a zip that proves itself offline")
        export.add_argument(
            "--from", dest="from_day", type=date.fromisoformat, metavar="DAY", help="first gaming day"
        )
        export.add_argument(
            "--to", dest="to_day", type=date.fromisoformat, metavar="DAY", help="last gaming day"
        )
        export.add_argument(
            "--since", type=Path, metavar="FILE", help="an earlier checkpoint that it must continue"
        )
        export.add_argument("--players", action="store_true", help="with players' names")
        export.add_argument(
            "--withheld", action="store_true", help="with looks at the exclusion list and its changes"
        )
        export.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.zip")
        witness = actions.add_parser(
            "witness", help="write witness.pyz, which somebody outside the house runs"
        )
        witness.add_argument("-o", "--output", type=Path, required=True, metavar="witness.pyz")
        aside = actions.add_parser(
            "set-aside",
            help="after a restore: move newer checkpoints out of the folder, and say so in the log",
        )
        aside.add_argument("--reason", required=True, help="which restore, and who ordered it")
        actions.add_parser(
            "archive", help="compare the kept papers with their digests, and verify kept exports"
        )
        actions.add_parser("rotate", help="replace the signing key, and say so in the log")
        actions.add_parser("roles", help="print the SQL that makes the database roles (PostgreSQL)")

    def handle(self, *args: Any, action: str, **options: Any) -> None:
        """Do one action; a refusal is a sentence with its code, and exit status 1."""
        try:
            getattr(self, action.replace("-", "_"))(**options)
        except LedgerError as error:
            raise CommandError(shown(f"{error.message} ({error.code})")) from error

    def verify(self, *, site: str | None = None, **options: Any) -> None:
        """Verify one house of the database, or all; exit status 1 where anything is wrong."""
        if missing := [*verifying.missing_tables()]:
            for finding in missing:
                self._wrong(finding)
            raise CommandError(f"{len(missing)} wrong. Nothing was verified.")
        with snapshots.snapshot(), verifying.house_readable():
            houses = [*Site.objects.order_by("pk")]
            alone = self.site(site=site) if site or len(houses) < 2 else None
            logs = {house: verifying.log_of_books(house) for house in houses if alone in (None, house)}
        found, verified = 0, set()
        for house, log in logs.items():
            if alone is not None:
                found += self._verified(house, log or sealing.log_of(house), **options)
            elif log is not None and log not in verified:
                found += self._verified_among_others(house, log, **options)
            else:
                continue
            verified |= {house, log}
        others = [house for house in houses if house not in verified]
        for house in others:
            self.stdout.write(f"NOT VERIFIED  {_house(house)}, is in this database too.")
        found += 0 if alone else len(others)
        if found:
            raise CommandError(f"{found} wrong. What is not named above was checked and is right.")
        books = f"The books of {_house(alone)}," if alone and others else "The books"
        self.stdout.write(f"{books} are what was recorded, sealed and signed.")

    def _verified_among_others(self, site: Site, log: AuditLog, **options: Any) -> int:
        """Verify one of several houses. A forged one must not keep the others from being verified."""
        self.stdout.write(f"{_house(site)}, with the log {shown(log.origin)}:")
        try:
            return self._verified(site, log, **options)
        except Exception as error:
            why = f"it could not be verified to the end ({type(error).__name__}: {error})."
            self._wrong(Finding("not_judged", why, None, _house(site)))
            return 1

    def _wrong(self, finding: Finding) -> None:
        self.stdout.write(f"WRONG  {finding} ({finding.code})")
        self.stdout.flush()

    def _verified(
        self,
        site: Site,
        log: AuditLog,
        *,
        full: bool,
        checkpoint: Path | None,
        checkpoints: Path,
        key: str,
        **options: Any,
    ) -> int:
        """Print every finding of a house as soon as it is known, and what was checked; return the count."""
        now = timezone.now()
        outside = tree.Outside(_read(checkpoint), key, KeptFolder(checkpoints, log.origin))
        asked = verifying.Verification(site, None, outside, self.progress, now, leave=True)
        findings = 0
        with snapshots.snapshot():
            size = _size(site)
            if not full:
                self._start(asked, log, checkpoints, key)
            for finding in asked.run():
                findings += 1
                self._wrong(finding)
        if asked.again:
            self.stdout.write(shown(f"{asked.again} Everything was verified again."))
        elif asked.start is not None:
            self.stdout.write(
                f"  {asked.start.size:>9,}  leaves were verified on {asked.start.verified_at} and have not"
                " changed since"
            )
        for what, count in asked.checked.items():
            self.stdout.write(f"  {count:>9,}  {shown(what)}")
        for begins, named, _ in keys.history(log):
            if begins is not None:
                self.stdout.write(
                    f"  {begins:>9,}  is where the key {keys.grouped_fingerprint(named)} begins"
                )
        for what, wrong in asked.compared.items():
            self.stdout.write(f"  {wrong:>9,}  wrong: {what}")
        full = asked.start is None or bool(asked.again)
        if not findings:
            self._leave(asked, log, checkpoints)
        self._record(
            site, HouseEvent.Kind.VERIFIED, full=full, size=size, findings=findings, exit=int(findings > 0)
        )
        return findings

    def _start(self, asked: verifying.Verification, log: AuditLog, folder: Path, key: str) -> None:
        """Resume from the newest state that fits, or say why not. Which key is trusted does not
        depend on the database."""
        signer = keys.own_signer(log)
        own = [signer.key] if signer else []
        try:
            trusted = Pinned(key).among(keys.known_keys(log)) if key else own
            asked.start = continuing.newest(folder, log, trusted)
        except continuing.NoState as error:
            self.stdout.write(shown(f"{error} Everything is verified."))

    def _leave(self, asked: verifying.Verification, log: AuditLog, folder: Path) -> None:
        """Keep the state for the next time, where this program can sign it."""
        signer = keys.own_signer(log)
        if asked.state is None or signer is None:
            return
        try:
            continuing.write(folder, log, asked.state, signer, now=timezone.now())
        except OSError as error:
            why = f"{folder}: {error.strerror or error}"
            self.stdout.write(f"The next verification starts from the beginning: {why}.")

    def monitor(self, **options: Any) -> None:
        """Print every alert; exit status 1 where there is one."""
        site, now = self.site(**options), timezone.now()
        alerts = list(monitoring.alerts(site, now=now))
        codes = [alert.code for alert in alerts]
        if monitoring.is_news(site, codes, now=now):
            self._record(
                site, HouseEvent.Kind.MONITORED, size=_size(site), alerts=codes, exit=int(bool(alerts))
            )
        for alert in alerts:
            self.stdout.write(f"ALERT  {alert} ({alert.code})")
        if alerts:
            raise CommandError(f"{len(alerts)} to be seen to.")
        self.stdout.write("The log is witnessed and grows as the policy wants it.")

    def archive(self, **options: Any) -> None:
        """Print what is wrong with a file of the kept papers; exit status 1 where anything is."""
        site, papers, bundles, wrong = self.site(**options), 0, 0, 0
        for paper, said in archived.look_through(site):
            papers, bundles = papers + 1, bundles + archived.is_bundle(paper)
            wrong += bool(said)
            self.stdout.write(shown(f"{'WRONG  ' if said else 'right  '}{paper}: {said or 'as it was made'}"))
        told = {"papers": papers, "bundles": bundles, "findings": wrong, "exit": int(wrong > 0)}
        self._record(site, HouseEvent.Kind.ARCHIVE_VERIFIED, **told)
        if wrong:
            raise CommandError(f"{wrong} wrong.")
        self.stdout.write(f"{papers} kept papers are as they were made; {bundles} exports among them verify.")

    def _record(self, site: Site, kind: str, **data: Any) -> None:
        """Record the result and the machine's account; a database that cannot is only reported."""
        try:
            house_events.note(site, kind, act=Act(actor=None, now=timezone.now()), by=_account(), **data)
        except DatabaseError as error:
            self.stderr.write(f"This could not be recorded in the log: {error}")

    def seal(self, **options: Any) -> None:
        count = sealing.seal(self.site(**options), now=timezone.now(), whole=True)
        self.stdout.write(f"{count} records sealed.")

    def checkpoint(self, **options: Any) -> None:
        """Print the newest checkpoint with the lines of its witnesses, and note that it was taken."""
        act = Act(actor=None, now=timezone.now())
        latest = exporting.take_checkpoint(self.site(**options), act=act)
        if latest is None:
            raise CommandError("Nothing has been sealed yet (no_checkpoint)")
        self.stdout.write(witnessing.cosigned(latest), ending="")

    def key(self, **options: Any) -> None:
        """Print every public key in words that people can compare."""
        for recorded in keys.history(sealing.log_of(self.site(**options))):
            self.stdout.write(_described(recorded))

    def proof(self, *, record: str, **options: Any) -> None:
        self.stdout.write(proofs.proof_of(sealing.log_of(self.site(**options)), record), ending="")

    def export(self, *, output: Path, **options: Any) -> None:
        """Write the zip under a temporary name, so that its own name never has half a file."""
        partial, days = output.with_name(f"{output.name}.part"), (options["from_day"], options["to_day"])
        try:
            with partial.open("wb") as out:
                manifest = exporting.export(
                    out,
                    site=self.site(**options),
                    wanted=exporting.Wanted(
                        days, _read(options["since"]), options["players"], options["withheld"]
                    ),
                    progress=self.progress,
                    act=Act(actor=None, now=timezone.now()),
                )
            partial.replace(output)
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror} (bad_file)") from error
        finally:
            partial.unlink(missing_ok=True)
        self.stdout.write(f"{output}: {manifest.count} records of {manifest.tree_size} leaves.")

    def witness(self, *, output: Path, **options: Any) -> None:
        output.write_bytes(
            packed(
                "ledger.proof.witness.main",
                whole=("ledger.proof.witness", "ledger.proof.audit.tree"),
                files={
                    "ledger": ("__init__.py", "errors.py"),
                    "ledger.proof": ("__init__.py",),
                    "ledger.proof.audit": ("__init__.py", "errors.py"),
                },
            )
        )
        self.stdout.write(f"{output}: python3 -I {output.name} --help")

    def set_aside(self, *, reason: str, **options: Any) -> None:
        log = sealing.log_of(self.site(**options))
        act = Act(actor=None, now=timezone.now(), terminal="command line")
        done = setting_aside.set_aside(log, reason=reason, act=act).data
        self.stdout.write(
            f"{done['lines']} checkpoints over {done['from_size']} to {done['to_size']} leaves are in "
            f"{done['file']}. They prove what was lost: keep them."
        )

    def rotate(self, **options: Any) -> None:
        """Make a new key."""
        site = self.site(**options)
        try:
            sealing.rotate(site, act=Act(actor=None, now=timezone.now()))
        except CheckpointNotKept as error:  # the key is new, and its checkpoint is written with the next one
            self.stderr.write(f"{error.message} The next checkpoint brings it along. ({error.code})")
        self.stdout.write(_described(keys.history(sealing.log_of(site))[-1]))

    def roles(self, **options: Any) -> None:
        self.stdout.write(roles.roles_sql(), ending="")

    def site(self, *, site: str | None = None, **options: Any) -> Site:
        sites = Site.objects.filter(name=site) if site else Site.objects.order_by("pk")
        if len(sites) != 1:
            names = shown(", ".join(Site.objects.values_list("name", flat=True)) or "none")
            raise CommandError(f"Say which house with --site. There is: {names} (which_site)")
        return sites[0]

    def progress(self, done: int, of: int) -> None:
        """A bar at a terminal, and nothing anywhere else."""
        if sys.stderr.isatty() and of:
            filled = WIDTH * done // of
            end = "\n" if done >= of else ""
            sys.stderr.write(f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {done:,} of {of:,} leaves{end}")
            sys.stderr.flush()


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _house(site: Site) -> str:
    return f"house {site.pk}, {shown(site.name)}"


def _size(site: Site) -> int:
    latest = sealing.latest(sealing.log_of(site))
    return latest.size if latest else 0


def _described(recorded: keys.RecordedKey) -> str:
    begins = "is not sealed yet" if recorded.leaf is None else f"begins at leaf {recorded.leaf:,}"
    return (
        f"{shown(recorded.key.text, MOST_OF_A_KEY)}\n  fingerprint"
        f" {keys.grouped_fingerprint(recorded.key)}\n  {begins}"
    )


def _read(path: Path | None) -> bytes | None:
    try:
        return None if path is None else path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror} (bad_file)") from error
