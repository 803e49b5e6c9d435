"""Run the benchmarks: `make bench`, or `make bench ONLY=rules` for the files whose name begins so.

A benchmark is a file in benchmarks/ that prints one JSON object a line; one that begins with an underscore is none.
"""

import os
import subprocess
import sys

from set_up import ROOT

FOLDER = ROOT / "benchmarks"


def main(only: str) -> int:
    """Run what matches, one after the other; 1 where nothing matches or one fails."""
    files = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("_"))
    chosen = [path for path in files if path.stem.startswith(only)]
    if not chosen:
        there = ", ".join(path.stem for path in files) or "none"
        print(f"No benchmark {only or 'at all'}: benchmarks/ has {there}.", file=sys.stderr)
        return 1
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    failed = [
        path.name for path in chosen if subprocess.call([sys.executable, path], env=environment, cwd=ROOT)
    ]
    if failed:
        print(f"Failed: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.environ.get("ONLY", "")))
