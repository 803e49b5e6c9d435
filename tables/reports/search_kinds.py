"""The kinds of things that the search box finds on the floor and in the books (`searching.py`)."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from ledger.cage.names import spelled, words
from ledger.chart import EVENTS, EntryKind
from ledger.errors import Refusal
from ledger.money import dollars
from ledger.papers.paper import declared
from ledger.reports.statements import entries_of_amount, entries_within
from ledger.reports.traces import sealed
from ledger.rights import COUNT_BOXES, READ_BOOKS, SIGN_OFF_DROPS, WORK_CAGE
from ledger.rules.documents import KINDS as DOCUMENTS
from tables.floor import banks
from tables.models import Claim, Dispute, Recovery, Round, Sitting, Table, TableSession, Uncollected, Waiver
from tables.reports.players import find_players
from tables.reports.searching import LINES, FindKind, FoundLine, Search, Series, at, register
from tables.rights import DEAL, MANAGE_HOUSE, READ_TABLES, RUN_FLOOR
from tables.rounds.pushes import only_deals
from tables.seats.player_entries import KEEPERS

SESSIONS = 60
"""How many sessions back a round is looked for by its number alone: some nights of ten tables."""


def _seen(search: Search, rows: Any, session: str) -> Any:
    """Narrow rows to the tables that this person sees (`require_sight`)."""
    return rows.filter(**{f"{session}__dealer": search.person}) if only_deals(search.person) else rows


def _tables(search: Search) -> list[int]:
    """Return the house's tables in question, by id."""
    here, number = Table.objects.filter(site=search.site), search.asked.named.get("table")
    return [*(here if number is None else here.filter(number=number)).values_list("pk", flat=True)]


def _sessions(search: Search) -> list[int]:
    """Return the sessions in question, newest first: of the time or day asked for, else the last ones."""
    rows = TableSession.objects.filter(table__in=_tables(search))
    if search.bounds:
        start, end = search.bounds
        rows = rows.filter(Q(closed_at__isnull=True) | Q(closed_at__gte=start), opened_at__lt=end)
    if only_deals(search.person):
        rows = rows.filter(dealer=search.person)
    return [*rows.order_by("-pk").values_list("pk", flat=True)[:SESSIONS]]


def rounds(search: Search, page: str) -> Iterator[FoundLine]:
    """Find rounds by number, by table and number, by id, and those that were running at a time."""
    asked = search.asked
    number, shown = asked.numbered("round"), Round.objects.select_related("session__table").defer("draft")
    meant: Any = None
    if number is not None:
        meant = Q(session__in=_sessions(search), number=number)
        if "table" not in asked.named and not search.bounds:
            meant |= Q(pk=number, session__table__in=_tables(search))
    elif search.moments and asked.cents is None and not asked.words:
        first, last = search.moments[0][0], search.moments[-1][1]
        running = Q(ended_at__isnull=True) | Q(ended_at__gte=first)
        meant = running & Q(session__in=_sessions(search), started_at__lt=last)
    if meant is None:
        return
    for row in _seen(search, shown.filter(meant), "session").order_by("-pk")[: LINES + 1]:
        title = f"{row.session.table}, round {row.number}"
        is_it = number is not None or "table" in asked.named
        yield FoundLine(title, f"{search.shown(row.started_at)}, id {row.pk}", at(page, row.pk), exact=is_it)


def _rounds_page(search: Search) -> str:
    if not search.may(READ_BOOKS):
        return ""
    asked = search.asked
    known: dict[str, Any] = {"table": asked.named.get("table"), "number": asked.numbered("round")}
    if search.moments:
        known |= {"day": search.days[0], "at": asked.at}
    return at("find-rounds", **{name: one for name, one in known.items() if one is not None})


def tables(search: Search, page: str) -> Iterator[FoundLine]:
    """Find a table: its open game, or the last one it had."""
    number, asked = search.asked.numbered("table"), search.asked
    if number is None or asked.at or asked.day or set(asked.named) - {"table"}:
        return
    rows = TableSession.objects.filter(table__site=search.site, table__number=number).select_related("table")
    own = rows.filter(dealer=search.person) if page == "dealer-session" else rows
    session = own.order_by("-pk").first()
    if session is None:
        return
    if session.closed_at is None:
        yield FoundLine(
            str(session.table), f"open since {search.shown(session.opened_at)}", at(page, session.pk)
        )
    elif search.may(READ_BOOKS):
        closed = f"its last session, closed {search.shown(session.closed_at)}"
        yield FoundLine(str(session.table), closed, at("table-session", session.pk))


def seats(search: Search, page: str) -> Iterator[FoundLine]:
    """Find who sits at a table now, by name or seat."""
    asked = search.asked
    rows = Sitting.objects.filter(session__table__in=_tables(search), left_at__isnull=True)
    if "seat" in asked.named and "table" in asked.named and not search.moments:
        rows = rows.filter(seat=asked.named["seat"])
    elif asked.words and not asked.named:
        rows = rows.filter(player__in=find_players(search.site, asked.text).values("pk"))
    else:
        return
    rows = _seen(search, rows, "session").select_related("player", "session__table")
    for one in rows.order_by("session__table__number", "seat")[: LINES + 1]:
        where = f"{one.session.table}, seat {one.seat}"
        yield FoundLine(str(one.player), where, at(page, one.pk), exact="seat" in asked.named)


