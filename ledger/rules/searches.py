"""What somebody may mean by the words in the search box. Pure.

A number follows the name of its series (`round 214`, `R 214`, `F-000012`) or stands alone. An amount has a
dollar sign, a comma or cents. A date without its year is the last one; of 11/26 the month comes first, as the
house writes. A time of day stands on the house's clock."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from ledger.errors import BadAmount
from ledger.money import parse_amount
from ledger.rules.documents import KINDS

MOST_NUMBER = 2**31 - 1
SERIES: Mapping[str, tuple[str, ...]] = {
    **{code: (kind.title.lower(),) for code, kind in KINDS.items()},
    "unclaimed": ("unclaimed chips", "unclaimed"),
    "round": ("round", "r"),
    "table": ("table", "t"),
    "seat": ("seat",),
    "box": ("drop box", "box", "b"),
    "entry": ("journal entry", "entry", "e"),
    "receipt": ("receipt",),
    "slip": ("cage slip", "slip", "s"),
    "reversal": ("reversal slip", "reversal", "slip", "s"),
    "drawer": ("drawer", "d"),
    "sheet": ("count sheet", "sheet"),
    "waiver": ("waiver", "w"),
    "uncollected": ("uncollected fee", "uncollected"),
    "recovery": ("recovery",),
    "claim": ("claim", "c"),
    "dispute": ("dispute", "complaint"),
    "paper": ("paper", "p"),
    "account": ("account",),
    "leaf": ("leaf", "l"),
    "card": ("card number", "card", "no"),
    "fill": ("fill", "f"),
    "opener": ("opener", "o"),
    "credit": ("credit", "c"),
}
"""The words that may come before a number, by the code of the series that they name; some name two."""
FORMS = (
    ("R 214, table 3 round 14", "a round by its number or id, or by its table and number there"),
    ("box 12, receipt 7, fill 3, F-000003", "anything numbered: slips, waivers, claims, papers"),
    ("214", "whatever has this number"),
    ("$12.50, 1,250, 12.50 26 Nov", "what moved exactly this amount, lately or on that day"),
    ("26 Nov, 2026-11-26, 11/26/2026, yesterday", "a gaming day"),
    ("02:14, 2:14 am, 26 Nov 02:14, table 3 02:14:05", "what happened then on the house's clock"),
    ("half a name, a card number", "a player, a member of staff, a terminal"),
    ("table 3, table 3 seat 2", "a table, or who sits there"),
)
"""What the search box understands, and what that finds."""

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY, _YEAR = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?", r"(?:,?\s+(?P<year>[0-9]{4}))?"
_DATES = tuple(
    re.compile(rf"(?<![\w/.-]){form}(?![\w/])", re.I | re.A)
    for form in (
        r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})",
        r"(?P<month>[0-9]{1,2})/(?P<day>[0-9]{1,2})(?:/(?P<year>[0-9]{4}|[0-9]{2}))?",
        rf"{_DAY}\s+{_MONTH}{_YEAR}",
        rf"{_MONTH}\s+{_DAY}{_YEAR}",
    )
)
_T = re.compile(r"(?<=[0-9]{2})T(?=[0-9]{2}:)", re.I | re.A)
_BACK = {"today": 0, "yesterday": 1}
_TIME = re.compile(
    r"(?<![\w:.])(?:(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?"
    r"|(?P<alone>[0-9]{1,2})(?=\s*[ap]\.?m))(?:\s*(?P<half>[ap])\.?m\b\.?)?"
    r"(?:\s+to(?:\s+[0-9]{4}-[0-9]{2}-[0-9]{2})?\s+[0-9:]{5,8})?(?:\s+[pmce][sd]t\b)?(?![\w:])",
    re.I | re.A,
)
_SEATS = re.compile(r"\bseats(?:\s+[0-9],?)+(?![\w])", re.I | re.A)
_AMOUNT = re.compile(
    r"(?<![\w.,$])(?:\$\s?[0-9][0-9,]*(?:\.[0-9]{2})?"
    r"|[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]{2})?|[0-9]+\.[0-9]{2})"
    r"(?![\w.])",
    re.A,
)
_NAMES = sorted({name for names in SERIES.values() for name in names}, key=len, reverse=True)
_NAMED = re.compile(
    rf"(?<!\w)(?P<name>{'|'.join(map(re.escape, _NAMES))})"
    r"[\s.#-]*(?:no\.?\s*)?(?P<number>[0-9]{1,12})(?![\w:])",
    re.I | re.A,
)
_NUMBER = re.compile(r"(?<!\S)#?([0-9]{1,12})(?!\S)", re.A)


@dataclass(frozen=True)
class Meant:
    """What a search may mean. `named` are numbers by series, `number` one that stands alone. `words` is the
    rest: a name, if anything. `second`: the time has seconds."""

    text: str
    named: Mapping[str, int] = field(default_factory=dict)
    number: int | None = None
    cents: int | None = None
    day: date | None = None
    at: time | None = None
    second: bool = False
    words: str = ""

    def numbered(self, *codes: str) -> int | None:
        """Return the number asked for in one of these series: named, or alone in the box."""
        named = next((self.named[code] for code in codes if code in self.named), None)
        return self.number if named is None and self.is_number else named

    @property
    def is_number(self) -> bool:
        """Whether only a number was entered, which any kind of thing may have."""
        alone = not (self.named or self.day or self.at) and self.cents is None
        return self.number is not None and alone and not self.words

    @property
    def is_day(self) -> bool:
        """Whether nothing but a date was entered."""
        return self.day is not None and not (self.named or self.at or self.words) and self.cents is None

    def moments(self, zone: ZoneInfo, now: datetime) -> list[tuple[datetime, datetime]]:
        """Return when the clock showed the time asked for, half-open in UTC: a second, or a whole minute if
        no seconds were given. Without a date, the last time it did; twice where the clock went back, never
        where it went forward."""
        if self.at is None:
            return []
        last = now.astimezone(zone).date()
        days = [last, last - timedelta(days=1)] if self.day is None else [self.day]
        size = timedelta(seconds=1 if self.second else 60)
        for day in days:
            begins = [at for at in _shown(day, self.at, zone) if at <= now]
            if begins:
                return [(at, at + size) for at in begins]
        return []


def read(text: str, today: date) -> Meant:
    """Return what a text may mean. It never raises; anything it does not understand goes into `words`."""
    whole = " ".join(text.split())
    day, rest = _date_in(_T.sub(" ", _SEATS.sub(" ", whole)), today)
    at, second, rest = _time_in(rest)
    named: dict[str, int] = {}
    for found in _NAMED.finditer(rest):
        meant, of_series = found["name"].lower(), int(found["number"])
        for code, names in SERIES.items():
            if meant in names and of_series <= MOST_NUMBER:
                named.setdefault(code, of_series)
    rest = _NAMED.sub(" ", rest)
    cents, rest = _amount_in(rest)
    alone = _NUMBER.findall(rest)
    number = int(alone[0]) if len(alone) == 1 and int(alone[0]) <= MOST_NUMBER else None
    words = " ".join((rest if number is None else _NUMBER.sub(" ", rest)).strip(" ,;#").split())
    return Meant(whole, named, number, cents, day, at, second, words)


def _shown(day: date, at: time, zone: ZoneInfo) -> Iterator[datetime]:
    """Yield in UTC when the clock of a zone showed this: once, twice or never."""
    folds = (datetime.combine(day, at, zone).replace(fold=fold) for fold in (0, 1))
    try:
        moments = sorted({one.astimezone(UTC) for one in folds})
    except OverflowError:
        return
    for moment in moments:
        if moment.astimezone(zone).replace(tzinfo=None) == datetime.combine(day, at):
            yield moment


def _date_in(text: str, today: date) -> tuple[date | None, str]:
    for form in _DATES:
        found = form.search(text)
        if found and (day := _date_of(found["day"], found["month"], found["year"], today)):
            return day, f"{text[: found.start()]} {text[found.end() :]}"
    for word, back in _BACK.items():
        if re.search(rf"\b{word}\b", text, re.I):
            return today - timedelta(days=back), re.sub(rf"\b{word}\b", " ", text, flags=re.I)
    return None, text


def _date_of(day: str, month: str, year: str | None, today: date) -> date | None:
    """Return the date; without a year the last one. None if the calendar has no such day."""
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    if year is not None:
        years = [int(year) + (2000 if len(year) == 2 else 0)]
    else:
        years = [today.year - back for back in range(9)]  # the last 29 February may be eight years ago
    for one in years:
        try:
            found = date(one, number, int(day))
        except ValueError:
            continue
        if year is not None or found <= today:
            return found
    return None


def _time_in(text: str) -> tuple[time | None, bool, str]:
    found = _TIME.search(text)
    if found is None:
        return None, False, text
    hour, half = int(found["hour"] or found["alone"]), (found["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None, False, text
    hour = hour % 12 + (12 if half == "p" else 0) if half else hour
    try:
        at = time(hour, int(found["minute"] or 0), int(found["second"] or 0))
    except ValueError:
        return None, False, text
    return at, found["second"] is not None, f"{text[: found.start()]} {text[found.end() :]}"


def _amount_in(text: str) -> tuple[int | None, str]:
    found = _AMOUNT.search(text)
    if found is None:
        return None, text
    try:
        cents = parse_amount(found[0].replace("$ ", "$"))
    except BadAmount:
        return None, text
    return cents, f"{text[: found.start()]} {text[found.end() :]}"


def camera_index(place: str, at: datetime, until: datetime | None, zone: ZoneInfo) -> str:
    """Return `2026-11-26 02:14:05 PST, Table 3, seat 2`; with an end, `02:14:05 to 02:16:40`."""
    began = at.astimezone(zone)
    ended = until and until.astimezone(zone)
    if ended is None or f"{ended:%Y%m%d%H%M%S}" == f"{began:%Y%m%d%H%M%S}":
        return f"{began:%Y-%m-%d %H:%M:%S %Z}, {place}"
    day = "" if ended.date() == began.date() else f"{ended:%Y-%m-%d} "
    return f"{began:%Y-%m-%d %H:%M:%S} to {day}{ended:%H:%M:%S %Z}, {place}"


def seats_text(seats: list[int]) -> str:
    """Return `seat 2` or `seats 1, 2, 4`; empty without any."""
    named = ", ".join(map(str, sorted(seats)))
    return "" if not seats else f"seat{'s' if len(seats) > 1 else ''} {named}"
