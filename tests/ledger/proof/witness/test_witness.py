"""A witness cosigns a log while it only grows; otherwise it says why with the codes of C2SP tlog-witness."""

import io
import sqlite3
import subprocess
import sys
import threading
from http.client import HTTPConnection

import pytest
from django.core.management import call_command

from ledger.errors import LedgerError
from ledger.proof.audit.policy import Policy, witnessed
from ledger.proof.audit.tree.cosignatures import SIZE_TYPE, Submission
from ledger.proof.audit.tree.merkle import consistency_proof
from ledger.proof.audit.tree.note import Signature, parse
from ledger.proof.log.keys import Signer
from ledger.proof.witness.book import Book
from ledger.proof.witness.main import main
from ledger.proof.witness.serving import WitnessServer, answer
from tests.support.log_by_hand import KEY, ORIGIN, OTHER_SIGNER, checkpoint
from tests.support.trees import in_memory
from tests.support.witnesses import sign_quickly

LEAVES = [bytes([number]) * 32 for number in range(9)]
FORK = [*LEAVES[:2], bytes(32), *LEAVES[3:]]
NOW = 1_795_240_800


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    sign_quickly(monkeypatch)


@pytest.fixture
def book(tmp_path):
    made = Book.make(tmp_path / "w.sqlite3", "bureau.example/w1")
    made.trust(KEY)
    return made


def submission(old, size, leaves=LEAVES, **signed):
    proof = tuple(consistency_proof(old, size, in_memory(leaves))) if old <= size else ()
    return Submission(old, proof, checkpoint(leaves[:size], **signed))


@pytest.fixture
def ask(book):
    """`ask(submission)`: the status of the answer, its text and its type."""
    return lambda asked: tuple(answer(book, getattr(asked, "body", asked), now=lambda: NOW))


def test_a_log_that_grows_is_cosigned_and_the_cosignature_holds(book, ask):
    known = Policy.parse(f"witness bureau {book.key.text}\nquorum bureau\n".encode())
    for old, size in ((0, 3), (3, 3), (3, 8)):
        asked = submission(old, size)
        status, line, _ = ask(asked)
        assert status == 200
        found = witnessed(asked.checkpoint + line.encode(), known)
        assert (found.tree.size, found.newest.timestamp()) == (size, NOW)
        assert book.newest(ORIGIN).size == size


def test_another_size_than_the_one_that_was_cosigned_is_answered_with_that(ask):
    assert ask(submission(0, 3))[0] == 200
    for old in (0, 2, 4):
        assert ask(submission(old, 5)) == (409, "3\n", SIZE_TYPE)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (b"", 400),
        (b"old 3\n\nno note", 400),
        (submission(5, 4), 400),
        (submission(3, 5, signer=Signer("other.example/log", bytes(32))), 404),
        (submission(3, 5, signer=OTHER_SIGNER), 403),
        (submission(3, 3, FORK), 409),
        (submission(3, 5, FORK), 422),
        (Submission(3, (bytes(32),), checkpoint(LEAVES[:5])), 422),
        (Submission(3, submission(2, 5).proof, checkpoint(LEAVES[:5])), 422),
    ],
)
def test_whatever_does_not_continue_the_log_is_refused_and_forgotten(book, ask, asked, status):
    assert ask(submission(0, 3))[0] == 200
    assert ask(asked)[0] == status
    assert book.newest(ORIGIN).size == 3
    assert ask(submission(3, 5))[0] == 200


def test_half_of_the_log_s_key_does_not_sign_for_it(ask):
    asked = submission(0, 3)
    text, _, _ = asked.checkpoint.rpartition("—".encode())
    assert ask(Submission(0, (), text))[0] == 403


def test_a_proof_where_none_is_needed_is_refused(ask):
    assert ask(Submission(0, (bytes(32),), checkpoint(LEAVES[:3])))[0] == 422


def test_a_rotated_key_is_known_beside_the_old_one(book, ask):
    book.trust(OTHER_SIGNER.key)
    assert ask(submission(0, 3))[0] == 200
    assert ask(submission(3, 5, signer=OTHER_SIGNER))[0] == 200


