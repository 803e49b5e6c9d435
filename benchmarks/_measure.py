"""How a benchmark measures and tells: both sides in turn, medians, one JSON object a line."""

import json
import statistics
import time


def medians(repeats, works, clock=time.perf_counter):
    """Seconds that each of several works takes, run in turn so that a noisy machine is as noisy for all.

    A work is given the number of the repeat, so that it can take what no cache has seen yet. `clock` is
    `time.process_time` where the works wait for nothing: then it does not count what else the machine does.
    """
    taken = {name: [] for name in works}
    for repeat in range(repeats):
        for name, work in works.items():
            start = clock()
            work(repeat)
            taken[name].append(clock() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def tell(measure, against, ours, theirs, *, unit, n, repeats, **more):
    """Print one line: `ratio` says how many times as long theirs takes."""
    line = {"measure": measure, "against": against, "ratio": round(theirs / ours, 3)}
    line |= {"ours": round(ours, 4), "theirs": round(theirs, 4), "unit": unit, "n": n, "repeats": repeats}
    print(json.dumps(line | more), flush=True)
