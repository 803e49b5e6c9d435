"""Pictures of figures: what a bar is as high as, which side of zero, and the same figures in the table."""

from xml.etree import ElementTree

from django.template.loader import render_to_string

from ledger.templatetags.figures import dollars, signed_dollars
from ledger.views.pictures import LETTER, STRIP, Said, bars, differences, steps

TAKEN = Said("taken", "Taken", "Dollars an hour.", dollars, empty="Nothing was taken.")
SHORT = Said("short", "Over/short", "Dollars.", signed_dollars, column="Box", empty="No box is counted.")
HOURS = [f"{hour:02}:00" for hour in range(24)]


def of(picture, kind):
    return [mark for mark in picture.marks if mark.kind == kind]


def at_hours(**cents):
    return [cents.get(f"at_{hour}", 0) for hour in range(24)]


def test_bars_have_one_scale_and_the_table_has_their_sums():
    one, other = at_hours(at_18=4000, at_19=1000), at_hours(at_19=3000)
    together = [a + b for a, b in zip(one, other, strict=True)]
    picture = bars(TAKEN, HOURS, [("All tables", together), ("Table 1", one), ("Table 2", other)])
    assert [mark.tall for mark in of(picture, "bar")] == [20, 20, 20, 5, 15]
    assert {mark.y_end for mark in of(picture, "bar")[:2]} == {LETTER + STRIP}
    assert picture.heads == ("Hour", "All tables", "Table 1", "Table 2")
    assert picture.rows[-1] == ("Together", "$80.00", "$50.00", "$30.00")
    assert ("19:00", "$40.00", "$10.00", "$30.00") in picture.rows


def test_hours_without_a_bar_are_left_out_but_for_eight():
    picture = bars(TAKEN, HOURS, [("All tables", at_hours(at_18=100))])
    assert [row[0] for row in picture.rows[:-1]] == [f"{hour:02}:00" for hour in range(16, 24)]
    whole = bars(TAKEN, HOURS, [("All tables", [100] * 24)])
    assert len(whole.rows) == 25
    assert max(mark.x_end for mark in whole.marks) <= 100


def test_a_difference_stands_on_its_side_of_zero_and_is_hollow_if_short():
    picture = differences(SHORT, [("Box 1", -500), ("Box 2", 0), ("Box 3", 250)])
    (short,), (over,), (zero,) = of(picture, "less"), of(picture, "bar"), of(picture, "zero")
    assert short.x_end == over.x == zero.x
    assert short.wide == 2 * over.wide
    assert [mark.text for mark in of(picture, "figure")] == ["−$5.00", "$0.00", "+$2.50"]
    assert picture.rows[-1] == ("Together", "−$2.50")


def test_of_many_differences_the_largest_are_drawn_and_all_are_in_the_table():
    found = [(f"Box {number}", -number) for number in range(1, 31)]
    picture = differences(SHORT, found)
    assert [mark.text for mark in of(picture, "name")] == [f"Box {number}" for number in range(19, 31)]
    assert len(picture.rows) == 31
    assert "18 more" in picture.note


def test_a_line_goes_from_step_to_step():
    picture = steps(TAKEN, ["06:00", "07:00", "08:00"], [("Chips", [100, 100, 50])])
    level, first, down = of(picture, "course")
    assert (level.x_end, level.tall, first.wide, down.wide) == (first.x, 0, level.wide, 0)
    assert (down.x, down.y) == (100, first.y)
    assert "from $1.00 to $0.50" in [mark.text for mark in of(picture, "figure")]
    assert picture.rows == (("06:00", "$1.00"), ("07:00", "$1.00"), ("08:00", "$0.50"))


def test_without_figures_a_picture_says_why():
    for picture in (
        bars(TAKEN, HOURS, [("All tables", [0] * 24)]),
        steps(TAKEN, HOURS, [("Chips", [0] * 24)]),
        differences(SHORT, []),
    ):
        page = render_to_string("charts/_picture.html", {"picture": picture})
        assert picture.empty in page
        assert "<svg" not in page


def test_a_picture_is_told_to_who_cannot_see_it_and_needs_no_style():
    picture = differences(SHORT, [('Box 1, <b>"x"', -500), ("Box 2", 250)])
    figure = ElementTree.fromstring(render_to_string("charts/_picture.html", {"picture": picture}))
    svg = figure.find("svg")
    named = {one.get("id"): one.text for one in svg if one.get("id")}
    assert svg.get("role") == "img"
    assert [named[one] for one in svg.get("aria-labelledby").split()] == ["Over/short", "Dollars."]
    assert not [one for one in figure.iter() if one.get("style")]
    cells = [[cell.text for cell in row] for row in figure.find("details").iter("tr")][1:]
    assert cells == [list(row) for row in picture.rows]
