"""Pressing what may lie behind *More*: at a seat, or among the acts of a whole table."""


def press(act):
    """Press an act; where it lies in a menu that is closed, open that first."""
    act.wait_for(state="attached")
    if not act.is_visible():
        act.locator("xpath=ancestor::details[contains(@class, 'menu')]").locator("summary").click()
    act.click()
