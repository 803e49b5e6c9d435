"""Which records of the floor are exceptions, how their old and new values are shown, and which have a number
of a series without gaps. Pure."""

from ledger.money import amount_text
from ledger.papers.cells import mapping, mappings, number
from ledger.papers.exceptions import ToldAs, changed, has, tell
from ledger.records.findings import Body


def _differing(body: Body) -> list[Body]:
    """where a stack differs"""
    stacks = mappings(mapping(body.get("data")).get("stacks"))
    return [one for one in stacks if number(one.get("difference_cents"))]


def _expected(body: Body) -> str:
    """each stack that differs, as it was expected"""
    return ", ".join(
        f"seat {one.get('seat')} {amount_text(number(one.get('expected_cents')))}" for one in _differing(body)
    )


def _counted(body: Body) -> str:
    """each of these, as it was counted"""
    return ", ".join(
        f"seat {one.get('seat')} "
        f"{amount_text(number(one.get('expected_cents')) + number(one.get('difference_cents')))}"
        for one in _differing(body)
    )


_ROUND, _WHY = "round {data.round}", "{data.reason}"
_RATE = "rate {data.rate.option}, version {data.rate.version}, fee {data.rate.fee_cents:dollars}"
_REASON, _TABLE = "reason for waivers {data.code}", "table {data.number}"
tell(
    {
        "entry waiver": ToldAs(
            *("waiver", "fee, charge {evidence.charge}", "owed {evidence.cents:dollars}"),
            "waived, {evidence.waiver.number}: {evidence.waiver.text}",
        ),
        "entry hand_settlement": ToldAs("override", "round {evidence.round}", "no cards", "{after}"),
        "entry buy_in": ToldAs(
            *("override", "time of a buy-in", "{evidence.recorded_at}", "{evidence.entered_at}"),
            only=has("evidence", "entered_at"),
        ),
        "table_event fee_uncollected": ToldAs(
            *("waiver", "fee, charge {data.charge}", "owed {data.cents:dollars}"),
            *("uncollected, {data.number}", _WHY),
        ),
        "table_event clock_stopped": ToldAs("clock_stop", "clock", "running", "stopped", _WHY),
        "table_event clock_started": ToldAs(
            "clock_stop", "clock", "stopped {data.stopped_at}", "running", ""
        ),
        "table_event round_voided": ToldAs("void", _ROUND, "dealt", "void", _WHY),
        "table_event round_handed_in": ToldAs(
            "override", _ROUND, "played by {data.played_by}", "sent by somebody else", "the house was away"
        ),
        "table_event match_called_off": ToldAs(
            "void", "match {data.match}", "{data.points}", "called off", _WHY
        ),
        "table_event correction_asked": ToldAs("correction", _ROUND, "", "correction asked for", _WHY),
        "table_event correction_refused": ToldAs(
            "correction", _ROUND, "asked for", "correction refused", _WHY
        ),
        "table_event hand_settlement_refused": ToldAs("override", _ROUND, "asked for", "not by hand", _WHY),
        "table_event chips_counted": ToldAs(
            "variance", "stacks at the table", _expected, _counted, "", only=_differing
        ),
        "table_event rate_announced": ToldAs("settings", "rate from the next down on", "", _RATE, ""),
        "table_event rate_withdrawn": ToldAs(
            "settings", "rate from the next down on", "announced", _RATE, ""
        ),
        "table_event rate_changed": ToldAs("settings", "rate of down {data.down}", "", _RATE, ""),
        "table_event claim_paid": ToldAs(
            *("correction", "claim {data.number}", "{data.cents:dollars} owed", "paid before the floor", "")
        ),
        "claim": ToldAs("correction", "claim {number}", "", "{cents:dollars} owed by a player to another"),
        "dispute": ToldAs("dispute", "{number}, {what}", "", "taken", "{text}"),
        "dispute_decision": ToldAs("dispute", "id {dispute}", "open", "{outcome}, entry {entry}", "{text}"),
        "player_merge": ToldAs("override", "player {merged}", "player {merged}", "player {into}"),
        "rate": ToldAs(
            *("settings", "rate {option}", ""),
            "version {version}, limit {limit_cents:dollars}, fee {fee_cents:dollars}, from {effective_from}",
            "{approval_reference}",
        ),
        "house_event games_offered": ToldAs("settings", "games", changed("before"), changed("after"), ""),
        "house_event sheet_offered": ToldAs("settings", "game {data.code}", "", "version {data.version}", ""),
        "house_event waiver_reason_published": ToldAs(
            *("settings", _REASON, "", "{data.text}, from {data.effective_from}", "{data.approval_reference}")
        ),
        "house_event waiver_reason_withdrawn": ToldAs(
            *("settings", _REASON, "published", "withdrawn on {data.withdrawn_on}", "")
        ),
        "house_event table_added": ToldAs("settings", _TABLE, "", "entered", ""),
        "house_event table_turned": ToldAs("settings", _TABLE, changed("before"), changed("after"), ""),
        "house_event table_retired": ToldAs("settings", _TABLE, "in use", "retired", ""),
        "house_event table_restored": ToldAs("settings", _TABLE, "retired", "in use", ""),
    },
    {
        "entry waiver": ("waiver", ("evidence", "waiver", "number")),
        "table_event fee_uncollected": ("uncollected fee", ("data", "number")),
        "player_merge": ("merge of players", ("number",)),
        "claim": ("claim", ("number",)),
        "dispute": ("dispute or complaint", ("number",)),
        "house_event handed_over": ("handover", ("data", "number")),
    },
)
