"""The command line of a witness: `python3 -I witness.pyz FILE new|trust|serve|show`."""

import argparse
import sqlite3
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ledger.errors import LedgerError
from ledger.proof.audit.tree.log_keys import LogKey
from ledger.proof.witness.book import Book
from ledger.proof.witness.serving import WitnessServer

DONE, REFUSED = 0, 1

_AFTER = """\
  witness.pyz w.sqlite3 new bureau.example/w1       make a witness, and print its key for the house's policy
  witness.pyz w.sqlite3 trust "KEY KEY"             know a log, by the key that its house has published
  witness.pyz w.sqlite3 serve                       answer POST http://127.0.0.1:8790/add-checkpoint
  witness.pyz w.sqlite3 show                        print what was cosigned last, of each log
  witness.pyz w.sqlite3 newest ORIGIN               print that checkpoint, for verify.pyz --checkpoint

The file has the key and all that was cosigned. Never put an older copy of it back: the
witness would cosign a second history.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. Return 0 done, 1 refused, 2 not understood."""
    parser = argparse.ArgumentParser(
        prog="witness.pyz",
        description="Cosigns the checkpoints of logs, as long as they only grow.",
        epilog=_AFTER,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="where the witness keeps everything")
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("new").add_argument("name", help="a name that you control: bureau.example/w1")
    actions.add_parser("trust").add_argument("key", help="both keys of the log, with a space between")
    serve = actions.add_parser("serve")
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8790)
    actions.add_parser("show")
    actions.add_parser("newest").add_argument("origin")
    asked = parser.parse_args(argv)
    try:
        if asked.action == "new":
            _say(Book.make(asked.file, asked.name).key.text)
            return DONE
        book = Book(asked.file)
        if asked.action == "trust":
            book.trust(LogKey.parse(asked.key))
        elif asked.action == "serve":
            _serve(book, asked.host, asked.port)
        elif asked.action == "show":
            _say(book.key.text)
            for origin in book.origins():
                _say(_line(book, origin))
        else:
            newest = book.newest(asked.origin)
            if newest is None:
                return REFUSED
            _say(newest.note.decode().removesuffix("\n"))
        return DONE
    except (LedgerError, OSError, sqlite3.Error) as error:
        sys.stderr.write(f"witness.pyz: {error}\n")
        return REFUSED


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _serve(book: Book, host: str, port: int) -> None:
    with WitnessServer(book, host, port) as server:
        _say(f"{book.name} answers on http://{server.server_name}:{server.server_port}/add-checkpoint")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


def _line(book: Book, origin: str) -> str:
    newest = book.newest(origin)
    if newest is None:
        return f"{origin}: nothing yet"
    return (
        f"{origin}: {newest.size} leaves at {datetime.fromtimestamp(newest.seconds, UTC):%Y-%m-%d %H:%M:%S}"
        " UTC"
    )
