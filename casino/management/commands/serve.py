"""`manage.py serve`: the whole house in one process, or one web process of several where REDIS_URL is set."""

import contextlib
import errno
import os
import signal
import socket
import sys
import threading
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from casino.demo import people
from casino.house import first_start
from casino.serving.database_watch import watch
from casino.serving.scheduler import embedded_scheduler
from casino.serving.slow_senders import BACKLOG, Connection
from casino.serving.starting import make_ready, only_server
from tables.rules.game.evaluation import make_ready as make_ready_to_rank
from tables.rules.game.sheet import library
from tables.views.floor import board_cache

# Time for live pages, whose connections stay open for hours, to finish when the server stops.
GRACE_SECONDS = 2
POLL_SECONDS = 0.5


class Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, command: BaseCommand, set_up: list[str]) -> None:
        super().__init__(config)
        self.command = command
        self.set_up = set_up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host = f"[{settings.HOST}]" if ":" in settings.HOST else settings.HOST
        shown = "localhost" if host in ("127.0.0.1", "[::1]") else host
        house = f"http://{shown}:{settings.PORT}"
        lines = [f"Casino tables: {house}/  (Ctrl-C stops it)"]
        if settings.DEMO:
            lines.append(f"Sign in with the password {people.PASSWORD} (PIN at a table: {people.PIN}) as")
            lines += [f"  {username:<10} {role}" for username, role in people.PEOPLE]
            lines.append(f"A television shows {house}{reverse('tv')} with nobody signed in.")
        self.command.stdout.write("\n".join(lines + self.set_up))
        self.command.stdout.flush()


class Command(BaseCommand):
    help = "Serve the house on HOST and PORT; without REDIS_URL the scheduler runs inside this process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--prepare migrates in this process, because starting Python twice costs a second."""
        parser.add_argument("--prepare", action="store_true", help="run `manage.py prepare` before serving")
        parser.add_argument(
            "--under-make", action="store_true", help="stop when the make that started this stops"
        )

    def get_check_kwargs(self, options: dict[str, Any]) -> Any:
        """Leave the database out of Django's checks: `only_server` and `make_ready` come first."""
        return super().get_check_kwargs(options) | {"databases": []}

    def handle(self, *args: Any, prepare: bool, under_make: bool, **options: Any) -> None:
        # uvicorn re-raises SIGTERM after it has stopped; exit normally then, so that cleanup runs.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        if under_make:
            stop_with_make()
        listening = contextlib.closing(listening_socket())
        with contextlib.suppress(KeyboardInterrupt), listening as listener, only_server():
            if prepare:
                call_command("prepare", stdout=self.stdout)
            make_ready("serve")
            self.serve(listener, how_to_set_up(at_terminal=self.stdout.isatty()))

    def serve(self, listener: socket.socket, set_up: list[str]) -> None:
        config = uvicorn.Config(
            "casino.asgi:application",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # casino/serving/edge.py reads them, under any server
            ws="none",
            http=Connection,
            backlog=BACKLOG,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        scheduler = contextlib.nullcontext() if settings.REDIS_URL else embedded_scheduler()
        board_cache.warm(timezone.now())
        make_ready_to_rank(library())
        connection.close()
        with scheduler, watch.watching():
            Server(config, self, set_up).run(sockets=[listener])


def listening_socket() -> socket.socket:
    """Bind the port before anything else, so that a port in use is reported at once."""
    listener = socket.socket(socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.HOST, settings.PORT))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            sentence = f"Port {settings.PORT} is taken: choose another, PORT={settings.PORT + 1} for example."
        else:
            sentence = f"Can't listen on {settings.HOST}:{settings.PORT}: {error.strerror}."
        raise CommandError(sentence) from None
    settings.PORT = listener.getsockname()[1]  # with PORT=0 the system chooses one; report that
    return listener


def how_to_set_up(*, at_terminal: bool) -> list[str]:
    """Return the lines that say how to set up a house, none if there is one. The address is as good as a
    password, so only a terminal shows it; a log file gets the command that does."""
    if settings.DEMO or not first_start.wanted():
        return []
    none_yet = "There is no house here yet. "
    if not at_terminal:
        return [f"{none_yet}`manage.py setup_link` shows the address at which it is set up."]
    address = first_start.address_of(first_start.make_link(timezone.now()))
    return [f"{none_yet}Set it up within the hour, at", f"  {address}"]


# -- stopping with make ----------------------------------------------------------------------------
#
# Ctrl-C at a terminal reaches both make and the server. A supervisor, a script or `kill` reaches make only,
# which then waits for a server that has had no signal, or leaves it running.


def stop_with_make() -> None:
    """End this process with SIGTERM once its parent make has ended or been interrupted."""
    make = os.getppid()
    armed = catches_interrupt(make)

    def watch() -> None:
        while os.getppid() == make and catches_interrupt(make) == armed:
            time.sleep(POLL_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="under-make", daemon=True).start()


def catches_interrupt(process: int) -> bool:
    """Return whether a process handles SIGINT; false without /proc: then only make's end is noticed."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
    caught = next((line for line in status.splitlines() if line.startswith("SigCgt:")), "SigCgt: 0")
    return bool(int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1)
