"""The exclusion list: whom an entry means, who looked, and what the log has of it (4 CCR 12463-12466)."""

import io
import json
import zipfile
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection

from ledger.cage import exclusions
from ledger.cage.window import Patron
from ledger.errors import LedgerError
from ledger.journal import house_events, withholding
from ledger.journal.acts import Act
from ledger.models import AuditRecord, Exclusion, Site, Withheld, WithheldBatch, WithheldInBatch
from ledger.proof.audit.export.manifest import Manifest
from ledger.proof.log import exporting, sealing, verifying
from ledger.records import canonical
from tests.support.acting import acting
from tests.support.behind import behind_the_triggers
from tests.support.cage import give_drawer, redeem, sell, stock
from tests.support.plans import Statements
from tests.support.recorded import recorded_with

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 7, 20, 0, tzinfo=UTC)


@pytest.fixture
def compliance(employ):
    return employ("compliance", "compliance")


@pytest.fixture
def exclude(site, compliance):
    def add(name="", number="", **more):
        entry = {"reference": "list 7", "effective_from": date(2026, 3, 7), "actor": compliance, "now": NOW}
        return acting(exclusions.add_exclusion, site=site, name=name, number=number, **entry | more)

    return add


@pytest.fixture
def excluded(site, floor):
    """Return whether somebody of this name or number is turned away at a moment."""
    return lambda name="", number="", now=NOW: exclusions.look(
        site, name, number, Act(actor=floor, now=now), "seating"
    )


def code_of(call, *args, **options) -> str:
    with pytest.raises(LedgerError) as error:
        acting(call, *args, **options)
    return error.value.code


def said(row):
    return json.loads(row.text)


# -- who is meant --------------------------------------------------------------------------------------------


def test_a_name_is_known_whatever_its_case_and_spaces(exclude, excluded):
    exclude("Rex  Black")
    assert excluded("rex black ")
    assert not excluded("Rex Blackwell")
    assert not excluded("Rex")


@pytest.mark.parametrize(
    "asked", ["Jose Martinez", "Martínez, José", "  jose   MARTINEZ ", "Marti\u0301nez Jose\u0301"]
)
def test_a_name_is_known_in_every_spelling(exclude, excluded, asked):
    exclude("José Martínez")
    assert excluded(asked)


def test_a_name_that_is_nearly_on_the_list_asks_and_the_answer_is_kept(exclude, site, floor):
    one = exclude("José Martínez", "12", description="scar on the chin")
    by = {"site": site, "name": "Jose Martines", "number": "", "actor": floor, "now": NOW}
    with pytest.raises(LedgerError) as asked:
        acting(exclusions.require_welcome, doing="seating", **by)
    assert asked.value.code == "is_it_this_person"
    assert "José Martínez, No. 12, scar on the chin" in asked.value.message
    answer = {**asked.value.question.about, "site": site, "actor": floor, "now": NOW}
    acting(exclusions.answer, said="is_not", **answer)
    acting(exclusions.require_welcome, doing="seating", **by)
    later = {**by, "now": NOW + timedelta(days=1, seconds=1)}
    assert code_of(exclusions.require_welcome, doing="seating", **later) == "is_it_this_person"
    acting(exclusions.answer, said="is", **answer)
    assert code_of(exclusions.require_welcome, doing="seating", **by) == "see_floor"
    kept = [said(row) for row in Withheld.objects.filter(what="exclusion_answer").order_by("pk")]
    assert [(row["exclusion"], row["actor"], row["is"]) for row in kept] == [
        (one.pk, floor.pk, False),
        (one.pk, floor.pk, True),
    ]


def test_a_dealer_is_not_shown_who_somebody_may_be(exclude, site, dealer):
    one = exclude("José Martínez")
    by = {"site": site, "name": "J. Martinez", "number": "", "actor": dealer, "now": NOW}
    assert code_of(exclusions.require_welcome, doing="seating", **by) == "see_floor"
    assert code_of(exclusions.answer, exclusion=one.pk, said="is_not", **by) == "not_allowed"


