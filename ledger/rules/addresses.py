"""Names that could be mistaken for the address of a device or for the command line, which are in the same
field."""

import re
import unicodedata

_LIKE = re.compile(r"\d+(\.\d+){2}|[0-9a-f]*:[0-9a-f]*:")
"""Three numbers with dots, or two colons with hexadecimal digits, anywhere in a name."""
COMMAND_LINE = "command line"
"""The terminal of an act at the server itself, followed by the system account."""
_STOPS = str.maketrans({"。": ".", "·": ".", "٫": ".", "∶": ":", "ː": ":", "։": ":"})


def like_an_address(name: str) -> bool:
    """Return whether a name reads as an IP address, in any script's digits, or as the command line."""
    plain = unicodedata.normalize("NFKC", name).translate(_STOPS).casefold()
    digits = (str(unicodedata.decimal(one)) if one.isdecimal() else one for one in plain if not one.isspace())
    joined = "".join(digits)
    return joined.startswith(COMMAND_LINE.replace(" ", "")) or bool(_LIKE.search(joined))