def players(search: Search, page: str) -> Iterator[FoundLine]:
    """Find players by any part of a name, or by card number; exact is the whole of either."""
    asked = search.asked
    text = str(asked.named["card"]) if "card" in asked.named else asked.text
    if not (asked.words or asked.is_number or "card" in asked.named):
        return
    for one in find_players(search.site, text)[: LINES + 1]:
        is_it = one.number == text or (one.name != "" and spelled(one.name) == spelled(text))
        detail = ", ".join(part for part in (one.number and f"No. {one.number}", one.description) if part)
        yield FoundLine(str(one), detail, at(page, one.pk), exact=is_it)


def _entries(search: Search) -> Any:
    """Return the entries that moved exactly the amount asked for, newest first; None without an amount."""
    if search.asked.cents is None:
        return None
    rows = entries_of_amount(search.site, search.asked.cents, *search.days)
    return entries_within(rows, *search.bounds) if search.moments and search.bounds else rows


def entries(search: Search, page: str) -> Iterator[FoundLine]:
    """Find journal entries by number, by an amount that they moved, and those that were written at a time."""
    asked, number = search.asked, search.asked.numbered("entry")
    rows = search.site.entries.order_by("-gaming_day", "-pk")
    if number is not None:
        rows = rows.filter(pk=number)
    elif asked.cents is not None:
        rows = _entries(search)
    elif search.moments and search.bounds and not asked.named and not asked.words:
        rows = entries_within(rows.filter(gaming_day__range=search.days), *search.bounds)
    else:
        return
    for one in rows.select_related("actor")[: LINES + 1]:
        said = EVENTS[EntryKind(one.kind)].title
        amount = f"{dollars(asked.cents)}, " if asked.cents is not None else ""
        detail = f"{amount}{said}, {search.shown(one.recorded_at)}"
        yield FoundLine(f"Entry {one.pk}", detail, at(page, one.pk), exact=number is not None)


def _journal(search: Search) -> str:
    return at("journal", search.days[-1])


def receipts(search: Search, page: str) -> Iterator[FoundLine]:
    """Find receipts by number and by amount."""
    if search.asked.cents is None:
        yield from _RECEIPTS(search, page)
        return
    rows = _entries(search).filter(receipt__isnull=False).select_related("receipt")
    for one in rows[: LINES + 1]:
        detail = f"{dollars(search.asked.cents)}, {search.shown(one.recorded_at)}"
        yield FoundLine(str(one.receipt), detail, at(page, one.pk), exact=False)


_RECEIPTS = Series(
    ("receipt",),
    lambda site: site.receipts.select_related("entry"),
    lambda row: (row.entry_id,),
    lambda search, row: search.shown(row.entry.recorded_at),
)


def documents(search: Search, page: str) -> Iterator[FoundLine]:
    """Find documents of custody by kind and number. No line has an amount: the person who receives it counts
    blind."""
    asked = search.asked
    numbers = {code: number for code in DOCUMENTS if (number := asked.numbered(code)) is not None}
    if not numbers:
        return
    rows = search.site.documents.filter(kind__in=numbers, number__in=set(numbers.values()))
    rows = list(rows.order_by("-pk")[: len(DOCUMENTS)])
    sessions = {one.bank_chips_id: one for one in banks.sessions_of(rows)}
    for row in rows:
        try:
            banks.require_sight_of(search.person, row, sessions.get(row.chips_id))
        except Refusal:
            continue
        yield FoundLine(str(row), f"{row.place}, gaming day {row.gaming_day}", at(page, row.pk))


def gaming_days(search: Search, page: str) -> Iterator[FoundLine]:
    day = search.asked.day
    if day is not None and search.asked.is_day and day <= search.now.astimezone(search.zone).date():
        address = at(page, day) if page == "audit-day" else at(page, day=day)
        yield FoundLine(f"Gaming day {day}", f"{day:%A}", address)


def papers(search: Search, page: str) -> Iterator[FoundLine]:
    """Find papers by words of their title, for the day asked for."""
    asked = search.asked
    wanted = words(asked.words)
    if wanted and not asked.named and asked.cents is None and search.asked.at is None:
        day = {"first": asked.day} if asked.day else {}
        for paper in declared(players=False):
            title = words(paper.title)
            if all(any(one.startswith(word) for one in title) for word in wanted):
                address = f"{at(page, **day)}#{paper.name.removesuffix('.csv')}"
                yield FoundLine(paper.title, paper.purpose, address, exact=wanted == title)


def _of_day(search: Search, row: Any) -> str:
    return f"gaming day {row.gaming_day}"


