"""Check live pages after an act: the page with the streamed pieces must equal the page fetched again."""

import re
from contextlib import contextmanager
from unittest import mock

import time_machine
from django.test import Client

from tables.live import publishing
from tables.live.hub import BEHIND
from tables.views.live.pieces import pieces
from tables.views.live.stream import reader_of
from tests.support.lengths import LONG

# Unique to each fetch: keys and tokens of forms. The page's script renews both.
OWN = re.compile(r'<input type="hidden" name="(?:key|csrfmiddlewaretoken|opened_by)"[^>]*>')
TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\b[^>]*?(/?)>")
EMPTY = {"input", "br", "img", "hr", "meta", "link", "use", "path", "circle", "rect"}


def addresses(session):
    """Return the live pages' addresses by what their stream asks for."""
    return {
        ("board", None): "/floor/",
        ("table", session): f"/floor/sessions/{session}/",
        ("tablet", session): f"/sessions/{session}/seats/",
        ("lists", None): "/waiting/",
        ("dues", None): "/floor/due/",
    }


def piece_of(page, name):
    """Return the start and end of the element for this piece, or None."""
    found = re.search(rf'<([a-z]+)\b[^>]*data-piece="{name}"', page)
    if found is None:
        return None
    depth = 0
    for tag in TAG.finditer(page, found.start()):
        if tag[2] in EMPTY or tag[3]:
            continue
        depth += -1 if tag[1] else 1
        if depth == 0:
            return found.start(), tag.end()
    raise AssertionError(f"{name} has no end")


def shown(page):
    names = re.findall(r'data-piece="([^"]+)"', page)
    return {name: plain(page[slice(*piece_of(page, name))]) for name in names}


def plain(html):
    """Return HTML without what is unique to each fetch, with whitespace normalised."""
    return re.sub(r"\s+", " ", OWN.sub("", html)).replace("> <", "><").strip()


def heard(page, messages):
    """Return the page with these messages applied, and whether it has to be fetched again."""
    again = BEHIND in messages.values()
    for message in messages.values():
        if not message.startswith("event: piece\n"):
            continue
        name, *lines = (line[6:] for line in message.splitlines() if line.startswith("data: "))
        place = piece_of(page, name)
        again = again or place is None
        if place is not None:
            page = page[: place[0]] + "\n".join(lines) + page[place[1] :]
    return page, again


def signed_in(person):
    client = Client()
    client.force_login(person)
    return client


class Screen:
    def __init__(self, reader, address, client):
        self.reader, self.address, self.client = reader, address, client
        self.page = self.fetch()

    def fetch(self):
        """Return the page now; None where this person may not see it."""
        answer = self.client.get(self.address)
        assert answer.status_code in (200, 403, 404), answer
        return answer.content.decode() if answer.status_code == 200 else None


def opened(session, people, turn):
    """Open every live page for everybody; in the short form, for the first who may see it."""
    clients = [(person, signed_in(person)) for person in people]
    for place, (about, address) in enumerate(addresses(session).items()):
        first = (turn + place) % len(people)
        for person, client in clients[first:] + clients[:first]:
            screen = Screen(reader_of(person, *about), address, client)
            yield screen
            if screen.page is not None and not LONG:
                break


@contextmanager
def kept_true(session, people, now, turn):
    """Fail if a live page misses a change made in the block. `turn` says who reads what in the short form."""
    with time_machine.travel(now(), tick=False):
        screens = list(opened(session, people, turn))
    changed = set()
    with (
        mock.patch.object(publishing, "announce", changed.add),
        mock.patch.object(publishing.transaction, "on_commit", lambda tell, **_: tell()),
    ):
        yield
    assert changed, "nothing was published"
    with time_machine.travel(now(), tick=False):
        readers = {screen.reader for screen in screens}
        told = [pieces(changed, readers, house=house) for house in (False, True)]
        for screen in screens:
            compare(screen, [about for some in told for about in some[screen.reader].values()])


def compare(screen, told):
    """Fail if the old page plus messages differs from the page now."""
    fresh, messages = screen.fetch(), {name: text for some in told for name, text in some.items()}
    if screen.page is None or fresh is None:
        assert not any("<" in text for text in messages.values()), (
            screen.address,
            "told what may not be seen",
        )
        return
    page, again = heard(screen.page, messages)
    if not again:
        assert shown(page) == shown(fresh), screen.address
