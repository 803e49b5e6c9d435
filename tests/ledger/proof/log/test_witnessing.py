"""The house asks its witnesses in the background, keeps their cosignatures, and reports problems."""

import socket
import threading
from datetime import timedelta

import pytest

from casino.serving.cache import HouseCache
from ledger import tasks
from ledger.journal import house_events
from ledger.journal.acts import Act
from ledger.models import Cosignature, HouseEvent
from ledger.proof.audit.errors import BadPolicy
from ledger.proof.audit.policy import witnessed
from ledger.proof.audit.tree.cosignatures import Submission
from ledger.proof.log import keys, monitoring, sealing, witnessing
from ledger.proof.log.witnessing import Reply
from ledger.proof.witness.book import Book
from ledger.proof.witness.serving import WitnessServer, answer
from tables.live.breaker import Breaker, call_options
from tests.support.behind import behind_the_triggers
from tests.support.witnesses import BUREAU, MadeUp, sign_quickly


@pytest.fixture
def house(stocked, settings, tmp_path, now):
    settings.AUDIT_POLICY = str(tmp_path / "policy")
    sealing.seal(stocked, now=now)
    write(settings, f"witness bureau {BUREAU.key.text} https://w.example", "quorum bureau")
    return stocked


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    sign_quickly(monkeypatch)


@pytest.fixture
def book(house, settings, tmp_path):
    """A witness that knows the log, in place of the other."""
    made = Book.make(tmp_path / "w.sqlite3", "own.example/w")
    made.trust(keys.known_keys(sealing.log_of(house))[-1])
    write(settings, f"witness own {made.key.text} https://w.example", "quorum own")
    return made


def write(settings, *lines):
    with open(settings.AUDIT_POLICY, "w") as file:
        file.writelines(f"{line}\n" for line in lines)


def through(book, now, asked=None):
    """Reaches the witness without a network; `asked` collects the old sizes."""

    def post(address, body):
        if asked is not None:
            asked.append(Submission.parse(body).old)
        answered = answer(book, body, now=now.timestamp)
        return Reply(answered.status, answered.text.encode())

    return post


def grow(site, now):
    house_events.note(site, HouseEvent.Kind.EXPORTED, act=Act(actor=None, now=now))
    sealing.seal(site, now=now)


def test_a_cosignature_is_kept_beside_its_checkpoint_and_leaves_with_it(house, book, now):
    assert witnessing.ask(house, now=now, post=through(book, now)) == {"own": ""}
    log = sealing.log_of(house)
    note = witnessing.cosigned(sealing.latest(log))
    found = witnessed(note.encode(), witnessing.policy_of_the_house())
    assert (found.tree.size, found.newest) == (sealing.latest(log).size, now.replace(microsecond=0))
    assert witnessing.newest_cosigned(log) == note
    assert Cosignature.objects.get().witness == book.key.short


def test_a_witness_is_asked_again_when_the_log_has_grown_and_some_minutes_are_over(house, book, now):
    asked = []
    first = sealing.latest(sealing.log_of(house)).size
    for minutes in (0, 1, 6, 30, 67):
        later = now + timedelta(minutes=minutes)
        if minutes == 1:
            grow(house, later)
        witnessing.ask(house, now=later, post=through(book, later, asked))
    # Not within five minutes; and once an hour although nothing was added.
    assert asked == [0, first, first + 1]


def test_a_witness_that_has_seen_another_size_is_asked_again_from_there(house, book, now, monkeypatch):
    assert witnessing.ask(house, now=now, post=through(book, now)) == {"own": ""}
    seen = sealing.latest(sealing.log_of(house)).size
    grow(house, now)
    asked = []
    monkeypatch.setattr(witnessing, "last_of", lambda log, witness: None)
    assert witnessing.ask(house, now=now, post=through(book, now, asked)) == {"own": ""}
    assert asked == [0, seen]


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(None, b"timed out"), "does not answer: timed out"),
        (Reply(409, b"99999\n"), "it has cosigned 99999 leaves, and the log has"),
        (Reply(409, b"what"), "refused (409): what"),
        (Reply(422, b"no proof\n"), "refused (422): no proof"),
        (Reply(200, b"no line\n"), "is no cosignature"),
        (Reply(200, b""), "has not signed"),
        (Reply(200, "— other.example/w AAAAAAAA\n".encode()), "has not signed"),
    ],
)
def test_what_is_wrong_with_a_witness_is_said_and_noted(house, now, reply, says):
    wrong = witnessing.ask(house, now=now, post=lambda address, body: reply)
    assert says in wrong["bureau"]
    assert witnessing.troubles(house) == wrong
    assert not Cosignature.objects.exists()


