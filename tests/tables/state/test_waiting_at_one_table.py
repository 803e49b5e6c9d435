"""Threads that answer requests wait for one table only a few at a time,
so a stuck one does not stop the house."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError

from casino.serving.faults import BUSY, fault_of
from tables.state import locks
from tables.state.locks import AT_ONE_TABLE


@pytest.fixture
def stuck(monkeypatch):
    """Table 7 is held by somebody; `stuck()` lets it go."""
    asked, free = threading.Semaphore(0), threading.Event()

    class Rows:
        def get(self, pk):
            if pk == 7:
                asked.release()
                assert free.wait(30)
            return f"table {pk}"

    monkeypatch.setattr(locks, "_LOCKED", Rows())
    monkeypatch.setattr(locks, "_LOCKED_OF_ROUND", Rows())
    free.asked = asked
    yield free
    free.set()


@pytest.mark.parametrize("lock", [locks._locked_session, locks._locked_of])
def test_one_more_than_may_wait_is_busy_at_once_and_another_table_plays_on(stuck, lock):
    with ThreadPoolExecutor(AT_ONE_TABLE + 1, initializer=locks.limit_waiting_at_one_table) as requests:
        waiting = [requests.submit(lock, 7) for _ in range(AT_ONE_TABLE)]
        for _ in waiting:
            assert stuck.asked.acquire(timeout=10)
        with pytest.raises(OperationalError) as refused:
            requests.submit(lock, 7).result(10)
        assert fault_of(refused.value) is BUSY
        assert requests.submit(lock, 8).result(10) == "table 8"
        stuck.set()
        assert {one.result(10) for one in waiting} == {"table 7"}
        assert requests.submit(lock, 7).result(10) == "table 7"
    assert not locks._waiting


def test_who_answers_no_request_waits_as_long_as_it_takes(stuck):
    with ThreadPoolExecutor(AT_ONE_TABLE + 2) as tasks:
        waiting = [tasks.submit(locks._locked_session, 7) for _ in range(AT_ONE_TABLE + 2)]
        for _ in waiting:
            assert stuck.asked.acquire(timeout=10)
        stuck.set()
        assert len([one.result(10) for one in waiting]) == AT_ONE_TABLE + 2
