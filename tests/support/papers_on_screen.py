"""Where the portal shows the lines of papers of the floor, the players and the house."""

import re
from collections import defaultdict
from decimal import Decimal

from django.utils.html import strip_tags

from ledger.journal.days import day_bounds, gaming_day
from ledger.templatetags.books import account_title
from tables.models import Down, Round
from tests.support.lengths import LONG
from tests.support.on_screen import AMOUNT, TIMES, at, number_in, screen_of, shown_amount, together
from tests.support.week import ZONE


@screen_of("journal.csv")
def journal(portal):
    """Each entry with its time, people, reason and amounts, page by page."""
    shown, expected = [], []
    for day in portal.days:
        after, more = {}, True
        while more:
            answer, tables = portal.read("journal", day, **after)
            for row in tables.tables[0]:
                amounts = [found[2].replace(",", "") for found in AMOUNT.finditer(row["Lines"])]
                shown.append((number_in(row["Entry"]), row["Recorded"], amounts))
            after = {"after": answer.context["place"].after}
            more = after["after"] is not None
    entries = defaultdict(list)
    for line in portal.lines("journal.csv"):
        entries[line["entry"]].append(line)
    for entry, lines in entries.items():
        first = lines[0]
        said = f"{at(first['recorded_at'])} by {portal.person(first['actor'])}"
        if first["approver"]:
            said += f", approved by {portal.person(first['approver'])}"
        expected.append((entry, said, [line["amount"] for line in lines if line["amount"]]))
    return shown, expected


@screen_of("trial_balance.csv")
def trial_balance(portal):
    """What moved into accounts on a day is what its journal has by kind of entry."""
    shown, expected = [], []
    for day in portal.days:
        *_, all_kinds = portal.rows("audit-day", day, under="journal")
        for asset in ("chips", "cash"):
            lines = portal.lines("trial_balance.csv", gaming_day=str(day), asset=asset)
            shown.append((day, asset, shown_amount(all_kinds[f"{asset.title()} moved"])))
            expected.append((day, asset, f"{together(lines, 'in'):.2f}"))
    return shown, expected


@screen_of("down_detail.csv")
def down_detail(portal):
    """Each fee of a down, on its page."""
    shown = []
    for down in Down.objects.filter(session__table__site=portal.week.site).select_related("session__table"):
        where = gaming_day(portal.week.site, down.started_at), down.session.table.number, down.number
        shown += [
            (
                *(*map(str, where), number_in(row["Seat"]), row["Rule"].partition(",")[0]),
                *(shown_amount(row["Amount"]), TIMES.search(row["Entered"])[0]),
            )
            for row in portal.rows("down", down.pk)
            if row.get("Seat", "").startswith("Seat")
        ]
    columns = ("gaming_day", "table", "down", "seat", "rule", "amount")
    expected = [
        (*(line[column] for column in columns), at(line["entered_at"]))
        for line in portal.lines("down_detail.csv")
    ]
    return sorted(shown), sorted(expected)


@screen_of("uncollected.csv")
def uncollected(portal):
    """Fees that nobody paid, and their recovery, in the list of a day."""
    shown, expected = [], []
    for day in portal.days:
        for row in portal.rows("audit-day", day, under="serials"):
            kind, _, number = row["Number"].rpartition(" ")
            if kind in ("Uncollected fee", "Recovery"):
                shown.append((str(day), kind, number, row["By, at"], shown_amount(row["Amount"])))
    for line in portal.lines("uncollected.csv"):
        by = f"{portal.person(line['actor'])} {at(line['local_time'])}"
        told = "Uncollected fee", line["uncollected"], by, line["owed"]
        if line["state"] == "recovered":
            told = "Recovery", line["recovery"], by, line["recovered"]
        expected.append((line["gaming_day"], *told))
    return sorted(shown), sorted(expected)


