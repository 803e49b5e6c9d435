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
        *(f"ledger/rules/{name}.py" for name in ("documents", "shifts", "slip_ways", "two_to_close")),
        *("ledger/rules/window.py", "ledger/rules/count_sheets.py:wrong_signers"),
        "ledger/templatetags/books.py",
        "ledger/views/fields.py",
        "ledger/views/forms.py:BooksReasonForm,CauseField,DayForm,EvidenceField,ReceiptForm",
        "ledger/reports/count_sheets.py:_in_words",
        "tables/models/collection.py:Recovery,Uncollected.__str__,Waiver.__str__",
        "tables/models/dispute.py:Dispute.__str__",
        "tables/reports/patrons_cash.py",
        "tables/seats/players.py",
        "tables/templatetags/rounds.py:rule_text",
        *(f"tables/views/cage/{name}.py" for name in ("banks", "beyond", "beyond_house", "checklist")),
        *(f"tables/views/cage/{name}.py" for name in ("counting", "day", "receiving", "signing", "stocking")),
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
ROOMS = (EVERY_PAGE, PUBLIC_BOARD, SIGNING_IN, TABLET, CHIPS_AND_SEATS, CAGE)
OF_OWN_DEVICES = frozenset({"wait"})
"""Pages on somebody's own phone, which are in the phone's language until another is chosen."""
PAGES = frozenset(page for room in ROOMS for page in room.pages)
"""The addresses of pages that are shown in the language of the device; all others are English."""
