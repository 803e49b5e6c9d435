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
FLOOR = Room(
    "the floor, its tables, and the collection",
    pages=(
        *(
            "floor",
            "floor-session",
            "floor-panel",
            "floor-open",
            "seats",
            "confirm-time",
            "line-up",
            "order-line",
        ),
        *(
            "handovers",
            "handover",
            "needs",
            "change-need",
            "games",
            "change-box",
            "stop-clock",
            "start-clock",
        ),
        *(
            "bank",
            "ask-bank",
            "count-bank",
            "close-table",
            "break-table",
            "push-dealer",
            "move-up",
            "must-move",
        ),
        *("start-round", "call-time", "void-round", "call-off", "settle-by-hand", "pay-claim"),
        *("approve-correction", "refuse-correction", "chips", "correct-chips", "fees", "take-back", "undo"),
        *("dues", "waive-fee", "take-cash", "left-unpaid", "change-rate", "withdraw-rate", "search"),
        *("rates", "rate-card", "publish-rate", "waiver-reasons", "publish-reason", "withdraw-reason"),
    ),
    templates=(
        *(
            "_by_hand.html",
            "_card.html",
            "_clock.html",
            "_dealt_row.html",
            "_entries_of_table.html",
            "_hand.html",
        ),
        *("_icon.html", "_list_find.html", "_log.html", "_money.html", "_pager.html", "_print_head.html"),
        *("_seat_row.html", "_sort_head.html", "audit/_claims.html", "cage/_documents.html", "search.html"),
        *("house/_checklist.html", "collection/*.html", "floor/_*.html", "rounds/*.html", "seats/*.html"),
        *(f"floor/{page}.html" for page in ("ask_bank", "bank", "board", "games", "handover", "handovers")),
        *(f"floor/{page}.html" for page in ("line_up", "needs", "open", "table")),
    ),
    scripts=tuple(
        f"{name}.js"
        for name in (
            *(
                "alerts",
                "awake",
                "clock",
                "desk",
                "floor",
                "half_typed",
                "kept_pages",
                "keys",
                "live",
                "menus",
            ),
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
        *(f"tables/floor/{name}.py" for name in ("attention", "banks", "closing", "handover")),
        *(f"tables/floor/{name}.py" for name in ("house_clock", "line_up", "must_move", "needs", "opening")),
        "tables/floor/games.py:_changed,_read,_read_file,game,require_on_offer,sheet_to_read",
        "tables/floor/readiness.py",
        "tables/models/collection.py:Down.__str__,Rate.__str__,Recovery.__str__,Uncollected.__str__",
        "tables/models/collection.py:Waiver.__str__",
        "tables/models/dispute.py:Dispute.__str__",
        "tables/models/match.py:Match.__str__",
        "tables/models/round.py:Claim.__str__,Round.__str__",
        "tables/models/waiting.py:WaitingPlace.__str__",
        "tables/reports/search_kinds.py",
        "tables/reports/statements.py:StatementLine.what",
        *(f"tables/rounds/{name}.py" for name in ("by_hand", "claims", "corrections")),
        "tables/rounds/on_tablet.py:_waiting",
        "tables/rules/table/needs.py",
        *(f"tables/seats/{name}.py" for name in ("chip_corrections", "chip_counts", "moving")),
        "tables/state/requirements.py",
        *(f"tables/views/collection/{name}.py" for name in ("dues", "forms", "published")),
        *(f"tables/views/floor/{name}.py" for name in ("acts", "attention", "choosing", "forms", "handover")),
        *(f"tables/views/floor/{name}.py" for name in ("line_up", "needs")),
        "tables/views/floor/banks.py:AskBank",
        "tables/views/house/lacking.py",
        "tables/views/live/stream.py",
        "tables/views/rounds/acts.py",
        "tables/views/search.py",
        "tables/views/seats/chip_corrections.py",
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
ROOMS = (EVERY_PAGE, PUBLIC_BOARD, SIGNING_IN, TABLET, CHIPS_AND_SEATS, FLOOR)
OF_OWN_DEVICES = frozenset({"wait"})
"""Pages on somebody's own phone, which are in the phone's language until another is chosen."""
PAGES = frozenset(page for room in ROOMS for page in room.pages)
"""The addresses of pages that are shown in the language of the device; all others are English."""
