"""Run `make run` and `make test` on bare machines, as root: `python3 tools/bare_machines.py FOLDER`.

A bare machine is a minimal Debian made by debootstrap, with five packages and a clone of the commit. It takes
nothing from the host but the access to package mirror and index. Each release is tried as root, and as a user
for whom root installs what `make test` asks for. Commands run in mount and process namespaces of their own,
so nothing outlives this script.
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import set_up

RELEASES = ("bookworm", "trixie")
PACKAGES = "python3,python3-venv,make,git,ca-certificates"
ROOT, SOMEBODY = "root", "somebody"
START_SECONDS = 300
STOP_SECONDS = 30
LOCAL_CERTIFICATES = Path("/usr/local/share/ca-certificates")
# Settings of apt for reaching a mirror; the others are about this host.
APT_WAYS = re.compile(r'Acquire::(?!IndexTargets|Changelogs|cdrom)\S+ ".+";')
# Variables for reaching an index; pip's own are among its settings.
WAYS = re.compile(r"UV_\w+|\w+_proxy", re.IGNORECASE)
ASKED_OF_ROOT = re.compile(r"as root: (apt-get .+)$", re.MULTILINE)
# The first process of the namespace. Folders before "--" are shown read-only at their host path.
ENTER = """
set -e
cd "$1"; shift
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs dev/shm
while [ "$1" != -- ]; do
    mkdir -p "./$1"
    mount --bind "$1" "./$1"
    mount -o remount,bind,ro "./$1"
    shift
