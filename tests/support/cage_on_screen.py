"""Where the portal shows the lines of papers of the cage and the count."""

import re
from collections import defaultdict
from functools import partial

from ledger.chart import EVENTS, EntryKind
from ledger.journal.days import gaming_day
from ledger.models import Account, CageSlip, CountSheet, Drawer
from ledger.rules.documents import KINDS
from tests.support.on_screen import SCREENS, TIMES, at, number_in, screen_of, shown_amount, together


@screen_of("drawers.csv")
def drawers(portal):
    shown, expected = [], []
    for day in portal.days:
        for row in portal.rows("audit-day", day, under="slips"):
            over = shown_amount(row["Over/short"])
            shown.append((number_in(row["Drawer"]), row["Cashier"], row["Opened"], row["Closed"], over))
    for line in portal.lines("drawers.csv"):
        opened = f"{at(line['opened_at'], '%H:%M')}, shift {line['shift']}"
        over = f"{together([line], 'over_chips', 'over_cash'):.2f}"
        closed = at(line["closed_at"], "%H:%M")
        expected.append((line["number"], portal.person(line["cashier"]), opened, closed, over))
    return shown, expected


@screen_of("drawer_sheets.csv")
def drawer_sheets(portal):
    """What moved in a drawer by kind of act."""
    shown, expected = [], []
    for drawer in Drawer.objects.filter(site=portal.week.site):
        for row in portal.rows("drawer", drawer.pk):
            if "Act" in row:
                amounts = [shown_amount(row[asset]) for asset in ("Chips", "Cash")]
                shown.append((str(drawer.number), row["Act"], row["Times"], *amounts))
    acts = defaultdict(list)
    for line in portal.lines("drawer_sheets.csv", what="moved"):
        acts[line["number"], line["kind"]].append(line)
    for (number, kind), lines in acts.items():
        moved = [
            f"{together(lines, f'{asset}_in') - together(lines, f'{asset}_out'):.2f}"
            for asset in ("chips", "cash")
        ]
        expected.append((number, EVENTS[EntryKind(kind)].title, str(len(lines)), *moved))
    return sorted(shown), sorted(expected)


STATES = {"Posted": "posted", "Withdrawn": "withdrawn", "Counts differed": "differed"}


@screen_of("cage_slips.csv")
def cage_slips(portal):
    """Each slip of a day with who counted; and what was counted on its page."""
    shown, expected, slips = [], [], defaultdict(list)
    for day in portal.days:
        for row in portal.rows("audit-day", day, under="slips", table=1):
            amounts = [shown_amount(row.get(asset, "")) for asset in ("Chips", "Cash")]
            shown.append((number_in(row["Slip"]), STATES[row["State"]], row["Counted by"], *amounts))
    counted = CageSlip.objects.filter(site=portal.week.site)
    looked_at = [one for one in counted if gaming_day(portal.week.site, one.counted_at) in portal.looked_at]
    for slip in looked_at:
        for row in portal.rows("cage-slip", slip.pk):
            if row.get("First count") and row.get("Second count"):
                piece = row["Denomination"].partition(" ")
                shown.append((str(slip.number), *piece, row["First count"], row["Second count"]))
    numbers = {str(slip.number) for slip in looked_at}
    for line in portal.lines("cage_slips.csv"):
        slips[line["number"]].append(line)
        if line["number"] in numbers and line["denomination"] and line["second_count"]:
            piece = line["denomination"].removesuffix(".00")
            counts = line["first_count"], line["second_count"]
            expected.append((line["number"], f"${piece}", " ", line["asset"], *counts))
    for number, lines in slips.items():
        first, amounts = lines[0], ("", "")
        if first["outcome"] == "posted":
            amounts = [
                f"{together([one for one in lines if one['asset'] == asset], 'amount'):.2f}"
                for asset in ("chips", "cash")
            ]
        second = first["person"] if first["outcome"] != "withdrawn" else ""
        by = portal.people(first["counted_by"], second)
        expected.append((number, first["outcome"], by, *amounts))
    return sorted(shown), sorted(expected)