def test_the_same_name_with_another_card_number_is_asked_about(exclude, site, floor):
    exclude("Rex Black", "666")
    by = {"site": site, "number": "12", "actor": floor, "now": NOW, "doing": "seating"}
    assert code_of(exclusions.require_welcome, name="Rex Black", **by) == "is_it_this_person"
    acting(exclusions.require_welcome, name="Rex Blakc", **by)


def test_an_entry_ends_with_its_last_day(exclude, excluded):
    exclude("Rex Black", until=date(2026, 3, 8), effective_from=date(2026, 3, 7))
    last = datetime(2026, 3, 9, 6, 59, tzinfo=UTC)  # before midnight in Los Angeles
    assert excluded("Rex Black", now=last)
    assert not excluded("Rex Black", now=last + timedelta(minutes=2))
    assert code_of(exclude, "Tom Grey", until=date(2026, 3, 6)) == "bad_text"


def test_a_card_number_decides_where_both_have_one(exclude, excluded):
    exclude("Rex Black", "666")
    assert excluded(number="666")
    assert excluded("Somebody Else", "666")
    assert excluded("Rex Black")
    assert not excluded("Rex Black", "12")
    assert not excluded(number="66")


def test_it_holds_from_its_day_on_the_house_s_calendar_until_it_is_lifted(exclude, excluded, compliance):
    one = exclude("Rex Black", effective_from=date(2026, 3, 8))
    midnight = datetime(2026, 3, 8, 8, 0, tzinfo=UTC)  # in Los Angeles
    assert not excluded("Rex Black", now=midnight - timedelta(seconds=1))
    assert excluded("Rex Black", now=midnight)
    exclusions.lift_exclusion(
        exclusion_id=one.pk, act=Act(reason="term is over", actor=compliance, now=midnight)
    )
    assert not excluded("Rex Black", now=midnight)


def test_somebody_who_is_neither_named_nor_numbered_is_not_looked_up(exclude, site, floor):
    exclude("Rex Black")
    exclusions.require_welcome(site, " ", "", Act(actor=floor, now=NOW), "seating")
    assert not Withheld.objects.filter(what="exclusion_look").exists()


# -- the list ------------------------------------------------------------------------------------------------


def test_the_same_entry_twice_is_one_and_another_one_is_refused(exclude):
    assert exclude("Rex Black", "666") == exclude("rex black", "666 ")
    assert code_of(exclude, "Rex Black", "666", reference="list 8") == "already_excluded"
    assert exclude("Rex Black", "667") is not None
    assert Exclusion.objects.count() == 2


def test_an_entry_says_who_and_by_which_list(exclude):
    assert code_of(exclude) == "bad_text"
    assert code_of(exclude, "Rex", reference=" ") == "bad_text"
    assert code_of(exclude, "R" * 81) == "bad_text"


def test_a_name_has_80_characters_at_most_a_card_number_20_and_a_list_80(exclude, excluded):
    longest = {"name": "N" * 80, "number": "1" * 20, "reference": "R" * 80}
    exclude(**longest)
    assert excluded("N" * 80, "1" * 20)
    for field, text in longest.items():
        assert code_of(exclude, **{"name": "Bob", field: text + "x"}) == "bad_text"


def test_only_compliance_keeps_the_list(exclude, floor, manager, regulator):
    one = exclude("Rex Black")
    for person in (floor, manager, regulator):
        assert code_of(exclude, "Somebody", actor=person) == "not_allowed"
        lift = {"exclusion_id": one.pk, "reason": "term is over", "actor": person, "now": NOW}
        assert code_of(exclusions.lift_exclusion, **lift) == "not_allowed"


def test_lifting_needs_a_reason_and_lifting_twice_is_once(exclude, compliance, employ):
    one, second = exclude("Rex Black"), employ("compliance2", "compliance")
    by = {"exclusion_id": one.pk, "now": NOW}
    assert code_of(exclusions.lift_exclusion, reason=" ", actor=compliance, **by) == "reason_required"
    acting(exclusions.lift_exclusion, reason="term is over", actor=compliance, **by)
    assert acting(exclusions.lift_exclusion, reason="again", actor=second, **by).lifted_by == compliance
    assert Withheld.objects.filter(what="exclusion_lifted").count() == 1


