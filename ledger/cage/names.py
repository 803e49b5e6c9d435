"""People's names as compared and searched: without case, accents or the order of their words. Pure. `fold`
is the only rule, for every script: marks above and below letters go, the letters stay. Names are stored
and shown as typed; only comparisons are folded, by `spelled` and `near`. `isolated`
prepares a name for a sentence; `as_seen` and `is_plain` keep names apart that look the same (decision 19)."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

# Letters that Unicode does not decompose, as they are typed on a keyboard without them.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i", "ŋ": "n"}
)
# Classes of characters that change the direction of the text after a name.
_TURNING = frozenset(("R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"))
_FIRST_STRONG, _END = "\u2068", "\u2069"
_LEFT_OUT = frozenset(("Mn", "Me", "Cf"))
_TATWEEL, _APOSTROPHES = "\u0640", "'’‘ʼ`´"
_WITHOUT_SPACES = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_WITHOUT_SPACES}]+|[^\W_{_WITHOUT_SPACES}]+")
_NO_SPACES = re.compile(rf"[{_WITHOUT_SPACES}]")
_PLAIN = re.compile(r"[ -~\u3400-\u4dbf\u4e00-\u9fff]*")
_SEEN = str.maketrans("il|o", "1110")


def fold(text: str) -> str:
    """Strip case, accents, apostrophes and extra spaces: "MÜLLER,  Jürgen" is "muller, jurgen"."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = (
        letter
        for letter in plain.translate(_LETTERS)
        if unicodedata.category(letter) not in _LEFT_OUT and letter != _TATWEEL and letter not in _APOSTROPHES
    )
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))


def is_plain(text: str) -> bool:
    """Return whether a text is of Latin letters, digits and signs of a keyboard, or Chinese characters.
    Cyrillic, Greek and others have letters that look like Latin ones."""
    return bool(_PLAIN.fullmatch(fold(text)))


def as_seen(text: str) -> str:
    """Return a plain text as it looks: folded, i, l and | like 1, o like 0, rn like m, vv like w."""
    return fold(text).translate(_SEEN).replace("rn", "m").replace("vv", "w")


def isolated(name: str) -> str:
    """Return the name for plain text, isolated if it could turn the text around it right to left."""
    if all(unicodedata.bidirectional(letter) not in _TURNING for letter in name):
        return name
    return f"{_FIRST_STRONG}{name}{_END}"


def words(text: str) -> list[str]:
    """Return the folded words of a text; Chinese and Japanese characters in a row are one word."""
    return _WORD.findall(fold(text))


def found_by(texts: Iterable[str]) -> set[str]:
    """Return the words whose beginnings find a person. In Chinese and Japanese every character begins one."""
    found: set[str] = set()
    for word in (word for text in texts for word in words(text)):
        starts = range(len(word)) if _NO_SPACES.match(word) else (0,)
        found.update(word[start:] for start in starts)
    return found


# -- two names -----------------------------------------------------------------------------------------------

_SLIP = 4  # letters that a word needs for one of them to be a slip
_ALONE = 5  # and where the word is the whole name


@lru_cache(maxsize=20_000)
def spelled(name: str) -> tuple[str, ...]:
    """Return a text that is equal for all spellings of one name: "José Martínez" and "martinez, Jose"."""
    return tuple(sorted(words(name)))


def near_keys(name: str) -> set[str]:
    """Return keys of a name of which names share at least one if they are near."""
    alone = {""} if len(spelled(name)) == 1 else set()
    return {*spelled(name), "".join(words(name)), *alone} if spelled(name) else set()


def near(one: str, other: str) -> bool:
    """Return whether two names with different spellings may be meant for one: a slip in one word, an initial,
    a further name, or words written together. A first name alone is near nothing but itself."""
    first, second = Counter(spelled(one)), Counter(spelled(other))
    if first == second or not first or not second:
        return False
    left, right = list((first - second).elements()), list((second - first).elements())
    if "".join(words(one)) == "".join(words(other)):
        return True
    if not left or not right:
        return min(first.total(), second.total()) > 1
    if len(left) > 1 or len(right) > 1:
        return False
    alone = first.total() == 1
    return _slipped(left[0], right[0], _ALONE if alone else _SLIP) or (
        not alone and _initial(left[0], right[0])
    )


def _initial(one: str, other: str) -> bool:
    return one[0] == other[0] and 1 in (len(one), len(other))


def _slipped(one: str, other: str, least: int) -> bool:
    """Return whether one word becomes the other by adding, dropping, replacing or swapping one letter."""
    short, long = sorted((one, other), key=len)
    if len(long) < least or len(long) - len(short) > 1:
        return False
    at = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    exchanged = short[at : at + 2][::-1] == long[at : at + 2] and short[at + 2 :] == long[at + 2 :]
    return exchanged or short[at + 1 :] == long[at + 1 :]