@screen_of("master.csv")
def master(portal):
    """The sums of each table, below its downs."""
    names = {"From stacks": "fees_stack", "Cash at table": "fees_cash", "At the cage": "fees_cage"}
    shown = []
    for day in portal.days:
        sums = defaultdict(list)
        _, tables = portal.read("audit-day", day)
        for row in (row for table in tables.under.get("collections", []) for row in table):
            if row.get("Down", "").startswith("Table "):
                sums[number_in(row["Down"])].append([Decimal(shown_amount(row[name])) for name in names])
        shown += [(str(day), table, *map(sum, zip(*rows, strict=True))) for table, rows in sums.items()]
    expected = [
        (line["gaming_day"], line["table"], *(Decimal(line[name]) for name in names.values()))
        for line in portal.lines("master.csv")
        if line["table"]
    ]
    return sorted(shown), sorted(expected)


@screen_of("receipts.csv")
def receipts(portal):
    """Receipts for fees, in the list of a day."""
    shown = [
        (number_in(row["Receipt"]), row["Time"], row["Taken by"], shown_amount(row["Amount"]))
        for day in portal.days
        for row in portal.rows("audit-day", day, under="receipts")
    ]
    expected = [
        (line["number"], at(line["local_time"]), portal.person(line["actor"]), line["amount"])
        for line in portal.lines("receipts.csv", kind="collection")
    ]
    return sorted(shown), sorted(expected)


@screen_of("rates.csv")
def rates(portal):
    shown = [
        (
            *re.findall(r"\d+", row["Rate"]),
            *(shown_amount(row["Limit"]), shown_amount(row["Fee"]), row["Approval"], row["Published by"]),
            *[*re.findall(r"\d{4}-\d\d-\d\d", row["Holds"]), ""][:2],
        )
        for row in portal.rows("rates", under="fold-history")
    ]
    columns = ("effective_from", "effective_to")
    expected = [
        (
            *(line["option"], line["version"], line["limit"], line["fee"], line["reference"]),
            *(portal.person(line["published_by"]), *(line[column] for column in columns)),
        )
        for line in portal.lines("rates.csv")
    ]
    return sorted(shown), sorted(expected)


@screen_of("collections.csv")
def collections(portal):
    """What each down brought, by table."""
    shown, expected = [], defaultdict(Decimal)
    for day in portal.days:
        _, tables = portal.read("audit-day", day)
        for table in tables.under.get("collections", []):
            downs = []
            for row in table:
                taken = [row[name] for name in ("From stacks", "Cash at table", "At the cage")]
                taken = sum(Decimal(shown_amount(one)) for one in taken)
                if row["Down"].startswith("Down"):
                    downs.append((number_in(row["Down"]), taken))
                else:
                    shown += [(str(day), number_in(row["Down"]), *down) for down in downs]
                    downs = []
    for line in portal.lines("collections.csv"):
        if line["entry"] and line["taken_by"] != "waiver":
            key = line["gaming_day"], line["session"], line["down"]
            expected[key] += Decimal(line["amount"])
    tables = {line["session"]: line["table"] for line in portal.lines("collections.csv") if line["table"]}
    found = [(day, tables[session], down, taken) for (day, session, down), taken in expected.items()]
    return sorted(one for one in shown if one[3]), sorted(one for one in found if one[3])


# -- the players -----------------------------------------------------------------------------------


@screen_of("rounds.csv")
def rounds(portal):
    """What each seat won or lost, on the page of its round."""
    shown, expected, days = [], [], portal.looked_at
    for played in Round.objects.filter(session__table__site=portal.week.site):
        if gaming_day(portal.week.site, played.started_at) not in days:
            continue
        answer, _ = portal.read("round", played.pk)
        for part in answer.content.decode().split('aria-labelledby="settlement-')[1:]:
            entry = re.search(r"/audit/entries/(\d+)/", part)[1]
            hands = re.findall(r"Seat </span>(\d).*?result\s(.*?)after", part, re.DOTALL)
            shown += [(int(entry), seat, shown_amount(strip_tags(won))) for seat, won in hands]
    for line in (line for day in days for line in portal.lines("rounds.csv", gaming_day=str(day))):
        won = {name.removeprefix("seat_"): cell for name, cell in line.items() if name.startswith("seat_")}
        expected += [(int(line["entry"]), seat, cell) for seat, cell in won.items() if cell]
    return sorted(shown), sorted(expected)


