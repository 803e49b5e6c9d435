"""The body in which a log asks a witness, by C2SP tlog-witness."""

import base64

import pytest

from ledger.proof.audit.errors import BadProof
from ledger.proof.audit.tree.cosignatures import Submission

HASH = base64.b64encode(bytes(range(32))).decode()
NOTE = "example.com/log\n5\nroot\n\n— example.com/log AAAA\n"


@pytest.mark.parametrize("proof", [[], [HASH], [HASH] * 63])
def test_a_body_is_read_and_written_to_the_byte(proof):
    body = "\n".join(["old 3", *proof, "", NOTE]).encode()
    found = Submission.parse(body)
    assert (found.old, found.proof, found.checkpoint) == (3, (bytes(range(32)),) * len(proof), NOTE.encode())
    assert found.body == body


@pytest.mark.parametrize(
    "body",
    [
        *(
            "",
            "old 3",
            "old 3\n",
            f"old\n\n{NOTE}",
            f"old 03\n\n{NOTE}",
            f"old -1\n\n{NOTE}",
            f"new 3\n\n{NOTE}",
        ),
        *(
            f"old 3\n{HASH[:-1]}\n\n{NOTE}",
            f"old 3\nhash!\n\n{NOTE}",
            f"old 3\r\n\r\n{NOTE}",
            f"old {10**19}\n\n{NOTE}",
        ),
        "\n".join(["old 3", *[HASH] * 64, "", NOTE]),
        f"old 3\n\n{'x' * 1_000_000}",
    ],
)
def test_no_other_body_is_a_submission(body):
    with pytest.raises(BadProof):
        Submission.parse(body.encode())
