"""What was entered wrongly at a seat is found in the list of the table's chips or on the player's statement,
and put right there."""

from ledger.models import JournalEntry
from tests.support.cast import PIN
from tests.support.kept import kept


@kept
def wrong(game):
    """Ann's buy-in, entered as $450 instead of $300; Bob has left."""
    game.buy_in("Ann", 1, 90)
    game.buy_in("Bob", 2)
    game.cash_out(2)
    return JournalEntry.objects.filter(kind="buy_in").order_by("pk")[0]


def said(floor2, **other):
    fields = {"amount": "300", "source": "cash", "reason": "three purples were counted as black"}
    return fields | {"second": str(floor2), "second_pin": PIN} | other


def text(answer):
    return " ".join(answer.content.decode().split())


def test_the_tables_page_leads_to_its_chips_and_these_to_each_correction(screen, game, wrong):
    assert f"/floor/sessions/{game.session.pk}/chips/" in text(
        screen.get(f"/floor/sessions/{game.session.pk}/")
    )
    page = text(screen.get(f"/floor/sessions/{game.session.pk}/chips/"))
    assert page.count("/correct/") == 3
    assert page.index("Cash-out") < page.index("$450.00")


def test_a_supervisor_corrects_with_a_second_person_who_signs_on_the_spot(screen, game, floor2, wrong):
    page = text(screen.get(f"/chips/{wrong.pk}/correct/"))
    assert "Correct the buy-in: Ann, seat 1" in page
    answer = screen.post(f"/chips/{wrong.pk}/correct/", **said(floor2))
    assert answer.status_code == 302
    assert game.stack(1) == 30_000
    entry = JournalEntry.objects.get(kind="correction")
    assert (entry.actor, entry.approver) == (game.floor, floor2)
    page = text(screen.get(f"/floor/sessions/{game.session.pk}/chips/"))
    assert page.count("/correct/") == 3
    assert "Taken back" in page
    assert f"/chips/{wrong.pk}/correct/" not in page


def test_what_is_refused_stands_beside_its_field_and_what_was_typed_stays(screen, game, floor2, wrong):
    for fields, code in (
        ({"second_pin": "0000"}, "wrong_pin"),
        ({"amount": "1"}, "buy_in_too_small"),
        ({"amount": "450"}, "nothing_changes"),
        ({"reason": ""}, "bad_entry"),
        ({"second": str(game.dealer)}, "wrong_pin"),
    ):
        answer = screen.post(f"/chips/{wrong.pk}/correct/", **said(floor2, **fields))
        assert answer.status_code in (400, 403)
        assert screen.codes(answer) == [code]
        assert "three purples" in text(answer) or code == "bad_entry"
    assert game.stack(1) == 45_000


def test_only_who_may_approve_is_offered_as_the_second_person(screen, floor2, dealer, wrong):
    page = text(screen.get(f"/chips/{wrong.pk}/correct/"))
    assert f'<option value="{floor2}">' in page
    assert f'<option value="{dealer}">' not in page


def test_the_statement_leads_there_and_back(screen, game, floor2, wrong):
    sitting = game.sitting(1)
    assert f"/chips/{wrong.pk}/correct/?from=statement" in text(screen.get(f"/sittings/{sitting.pk}/"))
    answer = screen.post(f"/chips/{wrong.pk}/correct/?from=statement", **said(floor2))
    assert answer.headers["Location"] == f"/sittings/{sitting.pk}/"
    page = text(screen.get(f"/sittings/{sitting.pk}/"))
    assert "Reversal of the buy-in" in page
    assert "Buy-in, corrected" in page
    assert f"/chips/{wrong.pk}/correct/" not in page


def test_of_a_cash_out_there_is_no_source(screen, game, floor2, wrong):
    gone = JournalEntry.objects.get(kind="cash_out")
    assert 'name="source"' not in text(screen.get(f"/chips/{gone.pk}/correct/"))
    entry = said(floor2, amount="250")
    assert screen.post(f"/chips/{gone.pk}/correct/", **entry).status_code == 400
    del entry["source"]
    assert screen.post(f"/chips/{gone.pk}/correct/", **entry).status_code == 302
    assert "$50.00 short" in text(screen.get(f"/floor/sessions/{game.session.pk}/chips/"))


def test_who_only_reads_sees_the_chips_and_no_way_to_correct_them(screen, game, regulator, wrong):
    screen.as_(regulator)
    page = text(screen.get(f"/floor/sessions/{game.session.pk}/chips/"))
    assert "$450.00" in page
    assert "/correct/" not in page
    assert screen.get(f"/chips/{wrong.pk}/correct/").status_code == 403


def test_there_is_nothing_to_correct_at_another_entry(screen, game, wrong):
    other = JournalEntry.objects.exclude(kind__in=["buy_in", "cash_out"])[0]
    assert screen.get(f"/chips/{other.pk}/correct/").status_code == 404
    assert screen.get("/chips/999999/correct/").status_code == 404


def test_the_list_takes_as_many_queries_for_one_player_as_for_many(
    screen, game, wrong, django_assert_max_num_queries
):
    for seat, name in ((2, "Cat"), (3, "Dan"), (4, "Eve")):
        game.buy_in(name, seat)
    with django_assert_max_num_queries(25):
        screen.get(f"/floor/sessions/{game.session.pk}/chips/")
