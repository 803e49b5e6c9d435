"""The lists that people look through most, chosen and sorted by their address: rounds, a journal, players."""

from tests.support.evening import DAY


def test_rounds_of_a_day_are_chosen_by_state_and_dealer_and_sorted(at, regulator, evening, codes_on):
    evening.minute(45).void(evening.start(), reason="a card lay face up")

    def numbers(query):
        page = at(regulator).get(f"/audit/rounds/?day={DAY}&{query}")
        return [round_.number for round_ in page.context["page_obj"].object_list]

    assert numbers("sort=started") == numbers("sort=round") == [1, 2, 3, 4]
    assert numbers("state=void") == numbers("sort=-state")[:1] == [4]
    assert (len(numbers("dealer=deal")), numbers("dealer=nobody")) == (4, [])
    for query in ("state=void", "dealer=x", "sort=dealer"):
        refused = at(regulator).get(f"/audit/rounds/?{query}")
        assert (refused.status_code, codes_on(refused)) == (400, ["bad_entry"])


def test_a_journal_is_read_from_its_end_and_by_who_recorded_it(at, regulator, evening, cashier, monkeypatch):
    monkeypatch.setattr("ledger.reports.statements.ENTRIES", 4)

    def entries(query):
        page = at(regulator).get(f"/audit/days/{DAY}/journal/?{query}")
        return [one.row.pk for one in page.context["entries"]], page

    whole, _ = entries("sort=&after=0")
    newest, page = entries("sort=-entry")
    assert newest == sorted(newest, reverse=True)
    assert newest[0] > whole[-1]
    place = page.context["place"]
    assert (place.before, place.after) == (newest[-1], None)
    assert f"?sort=-entry&amp;before={newest[-1]}" in page.content.decode()
    _, page = entries("person=cashier")
    assert {one.row.actor for one in page.context["entries"]} == {cashier}


def test_players_are_chosen_by_who_is_here_and_by_a_day(at, regulator, floor, evening):
    evening.cash_out(1)

    def names(person, query):
        page = at(person).get(f"/players/?{query}")
        assert page.status_code == 200
        return [one.player.name for one in page.context["found"]]

    assert names(floor, "here=on") == ["Bob", "Cat", "Dan", "Eve"]
    assert names(regulator, f"day={DAY}&sort=-name") == ["Eve", "Dan", "Cat", "Bob", "Ann"]
    assert names(regulator, f"day={DAY}&sort=-last")[0] == "Eve"
    assert names(regulator, "day=2026-01-04") == []
    assert at(floor).get(f"/players/?q=ann&day={DAY}").status_code == 400
