"""The lengths of common texts: a reason, a PIN; and the form of keys. Pure."""

from typing import Final

REASON: Final = 200
"""The characters of a reason that a form or the API takes, and that a row keeps."""
POSTED_REASON: Final = 2000
"""The characters of the reason of a journal entry, and of the cause of a difference."""
EVIDENCE: Final = 200
"""The evidence of a large difference: the number of a camera's clip, of a paper."""
SENT_KEY: Final = r"^[ -.0-~]*$"
"""The pattern of a key from outside: printed ASCII without the slash, which the house appends to a key for
further rows of the same act. A key with a slash could put another row in their place."""
FEWEST_PIN_DIGITS: Final = 6
"""No house may set fewer (`PIN_DIGITS`)."""
MOST_PIN_DIGITS: Final = 8