def _dispute(search: Search, row: Dispute) -> str:
    outcome = row.decision.get_outcome_display().lower() if hasattr(row, "decision") else "open"
    return f"{row.get_what_display()}, {search.shown(row.taken_at)}, {outcome}"


def _players_page(search: Search) -> str:
    return at("players", q=search.asked.text)


def _down(path: str) -> Any:
    return lambda search, rows: _seen(search, rows.select_related(path), f"{path}__session")


def _by_site(model: Any) -> Any:
    return lambda site: model.objects.filter(site=site)


_FOR_BOOKS = ((READ_BOOKS, "entry"),)
_READERS = (READ_TABLES, READ_BOOKS)
_CHARGE = "payment__charge"
_OF_CAGE = (WORK_CAGE, READ_BOOKS)


def _each(page: str, rights: Any) -> tuple[tuple[str, str], ...]:
    return tuple((right, page) for right in rights)


FLOOR = (
    FindKind("Tables", (*_each("floor-session", (RUN_FLOOR, READ_BOOKS)), (DEAL, "dealer-session")), tables),
    FindKind("At the tables now", _each("sitting", (READ_TABLES,)), seats),
    FindKind(
        "Players", ((READ_BOOKS, "audit-player"), *_each("player", KEEPERS)), players, more=_players_page
    ),
    FindKind("Rounds", _each("round", _READERS), rounds, more=_rounds_page),
    FindKind("Gaming days", ((READ_BOOKS, "audit-day"), (SIGN_OFF_DROPS, "cashier-day")), gaming_days),
    FindKind("Journal entries", _FOR_BOOKS, entries, more=_journal),
    FindKind("Receipts", _each("receipt", _OF_CAGE), receipts),
    FindKind(
        "Drop boxes",
        ((READ_BOOKS, "cashier-box"), (SIGN_OFF_DROPS, "cashier-box"), (COUNT_BOXES, "count-box")),
        Series(("box",), lambda site: site.boxes, detail=_of_day),
    ),
    FindKind(
        "Count sheets",
        _each("count-sheet", (COUNT_BOXES, SIGN_OFF_DROPS, READ_BOOKS)),
        Series(("sheet",), lambda site: site.count_sheets, detail=_of_day),
    ),
    FindKind(
        "Documents", _each("document", (RUN_FLOOR, DEAL, WORK_CAGE, MANAGE_HOUSE, READ_BOOKS)), documents
    ),
    FindKind(
        "Cage slips",
        _each("cage-slip", _OF_CAGE),
        Series(("slip",), lambda site: site.cage_slips, detail=_of_day),
    ),
    FindKind(
        "Drawers", _each("drawer", _OF_CAGE), Series(("drawer",), lambda site: site.drawers, detail=_of_day)
    ),
    FindKind(
        "Reversal slips",
        _FOR_BOOKS,
        Series(("reversal",), lambda site: site.reversal_slips, lambda row: (row.entry_id,)),
    ),
    FindKind(
        "Waivers",
        _each("down", _READERS),
        Series(("waiver",), _by_site(Waiver), lambda row: (row.payment.charge.down_id,), sees=_down(_CHARGE)),
    ),
    FindKind(
        "Uncollected fees",
        _each("down", _READERS),
        Series(
            ("uncollected",), _by_site(Uncollected), lambda row: (row.charge.down_id,), sees=_down("charge")
        ),
    ),
    FindKind(
        "Recoveries",
        _each("down", _READERS),
        Series(
            ("recovery",), _by_site(Recovery), lambda row: (row.payment.charge.down_id,), sees=_down(_CHARGE)
        ),
    ),
    FindKind(
        "Claims",
        _each("round", _READERS),
        Series(
            ("claim",),
            _by_site(Claim),
            lambda row: (row.settlement.round_id,),
            sees=lambda search, rows: _seen(
                search, rows.select_related("settlement"), "settlement__round__session"
            ),
        ),
    ),
    FindKind(
        "Disputes and complaints",
        _each("disputes", (RUN_FLOOR, MANAGE_HOUSE, READ_BOOKS)),
        Series(
            ("dispute",),
            lambda site: Dispute.objects.filter(site=site).select_related("decision"),
            lambda row: (),
            _dispute,
        ),
    ),
    FindKind(
        "Accounts", _each("account", (READ_BOOKS,)), Series(("account",), lambda site: site.accounts, by="pk")
    ),
    FindKind(
        "Records of the log",
        _each("audit-record", (READ_BOOKS,)),
        Series(
            ("leaf",),
            sealed,
            lambda leaf: (leaf.record.kind, leaf.record.subject),
            lambda search, leaf: str(leaf.record),
        ),
    ),
    FindKind("Papers", _each("papers", (READ_BOOKS,)), papers),
    FindKind(
        "Papers that were kept",
        _each("papers", (READ_BOOKS,)),
        Series(("paper",), lambda site: site.kept_papers, lambda row: ()),
    ),
)


def register_floor() -> None:
    register(*FLOOR)
