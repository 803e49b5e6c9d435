"""Players' entries compared with their records: their content, whose entry they became, and their search
words. The recorded rows (PlayerChange, PlayerMerge) are compared with the log elsewhere; here the rows
that may change are compared with those. A few hundred players are in memory at a time."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ledger.cage.names import found_by
from ledger.proof.log.following import Follows, Question, Says, at_end, following, named, of, without
from ledger.records import canonical
from ledger.records.findings import Finding
from tables.models import Player, PlayerChange, PlayerMerge, PlayerWord

AT_ONCE = 500  # players in memory
WORDS = ("name", "number", "description", "alias")


class _Change(NamedTuple):
    before: Any
    after: Any
    salt: str
    commitment: str
    follows: str


def players(site: Any) -> Iterator[Finding]:
    """Compare players with what was entered, and each with the entry it was merged into."""
    into = dict(PlayerMerge.objects.filter(site=site).order_by("pk").values_list("merged", "into"))
    merged_into, entries = _merged(into), _entries_of(into)
    every = Player.objects.filter(site=site).order_by("pk").iterator(AT_ONCE)
    while some := list(islice(every, AT_ONCE)):
        changes = _changes({pk for player in some for pk in (player.pk, *entries[player.pk])})
        words = _words(some)
        for player in some:
            name, chain = f"player {player.pk}", changes[player.pk]
            found_by_now, entered = words[player.pk], _entered(chain)
            for merged in entries[player.pk]:
                entered |= _entered(changes[merged])
            if not chain:
                yield Finding("no_record", "nothing on record says who entered this player.", None, name)
            elif wrong := _wrong(player, chain, merged_into.get(player.pk)):
                yield Finding("row_differs", wrong, None, name)
            elif missing := entered - found_by_now:
                yield Finding("row_missing", f"the word {sorted(missing)[0]} does not find them.", None, name)
            elif added := found_by_now - entered:
                sentence = f"the word {sorted(added)[0]} finds them, and was never entered of them."
                yield Finding("no_record", sentence, None, name)
    yield from named(without(PlayerWord, "player"), "it finds a player who is not there.")


def _entered(chain: Sequence[_Change]) -> set[str]:
    """Return the search words of everything entered; what is not text is reported elsewhere."""
    texts = (text for one in chain if isinstance(one.after, dict) for text in one.after.values())
    return found_by(text for text in texts if isinstance(text, str))


def _wrong(player: Player, chain: Sequence[_Change], person: int | None) -> str:
    """Return what is wrong with an entry, by its changes in order and the entry it was merged into, or ""."""
    before: Any = {}
    committed = ""
    for number, one in enumerate(chain, 1):
        if (one.before, one.follows) != (before, committed):
            return f"change {number} of it does not begin where the one before ended."
        if not isinstance(one.after, dict):
            return f"change {number} of it is malformed."
        before, committed = one.after, one.commitment
        if committed != canonical.commitment(one.salt, canonical.unchecked(before)):
            return f"what change {number} of it says is not what the log has committed to."
    differing = [word for word in WORDS if getattr(player, word) != before.get(word)]
    if differing:
        return f"its {differing[0]} is not as it was entered."
    if player.merged_into_id != person:
        return f"it is merged into player {player.merged_into_id}, by the merges on record into {person}."
    return ""


def _entries_of(into: Mapping[int, int]) -> dict[int, set[int]]:
    """Return the entries merged into each, directly or not: their words find it too."""
    merges: defaultdict[int, set[int]] = defaultdict(set)
    for merged in into:
        at, passed = merged, {merged}
        while (at := into.get(at, merged)) not in passed:
            merges[at].add(merged)
            passed.add(at)
    return merges


def _merged(into: Mapping[int, int]) -> dict[int, int]:
    last: dict[int, int] = {}
    for merged in into:
        end, seen = into[merged], {merged}
        while end in into and end not in seen:
            seen.add(end)
            end = into[end]
        last[merged] = end
    return last


def _changes(some: Collection[int]) -> dict[int, list[_Change]]:
    changes: dict[int, list[_Change]] = defaultdict(list)
    rows = PlayerChange.objects.filter(player__in=some).order_by("pk")
    for player, *texts in rows.values_list("player", *_Change._fields):
        changes[player].append(_Change(*texts))
    return changes


def _words(some: Sequence[Player]) -> dict[int, set[str]]:
    words: dict[int, set[str]] = defaultdict(set)
    for player, word in PlayerWord.objects.filter(player__in=some).values_list("player", "word"):
        words[player].add(word)
    return words


def houses_of_players() -> Follows:
    """Match a player's house with that of the changes; `players` compares the rest."""
    says = Says((of("player"),), {"site_id": of("site")}, begins=True)
    return Follows("tables.Player", {("player_change", ""): says}, whole=None)


_HELD = {
    "tables.Player": (*WORDS, "merged_into_id"),
    "tables.PlayerChange": ("before", "after", "salt"),
    "tables.PlayerWord": ("player_id", "word"),
}

QUESTIONS: tuple[Question, ...] = (
    ("players against what was entered", at_end(players, _HELD)),
    ("players' houses against what was entered", following(houses_of_players)),
)
