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
    words=("ledger/journal/keys.py:USED", "casino/roles.py:ROLES", "ledger/rules/phrasebook.py:COMMA"),
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
        "tables/rounds/handed_in.py",
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
        *("change-seat", "move", "cash-out", "pick-up", "count-chips", "who-is-it"),
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
        "tables/views/seats/who.py",
    ),
)
FLOOR = Room(
    "the floor, its tables, and the collection",
    pages=(
        *("floor", "floor-session", "floor-panel", "floor-open", "seats", "confirm-time", "line-up"),
        "order-line",
        *("handovers", "handover", "needs", "change-need", "games", "change-box", "stop-clock"),
        "start-clock",
        *("bank", "ask-bank", "count-bank", "close-table", "break-table", "push-dealer", "move-up"),
        "must-move",
        *("start-round", "call-time", "void-round", "call-off", "settle-by-hand", "pay-claim"),
        *("approve-correction", "refuse-correction", "chips", "correct-chips", "fees", "take-back", "undo"),
        *("dues", "waive-fee", "take-cash", "left-unpaid", "change-rate", "withdraw-rate", "search"),
        *("rates", "rate-card", "publish-rate", "waiver-reasons", "publish-reason", "withdraw-reason"),
    ),
    templates=(
        *("_by_hand.html", "_card.html", "_clock.html", "_dealt_row.html", "_entries_of_table.html"),
        "_hand.html",
        *("_icon.html", "_list_find.html", "_log.html", "_money.html", "_pager.html", "_print_head.html"),
        *("_seat_row.html", "_sort_head.html", "audit/_claims.html", "cage/_documents.html", "search.html"),
        *("house/_checklist.html", "collection/*.html", "floor/_*.html", "rounds/*.html", "seats/*.html"),
        *(f"floor/{page}.html" for page in ("ask_bank", "bank", "board", "games", "handover", "handovers")),
        *(f"floor/{page}.html" for page in ("line_up", "needs", "open", "table")),
    ),
    scripts=tuple(
        f"{name}.js"
        for name in (
            *("alerts", "awake", "clock", "desk", "floor", "half_typed", "kept_pages", "keys", "live"),
            "menus",
            *("money", "page", "person", "pieces", "search", "suggest", "sum", "undo"),
        )
    ),
    sentences=(
        *(f"ledger/cage/{name}.py" for name in ("seals", "struck")),
        "ledger/cage/boxes.py:pull_box,install_box",
        "ledger/journal/posting.py:check_texts,checked_text",
        "ledger/models/books.py:DropBox.__str__",
        "ledger/models/custody.py:Document.__str__",
        "ledger/rules/box_custody.py",
        "ledger/rules/denominations.py",
        "ledger/rules/documents.py",
        "ledger/templatetags/books.py:shift",
        "ledger/templatetags/figures.py:short_or_over",
        "ledger/views/fields.py",
        "ledger/views/listing.py",
        *(
            f"tables/collection/{name}.py"
            for name in ("clock", "rates", "taking_back", "uncollected", "waivers")
        ),
        *(f"tables/floor/{name}.py" for name in ("attention", "banks", "closing", "handover", "tablets")),
        *(f"tables/floor/{name}.py" for name in ("house_clock", "line_up", "must_move", "needs", "opening")),
        "tables/floor/games.py:_changed,_read,_read_file,game,require_on_offer,sheet_to_read",
        "tables/floor/readiness.py",
        "tables/models/collection.py:Down.__str__,Rate.__str__,Recovery.__str__,Uncollected.__str__",
        "tables/models/collection.py:Waiver.__str__",
        "tables/models/events.py:Dispute.__str__",
        "tables/models/round.py:Match.__str__",
        "tables/models/round.py:Claim.__str__,Round.__str__",
        "tables/models/waiting.py:WaitingPlace.__str__",
        "tables/reports/search_kinds.py",
        "tables/reports/statements.py:StatementLine.what",
        *(f"tables/rounds/{name}.py" for name in ("by_hand", "claims", "corrections")),
        "tables/rounds/on_tablet.py:_waiting",
        "tables/rules/table/corrections.py:wrong_decider",
        "tables/rules/table/needs.py",
        *(f"tables/seats/{name}.py" for name in ("chip_corrections", "chip_counts", "moving")),
        "tables/state/requirements.py",
        *(f"tables/views/collection/{name}.py" for name in ("dues", "published")),
        *(f"tables/views/floor/{name}.py" for name in ("acts", "attention", "forms", "line_up")),
        "tables/views/floor/pages.py",
        "tables/views/floor/banks.py:AskBank",
        "tables/views/house/acts.py:ToDo,checklist",
        "tables/views/live/stream.py",
        "tables/views/rounds/acts.py",
        "tables/views/audit/finding.py:EverythingForm,search",
        "tables/views/taking_back.py",
    ),
    words=(
        "ledger/rules/documents.py:Step,_WHO",
        "ledger/rules/searches.py:FORMS",
        "tables/floor/readiness.py:PEOPLE",
        "tables/models/round.py:CorrectionRequest.State",
        "tables/reports/corrections.py:COMPARED",
        "tables/templatetags/cards.py:SPOKEN",
        "tables/reports/statements.py:WHAT",
        "tables/rounds/corrections.py:WHAT",
        "tables/rules/table/disputes.py:WHAT",
        "tables/rules/table/paying.py:AT_A_TABLE,WORDS",
        "tables/views/seats/forms.py:SOURCES",
        "tables/views/taking_back.py:WHAT",
    ),
)
CAGE = Room(
    "the cage and the count room",
    pages=(
        *("cashier", "cashier-vault", "cashier-day", "cashier-box", "cashier-bank", "cage-slip"),
        *("withdraw-slip", "sell-chips", "redeem-chips", "change-chips", "pay-at-cage", "pay-out-tokes"),
        "chips-beyond-books",
        *("undo-at-cage", "take-back-at-cage", "close-day", "close-shift", "stock-cage", "vault-count"),
        *("unclaimed-count", "reserve-count", "open-drawer", "drawer", "drawer-take", "drawer-give-back"),
        *("drawer-close", "document", "void-document", "count", "begin-count-sheet", "count-box"),
        *("count-sheet", "receive-sheet", "receive-boxes", "note-on-count-sheet", "begin-deposit"),
        *("begin-chip-purchase", "begin-destruction", "begin-cash-order", "begin-capital-out"),
        *("begin-reserve-set", "begin-reserve-release", "begin-unclaimed"),
    ),
    templates=(
        *("_icon.html", "_log.html", "_money.html", "_print.html", "_print_head.html", "_rates_played.html"),
        *("_verified.html", "audit/_entry.html", "audit/_traces.html", "cage/_[abcd]*.html"),
        *("cage/_fees_due.html", "cage/_missing.html", "cage/_not_told.html", "cage/_open*.html"),
        *("cage/_over.html", "cage/_own_drawer.html", "cage/_proof.html", "cage/_[r-z]*.html"),
        *("cage/[b-d]*.html", "cage/receive_*.html", "cage/[s-w]*.html"),
    ),
    sentences=(
        *(f"ledger/cage/{name}.py" for name in ("banks", "beyond", "box_custody", "boxes", "count_sheets")),
        *(f"ledger/cage/{name}.py" for name in ("deposits", "documents", "drawers", "seals", "signing")),
        *(f"ledger/cage/{name}.py" for name in ("stocking", "struck", "taking_back", "tokes", "window")),
        *(f"ledger/journal/{name}.py" for name in ("bank_differences", "closing", "closing_shifts")),
        "ledger/journal/posting.py:_check_draft,_checked_changes,_refuse_closed_days,checked_text",
        "ledger/models/books.py:DropBox.__str__",
        "ledger/models/cage.py:CageSlip.__str__,Drawer.__str__,Receipt.__str__,ReversalSlip.__str__",
        "ledger/models/counting.py:CountSheet.__str__",
        "ledger/models/custody.py:Document.__str__",
        *(f"ledger/reports/{name}.py" for name in ("cage_slips", "over_short", "traces")),
        *(f"ledger/rules/{name}.py" for name in ("bank_signing", "box_custody", "denominations")),
        *(f"ledger/rules/{name}.py" for name in ("documents", "shifts", "slip_ways")),
        *("ledger/rules/window.py", "ledger/rules/count_sheets.py:wrong_signers"),
        "ledger/templatetags/books.py",
        "ledger/views/fields.py",
        "ledger/views/forms.py:BooksReasonForm,CauseField,DayForm,EvidenceField,ReceiptForm",
        "ledger/reports/count_sheets.py:_in_words",
        "tables/models/collection.py:Recovery,Uncollected.__str__,Waiver.__str__",
        "tables/models/events.py:Dispute.__str__",
        "tables/reports/patrons_cash.py",
        "tables/seats/players.py",
        "tables/templatetags/rounds.py:rule_text",
        *(f"tables/views/cage/{name}.py" for name in ("beyond_house", "counting", "day", "stocking")),
        *(f"tables/views/cage/{name}.py" for name in ("window", "window_forms")),
        *(f"tables/views/{name}.py" for name in ("floor/banks", "taking_back")),
    ),
    words=(
        "ledger/chart.py:EVENTS@1",
        "ledger/chart.py:TITLES",
        "ledger/models/cage.py:CageSlip.Way,CageSlipResult.Outcome",
        "ledger/models/counting.py:BoxReceipt.Place,CountNote.Kind",
        "ledger/reports/box_log.py:STATES",
        "ledger/rules/documents.py:_WHO",
        "tables/rules/table/paying.py:WORDS",
        "tables/views/taking_back.py:WHAT",
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
        "tables/views/players/pages.py",
        "tables/views/seats/forms.py:WhoForm",
        "tables/views/waiting/acts.py",
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
        "tables/floor/disputes.py:_note,decide_dispute,take_dispute",
        "tables/models/events.py:Dispute.__str__",
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
        "tables/views/dispute/entry.py:Unscored,_setting,_unscored,_usual_game",
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
        "casino/staff/hiring.py",
        "casino/staff/views.py",
        "ledger/journal/staff.py",
    ),
    words=("casino/staff/views.py:WORK",),
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
        "casino/house/views.py:ChangeParticulars,FirstManagerForm,HouseForm,NewHouseForm,ParticularsForm",
        "ledger/journal/particulars.py",
        "tables/floor/games.py:_changed,choose_games,require_on_offer,sheet_to_read",
        "tables/rules/game/sheet.py:Library.with_sheet,_check_race,_check_whole,parse_sheet",
        "tables/rules/game/sheet_reader.py",
        "tables/floor/readiness.py",
        "tables/floor/tables.py",
        "tables/models/session.py:Table.Side",
        "tables/views/house/acts.py",
    ),
    words=("tables/views/house/acts.py:WHO",),
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
        "casino/doors/terminals.py",
        "casino/models.py:ApiToken.__str__",
        "casino/sign_in/factors.py:add_app,add_passkey,put_off,remove",
        "casino/sign_in/terminals.py:enrol,revoke",
        "casino/sign_in/tokens.py:make,revoke",
    ),
)
ROOMS = (
    *(EVERY_PAGE, PUBLIC_BOARD, SIGNING_IN, TABLET, CHIPS_AND_SEATS, FLOOR, CAGE),
    *(WAITING, EXCLUSIONS, DISPUTES, STAFF, HOUSE, OWN_DOORS),
)
OF_OWN_DEVICES = frozenset({"wait"})
"""Pages on somebody's own phone, which are in the phone's language until another is chosen."""
PAGES = frozenset(page for room in ROOMS for page in room.pages)
"""The addresses of pages that are shown in the language of the device; all others are English."""
