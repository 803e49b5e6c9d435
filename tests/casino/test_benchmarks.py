"""The benchmarks' house still opens, sells and makes a paper: nobody runs `make bench` every day."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_a_benchmark_runs_on_a_house_of_its_own():
    few = dict(os.environ, BENCH_RECORDS="60,120", BENCH_LINES="500", CASINO_STATEMENTS="")
    command = [sys.executable, "-m", "benchmarks.papers"]
    ran = subprocess.run(command, cwd=ROOT, env=few, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    *many, csv, xlsx = (json.loads(line) for line in ran.stdout.splitlines())
    assert [one["n"] for one in many] == [500, 500, 500]
    assert csv["n"] == xlsx["n"] > 120
    assert min(csv["told"], xlsx["told"]) > 100
