"""JSON as every door of the house reads it: what other readers let pass in silence is refused."""

import json

import pytest
from hypothesis import given, strategies as st

from tables.rules.game.strict_json import BadJsonText, read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=8,
)


@given(VALUES)
def test_every_value_is_read_as_it_was_written(value):
    assert read_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"cash": [1], "cash": [2]}', "the key 'cash' occurs twice"),
        ('{"hands": [{"seat": 1, "seat": 1}]}', "the key 'seat' occurs twice"),
        ('{"' + "k" * 99 + '": 1, "' + "k" * 99 + '": 1}', f"the key '{'k' * 20}' occurs twice"),
        ("NaN", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("[" * 100_000, "it is nested too deeply"),
        ("9" * 5_000, "it is not JSON"),
        ("{", "it is not JSON"),
        ("", "it is not JSON"),
    ],
)
def test_what_no_device_would_send_is_refused_with_a_sentence(text, why):
    with pytest.raises(BadJsonText, match=why):
        read_json(text)
