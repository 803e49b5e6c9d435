"""Make the waiting papers, one at a time, in a process of its own: so a long one takes neither memory nor
time from the people who deal."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from django.utils import timezone

from ledger.errors import LedgerError, PaperEnded
from ledger.journal.acts import Act
from ledger.models import KeptPaper, Site
from ledger.proof.log import exporting, forms, keeping_papers, testing_controls
from ledger.proof.log.forms import Written

LOOKS_SECONDS: Final = 0.25
"""How often the maker notes its progress, and the server looks after it."""
_ROOT = Path(__file__).resolve().parents[3]


def make_next(site: Site) -> bool:
    """Have the next paper of a house made; return whether there was one. Whatever becomes of the process, the
    paper ends in one way."""
    paper = keeping_papers.take_up(site)
    if paper is None:
        return False
    program = [sys.executable, "-m", "django", "make_paper", str(paper.pk)]
    with subprocess.Popen(program, cwd=_ROOT, stdin=subprocess.DEVNULL) as maker:  # noqa: S603  (our own)
        while maker.poll() is None:
            keeping_papers.show_progress(paper, _read_progress(paper))
            if KeptPaper.objects.get(pk=paper.pk).state != keeping_papers.State.MAKING:
                maker.kill()
            time.sleep(LOOKS_SECONDS)
    for left in (_unfinished(paper), _progress_file(paper)):
        left.unlink(missing_ok=True)
    with suppress(PaperEnded):
        sentence = "The program that made it was ended: try a shorter period."
        keeping_papers.not_made(paper, "maker_ended", sentence, act=keeping_papers.by_the_house())
    return True


def make(paper: KeptPaper) -> None:
    """Make a paper that was taken up, and note what became of it; in the maker's own process."""
    act = Act(actor=paper.asked.actor, now=timezone.now(), terminal=paper.asked.terminal)
    unfinished = _unfinished(paper)
    try:
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        written = _written(paper, unfinished, act)
        keeping_papers.kept(paper, written, unfinished, act=keeping_papers.by_the_house())
    except PaperEnded:
        pass  # cancelled, or in other hands
    except LedgerError as error:
        with suppress(PaperEnded):
            keeping_papers.not_made(paper, error.code, error.message, act=keeping_papers.by_the_house())
    except OSError as error:
        with suppress(PaperEnded):
            sentence = f"It could not be written: {error.strerror}."
            keeping_papers.not_made(paper, "bad_file", sentence, act=keeping_papers.by_the_house())
    finally:
        unfinished.unlink(missing_ok=True)


def _written(paper: KeptPaper, unfinished: Path, act: Act) -> Written:
    asked, progress = keeping_papers.asked_of(paper), _telling(paper)
    with unfinished.open("wb") as out:
        if asked.name == keeping_papers.BUNDLE:
            wanted = exporting.Wanted(asked.days, players=asked.players)
            manifest = exporting.export(out, site=paper.site, wanted=wanted, progress=progress, act=act)
            written = Written(manifest.count, manifest.tree_size)
        elif asked.name == keeping_papers.TEST:
            noted = replace(act, key=f"paper-{paper.number}")
            written = testing_controls.write_test(
                out, site=paper.site, days=asked.days, progress=progress, act=noted
            )
        elif other := keeping_papers.OTHERS.get((asked.name, asked.form)):
            written = Written(other.write(out, asked, site=paper.site, progress=progress), 0)
        else:
            written = forms.write(out, asked, site=paper.site, progress=progress, act=act)
        out.flush()
        os.fsync(out.fileno())
    return written


def _telling(paper: KeptPaper) -> Callable[[int, int], None]:
    """Return a function that notes the progress for the server, a few times a second. It raises PaperEnded
    once the server that began the making is gone: another one will begin it again."""
    server, told = os.getppid(), 0.0

    def tell(done: int, of: int) -> None:
        nonlocal told
        if time.monotonic() - told < LOOKS_SECONDS:
            return
        told = time.monotonic()
        _progress_file(paper).write_text(f"{done} {of}")
        if os.getppid() != server:
            raise PaperEnded("The server that asked for this paper has ended.")

    return tell


def _read_progress(paper: KeptPaper) -> keeping_papers.MakingProgress:
    try:
        done, of = _progress_file(paper).read_text().split()
    except (FileNotFoundError, ValueError):  # not begun, or being written
        return keeping_papers.MakingProgress(0, 0)
    return keeping_papers.MakingProgress(int(done), int(of))


def _unfinished(paper: KeptPaper) -> Path:
    return keeping_papers.file_of(paper).with_suffix(f".unfinished-{paper.tries}")


def _progress_file(paper: KeptPaper) -> Path:
    return keeping_papers.file_of(paper).with_suffix(f".progress-{paper.tries}")
