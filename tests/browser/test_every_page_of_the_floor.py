"""Every page of the floor and the dealer, and compliance's list, in a house with a busy evening: short enough
for a phone, and never wider than the screen, also at 320 pixels and where somebody zooms to 200 % at a desk
(640 of 1280 pixels)."""

import pytest
from django.core.management import call_command
from django.utils import timezone

from casino.models import Staff
from casino.sign_in import terminals
from ledger.journal.acts import Act
from ledger.models import Site
from tables.models import CorrectionRequest, Round, TableSession
from tests.support.screens import at_every_width, beyond, read_at, violations

pytestmark = pytest.mark.django_db(transaction=True)

LONGEST = 1600
PHONE, ZOOMED, SMALLEST = 390, 640, 320
BOARDS = ("/floor/", "/floor/dealers/", "/floor/handovers/", "/floor/needs/")
READ = (*BOARDS, "/floor/?seats=on", "/tv/")
READ_AT = (1280, 820, 390, 320)
"""The pages that axe reads, each at one of these widths a turn, in the long form at all of them."""


@pytest.fixture
def house(settings):
    settings.DEMO = True
    call_command("seed")
    settings.DEMO = False
    return Site.objects.get()


def pages(house):
    """The addresses by who opens them: work done standing up, with what somebody looks up meanwhile."""
    here = TableSession.objects.filter(table__site=house, closed_at=None)
    busy = CorrectionRequest.objects.select_related("round").get(state="asked").round.session_id
    dealt = Round.objects.filter(session__in=here, state="dealt").latest("pk").session
    sitting = here.get(pk=busy).sittings.filter(left_at=None).earliest("pk").pk
    dealer = Staff.objects.get(pk=dealt.dealer_id).username
    document = house.documents.filter(kind="opener").latest("pk").pk
    at_table, at_bank = f"/floor/sessions/{busy}/", f"/sessions/{busy}/"
    return {
        "floor": (
            *(*BOARDS, "/waiting/", "/floor/due/"),
            *(f"/floor/sessions/{one.pk}/" for one in here),
            *(
                f"{at_table}{page}"
                for page in ("break/", "count-bank/", "chips/", "fees/", "push/", "dispute/")
            ),
            *(f"{at_bank}bank/", f"{at_bank}bank/credit/", f"{at_bank}count/", f"/documents/{document}/"),
            *(f"/sittings/{sitting}/", f"/sittings/{sitting}/cash-out/", "/players/", "/disputes/"),
            *("/floor/open/?game=face-up", "/floor/games/", "/floor/games/face-up/", "/rates/card/"),
        ),
        "compliance": ("/exclusions/",),
        dealer: (f"/dealer/sessions/{dealt.pk}/", f"/dealer/sessions/{dealt.pk}/push/", "/dispute/"),
    }


def television():
    """Enrol a device that shows the public board; return its cookie."""
    floor = Staff.objects.get(username="floor")
    return terminals.enrol(name="Television", act=Act(floor, timezone.now(), key="a-television"))


def test_every_page_is_short_on_a_phone_never_too_wide_and_the_boards_are_accessible(window, house):
    long, wide, wrong = {}, {}, {}
    for reader, addresses in pages(house).items():
        page = window(reader, width=PHONE, height=844)
        for address in addresses:
            page.set_viewport_size({"width": PHONE, "height": 844})
            page.goto(f"{page.base}{address}")
            long[address] = page.evaluate("document.documentElement.scrollHeight")
            for width in at_every_width(page, (ZOOMED, SMALLEST)):
                wide[address, width] = beyond(page, width)
    page = window("floor")
    page.context.add_cookies([{"name": terminals.COOKIE, "value": television(), "url": page.base}])
    for turn, address in enumerate(READ):
        page.goto(f"{page.base}{address}")
        for width in at_every_width(page, READ_AT):
            wrong[address, width] = read_at(width, turn, READ_AT) and violations(page)
    assert {address: height for address, height in long.items() if height > LONGEST} == {}
    assert {where: found for where, found in (wide | wrong).items() if found} == {}