def test_without_a_policy_nobody_is_asked_and_a_bad_one_is_logged(house, settings, now, caplog):
    write(settings, "what")
    with pytest.raises(BadPolicy):
        witnessing.ask(house, now=now)
    tasks.ask_witnesses()
    assert "bad_policy" in caplog.text
    settings.AUDIT_POLICY = ""
    assert witnessing.ask(house, now=now) == {}
    settings.AUDIT_POLICY = "/nowhere"
    with pytest.raises(BadPolicy):
        witnessing.policy_of_the_house()


@pytest.mark.parametrize("column", ["checkpoint_id", "witness", "line", "signed_at"])
def test_a_stored_cosignature_is_held_against_the_key_that_the_policy_names(
    house, settings, book, now, column
):
    witnessing.ask(house, now=now, post=through(book, now))
    row, log = Cosignature.objects.get(), sealing.log_of(house)
    grow(house, now)
    others = {
        "checkpoint_id": sealing.latest(log).pk,
        "witness": BUREAU.key.short,
        "line": BUREAU.line(row.checkpoint.note.encode()).line,
        "signed_at": now + timedelta(days=1),
    }
    checked = {}
    assert list(witnessing.wrong_cosignatures(log, checked)) == []
    with behind_the_triggers("ledger_cosignature"):
        Cosignature.objects.update(**{column: others[column]})
    (one,) = witnessing.wrong_cosignatures(log, checked)
    assert (one.code, one.record, checked) == (
        "bad_cosignature",
        f"cosignature {row.pk}",
        {"cosignatures": 2},
    )


def test_without_its_key_a_stored_cosignature_is_a_line_of_its_witness_and_time(house, settings, book, now):
    witnessing.ask(house, now=now, post=through(book, now))
    log, line = sealing.log_of(house), Cosignature.objects.get().line
    settings.AUDIT_POLICY = ""
    for text, wrong in ((line, 0), (f"{line}\n{line}", 1), ("no line", 1)):
        with behind_the_triggers("ledger_cosignature"):
            Cosignature.objects.update(line=text)
        assert len(list(witnessing.wrong_cosignatures(log, {}))) == wrong
    settings.AUDIT_POLICY = "/nowhere"
    assert [one.code for one in witnessing.wrong_cosignatures(log, {})] == ["bad_policy", "bad_cosignature"]


def test_while_the_cache_is_away_witnesses_are_asked_and_the_monitor_looks(house, book, now, monkeypatch):
    silent = HouseCache("redis://127.0.0.1:1/0", {"OPTIONS": call_options()})
    monkeypatch.setattr(witnessing, "cache", silent)
    monkeypatch.setattr("casino.serving.cache.breaker", Breaker())
    assert witnessing.ask(house, now=now, post=lambda address, body: Reply(500, b"")) != {"own": ""}
    assert witnessing.troubles(house) == {}
    late = now + timedelta(days=1)
    assert "lost_witness" in {found.code for found in monitoring.alerts(house, now=late)}
    assert witnessing.ask(house, now=now, post=through(book, now)) == {"own": ""}


def test_an_export_has_the_newest_checkpoint_with_a_quorum(house, settings, book, now):
    log = sealing.log_of(house)
    assert witnessing.newest_cosigned(log) is None
    witnessing.ask(house, now=now, post=through(book, now))
    met = witnessing.newest_cosigned(log)
    grow(house, now)
    latest = sealing.latest(log)
    other = MadeUp("other.example/w")
    line = other.line(latest.note.encode()).line
    Cosignature.objects.create(checkpoint=latest, witness=other.key.short, line=line, signed_at=now)
    assert witnessing.newest_cosigned(log) == met
    write(settings, "quorum none")
    assert witnessing.newest_cosigned(log) == witnessing.cosigned(latest)
    write(settings, "what")
    assert witnessing.newest_cosigned(log) == witnessing.cosigned(latest)


# The network


def test_a_checkpoint_goes_to_a_witness_and_back_by_http(house, settings, book, now, monkeypatch):
    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.log_message", lambda *args: None)
    with WitnessServer(book, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        host, port = server.server_address
        write(settings, f"witness own {book.key.text} http://{host}:{port}/prefix/", "quorum own")
        assert witnessing.ask(house, now=now) == {"own": ""}
        server.shutdown()
    assert Cosignature.objects.count() == 1


def test_a_witness_that_sends_for_ever_or_is_not_there_is_given_up(monkeypatch):
    monkeypatch.setattr(witnessing, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host, port = listening.getsockname()
        done = threading.Event()

        def drip():
            connection, _ = listening.accept()
            with connection:
                while not done.wait(0.05):
                    try:
                        connection.send(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        assert witnessing.post(f"http://{host}:{port}", b"body").status is None
        done.set()
        thread.join()
    assert witnessing.post(f"http://{host}:{port}", b"body").status is None
    assert witnessing.post("http://[", b"body").status is None
