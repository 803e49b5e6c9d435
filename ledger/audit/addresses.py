"""Names that could be taken for the address of a device, or for the server's command line: records and papers have one of these in
the same place. Pure."""

import re
import unicodedata

_LIKE = re.compile(r"\d+(\.\d+){2}|[0-9a-f]*:[0-9a-f]*:")
"""Three numbers with dots, or two colons with hexadecimal digits, wherever in a name."""
COMMAND_LINE = "command line"
"""What stands there of an act at the server itself, before the account of the system."""
_STOPS = str.maketrans({"。": ".", "·": ".", "٫": ".", "∶": ":", "ː": ":", "։": ":"})


def like_an_address(name: str) -> bool:
    """Whether a name holds what reads as an IPv4 or IPv6 address, in digits and stops of any script, or begins as the command line
    does."""
    plain = unicodedata.normalize("NFKC", name).translate(_STOPS).casefold()
    digits = (str(unicodedata.decimal(one)) if one.isdecimal() else one for one in plain if not one.isspace())
    joined = "".join(digits)
    return joined.startswith(COMMAND_LINE.replace(" ", "")) or bool(_LIKE.search(joined))
