"""Make the hashed locks again from requirements/*.in: `make lock`. Needs the .venv of tools/set_up.py."""

import subprocess
import sys

from set_up import LOCKS, OLDEST, OLDEST_FOR_NEXT, ROOT, UV_LOCK, VENV, python, uv_environment

# Universal: one lock serves every platform and every Python from the oldest on. It names no index.
COMPILE = [
    *("-m", "uv", "pip", "compile", "--quiet", "--upgrade", "--generate-hashes", "--universal"),
    *("--no-emit-index-url", "--no-emit-find-links"),
]
# What each lock is made of. One that contains another keeps to its versions, except with the next Django.
OPTIONS = {
    "uv": ["requirements/uv.in"],
    "run": ["requirements/run.in"],
    "test": ["-c", "requirements.txt", "requirements/test.in"],
    "bench": ["-c", "requirements-test.txt", "requirements/bench.in"],
    "next": ["--overrides", "requirements/next.in", "requirements/test.in"],
}
# A second index or a folder of wheels may have one platform's files only; a lock lists every platform's.
PARTIAL = ("UV_INDEX", "UV_FIND_LINKS")


def main() -> int:
    """Compile every lock; return the first failing exit status."""
    environment = {name: value for name, value in uv_environment(VENV).items() if name not in PARTIAL}
    for purpose, lock in {"uv": UV_LOCK, **LOCKS}.items():
        print(f"requirements/{purpose}.in -> {lock.relative_to(ROOT)}", flush=True)
        oldest = OLDEST_FOR_NEXT if purpose == "next" else OLDEST
        files = ["--python-version", f"3.{oldest[1]}", *OPTIONS[purpose], "-o", str(lock.relative_to(ROOT))]
        done = subprocess.call([python(VENV), *COMPILE, *files], cwd=ROOT, env=environment)
        if done:
            return done
    return 0


if __name__ == "__main__":
    sys.exit(main())
