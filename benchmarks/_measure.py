"""Measuring: both sides in turn, medians, one JSON object a line, with goals beside figures."""

import json
import statistics
import time
from typing import NamedTuple


class Goal(NamedTuple):
    """A bound for a figure: `at_least(5)`, `at_most(0.3)`."""

    sign: str
    limit: float

    def met(self, figure):
        return figure >= self.limit if self.sign == ">=" else figure <= self.limit

    def __str__(self):
        return f"{self.sign} {self.limit:g}"


def at_least(limit):
    return Goal(">=", limit)


def at_most(limit):
    return Goal("<=", limit)


def medians(repeats, works, clock=time.perf_counter):
    """Return the median seconds of works run in turn, so that the machine's noise affects all alike. A work
    gets the number of the repeat, to use fresh data; `clock` may be `time.process_time`."""
    taken = {name: [] for name in works}
    for repeat in range(repeats):
        for name, work in works.items():
            start = clock()
            work(repeat)
            taken[name].append(clock() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def tell(measure, against, ours, theirs, *, unit, n, repeats, goals=None, **more):
    """Print one line; `ratio` is theirs divided by ours. `goals` are by figure; missed ones are named."""
    line = {"measure": measure, "against": against, "ratio": round(theirs / ours, 3)}
    line |= {"ours": round(ours, 4), "theirs": round(theirs, 4), "unit": unit, "n": n, "repeats": repeats}
    line |= more
    if goals:
        line["goals"] = {name: str(goal) for name, goal in goals.items()}
        line["missed"] = [name for name, goal in goals.items() if not goal.met(line[name])]
    print(json.dumps(line), flush=True)