@screen_of("documents.csv")
def documents(portal):
    """Each step of each document, on its page."""
    shown, expected, found = [], [], portal.documents()
    for (kind, number), document in found.items():
        steps = {rule.title: str(rule.step) for rule in KINDS[kind].rules}
        for row in portal.rows("document", document.pk, under="fold-steps"):
            by, time = row["By"].partition(" Evidence: ")[0], TIMES.search(row["At"])[0]
            shown.append((kind, number, steps[row["Step"]], by, time, number_in(row["Entry"])))
    for line in portal.lines("documents.csv"):
        kind, number = line["kind"], line["number"]
        by = " ".join(filter(None, (portal.people(line["person"], line["second"]), line["reason"])))
        if line["reference"]:
            rule = next(rule for rule in KINDS[kind].rules if rule.step == line["step"])
            by += f" {rule.reference}: {line['reference']}"
        if (kind, number) in found:
            expected.append((kind, number, line["step"], by, at(line["local_time"]), line["entry"]))
    return sorted(shown), sorted(expected)


def documents_of(portal, paper):
    """The documents of a paper in the lists of their days: place, amount and shift."""
    kinds = {line["kind"] for line in portal.lines(paper)}
    titles, shown, expected = {KINDS[kind].title: kind for kind in kinds}, [], []
    for day in portal.days:
        for row in portal.rows("audit-day", day, under="documents"):
            title, shift = row["Document"].split(", shift ")
            title, _, number = title.rpartition(" ")
            if title in titles:
                amount = shown_amount(row["Amount"])
                shown.append((str(day), titles[title], number, shift, amount))
    for line in portal.lines(paper):
        amount = f"{together([line], *({'chips', 'cash'} & line.keys())):.2f}"
        expected.append((line["gaming_day"], line["kind"], line["number"], line["shift"], amount))
    return sorted(shown), sorted(expected)


for _paper in ("slips.csv", "deposits.csv", "chip_stock.csv", "unclaimed_chips.csv"):
    SCREENS[_paper] = partial(documents_of, paper=_paper)


@screen_of("table_inventory.csv")
def table_inventory(portal):
    """Openers and closers by denomination, on the page of each."""
    shown, kinds = [], {line["what"] for line in portal.lines("table_inventory.csv")} & KINDS.keys()
    begun = {
        (line["kind"], line["number"]): (line["gaming_day"], number_in(line["place"]), line["kind"])
        for line in portal.lines("documents.csv", step="requested")
    }
    for (kind, number), document in portal.documents().items():
        rows = portal.rows("document", document.pk) if kind in kinds else ()
        where = begun[kind, number]
        shown += [(*where, row["Denomination"], row["Counted"]) for row in rows if row.get("Pieces")]
    expected = [
        (
            *(line["gaming_day"], line["table"], line["what"]),
            f"${line['denomination'].removesuffix('.00')} {line['asset']}",
            line["pieces"],
        )
        for line in portal.lines("table_inventory.csv")
        if line["what"] in kinds and line["denomination"] and line["gaming_day"] in map(str, portal.looked_at)
    ]
    return sorted(shown), sorted(expected)


@screen_of("count_sheets.csv")
def count_sheets(portal):
    """Every count of every box, on the page of its sheet."""
    shown = []
    for sheet in CountSheet.objects.filter(site=portal.week.site):
        for row in portal.rows("count-sheet", sheet.pk, table=2):
            amounts = shown_amount(row["Chips"]), shown_amount(row["Cash"])
            who, _, struck = row["Counter"].partition(" struck")
            state = "struck" if struck else "stands"
            shown.append((number_in(row["Box"]), row["Attempt"], state, who, row["Time"], *amounts))
    expected = [
        (
            *(line["box"], line["attempt"], line["state"], portal.person(line["person"])),
            *(at(line["local_time"]), line["chips"], line["cash"]),
        )
        for line in portal.lines("count_sheets.csv", line="count")
    ]
    return sorted(shown), sorted(expected)


