"""A policy says whose signatures count and how many are enough; anything else is refused with its line."""

from datetime import UTC, datetime, time

import pytest

from ledger.proof.audit.errors import BadPolicy, BadSignature
from ledger.proof.audit.policy import Policy, witnessed
from ledger.proof.audit.tree.cosignatures import PLAIN
from ledger.proof.audit.tree.note import Signature, VerifierKey
from ledger.proof.log.keys import ARITHMETIC
from tests.support.log_by_hand import KEY, OTHER_KEY, checkpoint
from tests.support.witnesses import AT, AUDITOR, BUREAU, MadeUp, cosigned, policy

CHECKPOINT = checkpoint([bytes(32)])
LOG = "\n".join(f"log {half.text}" for half in KEY.halves)
W = f"witness bureau {BUREAU.key.text}"


def test_a_policy_names_logs_witnesses_groups_and_the_latest_hour():
    found = Policy.parse(
        f"# of the house\n\n{LOG} https://log.example\n{W} https://w.example/bureau \n\t witness\tauditor "
        f" {AUDITOR.key.text}\n"
        "group both all bureau auditor\nquorum both\nlatest 06:30\n".encode()
    )
    assert found.logs == (KEY,)
    assert [(one.name, one.key, one.address) for one in found.witnesses] == [
        ("bureau", BUREAU.key, "https://w.example/bureau"),
        ("auditor", AUDITOR.key, ""),
    ]
    assert found.latest == time(6, 30, tzinfo=UTC)
    assert [found.is_met_by(names) for names in (set(), {"bureau"}, {"auditor", "bureau"})] == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("lines", "met"),
    [
        (["quorum none"], [True, True, True, True]),
        (["quorum bureau"], [False, True, False, True]),
        (["group one any bureau auditor", "quorum one"], [False, True, True, True]),
        (["group two 2 bureau auditor", "quorum two"], [False, False, False, True]),
        (["group a all auditor", "group b all a bureau", "quorum b"], [False, False, False, True]),
    ],
)
def test_a_quorum_is_met_by_enough_witnesses(lines, met):
    sets = (set(), {"bureau"}, {"auditor"}, {"bureau", "auditor"})
    assert [policy(*lines).is_met_by(names) for names in sets] == met


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            W,
            "quorum",
            "quorum bureau",
            "quorum none\nquorum none",
            "quorum none none",
            "what\nquorum none",
        ),
        *(
            f"{W}\n{W.replace('bureau ', 'other ')}\nquorum none",
            f"{W}\nquorum nobody",
            f"{W} a b\nquorum none",
        ),
        *("witness a key\nquorum none", f"witness none {BUREAU.key.text}\nquorum none"),
        *(f"witness house {KEY.ed25519.text}\nquorum none", f"log {AUDITOR.key.text}\nquorum none"),
        *(
            f"log {KEY.ed25519.text}\nquorum none",
            f"log {KEY.mldsa.text}\nlog {KEY.ed25519.text}\nquorum none",
        ),
        f"log {KEY.ed25519.text}\nlog {OTHER_KEY.ed25519.text}\nquorum none",
        *(f"{W}\ngroup g {least} bureau\nquorum g" for least in ("0", "2", "some", "-1", "1.0")),
        *(
            f"{W}\ngroup {rest}\nquorum none"
            for rest in ("", "g", "g all", "g all nobody", "g 1 bureau bureau")
        ),
        *(f"{W}\ngroup {name} all bureau\nquorum none" for name in ("bureau", "none")),
        f"{W}\ngroup g all bureau\ngroup h all bureau\nquorum none",
        *(
            f"quorum none\nlatest {hour}"
            for hour in ("", "6:00", "24:00", "06:60", "06:00 UTC", "06:00\nlatest 07:00")
        ),
        *("quorum none\r\n", "quorum none\n\x00", "quorum none\n\x7f"),
    ],
)
def test_whatever_else_a_file_says_is_no_policy(text):
    with pytest.raises(BadPolicy):
        Policy.parse(text.encode())


def test_a_policy_is_text_and_its_refusal_names_the_line():
    with pytest.raises(BadPolicy):
        Policy.parse(b"\xff")
    with pytest.raises(BadPolicy, match="Line 2 of the policy"):
        Policy.parse(b"quorum none\nwhat\n")


@pytest.mark.parametrize("arithmetic", [PLAIN, ARITHMETIC], ids=["plain", "cryptography"])
def test_cosignatures_of_both_types_count_by_witness_and_others_are_passed_over(arithmetic):
    data = cosigned(CHECKPOINT, BUREAU, MadeUp("stranger.example/w")) + cosigned(b"", seconds=AT)
    assert witnessed(data, policy("quorum none"), arithmetic).at == {
        "bureau": datetime.fromtimestamp(AT, UTC)
    }
    twice = (
        cosigned(CHECKPOINT, BUREAU, AUDITOR)
        + cosigned(CHECKPOINT, BUREAU, seconds=AT + 60)[len(CHECKPOINT) :]
    )
    found = witnessed(twice, policy("quorum none"), arithmetic)
    assert found.at.keys() == {"bureau", "auditor"}
    assert found.newest == datetime.fromtimestamp(AT + 60, UTC)
    assert found.tree.size == 1
    assert witnessed(CHECKPOINT, policy("quorum none"), arithmetic).newest is None


@pytest.mark.parametrize("witness", [BUREAU, AUDITOR], ids=["ml-dsa-44", "ed25519"])
@pytest.mark.parametrize("place", [0, 7, 8, -1])
def test_a_cosignature_with_a_bit_changed_does_not_hold(witness, place):
    line = witness.line(CHECKPOINT)
    changed = bytearray(line.signature)
    changed[place] ^= 1
    data = CHECKPOINT + f"{Signature(line.name, line.key_id, bytes(changed)).line}\n".encode()
    with pytest.raises(BadSignature):
        witnessed(data, policy("quorum none"))


def test_a_cosignature_is_of_one_checkpoint_and_one_name():
    other = checkpoint([bytes(32), bytes(32)])
    with pytest.raises(BadSignature):
        witnessed(other + f"{BUREAU.line(CHECKPOINT).line}\n".encode(), policy("quorum none"))
    renamed = VerifierKey("other.example/w", BUREAU.key.public, BUREAU.key.kind)
    line = Signature(renamed.name, renamed.key_id, BUREAU.line(CHECKPOINT).signature)
    known = Policy.parse(f"witness bureau {renamed.text}\nquorum none".encode())
    with pytest.raises(BadSignature):
        witnessed(CHECKPOINT + f"{line.line}\n".encode(), known)