@screen_of("player_ledger.csv")
def player_ledger(portal):
    """What moved a player's stack, day by day; fees in cash are in a list of their own."""
    moved = [
        line
        for day in portal.looked_at
        for line in portal.lines("player_ledger.csv", gaming_day=str(day))
        if (line["kind"], line["way"]) == ("collection", "stack")
        or (line["kind"] != "collection" and (line["kind"] != "reversal" or together([line], "in", "out")))
    ]
    shown, expected = [], []
    for player, day in {(line["player"], line["gaming_day"]) for line in moved}:
        _, tables = portal.read("audit-player", player, day=day)
        for row in (row for table in tables.tables for row in table if "Stack before" in row):
            amounts = [shown_amount(row[name]) for name in ("Stack before", "Amount", "Stack after")]
            who = row["Entry"].partition(" ")
            shown.append((player, int(who[0]), who[2], row["Time"], *amounts))
    for line in moved:
        amount = f"{together([line], 'in') - together([line], 'out'):.2f}"
        who, time = portal.person(line["actor"]), at(line["local_time"])
        amounts = line["before"], amount, line["after"]
        expected.append((line["player"], int(line["entry"]), who, time, *amounts))
    return sorted(shown), sorted(expected)


@screen_of("players.csv")
def players(portal):
    """Who somebody is, found in the register by number."""
    facts, shown, expected = defaultdict(dict), [], []
    for line in portal.lines("players.csv", until=""):
        facts[line["person"]][line["what"]] = line["value"]
    for person, one in facts.items():
        if number := one.get("number"):
            rows = portal.rows("players", q=number)
            shown += [(person, row["Player"], row["Card number"], row["Alias"]) for row in rows]
            name = one.get("name") or one.get("alias") or f"No. {number}"
            expected.append((person, name, number, one.get("alias", "")))
    return sorted(shown), sorted(expected)


# -- the house -------------------------------------------------------------------------------------


@screen_of("disputes.csv")
def disputes(portal):
    """What was disputed and decided, in the list of all."""
    answer, _ = portal.read("disputes")
    text = " ".join(strip_tags(answer.content.decode()).split())
    lines = portal.lines("disputes.csv")
    said = [
        f"{line['text']} {at(line['local_time'], '%Y-%m-%d %H:%M')} by {portal.person(line['person'])}"
        for line in lines
    ]
    assert len(re.findall(r"(?:Complaint|Dispute) \d+[:,]", text)) == len(
        {(line["kind"], line["number"]) for line in lines}
    )
    return [one if one in text else "" for one in said], said


@screen_of("handovers.csv")
def handovers(portal):
    """Who handed the floor over to whom and when, and the notes, on the page of each."""
    shown, expected = [], defaultdict(list)
    for line in portal.lines("handovers.csv"):
        told = portal.person(line["actor"]), portal.person(line["approver"]), at(line["local_time"])
        notes = expected[line["number"], told]
        if line["line"]:
            notes.append(line["note"] or "–")
    for number, _ in expected:
        answer, tables = portal.read("handover", number)
        facts = re.findall(r"<dd>(.*?)</dd>", answer.content.decode())
        notes = [row["Note"] for table in tables.tables for row in table if "Note" in row]
        shown.append((number, tuple(map(strip_tags, facts)), notes))
    return sorted(shown), sorted((*key, notes) for key, notes in expected.items())


@screen_of("controls.csv")
def controls(portal):
    """What the days of the week have against a control, on its page."""
    first, last = portal.week.period
    shown, expected = [], []
    for line in portal.lines("controls.csv", outcome="failed")[: None if LONG else 2]:
        answer, _ = portal.read("control", line["control"], first=first, last=last)
        text = " ".join(strip_tags(answer.content.decode()).split())
        found = f"{first} to {last} Failed {line['failed']} of {line['tested']}"
        shown.append((line["control"], found if found in text else text))
        expected.append((line["control"], found))
    return shown, expected


