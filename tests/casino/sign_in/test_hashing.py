"""Password hashes are Django's, a few at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings as real
from django.contrib.auth.hashers import Argon2PasswordHasher, get_hasher, identify_hasher

from casino.settings import PASSWORD_HASHERS
from casino.sign_in import hashing
from casino.sign_in.hashing import AT_ONCE, FewAtATime, TooBusy


def test_the_house_hashes_with_argon2_and_no_other():
    assert PASSWORD_HASHERS == ["casino.sign_in.hashing.FewAtATime"]
    assert real.PASSWORD_HASHERS != PASSWORD_HASHERS  # tests hash quickly


def test_a_hash_is_argon2s_own(settings):
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    hashed = get_hasher().encode("a fine long password", "salt-of-a-test")
    assert hashed.startswith("argon2$argon2id$")
    assert identify_hasher(hashed).verify("a fine long password", hashed)
    assert not Argon2PasswordHasher().verify("another password", hashed)


@pytest.fixture
def slow(monkeypatch):
    """Argon2 that blocks until released, and counts how many run at once."""
    state = {"now": 0, "most": 0}
    lock, gate = threading.Lock(), threading.Event()

    def work(*_):
        with lock:
            state["now"] += 1
            state["most"] = max(state["most"], state["now"])
            if state["now"] == AT_ONCE:
                gate.set()
        gate.wait(10)
        with lock:
            state["now"] -= 1
        return True

    monkeypatch.setattr(Argon2PasswordHasher, "verify", work)
    monkeypatch.setattr(Argon2PasswordHasher, "encode", work)
    return state


def test_sixteen_people_at_once_are_worked_out_two_at_a_time(slow):
    hasher = FewAtATime()
    with ThreadPoolExecutor(16) as people:
        verified = [people.submit(hasher.verify, "password", "hash") for _ in range(12)]
        made = [people.submit(hasher.encode, "password", "salt") for _ in range(4)]
        assert all(one.result(30) for one in verified + made)
    assert slow["most"] == AT_ONCE


def test_strangers_are_worked_out_beside_people_who_are_signed_in_and_never_before_them(slow):
    hasher = FewAtATime()
    with (
        ThreadPoolExecutor(4, initializer=hashing.serve_strangers) as strangers,
        ThreadPoolExecutor(1) as signed_in,
    ):
        before = [strangers.submit(hasher.verify, "password", "hash") for _ in range(4)]
        assert signed_in.submit(hasher.verify, "password", "hash").result(5)
        assert all(one.result(30) for one in before)
    assert slow["most"] == 2


def test_who_has_waited_too_long_is_told_so(monkeypatch):
    monkeypatch.setattr(hashing, "WAIT_SECONDS", 0.01)
    for _ in range(AT_ONCE):
        assert hashing._places.acquire(blocking=False)
    try:
        with pytest.raises(TooBusy) as refused:
            FewAtATime().verify("password", "hash")
        assert (refused.value.code, refused.value.status) == ("too_busy", 503)
    finally:
        for _ in range(AT_ONCE):
            hashing._places.release()
