"""What the floor orders: dealers in line, on a break or off, and what it does to needs. Pure. When a need was
settled no record says, so a deed is judged by what it would be before that and after."""

from dataclasses import dataclass, field

from ledger.records.findings import Body
from tables.audit.floor.house import House, moment
from tables.audit.records.house_events import LineOrdered, NeedChanged
from tables.rules.table.line_up import COMES, DEALING, GOES, LineAct, LineStanding, may_order, standing_after
from tables.rules.table.needs import NOBODY, NeedStanding, may_do, need_after


@dataclass(slots=True)
class Orders:
    """`line` has where each dealer is, `dealers` who deals at each open session, `needs` whose each need
    is."""

    line: dict[int, LineStanding] = field(default_factory=dict)
    dealers: dict[int, int] = field(default_factory=dict)
    needs: dict[tuple[str, str], NeedStanding] = field(default_factory=dict)

    def take(self, body: Body, house: House, *, whole: bool) -> str:
        """Take a record; return why the floor could not order what it says, or ""."""
        match body["record"], body.get("kind"):
            case "table_event", "pushed":
                self._pushed(body)
            case "table_event", "closed":
                self._goes(self.dealers.pop(body["session"], None), body)
            case "house_event", "line_ordered":
                return self._ordered(body, body["data"], house, whole)
            case "house_event", "need_changed":
                return self._deed(body, body["data"], whole)
        return ""

    def _pushed(self, body: Body) -> None:
        session, comes = body["session"], body["data"]["dealer"]
        self._goes(body["data"]["previous"], body)
        self.dealers.pop(session, None)
        if comes is not None:
            self.dealers[session] = comes
            self._after(LineAct(comes, COMES, moment(body["at"]), session))

    def _goes(self, dealer: int | None, body: Body) -> None:
        if dealer is not None:
            self._after(LineAct(dealer, GOES, moment(body["at"]), body["session"]))

    def _after(self, act: LineAct) -> None:
        standing = standing_after(self.line.get(act.dealer), act)
        if standing is not None:
            self.line[act.dealer] = standing

    def _ordered(self, body: Body, data: LineOrdered, house: House, whole: bool) -> str:
        dealer, does = data["dealer"], data["does"]
        standing = self.line.get(dealer)
        known = whole or standing is not None
        if standing is not None and standing.place != DEALING:
            days, of = house.days_of(body["at"]), house.days_of(standing.since.isoformat())
            known = len(days) == len(of) == 1
            standing = standing if days == of else None  # a line is of one gaming day
        fits = may_order(standing, does)
        if fits or not known:
            self._after(LineAct(dealer, does, moment(body["at"])))
        if fits or not known:
            return ""
        place = standing.place.replace("_", " ") if standing else "not here"
        return f"Dealer {dealer} was {place}: the floor could not order “{does}”."

    def _deed(self, body: Body, data: NeedChanged, whole: bool) -> str:
        which, does = (data["need"], data["subject"]), data["does"]
        standing = self.needs.get(which, NOBODY)
        fits = any(may_do(one, data["need"], does) for one in (standing, NOBODY))
        self.needs[which] = need_after([(does, body["actor"], moment(body["at"]))])
        if self.needs[which] == NOBODY:
            del self.needs[which]
        known = whole or standing != NOBODY or does not in ("release", "recall")
        return "" if fits or not known else f"The need {data['need']} was not to be had for “{does}” then."
