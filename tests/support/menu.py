"""Press acts that may be in a closed *More* menu."""


def press(act):
    act.wait_for(state="attached")
    if not act.is_visible():
        act.locator("xpath=ancestor::details[contains(@class, 'menu')]").locator("summary").click()
    act.click()
