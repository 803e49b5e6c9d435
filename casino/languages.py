"""The languages of the screens, and the rooms that are translated: the next room is one more entry in ROOMS.

Papers, the log, records, exports and error codes stay in English, as do money, figures and times everywhere.
"""

from dataclasses import dataclass

ENGLISH = "en"
UNREVIEWED = " (unreviewed)"
"""Marks a language that nobody of the trade has read, also where it is chosen; taken off by whoever has."""
LANGUAGES = (
    (ENGLISH, "English"),
    ("zh-hant", "繁體中文" + UNREVIEWED),
    ("vi", "Tiếng Việt" + UNREVIEWED),
    ("es", "Español" + UNREVIEWED),
)
WHOLE = ("zh-hant",)
"""Languages in which no text of a translated room may be missing; of the others a missing text is English."""
ASKED = "language"
"""The parameter of an address that chooses a language for this device."""
PAPER = "paper"
"""The parameter of an address that asks for a page as it is printed: in English."""


@dataclass(frozen=True)
class Room:
    """Screens that are translated whole.

    `pages` are names of addresses. `templates` are below templates/, `scripts` below casino/static/js/, both
    as patterns. `sentences` are modules, or functions of one (`module:name,name`), whose sentences are shown.
    `words` are constants (`module:NAME,NAME`) or keys of sheets. Both are translated where they are shown.
    """

    name: str
    pages: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