@screen_of("struck_counts.csv")
def struck_counts(portal):
    """Counts that were refused: of money from the count room, of documents, and of banks on their closers."""
    sheets = CountSheet.objects.filter(site=portal.week.site)
    pages = {f"Count sheet {sheet.number}": ("count-sheet", sheet.pk) for sheet in sheets}
    for (kind, number), document in portal.documents().items():
        pages[f"{KINDS[kind].title} {number}"] = "document", document.pk
    days = [*map(str, portal.looked_at)]
    shown, expected = [], []
    for place, page in pages.items():
        _, tables = portal.read(*page)
        for row in (row for table in tables.tables for row in table if "Refused" in row):
            who = row["Counted by"].partition(" struck")[0]
            amounts = shown_amount(row["Chips"]), shown_amount(row["Cash"])
            shown.append((place.split()[0], number_in(row["Refused"]), who, row["Time"], *amounts))
    for line in portal.lines("struck_counts.csv"):
        is_bank = line["place"].startswith("Table ")
        if line["place"] in pages or (is_bank and line["gaming_day"] in days):
            place = "Closer" if is_bank else line["place"].split()[0]
            told = place, line["attempt"], portal.person(line["person"]), at(line["local_time"])
            expected.append((*told, line["chips"], line["cash"]))
    return sorted(shown), sorted(expected)


@screen_of("box_log.csv")
def box_log(portal):
    """Who pulled, stored and brought each box and when, with its seal, on its count sheet."""
    shown, expected = [], []
    names = re.compile("|".join(sorted(map(re.escape, portal.names.staff.values()), key=len, reverse=True)))
    for sheet in CountSheet.objects.filter(site=portal.week.site):
        for row in portal.rows("count-sheet", sheet.pk):
            told = row["Pulled"]
            seal = number_in(told.partition("Seal ")[2])
            times = re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d", told)
            shown.append((number_in(row["Box"]), row["Installed"], times, names.findall(told), seal))
    for line in portal.lines("box_log.csv"):
        steps = [step for step in ("pulled", "stored", "received") if line[f"{step}_at"]]
        times = [at(line[f"{step}_at"], "%Y-%m-%d %H:%M") for step in steps]
        people = [portal.person(line[f"{step}_{how}"]) for step in steps for how in ("by", "with")]
        installed = at(line["installed_at"], "%Y-%m-%d %H:%M")
        expected.append((line["box"], installed, times, [*filter(None, people)], line["seal"]))
    return sorted(shown), sorted(expected)


@screen_of("cage_accountability.csv")
def cage_accountability(portal):
    """The vault after each act, on the statements of its two accounts."""
    shown, moved = [], portal.lines("cage_accountability.csv", what="moved")
    entries = {line["entry"] for line in moved}
    for account in Account.objects.filter(site=portal.week.site, kind="vault"):
        after, more = {"from-on": ""}, True
        while more:
            answer, tables = portal.read("account", account.pk, **after)
            rows = [(number_in(row["Entry"]), shown_amount(row["Balance"])) for row in tables.tables[0]]
            shown += [(str(account.asset), int(entry), held) for entry, held in rows if entry in entries]
            after = {"from-on": "", "after": answer.context["statement"].place.after}
            more = after["after"] is not None
    expected = [
        (asset, int(line["entry"]), line[f"{asset}_held"])
        for line in moved
        for asset in ("chips", "cash")
        if together([line], f"{asset}_in", f"{asset}_out")
    ]
    return sorted(shown), sorted(expected)


