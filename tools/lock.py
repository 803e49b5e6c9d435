"""Make the hashed locks again from requirements/*.in: `make lock`. Needs the .venv of tools/set_up.py."""

import subprocess
import sys

from set_up import LOCKS, ROOT, UV_LOCK, python, uv_environment

# Universal: one lock serves every platform and every Python from 3.11 on. It names no index.
COMPILE = [
    *("-m", "uv", "pip", "compile", "--quiet", "--upgrade", "--generate-hashes", "--universal"),
    *("--python-version", "3.11", "--no-emit-index-url", "--no-emit-find-links"),
]


# A second index or a folder of wheels may have one platform's files only; a lock lists every platform's.
PARTIAL = ("UV_INDEX", "UV_FIND_LINKS")


def main() -> int:
    """Compile every lock whose .in file exists; return the first failing exit status."""
    environment = {name: value for name, value in uv_environment().items() if name not in PARTIAL}
    for lock in [UV_LOCK, *LOCKS.values()]:
        purpose = lock.stem.removeprefix("requirements-").replace("requirements", "run")
        source = ROOT / "requirements" / f"{purpose}.in"
        if not source.exists():
            continue
        print(f"{source.relative_to(ROOT)} -> {lock.relative_to(ROOT)}", flush=True)
        files = [str(source.relative_to(ROOT)), "-o", str(lock.relative_to(ROOT))]
        done = subprocess.call([python(), *COMPILE, *files], cwd=ROOT, env=environment)
        if done:
            return done
    return 0


if __name__ == "__main__":
    sys.exit(main())
