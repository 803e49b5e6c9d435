"""Papers made in the background and kept: asked for, made in a process of their own, cancelled, taken. Each
has a number without gaps; events of the house record who asked, what was made and who took it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from hashlib import file_digest
from pathlib import Path
from typing import IO, Any, Final

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from ledger.errors import PaperChanged, PaperEnded, PaperGone, PaperNotReady
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.journal.posting import lock_house
from ledger.models import HouseEvent, KeptPaper, Site
from ledger.proof.log import forms, testing_controls
from ledger.proof.log.forms import CSV, AskedPaper, Written
from ledger.rights import READ_BOOKS, TAKE_NAMES, require

State = KeptPaper.State
Pairs = tuple[tuple[str, str], ...]
BUNDLE, ZIP = "bundle", "zip"
"""An export of the log, which proves its papers."""
TEST: Final = "control_test"
"""A test of all controls, noted in the log with its result."""
MOST_TRIES: Final = 3
"""How often the making of a paper begins before it counts as failed."""
ALIVE_SECONDS: Final = 20
"""How long a maker may be silent before somebody else takes the paper up."""


@dataclass(frozen=True)
class OtherPaper:
    """A CSV that an app has made and kept likewise, beside the papers: how it is called, and what writes it
    and returns its lines, called with the file and what was asked, and by name with `site` and `progress`."""

    title: str
    write: Callable[..., int]


OTHERS: Final[dict[tuple[str, str], OtherPaper]] = {}
"""By name and form."""


def register(name: str, other: OtherPaper) -> None:
    OTHERS[name, CSV] = other


def ask_other(
    name: str, *, site: Site, days: tuple[date, date], part: Pairs, terms: Pairs, act: Act
) -> KeptPaper:
    """Put what an app has registered into the queue, as `ask` does."""
    return ask(site=site, asked=AskedPaper(name, CSV, days, False, part, terms), act=act)


@dataclass(frozen=True)
class MakingProgress:
    done: int
    of: int


def asked_of(paper: KeptPaper) -> AskedPaper:
    said = paper.asked.data
    days = date.fromisoformat(said["from_day"]), date.fromisoformat(said["to_day"])
    given = said.get("part", {})
    part = tuple((column, given[column]) for column in forms.PARTS if column in given)
    terms = tuple(said.get("terms", {}).items())
    return AskedPaper(said["paper"], said["form"], days, said["players"], part, terms)


def ask(*, site: Site, asked: AskedPaper, act: Act) -> KeptPaper:
    """Put a paper into the queue. A person who asks for a paper that is still to be made gets that one, but
    for a test, which is its tester's. Raises BadPaper, NotAllowed."""
    require(act.actor, READ_BOOKS)
    if asked.players:
        require(act.actor, TAKE_NAMES)
    if (asked.name, asked.form) == (TEST, CSV):
        testing_controls.require_tester(site, asked.days, act)
    elif (asked.name, asked.form) not in {(BUNDLE, ZIP), *OTHERS}:
        forms.papers_of(asked)
    more: dict[str, Any] = {"part": dict(asked.part)} if asked.part else {}
    more |= {"terms": dict(asked.terms)} if asked.terms else {}
    with transaction.atomic():
        lock_house(site)
        for paper in to_make(site):
            if asked_of(paper) == asked and (asked.name != TEST or paper.asked.actor == act.actor):
                return paper
        newest = site.kept_papers.order_by("-number").first()
        number = newest.number + 1 if newest else 1
        event = house_events.note(
            site,
            HouseEvent.Kind.PAPER_ASKED,
            number=number,
            paper=asked.name,
            form=asked.form,
            from_day=str(asked.days[0]),
            to_day=str(asked.days[1]),
            players=asked.players,
            **more,
            act=act,
        )
        return KeptPaper.objects.create(site=site, number=number, asked=event)


def to_make(site: Site) -> QuerySet[KeptPaper]:
    return site.kept_papers.filter(ended=None).select_related("asked__actor").order_by("number")


def take_up(site: Site) -> KeptPaper | None:
    """Take up the paper whose maker was killed, or else the oldest that waits; None if there is none, or one
    is being made. A paper that killed MOST_TRIES makers is not taken up again."""
    if not to_make(site).exists():
        return None
    with transaction.atomic():
        lock_house(site)
        for paper in to_make(site).order_by("state", "number"):  # "making" first
            if paper.state == State.MAKING and cache.get(_alive(paper)):
                return None
            if paper.tries == MOST_TRIES:
                sentence = f"The server ended {MOST_TRIES} times while it was made."
                not_made(paper, "server_ended", sentence, act=by_the_house())
                continue
            paper.state, paper.tries = State.MAKING, paper.tries + 1
            paper.save(update_fields=["state", "tries"])
            show_progress(paper, MakingProgress(0, 0))
            return paper
    return None


