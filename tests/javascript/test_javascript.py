"""The scripts of the tablet by themselves: each file beside this one runs in the Node of Playwright.

What needs a page is tested in tests/browser.
"""

import re
import subprocess
from pathlib import Path

import playwright
import pytest

HERE = Path(__file__).parent
# The scripts are modules without a package.json, which Node says each time.
NODE = [
    Path(playwright.__file__).parent / "driver" / "node",
    "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
    "--test",
]


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_the_scripts_do_what_their_tests_say(file):
    done = subprocess.run([*NODE, HERE / file], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"pass (\d+)", done.stdout)[1]) > 0
