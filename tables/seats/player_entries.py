"""Change what the house knows of a player, and merge two entries of one person.

Nothing is lost: each change is a row with its audit record, and old rows keep their player."""

from collections.abc import Mapping
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Value
from django.db.models.functions import Coalesce

from ledger import lengths
from ledger.errors import BadText, KeyReused, SecondPerson
from ledger.journal import keys, posting, records
from ledger.journal.acts import Act
from ledger.journal.posting import checked_text
from ledger.rights import KEEP_EXCLUSIONS, MANAGE_HOUSE, WORK_CAGE, require
from tables import errors
from tables.live import publish
from tables.models import Player, PlayerChange, PlayerMerge, Sitting, TableSession, WaitingPlace
from tables.rights import RUN_FLOOR
from tables.seats.players import require_own, said_of, write_change, write_words
from tables.state.events import next_number
from tables.state.held_seats import STANDING
from tables.state.locks import lock_sessions

KEEPERS = (RUN_FLOOR, WORK_CAGE, KEEP_EXCLUSIONS)
"""Who may change an entry or ask for a merge."""
HOUSE = (KEEP_EXCLUSIONS, MANAGE_HOUSE)
APPROVERS = (RUN_FLOOR, *HOUSE)
"""Who may approve a merge. If the entries sat at the same time, somebody of HOUSE together with the floor."""
LENGTHS = {"name": 80, "description": 120, "alias": 60}
"""How many characters each word of an entry may have."""
END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)
"""When a sitting ends that has not ended."""


def change_player(
    *, player_id: int, name: str = "", description: str = "", alias: str = "", act: Act
) -> Player:
    """Change a player's name, description or alias, never the card number. Refuses `player_merged`,
    `player_unknown` if nothing identifying would be left, `nothing_changes`, and `bad_text`, also for an
    alias that is the card number."""
    require(act.actor, *KEEPERS)
    after = _checked(name, description, alias)
    posting.check_texts(act)
    with transaction.atomic():
        player = Player.objects.select_for_update(of=("self",), no_key=True).get(pk=player_id)
        if _changed_before(player, after, act):
            return player
        require_own(player)
        if not (after["name"] or player.number or after["description"]):
            raise errors.PlayerUnknown(
                "Enter a name or a description, or nobody is known by this entry.", field="name"
            )
        if player.number and after["alias"] == player.number:
            raise BadText("An alias is shown to the public: do not use the card number.", field="alias")
        before = said_of(player)
        if {**before, **after} == before:
            raise errors.NothingChanges("This is what the entry says.", field="name")
        for word, text in after.items():
            setattr(player, word, text)
        player.save(update_fields=list(after))
        write_change(player, before, act, key=act.key)
        _tell_tables(player)
    return player


def _checked(name: str, description: str, alias: str) -> dict[str, str]:
    texts = {"name": name, "description": description, "alias": alias}
    texts = {word: " ".join(text.split()) for word, text in texts.items()}
    for word, longest in LENGTHS.items():
        checked_text(texts[word], longest, word, empty=True)
    return texts


def _changed_before(player: Player, after: Mapping[str, str], act: Act) -> bool:
    """Return whether this key made this change. Refuses `key_reused` if it made another one."""
    earlier = keys.made_before(
        PlayerChange, player.site_id, act.key, player_id=player.pk, actor_id=act.actor.pk
    )
    if earlier is not None and any(earlier.after.get(word) != text for word, text in after.items()):
        raise KeyReused(keys.USED, field="key")
    return earlier is not None


def merge_players(*, merged_id: int, into_id: int, act: Act) -> PlayerMerge:
    """Merge two entries of one person: `into_id` stands for both from now on. Rows stay as they are;
    payments, chips taken away and exclusions count for the person (R52, R62). Refuses `nothing_changes`,
    `reason_required`, `second_person`, `player_merged`, `player_seated`, `seated_together` for two who once
    sat at the same time unless floor and a manager or compliance say so, and `already_waiting`."""
    require(act.actor, *KEEPERS)
    if merged_id == into_id:
        raise errors.NothingChanges("These are the same entry: choose another one.", field="into")
    act = act.stated("Enter how you know that they are the same person.")
    checked_text(act.reason, lengths.POSTED_REASON, "reason")
    posting.check_texts(act)
    if act.approver is None or act.approver.pk == act.actor.pk:
        raise SecondPerson("Somebody else has to approve a merge.", field="approver")
    with transaction.atomic():
        merged, into, act = _lock_both(merged_id, into_id, act)
        same = {"merged_id": merged.pk, "into_id": into.pk, "actor_id": act.actor.pk, "reason": act.reason}
        if earlier := keys.made_before(PlayerMerge, merged.site_id, act.key, **same):
            return earlier
        require(act.approver, *APPROVERS)
        _require_one_person(merged, into, act)
        merge = _write_merge(merged, into, act)
        _tell_tables(into)
    return merge


