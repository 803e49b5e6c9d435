"""Typing faster than the network: nothing lands in another act's form, and nothing is lost."""

import re
import time

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tables.models import Sitting

pytestmark = pytest.mark.django_db(transaction=True)


class Held:
    """Requests to one address, held until the test lets them go on or fail."""

    def __init__(self, page, address, method):
        self.page, self.address, self.method, self.routes, self.over = page, address, method, [], False
        page.route(address, self._meet)

    def _meet(self, route):
        if route.request.method == self.method and not self.over:
            self.routes.append(route)
        else:
            route.fallback()

    def come(self):
        deadline = time.monotonic() + 30
        while not self.routes:
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(10)  # lets the browser's events in
        return self

    def _one(self):
        """Return the request; later ones are not held."""
        route = self.come().routes.pop()
        self.over = True
        return route

    def go_on(self):
        self._one().continue_()

    def fail(self):
        self._one().abort()


# What the page's stream has brought, once the page has handled it.
NOTE_PIECES = """
window.pieces = "";
document.addEventListener("htmx:sseOpen", ({ detail: { source } }) => {
  source.addEventListener("piece", ({ data }) => setTimeout(() => { window.pieces += data; }));
});
"""


def press_as_long_as_it_takes(page):
    """Stop the page's stopwatch: a press of more than a second is none, and a busy machine takes longer."""
    page.evaluate("performance.now = () => 0")


# Resolves once the page has handled the refusal of the piece that it asks for.
ASK_AND_BE_REFUSED = """() => new Promise((done) => {
  document.addEventListener("htmx:afterRequest", ({ detail }) => detail.xhr.status === 503 && done());
  document.body.dispatchEvent(new CustomEvent("live-poll"));
})"""


@pytest.fixture
def floor_page(window, game):
    """The floor's page of the table, with Ann in seat 1. `page.heard(text)` waits for the stream."""
    game.now = timezone.now()
    game.seat("Ann")
    page = window("floor")
    page.add_init_script(NOTE_PIECES)
    page.heard = lambda text: page.wait_for_function("text => window.pieces.includes(text)", arg=text)
    page.goto(f"{page.base}/floor/sessions/{game.session.pk}/")
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    page.desk = page.locator("#desk")
    page.name, page.amount = page.desk.locator("[name=name]"), page.desk.locator("[name=amount]")
    return page


@pytest.fixture
def tablet(window, game):
    game.now = timezone.now()
    game.seat("Ann")
    page = window("dealer", width=820, height=1180)
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    expect(page.locator("#seat-list")).to_contain_text("Ann")
    page.desk = page.locator("#desk")
    page.name, page.amount = page.desk.locator("[name=name]"), page.desk.locator("[name=amount]")
    return page


def open_form(page, seat):
    page.locator(f"#buy-in-{seat}").click()
    expect(page.desk).to_contain_text(f"seat {seat}")
    expect(page.desk).not_to_have_attribute("aria-busy", "true")


def fill(page, name, amount):
    page.name.fill(name)
    page.amount.fill(amount)


def send(page):
    page.desk.locator("button[type=submit]").click()


def seated():
    return dict(Sitting.objects.values_list("seat", "player__name"))


@pytest.mark.parametrize("where", ["floor_page", "tablet"])
def test_the_next_buy_in_is_typed_once_the_one_before_is_known(where, request):
    page = request.getfixturevalue(where)
    answer = Held(page, "**/seats/2/buy-in/", "POST")
    open_form(page, 2)
    fill(page, "Bob", "300")
    send(page)
    answer.come()
    page.locator("#buy-in-3").click()
    expect(page.name).to_be_hidden()  # Bob's form takes nothing more
    page.keyboard.type("Cat")
    answer.go_on()
    expect(page.desk).to_contain_text("seat 3")
    expect(page.name).to_have_value("")
    expect(page.name).to_be_focused()
    fill(page, "Cat", "300")
    send(page)
    expect(page.locator("#seat-list")).to_contain_text("Cat")
    expect(page.desk).to_be_empty()
    assert seated() == {1: "Ann", 2: "Bob", 3: "Cat"}


def test_a_refusal_is_read_before_the_next_act(floor_page):
    page = floor_page
    answer = Held(page, "**/seats/2/buy-in/", "POST")
    open_form(page, 2)
    fill(page, "Bob", "7")
    send(page)
    answer.come()
    page.locator("#buy-in-3").click()
    expect(page.name).to_be_hidden()
    answer.go_on()
    expect(page.desk.locator(".alert, .field-error").first).to_be_visible()
    expect(page.name).to_have_value("Bob")
    expect(page.desk).to_contain_text("seat 2")
    page.amount.fill("300")
    send(page)
    expect(page.desk).to_be_empty()
    assert seated() == {1: "Ann", 2: "Bob"}
    page.errors.clear()  # the browser notes the refusal


def test_a_form_that_never_comes_gives_back_what_was_typed_before(floor_page):
    page = floor_page
    answer = Held(page, "**/seats/3/buy-in/", "GET")
    open_form(page, 2)
    fill(page, "Bob", "300")
    page.locator("#buy-in-3").click()
    expect(page.name).to_be_hidden()
    answer.fail()
    expect(page.name).to_be_visible()
    expect(page.name).to_have_value("Bob")
    send(page)
    expect(page.desk).to_be_empty()
    assert seated() == {1: "Ann", 2: "Bob"}
    page.errors.clear()  # the browser notes the failure