@screen_of("control_tests.csv")
def control_tests(portal):
    """The last test of each control, in the list of all."""
    _, tables = portal.read("controls")
    shown = [
        (row["Control"], row["Last test"], *_result(row["Result"]))
        for table in tables.tables
        for row in table
    ]
    expected = [
        (
            line["title"],
            f"Test {line['number']}, {at(line['local_time'], '%Y-%m-%d')}, {portal.person(line['actor'])}"
            f" {line['first_day']} to {line['last_day']}",
            line["outcome"].replace("_", " "),
            f"{line['failed']} of {line['tested']}" if line["tested"] != "0" else "",
        )
        for line in portal.lines("control_tests.csv")
    ]
    return sorted(shown), sorted(expected)


def _result(told):
    """Return the outcome and the counts of a result, which has none where nothing was tested."""
    counts = re.search(r"\d+ of \d+$", told)
    outcome = told.removesuffix(counts[0]) if counts else told
    return outcome.strip().lower().removesuffix(" here"), counts[0] if counts else ""


@screen_of("closing_balances.csv")
def closing_balances(portal):
    """What every account held, in the trial balance of the moment at which a day ended."""
    shown, expected = [], []
    for day in portal.days:
        ended = day_bounds(portal.week.site, day)[1].astimezone(ZONE)
        _, tables = portal.read("trial-balance", on=ended.date(), time=ended.time())
        for row in (row for table in tables.tables for row in table if "Account" in row):
            number = row["Account"].rpartition("no. ")[2]
            shown.append((str(day), row["Asset"], row["Kind"], number, shown_amount(row["Balance"])))
    for line in portal.lines("closing_balances.csv"):
        if line["account"]:
            kind = account_title(line["account_kind"])
            expected.append((line["gaming_day"], line["asset"], kind, line["account"], line["balance"]))
    return sorted(shown), sorted(expected)


@screen_of("access.csv")
def access(portal):
    """Who has which rights, in the list that is reviewed."""
    shown = [
        (row["No."], row["Name"], row["Roles"].lower(), row["Created"], row["Works here"])
        for row in portal.rows("staff-access")
    ]
    expected = [
        (
            *(line["person"], f"{line['name']} {line['username']}", line["roles"] or "-"),
            *(at(line["created"], "%Y-%m-%d"), line["works_here"]),
        )
        for line in portal.lines("access.csv")
    ]
    return sorted(shown), sorted(expected)


@screen_of("system.csv")
def system(portal):
    """What the house runs on, as it was stated last."""
    tables = portal.read("system")[1].tables
    parts = [row for table in tables for row in table if "Now" in row]
    stated = [(row["Name"], row.get("Stated", "the same"), row["Now"]) for row in parts]
    shown = [(name, now if said == "the same" else said) for name, said, now in stated if said != "-"]
    lines = portal.lines("system.csv")
    last = max(int(line["record_id"]) for line in lines)
    expected = [(line["name"], line["value"] or "-") for line in lines if line["record_id"] == str(last)]
    return sorted(shown), sorted(expected)


@screen_of("staff.csv")
def staff(portal):
    """Names, roles and badges, in the manager's list."""
    facts = defaultdict(lambda: defaultdict(list))
    for line in portal.lines("staff.csv", until=""):
        facts[line["person"]][line["what"]].append(line["value"])
    shown = [
        (row["Name"], sorted(row["Roles"].lower().split(", ")), row["Badge"].split(" ")[0])
        for row in portal.rows("staff", by="manager")
    ]
    expected = [
        (
            f"{one['name'][0]} {one['username'][0]}",
            sorted(one["role"]) or ["none"],
            *(one["badge"] or ["none"]),
        )
        for one in facts.values()
    ]
    return sorted(shown), sorted(expected)


@screen_of("exceptions.csv")
def exceptions(portal):
    """The lines of each kind, page by page, the newest first; in the short form those of one kind."""
    lines = portal.lines("exceptions.csv")
    kinds = sorted({line["kind"] for line in lines})
    kinds = kinds if LONG else kinds[:1]
    shown, (first, last) = [], portal.week.period
    for kind in kinds:
        page, more, found = 0, True, []
        while more:
            page += 1
            answer, _ = portal.read("exceptions", first=first, last=last, kind=kind, page=page)
            [of_kind] = answer.context["kinds"]
            found += [one.said for one in of_kind.shown]
            more = answer.context["page"].has_next()
        shown += found[::-1]
    return shown, [line for kind in kinds for line in lines if line["kind"] == kind]
