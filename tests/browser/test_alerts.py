"""A device says aloud what its pages show, where somebody chose it, and only after they pressed something."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.desk import Desk
from tests.support.screens import note_errors

pytestmark = pytest.mark.django_db(transaction=True)

HEAR = """() => {
  window.heard = { sounds: 0, shakes: 0 };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { window.heard.sounds += 1; return start.call(this, at); };
  Object.defineProperty(navigator, "vibrate", { value: () => { window.heard.shakes += 1; return true; } });
  // What a test asks a page counts as a press for the browser; here only a press does.
  const active = { hasBeenActive: false };
  addEventListener("pointerdown", () => { active.hasBeenActive = true; }, true);
  Object.defineProperty(navigator, "userActivation", { value: active });
}"""


def test_a_called_seat_is_said_by_choice_and_first_after_a_press(window, game):
    game.now = timezone.now()
    game.seat("Ann")
    desk = Desk(game)
    first, second, third = (desk.join(name) for name in ("Bob", "Cat", "Dan"))
    page = window("floor", width=390, height=844)
    page.add_init_script(f"({HEAR})()")
    heard = lambda: page.evaluate("window.heard")  # noqa: E731
    page.goto(f"{page.base}/waiting/")
    desk.call(first, game, 2)
    expect(page.get_by_text("Called")).to_be_visible()
    page.wait_for_timeout(1200)
    assert heard() == {"sounds": 0, "shakes": 0}  # nothing is chosen

    page.goto(f"{page.base}/signed-in/#alerts")
    page.get_by_label("Sound").check()
    page.get_by_label("Vibration").check()
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("A seat is called.")).to_be_visible()
    assert heard() == {"sounds": 2, "shakes": 1}

    tab = page.context.new_page()  # nothing has been pressed in it
    note_errors(tab)
    tab.add_init_script(f"({HEAR})()")
    tab.goto(f"{page.base}/waiting/")
    expect(tab.locator("#live")).to_have_attribute("data-state", "live")
    tab.wait_for_timeout(1200)  # what is there already is not said
    desk.call(second, game, 3)
    expect(tab.get_by_text("Press anywhere once, and this page may sound.")).to_be_visible()
    assert tab.evaluate("window.heard") == {"sounds": 0, "shakes": 0}
    tab.get_by_role("heading", name="Waiting lists").click()
    desk.call(third, game, 4)
    expect(tab.get_by_text("A seat is called.", exact=True)).to_be_visible()
    assert tab.evaluate("window.heard") == {"sounds": 2, "shakes": 1}
    assert tab.errors == []
