"""The state that a verification leaves for the next one, as that one reads it back."""

import json

from ledger.log.continuing import State
from ledger.log.verifying import Verification


def left(site, now=None):
    """What a full run, which finds nothing, leaves."""
    asked = Verification(site, now=now, leave=True)
    found = [str(one) for one in asked.run()]
    assert found == [], found
    state = asked.state
    return State(state.size, state.root, json.loads(json.dumps(state.told)))
