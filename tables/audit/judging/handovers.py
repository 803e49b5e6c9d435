"""Handovers of the floor: whoever comes signs for themselves. Pure."""

from ledger.records.findings import Body
from tables.audit.floor.floor import Floor
from tables.audit.judging.contradiction import Contradiction
from tables.rules.table.needs import wrong_signers


def handed(floor: Floor, body: Body) -> None:
    floor.count("handovers")
    if wrong := wrong_signers(body["actor"], body["data"]["approver"]):
        raise Contradiction("second_person", wrong)