# -- the record ----------------------------------------------------------------------------------------------


def test_every_look_is_kept_with_who_asked_and_what_for(exclude, excluded, floor):
    one = exclude("Rex Black", "666")
    excluded("Ann")
    excluded(number="666")
    looks = [said(row) for row in Withheld.objects.filter(what="exclusion_look").order_by("pk")]
    alike = {
        "what": "exclusion_look",
        "at": "2026-03-07T20:00:00.000000Z",
        "actor": floor.pk,
        "doing": "seating",
    }
    assert looks == [
        {**alike, "exclusion": None, "name": "Ann", "number": ""},
        {**alike, "exclusion": one.pk, "name": "", "number": "666"},
    ]


def test_only_a_check_that_met_the_list_says_so(exclude, excluded, site, compliance):
    one = exclude("Rex Black", "666")
    excluded("Ann")
    excluded(number="666")
    acting(exclusions.lift_exclusion, exclusion_id=one.pk, actor=compliance, now=NOW, reason="he moved")
    shown = exclusions.events(exclusions.withheld_of(site).order_by("pk"))
    assert [(event.what, event.found) for event in shown] == [
        ("exclusion_added", False),
        ("exclusion_look", False),
        ("exclusion_look", True),
        ("exclusion_lifted", False),
    ]


def test_the_log_has_one_commitment_to_all_and_no_name(exclude, excluded, site):
    exclude("Rex Black", "K-666")  # no commitment has such letters by chance
    excluded("Rex Black")
    sealing.seal(site, now=NOW)
    (text,) = AuditRecord.objects.filter(kind="withheld").values_list("text", flat=True)
    batch, rows = WithheldBatch.objects.get(), list(Withheld.objects.order_by("pk"))
    promised = [canonical.commitment(row.salt, row.text) for row in rows]
    assert canonical.commitment(batch.salt, json.dumps(promised, separators=(",", ":"))) in text
    assert not any(word in text for word in ("Rex", "K-666", "exclusion", *promised))
    assert len({row.salt for row in rows} | {batch.salt}) == len(rows) + 1


def test_a_batch_comes_every_ten_minutes_with_whatever_else_was_recorded(excluded, site, floor):
    def sealed_at(minute, *, recorded=True):
        if recorded:
            house_events.note(site, "signed_in", act=Act(floor, NOW + timedelta(minutes=minute)), by="pin")
        sealing.seal(site, now=NOW + timedelta(minutes=minute))
        return [batch.texts.count() for batch in WithheldBatch.objects.order_by("pk")]

    assert sealed_at(0) == [0]
    excluded("Ann", now=NOW + timedelta(minutes=1))
    assert sealed_at(9) == [0]
    assert sealed_at(12, recorded=False) == [0]
    assert sealed_at(12) == [0, 1]
    assert sealed_at(23) == [0, 1, 0]
    assert sealed_at(20) == [0, 1, 0, 0]  # somebody put the clock back


def test_the_same_look_twice_has_two_commitments(excluded):
    excluded("Ann")
    excluded("Ann")
    assert len(set(Withheld.objects.values_list("commitment", flat=True))) == 2


def test_the_window_asks_before_chips_change_hands_and_keeps_the_look(exclude, site, cashier, floor):
    stock(site, chips=100_000, cash=100_000, by=cashier, second=floor, now=NOW)
    give_drawer(site, chips=100_000, by=cashier, second=floor, now=NOW)
    exclude("Rex Black")
    by = {"site": site, "cents": 5000, "actor": cashier, "now": NOW}
    assert code_of(sell, patron=Patron((("Rex Black", ""),)), key="sell-chips-1", **by) == "see_floor"
    assert code_of(redeem, patron=Patron((("rex black", ""),)), key="redeem-chips-1", **by) == "see_floor"
    sold = acting(sell, patron=Patron((("Ann", ""),)), key="sell-chips-2", **by)
    assert acting(sell, patron=Patron((("Ann", ""),)), key="sell-chips-2", **by) == sold
    acting(sell, key="sell-chips-3", **by)
    looks = [said(row) for row in Withheld.objects.filter(what="exclusion_look").order_by("pk")]
    assert [(look["name"], look["doing"]) for look in looks] == [
        ("Rex Black", "selling chips"),
        ("rex black", "redeeming chips"),
        ("Ann", "selling chips"),
    ]
    assert not recorded_with("Ann", kind="entry")


