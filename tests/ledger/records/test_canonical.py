"""One value, one text, one line of bytes: hashed bytes can be made again, and nothing else reads as them."""

import json

import pytest
from hypothesis import given, strategies as st

from ledger.chart import Asset
from ledger.errors import BadText, NotCanonical
from ledger.records.canonical import MOST, decode, read_record, text, unchecked


def encode(value):
    return text(value).encode()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MOST, MOST) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"b": [1, None, True], "a": "Zoë"}, '{"a":"Zoë","b":[1,null,true]}'),
        ({"B": 1, "a": 2, "": 3}, '{"":3,"B":1,"a":2}'),
        ({"\U0001f0a1": 1, "\uff21": 2}, '{"\uff21":2,"\U0001f0a1":1}'),
        ((1, (2,)), "[1,[2]]"),
        ('\n\t\x00\x1f"\\/\x7f\u2028', '"\\n\\t\\u0000\\u001f\\"\\\\/\x7f\u2028"'),
        ({"asset": Asset.CHIPS}, '{"asset":"chips"}'),
        ([MOST, -MOST, 0], "[9007199254740991,-9007199254740991,0]"),
        ({}, "{}"),
    ],
)
def test_a_value_has_one_text(value, written):
    assert text(value) == written
    assert encode(value) == written.encode()


@given(VALUES)
def test_every_value_is_read_back_from_its_one_line(value):
    data = encode(value)
    assert decode(data) == json.loads(data) == value
    assert not any(byte < 0x20 for byte in data)


@given(st.dictionaries(TEXTS, VALUES, min_size=2, max_size=6), st.randoms())
def test_the_order_in_which_a_value_was_made_does_not_show(value, random):
    items = list(value.items())
    random.shuffle(items)
    assert encode(dict(items)) == encode(value)
    assert list(json.loads(encode(value))) == sorted(value)
    assert [key.encode() for key in sorted(value)] == sorted(key.encode() for key in value)


def test_texts_that_look_alike_are_not_brought_together():
    assert encode("Zoe\u0308") != encode("Zo\u00eb")
    assert decode(encode("Zoe\u0308")) == "Zoe\u0308"


@pytest.mark.parametrize("value", [1.0, 0.5, float("nan"), float("inf"), {1, 2}, b"bytes", object()])
def test_floats_and_what_json_does_not_know_are_refused_however_deep(value):
    for each in (value, [value], {"a": [{"b": value}]}):
        with pytest.raises(TypeError):
            text(each)


@pytest.mark.parametrize("key", [1, None, True, 1.5])
def test_a_key_is_a_text_for_numbers_would_be_sorted_otherwise_when_read_back(key):
    with pytest.raises(TypeError):
        text({"rows": [{key: "x"}]})


@pytest.mark.parametrize("number", [MOST + 1, -MOST - 1, 10**30])
def test_an_integer_that_not_every_reader_holds_is_refused(number):
    with pytest.raises(ValueError):
        text({"cents": [number]})


@pytest.mark.parametrize("value", ["\ud800", ["a\udfffb"], {"\ud83c": 1}])
def test_half_a_character_cannot_be_kept(value):
    with pytest.raises(BadText):
        text(value)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b" 1", b"1 ", b"1\n", b"[1, 2]", b'{"a" :1}', b'{"b":1,"a":2}', b'{"a":1,"a":1}', b"{"),
        *(b"1.0", b"1e2", b"-0", b"01", b"+1", b"NaN", b"-Infinity", b"9007199254740992", b"9" * 5000),
        *(b'"\\u0041"', b'"\\/"', b'"\\u000a"', b'"\\ud800"', b'"\xff"', b'"\n"', "\ufeff1".encode()),
        *('"a"'.encode("utf-16"), b"[" * 100_000, b"'a'", b"{1:2}", b"true ", b"True"),
    ],
)
def test_bytes_that_are_not_the_one_way_are_refused(data):
    with pytest.raises(NotCanonical):
        decode(data)


@given(VALUES, st.data())
def test_canonical_bytes_with_any_bit_changed_are_another_value_or_none(value, data):
    written = encode(value)
    place, bit = divmod(data.draw(st.integers(0, len(written) * 8 - 1)), 8)
    changed = written[:place] + bytes([written[place] ^ 1 << bit]) + written[place + 1 :]
    try:
        read = decode(changed)
    except NotCanonical:
        return
    assert encode(read) == changed != written


@given(st.integers(1, 999_999_999), VALUES)
def test_a_record_is_its_version_and_then_its_body(version, body):
    data = f"[{version},{text(body)}]".encode()
    assert data.startswith(b"[%d," % version)
    assert read_record(data) == (version, body)
    assert data == encode([version, body])


@pytest.mark.parametrize(
    "data",
    [
        *(b"1", b"[]", b"[1]", b"[1,{},2]", b"[0,{}]", b"[-1,{}]", b'["1",{}]', b"[true,{}]", b"[[1],2]"),
        *(b"{}", b"[1,{}]\n", b"[1, {}]", b"[1.0,{}]", b"[1000000000,{}]", b'{"v":1}'),
    ],
)
def test_nothing_else_is_a_record(data):
    with pytest.raises(NotCanonical):
        read_record(data)


@pytest.mark.parametrize("value", [{"b": [1, None, True, "\u00e9"], "a": {}}, {"b": (1, 2)}, []])
def test_the_unchecked_text_of_what_a_record_can_hold_is_its_canonical_text(value):
    assert unchecked(value) == text(value)


@pytest.mark.parametrize("value", [{"a": 1.5}, [2**60], ["\ud800"], {"\u00e9": "\ud800"}])
def test_the_unchecked_text_of_what_no_record_can_hold_is_a_text_that_is_not_canonical(value):
    with pytest.raises(NotCanonical):
        decode(unchecked(value).encode())