def test_between_reading_and_keeping_nobody_else_cosigns(book, monkeypatch):
    monkeypatch.setattr("ledger.proof.witness.book.BUSY_SECONDS", 0)
    with book.turn(ORIGIN), pytest.raises(sqlite3.OperationalError, match="locked"):
        answer(book, submission(0, 3).body, now=lambda: NOW)


def test_what_was_not_kept_was_not_cosigned(book, ask):
    with pytest.raises(ZeroDivisionError):
        answer(book, submission(0, 3).body, now=lambda: 1 / 0)
    assert book.newest(ORIGIN) is None


# The program and its server


def test_the_server_answers_add_checkpoint_and_nothing_else(book, monkeypatch):
    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.log_message", lambda *args: None)
    with WitnessServer(book, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        connection = HTTPConnection(*server.server_address, timeout=10)

        def send(path, body, **headers):
            connection.request("POST", path, body, headers)
            return next_answer()

        def next_answer():
            answered = connection.getresponse()
            return answered.status, answered.headers["Content-Type"], answered.read()

        status, _, line = send("/bureau/add-checkpoint", submission(0, 3).body)
        assert status == 200
        assert isinstance(parse(checkpoint(LEAVES[:3]) + line).signatures[-1], Signature)
        assert send("/add-checkpoint", submission(0, 5).body) == (409, SIZE_TYPE, b"3\n")
        assert send("/elsewhere", b"")[0] == 404
        assert send("/add-checkpoint", b"", **{"Content-Length": "1000001"})[0] == 413
        assert send("/add-checkpoint", b"", **{"Content-Length": "9" * 5000})[0] == 413
        # Without a length, and without a body that the answer could come before.
        connection.putrequest("POST", "/add-checkpoint")
        connection.endheaders()
        assert next_answer()[0] == 411
        connection.close()
        server.shutdown()


def test_the_program_makes_a_witness_knows_a_log_and_shows_what_was_cosigned(tmp_path, capsys):
    path = tmp_path / "w.sqlite3"
    assert main([str(path), "new", "bureau.example/w1"]) == 0
    assert path.stat().st_mode & 0o777 == 0o600
    key = capsys.readouterr().out
    assert key == f"{Book(path).key.text}\n"
    assert main([str(path), "newest", ORIGIN]) == 1
    assert main([str(path), "trust", KEY.text]) == 0
    assert main([str(path), "show"]) == 0
    assert capsys.readouterr().out == f"{key}{ORIGIN}: nothing yet\n"
    assert answer(Book(path), submission(0, 3).body, now=lambda: NOW).status == 200
    assert main([str(path), "show"]) == 0
    assert f"{ORIGIN}: 3 leaves at 2026-11-21 06:00:00 UTC" in capsys.readouterr().out
    assert main([str(path), "newest", ORIGIN]) == 0
    assert capsys.readouterr().out.encode() == checkpoint(LEAVES[:3])


@pytest.mark.parametrize("argv", [["new", "bureau.example/w1"], ["trust", "no key"]])
def test_the_program_refuses_in_a_sentence(book, tmp_path, capsys, argv):
    assert main([str(tmp_path / "w.sqlite3"), *argv]) == 1
    assert capsys.readouterr().err.startswith("witness.pyz: ")
    assert main([str(tmp_path / "none"), "show"]) == 1


@pytest.mark.parametrize("name", ["", "two words"])
def test_a_witness_has_a_name_that_a_note_can_carry(tmp_path, name):
    with pytest.raises(LedgerError):
        Book.make(tmp_path / "w", name)
    assert not (tmp_path / "w").exists()


def test_the_packed_witness_needs_nothing_but_python(tmp_path):
    call_command("audit", "witness", "-o", str(tmp_path / "witness.pyz"), stdout=io.StringIO())
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "witness.pyz", "w.sqlite3", "new", "bureau.example/w1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"{Book(tmp_path / 'w.sqlite3').key.text}\n"
