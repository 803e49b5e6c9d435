"""Make the hashed locks again from requirements/*.in: `make lock`. Needs the environment that tools/set_up.py makes."""

import subprocess
import sys

from set_up import LOCKS, ROOT, UV_LOCK, python, uv_environment

# Universal locks: one file serves every platform and every Python from 3.11 on. Hosts of indexes stay out of them.
COMPILE = [
    *("-m", "uv", "pip", "compile", "--quiet", "--upgrade", "--generate-hashes", "--universal"),
    *("--python-version", "3.11", "--no-emit-index-url", "--no-emit-find-links"),
]


# A second index, or a folder of wheels, may hold one platform's files alone: a lock lists those of every platform.
PARTIAL = ("UV_INDEX", "UV_FIND_LINKS")


def main() -> int:
    """Compile every lock whose .in file exists; give the exit status of the first that fails."""
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