# -- committing ----------------------------------------------------------------------------------------------


def withheld_as(pk, site):
    """Look somebody up in this house, and give the text this id."""
    text = withholding.withhold(site, "exclusion_look", {"name": "Ann"}, NOW)
    with behind_the_triggers("ledger_withheld"):
        Withheld.objects.filter(pk=text.pk).update(id=pk)
    return pk


def texts_of(batch):
    return list(WithheldInBatch.objects.filter(batch=batch).order_by("pk").values_list("withheld", flat=True))


def test_a_text_of_a_quiet_house_is_committed_however_many_a_busy_one_has_withheld(site):
    quiet = Site.objects.create(name="The Quiet Room", licence="GEGE-2")
    of_the_busy_one, text = withheld_as(2 * withholding.LOOK_BACK, site), withheld_as(1, quiet)
    assert texts_of(withholding.commit(site, now=NOW)) == [of_the_busy_one]
    assert texts_of(withholding.commit(quiet, now=NOW)) == [text]


def test_a_text_that_came_late_is_committed_whatever_ids_other_houses_took_meanwhile(site):
    newer = withheld_as(2 * withholding.LOOK_BACK, site)
    assert texts_of(withholding.commit(site, now=NOW)) == [newer]
    late = withheld_as(1, site)
    assert texts_of(withholding.commit(site, now=NOW)) == [late]


def test_a_batch_is_made_without_reading_what_was_withheld_long_ago(site):
    """The thousand texts before are found at the end of the house's index. Plans are SQLite's."""
    if connection.vendor == "postgresql":
        withholding.commit(site, now=NOW)
        return
    statements = Statements()
    with statements.noted("commit"):
        withholding.commit(site, now=NOW)
    read = [(table, sql) for _, table, sql in statements.read_whole()]
    assert [table for table, _ in read] == ["ledger_withheld"]
    assert "LIMIT 1 OFFSET 1000" in read[0][1]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {read[0][1]}", [site.pk])
        plan = [detail for *_, detail in cursor.fetchall()]
    assert "ledger_withheld_ids" in plan[0]
    assert not [detail for detail in plan if "SCAN" in detail or "TEMP B-TREE" in detail]


# -- verifying -----------------------------------------------------------------------------------------------


@pytest.fixture
def sealed(exclude, excluded, compliance, site):
    """A list with one entry in force and one lifted, two looks, and everything sealed."""
    exclude("Rex Black", "666")
    lifted = exclude("Tom Grey")
    exclusions.lift_exclusion(
        exclusion_id=lifted.pk, act=Act(reason="term is over", actor=compliance, now=NOW)
    )
    excluded("Rex Black")
    excluded("Ann")
    sealing.seal(site, now=NOW)
    return site


def found(site):
    return [(one.code, one.record) for one in verifying.Verification(site).run()]


def test_a_list_as_it_was_entered_verifies(sealed):
    assert found(sealed) == []


@pytest.mark.parametrize(
    ("column", "value"), [("salt", "0" * 64), ("text", '{"actor":1,"doing":"seating","name":"Bob"}')]
)
def test_another_text_or_salt_is_not_what_the_log_was_promised(sealed, column, value):
    row = Withheld.objects.filter(what="exclusion_look").first()
    with behind_the_triggers("ledger_withheld"):
        Withheld.objects.filter(pk=row.pk).update(**{column: value})
    assert found(sealed) == [("commitment_differs", f"withheld text {row.pk}")]


@pytest.mark.parametrize(
    "change",
    [{"what": "exclusion_lifted"}, {"recorded_at": NOW - timedelta(hours=1)}],
    ids=lambda change: next(iter(change)),
)
def test_a_text_is_of_the_kind_and_the_time_that_it_says(sealed, change):
    row = Withheld.objects.filter(what="exclusion_look").first()
    with behind_the_triggers("ledger_withheld"):
        Withheld.objects.filter(pk=row.pk).update(**change)
    assert ("row_differs", f"withheld text {row.pk}") in found(sealed)


