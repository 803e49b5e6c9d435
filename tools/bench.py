"""Run the benchmarks: `make bench`, or `make bench ONLY=rules` for those whose name begins so. A benchmark is
a module in benchmarks/ that prints one JSON object a line; names with an underscore are helpers. At the end
each figure with a goal is shown beside it. With GOALS=1 a missed goal fails the run."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from set_up import ROOT

FOLDER = ROOT / "benchmarks"


def main(only: str, goals_count: bool) -> int:
    """Run the matching files; return 1 if none matches, one fails, or a goal that counts is missed."""
    files = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("_"))
    chosen = [path.stem for path in files if path.stem.startswith(only)]
    if not chosen:
        there = ", ".join(path.stem for path in files) or "none"
        print(f"No benchmark {only or 'at all'}: benchmarks/ has {there}.", file=sys.stderr)
        return 1
    failed: list[str] = []
    lines = [line for name in chosen for line in run(name, failed)]
    missed = show_goals(lines)
    if failed:
        print(f"Failed: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed or (missed and goals_count) else 0


def run(name: str, failed: list[str]) -> Iterator[dict[str, Any]]:
    """Run one benchmark, passing its output on; yield its JSON lines, and note a failure in `failed`."""
    # As modules: one is called http, and would hide Python's package from programs in its folder.
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    with subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout or ():
            print(line, end="", flush=True)
            if line.startswith("{"):
                yield json.loads(line)
    if program.returncode:
        failed.append(name)


def show_goals(lines: list[dict[str, Any]]) -> int:
    """Print every figure that has a goal; return the number of missed ones."""
    rows = [
        (line["measure"], name, f"{line[name]:g}", goal, "missed" if name in line["missed"] else "met")
        for line in lines
        for name, goal in line.get("goals", {}).items()
    ]
    if rows:
        head = ("measure", "figure", "is", "goal", "")
        widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
        print()
        for row in (head, *rows):
            print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    return sum(row[-1] == "missed" for row in rows)


if __name__ == "__main__":
    sys.exit(main(os.environ.get("ONLY", ""), os.environ.get("GOALS") == "1"))
