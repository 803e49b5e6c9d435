"""Checkpoints: three lines that say which log, how many leaves and what root."""

import pytest
from hypothesis import given, strategies as st

from ledger.proof.audit.errors import BadCheckpoint
from ledger.proof.audit.tree.checkpoints import MOST_LEAVES, TreeHead
from ledger.proof.audit.tree.merkle import EMPTY_ROOT, leaf_hash
from ledger.proof.audit.tree.note import parse

SOFA = """\
example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
"""
SOFAS_LINE = (
    "— example.com/behind-the-sofa"
    " Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
)
ORIGIN = "casino.example/main"
ROOT = leaf_hash(b"record")


def test_the_checkpoint_of_the_specification_is_read_and_written():
    note = parse(f"{SOFA}\n{SOFAS_LINE}".encode())
    checkpoint = TreeHead.parse(note.text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert checkpoint.root.hex().startswith("0ac5186a91863e8e")
    assert checkpoint.text == SOFA


@given(
    st.integers(1, MOST_LEAVES), st.binary(min_size=32, max_size=32), st.lists(st.just("more"), max_size=2)
)
def test_a_text_leads_back_to_its_checkpoint(size, root, extensions):
    checkpoint = TreeHead(ORIGIN, size, root, tuple(extensions))
    assert TreeHead.parse(checkpoint.text) == checkpoint


@given(st.text(max_size=80))
def test_whatever_text_comes_is_read_to_the_letter_or_refused(text):
    for each in (text, SOFA + text, text + SOFA, SOFA.replace("20852163", text)):
        try:
            checkpoint = TreeHead.parse(each)
        except BadCheckpoint:
            continue
        assert checkpoint.text == each


def test_an_empty_log_has_the_empty_root():
    assert TreeHead.parse(TreeHead(ORIGIN, 0, EMPTY_ROOT).text).size == 0
    with pytest.raises(BadCheckpoint):
        TreeHead(ORIGIN, 0, ROOT)


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", SOFA[:-1], SOFA + "\n", "\n" + SOFA, SOFA + "more", SOFA + "more\n\nmore\n"),
        *(
            SOFA.replace("20852163", size)
            for size in ("", "0", "-1", "+1", "01", " 1", "1 ", "1_0", "٣", "1e3")
        ),
        *(SOFA.replace("20852163", size) for size in ("9223372036854775808", "9" * 30)),
        *(SOFA.replace("q2I=", end) for end in ("q2I", "q2J=", "q2I==", "q2I= ", "qw==", "q2IA", "")),
        SOFA.replace("/X", "_X"),
        SOFA.replace("example.com/behind-the-sofa\n", ""),
        SOFA.replace("\n", "\r\n"),
    ],
)
def test_no_other_spelling_is_a_checkpoint(text):
    with pytest.raises(BadCheckpoint):
        TreeHead.parse(text)


@pytest.mark.parametrize(
    ("origin", "size", "root", "extensions"),
    [
        *(("", 1, ROOT, ()), ("two\nlines", 1, ROOT, ()), ("tab\t", 1, ROOT, ()), (ORIGIN, -1, ROOT, ())),
        *((ORIGIN, MOST_LEAVES + 1, ROOT, ()), (ORIGIN, 1, ROOT[:31], ()), (ORIGIN, 1, ROOT, ("",))),
    ],
)
def test_no_checkpoint_says_that(origin, size, root, extensions):
    with pytest.raises(BadCheckpoint):
        TreeHead(origin, size, root, extensions)