def test_a_text_that_was_written_again_with_its_commitment_is_not_in_its_batch(sealed):
    row = Withheld.objects.filter(what="exclusion_look").first()
    other = json.dumps({**said(row), "name": "Bob"}, separators=(",", ":"), sort_keys=True)
    with behind_the_triggers("ledger_withheld"):
        commitment = canonical.commitment(row.salt, other)
        Withheld.objects.filter(pk=row.pk).update(text=other, commitment=commitment)
    assert found(sealed) == [("commitment_differs", str(WithheldBatch.objects.get()))]


def test_a_text_that_is_taken_out_of_its_batch_is_missed_and_found(sealed, floor):
    row = Withheld.objects.filter(what="exclusion_look").first()
    with behind_the_triggers("ledger_withheldinbatch"):
        WithheldInBatch.objects.filter(withheld=row).delete()
    assert found(sealed) == [("commitment_differs", str(WithheldBatch.objects.get()))]
    later = Act(floor, NOW + timedelta(minutes=9, seconds=59))
    house_events.note(sealed, "signed_in", act=later, by="pin")
    sealing.seal(sealed, now=later.now)
    assert ("not_sealed", f"withheld text {row.pk}") not in found(sealed)
    later = Act(floor, NOW + timedelta(minutes=12))
    house_events.note(sealed, "signed_in", act=later, by="pin")
    with behind_the_triggers("ledger_withheldinbatch"):
        sealing.seal(sealed, now=later.now)
        WithheldInBatch.objects.filter(withheld=row).delete()
    assert ("not_sealed", f"withheld text {row.pk}") in found(sealed)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Rex White"},
        {"number": "667"},
        {"reference": "list 8"},
        {"description": "red cap"},
        {"until": date(2030, 1, 1)},
        {"effective_from": date(2030, 1, 1)},
        {"lifted_at": NOW, "lifted_by": 1},
    ],
)
def test_an_entry_that_was_changed_past_the_log_is_found(sealed, change, compliance):
    one = Exclusion.objects.get(name="Rex Black")
    if "lifted_by" in change:
        change = {**change, "lifted_by": compliance}
    Exclusion.objects.filter(pk=one.pk).update(**change)
    assert found(sealed) == [("row_differs", f"exclusion {one.pk}")]


def test_an_entry_recorded_by_version_0_2_0_has_neither_description_nor_term(site, compliance):
    by = {"reference": "list 7", "effective_from": date(2026, 3, 7), "added_at": NOW, "added_by": compliance}
    one = Exclusion.objects.create(site=site, name="Rex Black", **by)
    old = {"exclusion": one.pk, "name": "Rex Black", "number": "", "reference": "list 7"}
    told = old | {"actor": compliance.pk, "effective_from": "2026-03-07"}
    withholding.withhold(site, Withheld.What.EXCLUSION_ADDED, told, NOW)
    sealing.seal(site, now=NOW)
    assert found(site) == []


def test_an_entry_that_is_gone_or_was_never_entered_is_found(sealed, compliance):
    Exclusion.objects.filter(name="Rex Black")._raw_delete("default")
    by = {"reference": "none", "effective_from": date(2026, 3, 7), "added_at": NOW, "added_by": compliance}
    extra = Exclusion.objects.create(site=sealed, name="Ann", **by)
    codes = {code for code, _ in found(sealed)}
    assert codes == {"row_missing", "no_record"}
    assert ("no_record", f"exclusion {extra.pk}") in found(sealed)


def test_an_export_says_of_how_many_records_the_text_is_withheld(sealed):
    out = io.BytesIO()
    manifest = exporting.export(out, site=sealed, act=Act(actor=None, now=NOW))
    assert manifest.withheld == WithheldBatch.objects.count() == 1
    with zipfile.ZipFile(out) as bundle:
        records = bundle.read("records.jsonl")
        assert Manifest.parse(bundle.read("manifest.json")).withheld == 1
    assert records.count(b'"record":"withheld"') == 1
    assert b"Rex" not in records