def test_of_two_forms_that_were_asked_for_the_last_one_stays(floor_page):
    page = floor_page
    slow = Held(page, "**/seats/3/buy-in/", "GET")
    page.locator("#buy-in-3").click()
    slow.come()
    open_form(page, 4)
    fill(page, "Dan", "300")
    slow.fail()  # it is no longer waited for
    expect(page.name).to_have_value("Dan")
    send(page)
    expect(page.desk).to_be_empty()
    assert seated() == {1: "Ann", 4: "Dan"}
    page.errors.clear()  # the browser notes the request that was given up


def test_what_is_pressed_at_another_seat_leaves_the_form_as_it_is(floor_page, game):
    page = floor_page
    ann = game.sitting(1).pk
    open_form(page, 2)
    page.name.fill("Bo")
    page.amount.fill("300")
    page.locator(f"#out-{ann}").evaluate("button => button.click()")  # wherever it lies, the focus stays
    expect(page.locator(f"#out-{ann}")).to_contain_text("Back in")
    expect(page.amount).to_have_value("300")
    expect(page.amount).to_be_focused()
    page.name.press("End")
    page.keyboard.type("b")
    send(page)
    expect(page.locator("#seat-list")).to_contain_text("Bob")
    expect(page.desk).to_be_empty()


def test_a_started_round_does_not_sweep_away_the_form_of_another_act(floor_page, game):
    page = floor_page
    game.now = timezone.now()
    game.buy_in("Bob", 2)
    answer = Held(page, re.compile(r"/api/sessions/\d+/rounds"), "POST")
    page.get_by_role("link", name="Start round").click()
    page.desk.get_by_role("button", name="Start round").click()
    answer.come()
    open_form(page, 3)
    fill(page, "Cat", "300")
    answer.go_on()
    expect(page.locator("#table-live")).to_contain_text("Round 1 since")
    expect(page.name).to_have_value("Cat")
    send(page)
    expect(page.desk).to_be_empty()
    assert seated() == {1: "Ann", 2: "Bob", 3: "Cat"}


@pytest.mark.parametrize("pressed", ["by a finger", "by a key"])
def test_a_button_that_is_pressed_is_not_replaced_meanwhile(floor_page, game, pressed):
    page = floor_page
    out = page.locator(f"#out-{game.sitting(1).pk}")
    press_as_long_as_it_takes(page)
    if pressed == "by a finger":
        out.hover()
        page.mouse.down()
    else:
        out.focus()
        page.keyboard.down(" ")
    game.now = timezone.now()
    game.buy_in("Bob", 2)
    page.heard("Bob")
    if pressed == "by a finger":
        page.mouse.up()
    else:
        page.keyboard.up(" ")
    expect(out).to_contain_text("Back in")
    expect(page.locator("#seat-list")).to_contain_text("Bob")


def test_the_start_of_a_round_is_not_replaced_under_the_finger(window, game):
    game.now = timezone.now()
    game.seat("Ann", "Bob")
    page = window("dealer")
    page.goto(f"{page.base}/dealer/sessions/{game.session.pk}/")
    page.get_by_role("button", name="Start round").hover()
    press_as_long_as_it_takes(page)
    page.mouse.down()
    with page.expect_response(re.compile(r"/api/sessions/\d+/plan")):
        page.evaluate("document.body.dispatchEvent(new Event('table-changed'))")
    page.wait_for_function(
        "() => new Promise((done) => setTimeout(() => done(true), 50))"
    )  # its plan is shown, or waits
    page.mouse.up()
    expect(page.locator(".key[data-card='As']")).to_be_visible()


def test_a_piece_that_comes_before_an_older_answer_stays(floor_page, game):
    """Ann is sat out; before that answer arrives, Bob sits down and the page is told."""
    page = floor_page
    answers = []

    def late(route):
        answers.append((route, route.fetch()))

    page.route("**/sit-out/**", late)
    page.locator(f"#out-{game.sitting(1).pk}").click()
    while not answers:
        page.wait_for_timeout(10)
    game.now = timezone.now()
    game.buy_in("Bob", 2)
    page.heard("Bob")
    expect(page.locator("#seat-list")).not_to_contain_text("Bob")  # a form that was sent stays where it is
    ((route, answer),) = answers
    assert "Bob" not in answer.text()
    route.fulfill(response=answer)
    expect(page.locator("#seat-list")).to_contain_text("Bob")
    expect(page.locator(f"#out-{game.sitting(1).pk}")).to_contain_text("Back in")


def test_a_piece_that_could_not_be_fetched_stays_as_it_was(floor_page):
    page = floor_page
    page.route("**/sessions/*/seats/", lambda route: route.fulfill(status=503, body="busy"))
    page.evaluate(ASK_AND_BE_REFUSED)
    expect(page.locator("#seat-list")).to_contain_text("Ann")
    page.errors.clear()  # the browser notes the refusal