done
shift
set +e
chroot "$@"
exit $?
"""


class Tried(NamedTuple):
    machine: str
    command: str
    passed: bool
    seconds: float
    log: Path


@dataclass(frozen=True)
class Ways:
    mirror: str
    apt: str
    pip: dict[str, str]
    variables: dict[str, str]

    def local(self) -> list[Path]:
        """Return the host's files and folders that pip's settings and the variables name."""
        words = " ".join([*self.pip.values(), *self.variables.values()]).replace(",", " ").split()
        # An index is a folder of pages that link to files in folders beside it.
        indexes = [Path(word.removeprefix("file://")).parent for word in words if word.startswith("file://")]
        paths = [*indexes, *(Path(word) for word in words if word.startswith("/"))]
        return [path for path in dict.fromkeys(paths) if path.exists()]


@dataclass(frozen=True)
class Machine:
    folder: Path
    release: str
    person: str
    ways: Ways

    @property
    def name(self) -> str:
        return f"{self.release}-{self.person}"

    @property
    def root(self) -> Path:
        return self.folder / self.name

    @property
    def home(self) -> str:
        return "/root" if self.person == ROOT else f"/home/{self.person}"

    def log(self, command: str) -> Path:
        return self.folder / "logs" / f"{self.name}-{command}.log"

    def entering(self, command: str, person: str) -> list[str]:
        """Return the command line that runs a shell command in the clone and ends with this process."""
        shown = [str(path) for path in self.ways.local() if path.is_dir()]
        variables = {
            "HOME": "/root" if person == ROOT else self.home,
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            **self.ways.variables,
        }
        namespace = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        clean = ["env", "-i", *(f"{name}={value}" for name, value in variables.items())]
        where = f"cd {self.home}/casino 2>/dev/null || cd {self.home}; {command}"
        return [
            *("setpriv", "--pdeathsig", "KILL", *namespace, "sh", "-c", ENTER, "enter", str(self.root)),
            *(*shown, "--", f"--userspec={person}", ".", *clean, "sh", "-c", where),
        ]

    @contextlib.contextmanager
    def running(
        self, command: str, log: Path, person: str | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a shell command as a terminal would, with its output in the log; kill it at the end."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as out:
            process = subprocess.Popen(
                self.entering(command, person or self.person),
                env={"PATH": os.environ["PATH"]},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def call(self, command: str, log: Path, person: str | None = None) -> int:
        with self.running(command, log, person) as process:
            return process.wait()

    def make(self) -> None:
        """Make a fresh copy of the base with the host's access settings, and a clone in the person's home."""
        if self.root.exists():
            shutil.rmtree(self.root)
        base = made_base(self.folder, self.release, self.ways.mirror)
        subprocess.run(["cp", "-a", "--reflink=auto", base, self.root], check=True)
        self._configure()
        bundle = self.root / "project.bundle"
        # whoever owns the clone
        git = ["git", "-c", f"safe.directory={set_up.ROOT}", "-C", str(set_up.ROOT)]
        subprocess.run([*git, "bundle", "create", "--quiet", str(bundle), "HEAD"], check=True)
        log = self.log("make")
        log.unlink(missing_ok=True)
        steps = ["update-ca-certificates"]
        if self.person != ROOT:
            steps.append(f"useradd --create-home --shell /bin/bash {self.person}")
        steps.append(
            f"setpriv --reuid {self.person} --regid {self.person} --clear-groups "
            f"git -c advice.detachedHead=false clone --quiet /project.bundle {self.home}/casino"
        )
        if self.call(" && ".join(steps), log, ROOT):
            sys.exit(f"{self.name} could not be made: see {log}")

    def _configure(self) -> None:
        etc = self.root / "etc"
        (etc / "apt/apt.conf.d/99ways").write_text(self.ways.apt)
        pip = "".join(f"{name} = {value}\n" for name, value in self.ways.pip.items())
        (etc / "pip.conf").write_text(f"[global]\n{pip}")
        shutil.copyfile("/etc/resolv.conf", etc / "resolv.conf")
        if LOCAL_CERTIFICATES.is_dir():
            inside = self.root / LOCAL_CERTIFICATES.relative_to("/")
            shutil.copytree(LOCAL_CERTIFICATES, inside, dirs_exist_ok=True)
        for path in self.ways.local():
            inside = self.root / path.relative_to("/")
            if path.is_file() and not inside.exists():
                inside.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, inside)


def made_base(folder: Path, release: str, mirror: str) -> Path:
    base = folder / "bases" / release
    if not base.exists():
        unfinished = base.with_suffix(".unfinished")
        if unfinished.exists():
            shutil.rmtree(unfinished)
        unfinished.mkdir(parents=True)
        print(f"Making the base of {release} ...", flush=True)
        log = folder / "logs" / f"{release}-debootstrap.log"
        log.parent.mkdir(exist_ok=True)
        options = ("--variant=minbase", f"--include={PACKAGES}", release, str(unfinished), mirror)
        with log.open("wb") as out:
            done = subprocess.run(["debootstrap", *options], stdout=out, stderr=out, check=False)
        if done.returncode:
            sys.exit(f"debootstrap could not make {release}: see {log}")
        for archive in (unfinished / "var/cache/apt/archives").glob("*.deb"):
            archive.unlink()
        unfinished.rename(base)
    return base


def ways_of_this_host(mirror: str | None) -> Ways:
    asked = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    set_up.make_environment(set_up.VENV)
    return Ways(
        mirror=mirror or mirror_of_this_host(),
        apt="\n".join(APT_WAYS.findall(asked)) + "\n",
        pip={name: " ".join(value.split()) for name, value in set_up.pip_settings(set_up.VENV).items()},
        variables={name: value for name, value in os.environ.items() if WAYS.fullmatch(name)},
    )


def mirror_of_this_host() -> str:
    asking = ["apt-get", "indextargets", "--format", "$(ORIGIN) $(COMPONENT) $(REPO_URI)"]
    listed = subprocess.run(asking, capture_output=True, text=True, check=False).stdout
    for origin, component, address in (line.split(None, 2) for line in listed.splitlines()):
        if (origin, component) == ("Debian", "main"):
            return address
    sys.exit("apt knows no mirror of Debian here: run apt-get update, or give --mirror.")


def try_run(machine: Machine) -> Tried:
    """Run `make run` until it answers, then interrupt it like Ctrl-C."""
    log, began = machine.log("run"), time.monotonic()
    log.unlink(missing_ok=True)
    port = free_port()
    with machine.running(f"make run PORT={port}", log) as process:
        answered = answers(process, f"http://127.0.0.1:{port}/")
        seconds = time.monotonic() - began
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            answered = False
            with log.open("a") as out:
                print(f"It did not end within {STOP_SECONDS} s of Ctrl-C.", file=out)
    return Tried(machine.name, "make run", answered, seconds, log)


def answers(process: subprocess.Popen[bytes], address: str) -> bool:
    deadline = time.monotonic() + START_SECONDS
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            return bool(direct.open(address, timeout=10).status == 200)
        time.sleep(0.2)
    return False


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def try_test(machine: Machine) -> Iterator[Tried]:
    """Run `make test`. Without root it first has to say what to install, and passes after that."""
    if machine.person != ROOT:
        log = machine.log("test-unprepared")
        status, seconds = timed(machine, "make test", log)
        asked = ASKED_OF_ROOT.search(log.read_text(errors="replace"))
        refused = bool(status) and asked is not None
        yield Tried(machine.name, "make test, refused", refused, seconds, log)
        if asked is None:
            return
        log = machine.log("packages")
        status, seconds = timed(machine, asked[1], log, ROOT)
        yield Tried(machine.name, "what it asked of root", status == 0, seconds, log)
    log = machine.log("test")
    status, seconds = timed(machine, "make test", log)
    yield Tried(machine.name, "make test", status == 0, seconds, log)


def timed(machine: Machine, command: str, log: Path, person: str | None = None) -> tuple[int, float]:
    log.unlink(missing_ok=True)
    began = time.monotonic()
    return machine.call(command, log, person), time.monotonic() - began


def table(tries: list[Tried]) -> str:
    lines = [f"{'machine':18} {'command':22} {'':6} {'time':>6}  log"]
    for tried in tries:
        minutes, seconds = divmod(round(tried.seconds), 60)
        outcome = "passed" if tried.passed else "FAILED"
        lines.append(f"{tried.machine:18} {tried.command:22} {outcome} {minutes:3}:{seconds:02}  {tried.log}")
    return "\n".join(lines)


def try_all(machines: list[Machine], commands: list[str]) -> int:
    """Make each machine, run the commands and print the table. Machines that passed are deleted."""
    tries: list[Tried] = []
    for machine in machines:
        print(f"{machine.name} ...", flush=True)
        machine.make()
        before = len(tries)
        if "run" in commands:
            tries.append(try_run(machine))
        if "test" in commands:
            tries += try_test(machine)
        print(table(tries[before:]), flush=True)
        if all(tried.passed for tried in tries[before:]):
            shutil.rmtree(machine.root)
    shown = table(tries)
    (machines[0].folder / "logs" / "table.txt").write_text(shown + "\n")
    print(f"\n{shown}")
    return 0 if all(tried.passed for tried in tries) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run `make run` and `make test` on bare machines.")
    parser.add_argument("folder", type=Path, help="where the machines, their bases and the logs are kept")
    parser.add_argument("--release", nargs="+", choices=RELEASES, default=RELEASES)
    parser.add_argument(
        "--person", nargs="+", choices=(ROOT, SOMEBODY), default=(ROOT, SOMEBODY), help="whose clone"
    )
    parser.add_argument("--command", nargs="+", choices=("run", "test"), default=("run", "test"))
    parser.add_argument("--mirror", help="a mirror of Debian; without it the one that this host's apt uses")
    parser.add_argument(
        "--enter", metavar="COMMAND", help="run this in the clone of one machine as it was left, instead"
    )
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # A background shell ignores Ctrl-C for its children; what runs on a machine has to receive it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        sys.exit("Bare machines are made by root, with debootstrap (apt-get install debootstrap).")
    ways, folder = ways_of_this_host(asked.mirror), asked.folder.resolve()
    machines = [
        Machine(folder, release, person, ways) for release in asked.release for person in asked.person
    ]
    if asked.enter is None:
        return try_all(machines, asked.command)
    if len(machines) != 1 or not machines[0].root.exists():
        sys.exit(
            "--enter takes one --release and one --person, whose machine was left because something failed."
        )
    return subprocess.call(machines[0].entering(asked.enter, machines[0].person))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