@screen_of("reconciliation.csv")
def reconciliation(portal):
    shown, expected = [], []
    for day in portal.days:
        for row in portal.rows("reconciliation", day):
            amounts = [shown_amount(row[name]) for name in ("Expected", "Counted", "Over/short")]
            percent = row["%"].removesuffix(" %")
            shown.append((str(day), *amounts, percent, row["Cause"], row["Signed by"]))
    for line in portal.lines("reconciliation.csv"):
        by = portal.people(line["signed_by"], line["second"])
        by = f"{by} {at(line['local_time'])}" if by else ""
        amounts = [line[name] for name in ("expected", "counted_amount", "over_short", "percent")]
        why = " ".join(filter(None, (line["cause"], line["evidence"])))
        expected.append((line["gaming_day"], *amounts, why, by))
    return sorted(shown), sorted(expected)


@screen_of("over_short.csv")
def over_short(portal):
    """What is listed there of boxes, banks, drawers, the vault and documents, without the sums."""
    shown, expected = [], []
    for day in portal.days:
        for row in portal.rows("reconciliation", day):
            amounts = [shown_amount(row[name]) for name in ("Expected", "Counted", "Over/short")]
            if row["Signed by"]:
                shown.append((str(day), *amounts))
    for line in portal.lines("over_short.csv"):
        if line["what"] != "together":
            amounts = [
                f"{together([line], *columns):.2f}"
                for columns in (
                    ("expected_chips", "expected_cash"),
                    ("counted_chips", "counted_cash"),
                    ("over_short",),
                )
            ]
            expected.append((line["gaming_day"], *amounts))
    return sorted(shown), sorted(expected)


@screen_of("beyond_books.csv")
def beyond_books(portal):
    shown = [
        (
            *re.findall(r"\d+", row["Number"]),
            *(row["Time"], row["Accepted by"], row["Reason"], shown_amount(row["Chips"])),
        )
        for row in portal.rows("chips-beyond-books")
    ]
    expected = [
        (
            *(line["number"], line["entry"], at(line["local_time"], "%Y-%m-%d %H:%M")),
            *(portal.people(line["actor"], line["approver"]), line["reason"], line["amount"]),
        )
        for line in portal.lines("beyond_books.csv")
    ]
    return shown, expected


@screen_of("cash_log.csv")
def cash_log(portal):
    shown, expected = [], []
    names = ("Cash in", "Cash out", "In so far", "Out so far")
    for day in portal.days:
        _, tables = portal.read("patrons-cash", day=day)
        for row in (row for table in tables.tables for row in table if "In so far" in row):
            amounts = [shown_amount(row[name]) for name in names]
            receipt = row["What"].partition(", receipt ")[2]
            shown.append((str(day), row["Time"], receipt, row["Kind"], row["Recorded by"], *amounts))
    for line in portal.lines("cash_log.csv"):
        amounts = [line[name] for name in ("cash_in", "cash_out", "total_in", "total_out")]
        who, time = portal.person(line["actor"]), at(line["local_time"], "%H:%M:%S")
        expected.append((line["gaming_day"], time, line["receipt"], line["transaction"], who, *amounts))
    return sorted(shown), sorted(expected)


@screen_of("currency_reports.csv")
def currency_reports(portal):
    shown = [
        (
            *(row["Gaming day"], row["Due"].split()[0], shown_amount(row["Cash in"])),
            *(shown_amount(row["Cash out"]), row["From, to"], row["Receipts"], row["Recorded by"]),
        )
        for row in portal.rows("patrons-cash", day=portal.days[-1])
        if "Gaming day" in row
    ]
    expected = [
        (
            *(line["gaming_day"], line["due"], line["cash_in"], line["cash_out"]),
            f"{at(line['since'], '%H:%M')}, {at(line['until'], '%H:%M')}",
            *(line["receipts"], portal.people(line["recorded_by"])),
        )
        for line in portal.lines("currency_reports.csv")
    ]
    return sorted(shown), sorted(expected)