def _lock_both(merged_id: int, into_id: int, act: Act) -> tuple[Player, Player, Act]:
    """Return both entries, locked after all open tables, so that no fee is charged meanwhile."""
    site = Player.objects.select_related("site").get(pk=merged_id).site
    at_open = TableSession.objects.filter(table__site=site, closed_at__isnull=True)
    if session_ids := list(at_open.values_list("pk", flat=True)):
        _, act = lock_sessions(*session_ids, act=act)
    posting.lock_house(site)
    locked = Player.objects.filter(pk__in=(merged_id, into_id), site=site).select_related("site")
    found = {
        player.pk: player for player in locked.select_for_update(of=("self",), no_key=True).order_by("pk")
    }
    if into_id not in found:
        raise errors.PlayerUnknown("Nobody is known by this entry.", field="into")
    return found[merged_id], found[into_id], act


def _require_one_person(merged: Player, into: Player, act: Act) -> None:
    """Refuse entries that cannot be one person, or a merged one in use now."""
    for player in (merged, into):
        if player.merged_into_id is not None:
            raise errors.PlayerMerged(
                f"The entry of {player} has been merged into that of {player.merged_into} already."
            )
    if _sat_together(merged, into) and not _floor_and_house(act):
        raise errors.SeatedTogether(
            f"{merged} and {into} have sat at tables at the same time. Only the floor together with a"
            " manager or compliance can say that they are one person.",
            field="approver",
        )
    if Sitting.objects.filter(player=merged, left_at__isnull=True).exists():
        raise errors.PlayerSeated(f"{merged} is seated: merge {into} into that entry instead.", field="into")
    place = WaitingPlace.objects.filter(player=merged, state__in=STANDING).first()
    if place is not None:
        raise errors.AlreadyWaiting(
            f"{merged} has place {place.number} on a waiting list: merge {into} into that entry instead.",
            field="into",
        )


def _floor_and_house(act: Act) -> bool:
    """Return whether one of the two runs the floor and the other keeps the list or the house."""
    one, other = act.actor, act.approver
    return any(
        first.has_perm(RUN_FLOOR) and any(second.has_perm(right) for right in HOUSE)
        for first, second in ((one, other), (other, one))
    )


def _sat_together(one: Player, other: Player) -> bool:
    at_once = Sitting.objects.filter(player=other, entered_at__lt=OuterRef("end"))
    at_once = at_once.filter(Q(left_at__isnull=True) | Q(left_at__gt=OuterRef("entered_at")))
    ends = Coalesce(F("left_at"), Value(END_OF_TIME))
    return Sitting.objects.filter(player=one).annotate(end=ends).filter(Exists(at_once)).exists()


def _write_merge(merged: Player, into: Player, act: Act) -> PlayerMerge:
    """Write a merge with its number and record; both are found by the words of both from now on."""
    merge = PlayerMerge.objects.create(
        site=merged.site,
        number=next_number(PlayerMerge, merged.site),
        merged=merged,
        into=into,
        recorded_at=act.now,
        actor=act.actor,
        approver=act.approver,
        terminal=act.terminal,
        reason=act.reason,
        key=act.key,
    )
    Player.objects.filter(Q(pk=merged.pk) | Q(merged_into=merged)).update(merged_into=into)
    write_words(into, set(merged.words.values_list("word", flat=True)))
    records.keep(merged.site_id, act.now, merge)
    return merge


def _tell_tables(player: Player) -> None:
    seated = Sitting.objects.filter(player=player, left_at__isnull=True)
    for session_id in seated.values_list("session", flat=True):
        publish(session_id)
