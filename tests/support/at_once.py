"""Run several calls in threads, each with a connection of its own."""

import threading

import pytest
from django.db import connections


@pytest.fixture
def at_once():
    """`at_once(calls)`: run calls in threads that start together; return results and exceptions."""

    def run(calls):
        start = threading.Barrier(len(calls))
        results = [None] * len(calls)

        def work(number, call):
            start.wait()
            try:
                results[number] = call()
            except Exception as error:
                results[number] = error
            finally:
                connections.close_all()

        threads = [threading.Thread(target=work, args=each) for each in enumerate(calls)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        return results

    return run