EVERY_PAGE = Room(
    "every page",
    templates=(
        "base.html",
        "[45]??.html",
        "_alert.html",
        "_app_bar.html",
        "_badge.html",
        "_empty.html",
        "_field.html",
        "_field_errors.html",
        "_form_errors.html",
        "_form_fields.html",
        "_languages.html",
        "_live.html",
        "_messages.html",
        "_nav.html",
        "_refused.html",
        "_undo.html",
    ),
    scripts=("unsent.js",),
    sentences=("casino/views.py", "casino/requests/middleware.py"),
    words=("ledger/journal/keys.py:USED", "casino/roles.py:ROLES"),
)
PUBLIC_BOARD = Room(
    "the public board, and a waiting player's own page",
    pages=("tv", "wait"),
    templates=("doors/tv.html", "doors/wait.html"),
    scripts=("tv.js",),
    sentences=(
        "casino/doors/waiting.py:_require_pace",
        "tables/floor/own_pages.py:say",
        "tables/views/waiting/public.py",
    ),
    words=(
        "casino/doors/waiting.py:STRANGE",
        "tables/floor/own_pages.py:OVER",
        "tables/rules/sheets/*.toml:title",
    ),
)
SIGNING_IN = Room(
    "signing in, and what somebody sets about themselves",
    pages=("sign-in", "sign-in-badge", "sign-in-passkey", "second-step", "first", "pin", "password", "mail"),
    templates=(
        "casino/*.html",
        "doors/_own_nav.html",
        "doors/badge.html",
        "doors/passkey_refused.html",
        "doors/second_step.html",
    ),
    scripts=("passkey.js",),
    sentences=(
        "casino/doors/second_step.py",
        "casino/sign_in/attempts.py",
        "casino/sign_in/coming_in.py",
        "casino/sign_in/factors.py:_answered,_which_has,prove_code,prove_passkey",
        "casino/sign_in/own.py",
        "casino/sign_in/passwords.py:NotTheDemoPassword,SignInForm",
        "casino/sign_in/pins.py",
    ),
    words=("casino/sign_in/terminals.py:STRANGE",),
)
TABLET = Room(
    "the dealer's tablet",
    pages=("dealer", "dealer-session", "take-table", "hand-over"),
    templates=(
        "_seat_badge.html",
        "cage/_pieces.html",
        "dealer/*.html",
        "floor/_act.html",
        "floor/_act_link.html",
        "floor/_tick.html",
        "floor/_two_counts.html",
        "seats/_*.html",
    ),
    scripts=("dealer/*.js",),
    sentences=(
        "ledger/templatetags/figures.py:points_of",
        "tables/models/session.py:Table.__str__",
        "tables/rounds/checked.py",
        "tables/rounds/entry.py",
        "tables/rounds/matches.py",
        "tables/rounds/pushes.py",
        "tables/rounds/running.py",
        "tables/rounds/scoring.py",
        "tables/rounds/settling.py",
        "tables/rounds/starting.py",
        "tables/state/locks.py:_timed,require_open,require_seated,require_true_time",
        "tables/state/plan.py",
        "tables/rules/game/entry.py:_check_allowed,_check_dealt,_check_reserved,_checked_tallies",
        "tables/rules/game/entry.py:_with_declaration",
        "tables/views/fields.py",
        "tables/views/rounds/acts.py:CallTimeForm,PointsForm",
        "tables/views/rounds/dealer.py",
        "tables/views/acts.py:acts_at",
    ),
    words=(
        "tables/rules/table/eligibility.py:WAITS,NO_ROUND",
        "tables/rules/words/names.py:CATEGORY_NAMES,CLEAN_SWEEP_NAMES,REASON_NAMES,SEGMENT_NAMES",
        "tables/templatetags/cards.py:RANKS,ROWS,SUITS,WHICH",
    ),
)
CHIPS_AND_SEATS = Room(
    "chips and seats",
    pages=(
        *("buy-in", "add-on", "sit-out", "return", "pay-fee", "toke"),
        *("change-seat", "move", "cash-out", "pick-up", "count-chips"),
    ),
    templates=("_act_page.html", "floor/_choice.html"),
    sentences=(
        "ledger/money.py:parse_amount",
        "ledger/rights.py",
        "ledger/views/fields.py:AmountField",
        "tables/collection/taking.py",
        "tables/seats/buying_in.py",
        "tables/seats/sitting.py",
        "tables/seats/tokes.py",
        "tables/views/acts.py",
        "tables/views/collection/published.py:PayForm",
        "tables/views/pieces.py",
        "tables/views/seats/acts.py",
        "tables/views/seats/forms.py",
    ),
)
WAITING = Room(
    "the waiting lists, and the register of players",
    pages=(
        *("waiting", "call-place", "seat-place", "put-back", "leave-list", "place-page", "hold-seat"),
        *("table-change", "players", "player", "find-other-player", "merge-players"),
    ),
    templates=(
        "_list_find.html",
        "_pager.html",
        "_print_head.html",
        "_sort_head.html",
        "doors/own_page.html",
        "players/*.html",
        "waiting/*.html",
    ),
    sentences=(
        "casino/doors/waiting.py:MakePage",
        "ledger/models/cage.py:Exclusion.__str__",
        "ledger/views/fields.py:AmountField,BooksForm,require_nothing_sent,unmeant",
        "ledger/views/listing.py",
        "tables/floor/waiting.py",
        "tables/models/player.py:PlayerMerge.__str__",
        "tables/reports/players.py",
        "tables/seats/player_entries.py",
        "tables/seats/players.py",
        "tables/views/players/forms.py",
        "tables/views/players/pages.py",
        "tables/views/seats/forms.py:WhoForm",
        "tables/views/waiting/acts.py",
        "tables/views/waiting/forms.py",
        "tables/views/waiting/lists.py",
    ),
    words=("ledger/views/listing.py:BY_NUMBER",),
)
EXCLUSIONS = Room(
    "the exclusion list",
    pages=("exclusions", "exclusion-looks", "lift-exclusion"),
    templates=("exclusions/*.html",),
    sentences=(
        "ledger/cage/exclusions.py:_asked,_event,add_exclusion,answer,lift_exclusion,note_opened",
        "ledger/cage/exclusions.py:require_welcome",
        "ledger/views/exclusions.py",
        "ledger/views/forms.py:BooksReasonForm,ExclusionForm",
    ),
    words=("tables/seats/sitting.py:SEATING",),
)
DISPUTES = Room(
    "disputes and complaints",
    pages=("dispute", "disputes", "take-complaint", "take-dispute", "decide-dispute"),
    templates=("_dealt_row.html", "_hand.html", "_nets.html", "dispute/*.html"),
    scripts=("dispute.js",),
    sentences=(
        "tables/floor/disputes.py:_note,_require_right,decide_dispute,take_dispute",
        "tables/models/dispute.py:Dispute.__str__",
        "tables/models/round.py:Round.__str__",
        "tables/rules/game/cards.py",
        "tables/rules/game/entry.py:_check_seats,_limit,_pair_stakes,_read_form,_read_options,_with_cards",
        "tables/rules/game/entry.py:_check_allowed,_check_dealt,_checked_tallies,read_forms",
        "tables/rules/game/entry.py:_with_declaration",
        "tables/rules/game/setting.py",
        "tables/rules/table/disputes.py:wrong_decision",
        "tables/rules/words/names.py:at_least,points_text",
        "tables/rules/words/reasons/hands.py",
        "tables/rules/words/reasons/pairs.py",
        "tables/rules/words/reasons/words.py",
        "tables/templatetags/cards.py:CardFace",
        "tables/views/dispute/answer.py",
        "tables/views/dispute/page.py",
        "tables/views/dispute/records.py",
    ),
    words=(
        "tables/rules/table/disputes.py:WHAT,OUTCOMES",
        "tables/rules/words/names.py:OR,RANK_NAMES,_AT_LEAST_IN",
        "tables/rules/words/reasons/words.py:NOTHING",
        "tables/views/dispute/page.py:SAYS",
    ),
)
STAFF = Room(
    "the staff",
    pages=(
        *("staff", "staff-access", "staff-hire", "staff-person", "staff-code", "staff-reset-factors"),
        *("staff-let-go", "staff-take-back", "staff-lift-lock"),
    ),
    templates=("staff/*.html",),
    sentences=(
        "casino/staff/forms.py",
        "casino/staff/hiring.py",
        "casino/staff/reviewing.py",
        "casino/staff/second_person.py",
        "casino/staff/views.py",
        "ledger/journal/staff.py",
    ),
    words=("casino/staff/forms.py:WORK",),
)
HOUSE = Room(
    "the house, and its first start",
    pages=(
        *("house", "house-particulars", "house-tables", "add-table", "turn-table", "retire-table"),
        *("restore-table", "house-games", "set-up", "set-up-manager"),
    ),
    templates=(
        "house/_*.html",
        "house/change_particulars.html",
        "house/desk.html",
        "house/games.html",
        "house/set_up*.html",
        "house/tables.html",
    ),
    sentences=(
        "casino/house/first_start.py",
        "casino/house/forms.py",
        "casino/house/particulars.py",
        "casino/house/views.py:ChangeParticulars",
        "ledger/journal/particulars.py",
        "tables/floor/games.py:_changed,choose_games,require_on_offer,sheet_to_read",
        "tables/floor/readiness.py",
        "tables/floor/tables.py",
        "tables/models/session.py:Table.Side",
        "tables/views/house/acts.py",
        "tables/views/house/lacking.py",
    ),
    words=("tables/views/house/lacking.py:WHO",),
)
OWN_DOORS = Room(
    "one's own second steps and sessions, terminals and tokens",
    pages=(
        *("steps", "add-app", "add-passkey", "remove-step", "new-codes", "places", "terminals"),
        *("revoke-terminal", "tokens", "revoke-token"),
    ),
    templates=("doors/*.html",),
    scripts=("alerts.js",),
    sentences=(
        "casino/doors/factors.py",
        "casino/doors/places.py",
        "casino/doors/terminals.py",
        "casino/doors/tokens.py",
        "casino/models.py:ApiToken.__str__",
        "casino/sign_in/factors.py:add_app,add_passkey,put_off,remove",
        "casino/sign_in/terminals.py:enrol,revoke",
        "casino/sign_in/tokens.py:make,revoke",
    ),
)
ROOMS = (
    *(EVERY_PAGE, PUBLIC_BOARD, SIGNING_IN, TABLET, CHIPS_AND_SEATS),
    *(WAITING, EXCLUSIONS, DISPUTES, STAFF, HOUSE, OWN_DOORS),
)
OF_OWN_DEVICES = frozenset({"wait"})
"""Pages on somebody's own phone, which are in the phone's language until another is chosen."""
PAGES = frozenset(page for room in ROOMS for page in room.pages)
"""The addresses of pages that are shown in the language of the device; all others are English."""
