"""The collection: what a full house owes now, and the cost of starting a round that takes four fees.

`collection.due` is 1,000 seats at 200 tables in the minute in which all of them owe for a new down, against
one SELECT of the rows it follows from. `collection.start` is a round at the start of a down, with the down,
four charges and four entries to write, against the same round when all have paid.
"""

import statistics
import sys
import time
from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks._house import MEASURE, OPENING, House, on_databases
from benchmarks._measure import at_most, medians, tell
from ledger.journal.acts import Act
from tables.reports.dues import dues_now
from tables.rounds import running, starting
from tables.seats.sitting import cash_out

TABLES, SEATS = 200, 5
REPEATS = 15
START_TABLES, START_REPEATS = 20, 4
TIMES_DUE = {"postgresql": 1.5, "sqlite": 5}  # at most, of the one SELECT
TIMES_STARTED = 1.5  # at most, of the start without fees
ROWS = """
SELECT session.id, tables_table.number, seat, sitting.id, player.name, player.number, player.description, \
sitting.entered_at,
  sitting.sitting_out, stack.balance_cents, rate.fee_cents, rate.limit_cents, down.number, down.started_at, \
charge.id
FROM tables_sitting sitting
  JOIN tables_tablesession session ON session.id = sitting.session_id
  JOIN tables_table ON tables_table.id = session.table_id
  JOIN tables_rate rate ON rate.id = session.rate_id
  JOIN tables_player player ON player.id = sitting.player_id
  JOIN ledger_account stack ON stack.id = sitting.stack_id
  LEFT JOIN tables_down down ON down.session_id = session.id
    AND down.number = (SELECT max(number) FROM tables_down newest WHERE newest.session_id = session.id)
  LEFT JOIN tables_charge charge ON charge.player_id = sitting.player_id AND charge.down_id = down.id
WHERE sitting.left_at IS NULL AND session.closed_at IS NULL
ORDER BY tables_table.number, seat
"""


def select(_repeat):
    with connection.cursor() as cursor:
        cursor.execute(ROWS)
        assert len(cursor.fetchall()) == TABLES * SEATS


def measure_due():
    now = OPENING + timedelta(minutes=41)
    with CaptureQueriesContext(connection) as queries:
        assert dues_now(now).rows == TABLES * SEATS
    for _ in range(2):
        dues_now(now), select(0)
    seconds = medians(REPEATS, {"ours": lambda _repeat: dues_now(now), "select": select})
    tell(
        f"collection.due.{connection.vendor}",
        "one SELECT of the rows it needs",
        seconds["ours"] * 1e3,
        seconds["select"] * 1e3,
        unit="ms",
        n=TABLES * SEATS,
        repeats=REPEATS,
        queries=len(queries),
        times=round(seconds["ours"] / seconds["select"], 2),
        goals={"times": at_most(TIMES_DUE[connection.vendor])},
    )


def start(house, session, now):
    """Start a round and void it; return the seconds of the start."""
    dealer, key = house.dealers[session.pk], house.key()
    began = time.perf_counter()
    round_ = starting.start_round(session_id=session.pk, act=Act(key=key, actor=dealer, now=now))
    took = time.perf_counter() - began
    running.void_round(round_id=round_.pk, act=Act(reason="misdeal", key=house.key(), actor=dealer, now=now))
    return took


def measure_start(house):
    took = {"due": [], "paid": []}
    for repeat in range(1, START_REPEATS + 2):
        now = OPENING + timedelta(minutes=40 * (repeat + 1))
        for session in house.sessions[:START_TABLES]:
            for name in took:
                took[name].append(start(house, session, now))
    due, paid = (statistics.median(took[name][START_TABLES:]) for name in ("due", "paid"))
    tell(
        f"collection.start.{connection.vendor}",
        "starting the same round when nobody owes",
        due * 1e3,
        paid * 1e3,
        unit="ms a round",
        n=START_TABLES,
        repeats=START_REPEATS,
        times=round(due / paid, 2),
        goals={"times": at_most(TIMES_STARTED)},
    )


def measure():
    house = House(TABLES, SEATS)
    for session in house.sessions:
        start(house, session, OPENING)
    measure_due()
    for session in house.sessions[:START_TABLES]:
        fifth = session.sittings.get(seat=SEATS)
        cash_out(sitting_id=fifth.pk, act=Act(key=house.key(), actor=house.people["floor"], now=OPENING))
    measure_start(house)


if __name__ == "__main__":
    if MEASURE in sys.argv:
        measure()
    else:
        on_databases(__file__, "postgresql", "sqlite")