def show_progress(paper: KeptPaper, progress: MakingProgress) -> None:
    """Note the progress for the pages, and that this maker is alive for other makers."""
    cache.set(_alive(paper), (progress.done, progress.of), timeout=ALIVE_SECONDS)


def progress_of(paper: KeptPaper) -> MakingProgress:
    return MakingProgress(*(cache.get(_alive(paper)) or (0, 0)))


def _alive(paper: KeptPaper) -> str:
    return f"kept-paper-{paper.pk}"


def by_the_house() -> Act:
    return Act(actor=None, now=timezone.now())


def kept(paper: KeptPaper, written: Written, made: Path, *, act: Act) -> None:
    """Give the finished file its name, and note its digest. Raises PaperEnded if the paper was cancelled
    meanwhile, or another maker has it."""
    with made.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    facts = {"digest": digest, "size": made.stat().st_size, "lines": written.lines, "leaves": written.leaves}
    with transaction.atomic():
        _end(paper, State.KEPT, HouseEvent.Kind.PAPER_KEPT, file=asked_of(paper).file, **facts, act=act)
        made.rename(file_of(paper))


def not_made(paper: KeptPaper, code: str, sentence: str, *, act: Act) -> None:
    """Note why a paper was not made. Raises PaperEnded if it has ended, or another maker has it."""
    with transaction.atomic():
        _end(
            paper,
            State.CANCELLED if code == "cancelled" else State.FAILED,
            HouseEvent.Kind.PAPER_NOT_MADE,
            code=code,
            sentence=sentence,
            act=act,
        )


def cancel(paper: KeptPaper, *, act: Act) -> None:
    """Cancel a paper that waits or is being made. Raises PaperEnded, NotAllowed."""
    require(act.actor, READ_BOOKS)
    not_made(paper, "cancelled", "It was cancelled.", act=act)


def _end(paper: KeptPaper, state: str, kind: str, *, act: Act, **data: Any) -> None:
    now = KeptPaper.objects.select_for_update(of=("self",), no_key=True).get(pk=paper.pk)
    if now.ended_id is not None or now.tries != paper.tries:
        raise PaperEnded(f"{paper} has ended: nothing is left to do.")
    paper.state = state
    paper.ended = house_events.note(paper.site, kind, number=paper.number, **data, act=act)
    paper.save(update_fields=["state", "ended"])


def folder_of(site: Site) -> Path:
    return Path(settings.PAPERS) / f"house-{site.pk}" / "kept"


def file_of(paper: KeptPaper) -> Path:
    return folder_of(paper.site) / f"{paper.number:06d}.{paper.asked.data['form']}"


def take(paper: KeptPaper, *, address: str, act: Act) -> IO[bytes]:
    """Open the file of a kept paper, if it is unchanged since it was made, and note who took it. Raises
    PaperNotReady, PaperGone, PaperChanged, NotAllowed."""
    require(act.actor, READ_BOOKS)
    if paper.asked.data["players"]:
        require(act.actor, TAKE_NAMES)
    file = opened(paper)
    ended: Any = paper.ended
    said = ended.data
    house_events.note(
        paper.site,
        HouseEvent.Kind.DOWNLOADED,
        file=said["file"],
        address=address,
        rows=said["lines"],
        whole=True,
        act=act,
    )
    return file


def opened(paper: KeptPaper) -> IO[bytes]:
    """Open the file of a kept paper, if it is unchanged since it was made. Raises PaperNotReady, PaperGone,
    PaperChanged."""
    if paper.state != State.KEPT or paper.ended is None:
        raise PaperNotReady(f"{paper} is not made.")
    try:
        file = file_of(paper).open("rb")
    except FileNotFoundError as error:
        raise PaperGone(f"The file of {paper} is not kept any more: have it made again.") from error
    said = paper.ended.data
    of_another = (paper.ended.kind, said.get("number")) != (HouseEvent.Kind.PAPER_KEPT, paper.number)
    if of_another or file_digest(file, "sha256").hexdigest() != said["digest"]:
        file.close()
        raise PaperChanged(f"The file of {paper} is not the one that was made: have it made again.")
    file.seek(0)
    return file
