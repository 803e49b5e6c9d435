"""A checkpoint is signed with both halves of the log's key, and believed for both alone."""

import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from ledger.proof.audit.errors import BadCheckpoint, BadNote, BadSignature, BadVerifierKey
from ledger.proof.audit.tree.checkpoints import TreeHead
from ledger.proof.audit.tree.cosignatures import PLAIN
from ledger.proof.audit.tree.log_keys import LogKey, opened, signed_at, signed_by
from ledger.proof.audit.tree.merkle import leaf_hash
from ledger.proof.audit.tree.note import COSIGNED_BY_MLDSA, Note, Signature, VerifierKey, parse, signed
from ledger.proof.log.keys import ARITHMETIC, Signer

ORIGIN = "casino.example/main"
SIGNER, OTHER = Signer(ORIGIN, bytes(range(32))), Signer(ORIGIN, bytes(range(1, 33)))
KEY = SIGNER.key
TREE = TreeHead(ORIGIN, 1, leaf_hash(b"record"), ("after 0",))
NOW = datetime(2026, 11, 22, 6, 30, tzinfo=UTC)
SIGNED = SIGNER.signed(TREE, now=NOW)
BOTH = pytest.mark.parametrize("arithmetic", [PLAIN, ARITHMETIC], ids=["plain", "cryptography"])


def with_lines(*lines: Signature) -> bytes:
    return Note(TREE.text, lines).encode()


@BOTH
def test_a_checkpoint_with_both_signatures_is_believed_and_says_when(arithmetic):
    assert opened(SIGNED, origin=ORIGIN, known=[OTHER.key, KEY], arithmetic=arithmetic) == TREE
    assert signed_by(SIGNED, origin=ORIGIN, known=[OTHER.key, KEY], arithmetic=arithmetic)[1] == (KEY,)
    assert signed_at(SIGNED, KEY) == NOW.timestamp()
    assert signed_at(SIGNED, OTHER.key) is None


@BOTH
@pytest.mark.parametrize("half", [0, 1])
def test_one_signature_is_not_enough_nor_one_of_each_of_two_keys(arithmetic, half):
    mine, others = (parse(signer.signed(TREE, now=NOW)).signatures for signer in (SIGNER, OTHER))
    for data in (with_lines(mine[half]), with_lines(mine[half], others[1 - half])):
        with pytest.raises(BadSignature):
            opened(data, origin=ORIGIN, known=[KEY, OTHER.key], arithmetic=arithmetic)


@BOTH
@pytest.mark.parametrize("half", [0, 1])
@given(st.data())
def test_a_bit_flipped_in_either_signature_is_noticed(arithmetic, half, data):
    lines = list(parse(SIGNED).signatures)
    changed = bytearray(lines[half].signature)
    place, bit = divmod(data.draw(st.integers(0, len(changed) * 8 - 1)), 8)
    changed[place] ^= 1 << bit
    lines[half] = Signature(ORIGIN, lines[half].key_id, bytes(changed))
    with pytest.raises(BadSignature):
        opened(with_lines(*lines), origin=ORIGIN, known=[KEY], arithmetic=arithmetic)


@pytest.mark.parametrize("change", [(b"\n1\n", b"\n2\n"), (b"after 0", b"after 1"), (b"main\n", b"man\n")])
def test_a_checkpoint_that_says_something_else_is_not_believed(change):
    with pytest.raises(BadSignature):
        opened(SIGNED.replace(*change, 1), origin=ORIGIN, known=[KEY])


def test_a_checkpoint_is_believed_only_of_its_log_from_its_key_and_as_a_whole():
    for data, error, known, origin in (
        (SIGNED, BadCheckpoint, [KEY], "casino.example/other"),
        (SIGNED, BadSignature, [OTHER.key], ORIGIN),
        (SIGNED, BadSignature, [], ORIGIN),
        (SIGNED[:-1], BadNote, [KEY], ORIGIN),
        (SIGNED.replace(b"after 0\n", b"\n", 1), BadCheckpoint, [KEY], ORIGIN),
    ):
        with pytest.raises(error):
            opened(data, origin=origin, known=known)


def test_the_name_and_the_origin_are_signed_with_lengths_and_none_is_too_long():
    with pytest.raises(BadVerifierKey):
        Signer("x" * 256, bytes(32))
    longest = Signer("x" * 255, bytes(32))
    tree = TreeHead("x" * 255, 1, TREE.root)
    assert opened(longest.signed(tree, now=NOW), origin=tree.origin, known=[longest.key]) == tree


def test_a_time_behind_the_last_that_can_be_is_no_signature():
    lines = list(parse(SIGNED).signatures)
    lines[1] = Signature(ORIGIN, lines[1].key_id, b"\x80" + lines[1].signature[1:])
    with pytest.raises(BadSignature):
        opened(with_lines(*lines), origin=ORIGIN, known=[KEY])


def test_the_key_is_passed_on_as_one_text_with_one_fingerprint_for_both_halves():
    assert LogKey.parse(KEY.text) == KEY
    assert KEY.text.count(" ") == 1
    assert len(KEY.fingerprint) == 64
    mixed = LogKey(KEY.ed25519, OTHER.key.mldsa)
    assert len({KEY.fingerprint, OTHER.key.fingerprint, mixed.fingerprint}) == 3


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", KEY.ed25519.text, KEY.mldsa.text, f"{KEY.mldsa.text} {KEY.ed25519.text}"),
        *(
            f"{KEY.text} {KEY.mldsa.text}",
            KEY.text.replace(" ", "  "),
            f"{KEY.ed25519.text} {KEY.ed25519.text}",
        ),
        f"{KEY.ed25519.text} {VerifierKey('other', KEY.mldsa.public, COSIGNED_BY_MLDSA).text}",
    ],
)
def test_no_other_text_is_the_key_of_a_log(text):
    with pytest.raises(BadVerifierKey):
        LogKey.parse(text)


def test_an_unknown_type_of_key_is_refused():
    with pytest.raises(BadVerifierKey):
        VerifierKey.parse(f"{ORIGIN}+00000000+{base64.b64encode(bytes([2, *bytes(32)])).decode()}")
    with pytest.raises(BadVerifierKey):
        VerifierKey(ORIGIN, bytes(1311), COSIGNED_BY_MLDSA)


def test_any_program_for_signed_notes_can_check_the_first_signature():
    line = parse(SIGNED).signatures[0]
    assert line == signed(TREE.text, KEY.ed25519, SIGNER._ed25519.sign)
