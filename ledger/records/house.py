"""The data of house events, by kind. Pure."""

from typing import Annotated, Final, NotRequired, TypedDict

from ledger.records.declaring import Cents, Column, Day, Digest, Id, Moment, Several, Stamp, declare_inside

CLOCKS: Final = frozenset({"house_opened", "house_changed"})
"""The kinds of event that set the clock of the house."""


class Nothing(TypedDict):
    """nothing more"""


class HouseFacts(TypedDict):
    """the particulars of the house, as they are since"""

    name: str
    licence: str
    time_zone: Annotated[str, "as the IANA names it"]
    day_starts_at: Annotated[int, "the local hour at which a gaming day begins"]
    shifts: Annotated[int, "in which a gaming day is worked, of equal length by the house's clock"]
    return_minutes: Annotated[int, "within which who left buys in again with what they took"]
    authorised_tables: int
    hold_minutes: Annotated[int, "for which a seat is held"]
    jurisdiction: str
    chip_values: Annotated[str, "of the house's chips, in dollars"]
    box_seals: NotRequired[Annotated[bool, "whether drop boxes carry numbered seals"]]
    drop_times: NotRequired[Annotated[str, "local times at which boxes are pulled, as filed"]]
    confirm_from_cents: NotRequired[Annotated[Cents, "from which the window asks again; 0: as the file"]]
    patron_from_cents: NotRequired[Annotated[Cents, "from which a patron is named; 0: as the file"]]
    demo: bool


class HouseChanged(HouseFacts):
    """the particulars of the house, as they are since"""

    before: NotRequired[Annotated[dict, "what changed, as it was"]]  # type: ignore[type-arg]
    key: NotRequired[str]


class AuditKey(TypedDict):
    """the key that signs the log from here on"""

    verifier_key: str
    replaces: Annotated[str | None, "the key before it"]


class By(TypedDict):
    """by which means"""

    by: str


class Why(TypedDict):
    """why a session ended"""

    why: str


class Refused(TypedDict):
    """attempts to sign in that were refused"""

    guessed: Annotated[str, "what was guessed: a password, a PIN ..."]
    username: Annotated[str, "empty where nobody has the name"]
    count: Several
    since: Annotated[str, "the first of them, or empty"]


class Run(TypedDict):
    """a run of refused attempts"""

    guessed: str
    staff: Annotated[Id | None, "at whom"]
    count: Several


class RunLifted(Run):
    """a run of refused attempts that somebody lifted"""

    origin: Annotated[str, "where it came from"]


class StaffFacts(TypedDict):
    """who of the staff"""

    staff: Id


class PersonFacts(TypedDict):
    """what is kept of somebody"""

    username: str
    full_name: str
    badge: str
    badge_expires: str | None
    is_active: bool
    is_superuser: bool
    roles: list[str]


class StaffChanged(StaffFacts):
    """somebody was hired, changed or let go"""

    before: Annotated[PersonFacts | None, "null if they were hired"]
    after: PersonFacts | None
    approver: Annotated[Id | None, "the second person"]


class PersonReviewed(StaffFacts):
    """somebody's access"""

    username: str
    full_name: str
    roles: list[str]
    is_active: Annotated[bool, "whether they work here"]
    created: Moment
    last_sign_in: Moment | None


class AccessReviewed(TypedDict):
    """a review of who has which rights"""

    number: Annotated[int, "of its series, from 1"]
    quarter: Annotated[str, "`2026-Q4`"]
    people: Annotated[list[PersonReviewed], "all accounts, by number"]
    approver: Annotated[Id | None, "the second person"]
    key: str


class CodeMade(StaffFacts):
    """a one-time code"""

    until: Stamp
    approver: Id | None


class FactorsReset(StaffFacts):
    """somebody's second steps were taken off"""

    approver: Id | None


class Factor(StaffFacts):
    """a second step"""

    factor: Annotated[str, "`totp`, `webauthn` or `recovery_codes`"]
    name: str


class SessionEnded(StaffFacts):
    """sessions that somebody ended"""

    count: Several


class TerminalData(TypedDict):
    """a device that takes PINs"""

    number: Id
    name: str
    table: NotRequired[Annotated[int, "the number of the table whose own it is"]]


class TokenData(TypedDict):
    """a token with which a regulator's program reads"""

    number: Id
    staff: Annotated[Id, "whose it is"]
    name: Annotated[str, "what it is for"]
    until: Annotated[Moment, "when it ends"]
    key: str


class TokenRevoked(TypedDict):
    """a token that opens nothing any more"""

    number: Id
    staff: Annotated[Id, "whose it is"]
    name: str


class TokenRefused(TypedDict):
    """what a token did not open"""

    number: Id
    staff: Annotated[Id, "whose it is"]
    code: Annotated[str, "of the refusal"]
    address: str


class BoxInstalledData(TypedDict):
    """a drop box was installed"""

    box: Id
    number: int
    place: str
    gaming_day: Day
    chips: Annotated[Id, "its account of chips"]
    cash: Annotated[Id, "its account of cash"]
    seal: NotRequired[Annotated[str, "the number of its seal"]]


class BoxPulledData(TypedDict):
    """a drop box was pulled"""

    box: Id
    number: int
    second: Annotated[Id, "who pulled it with the actor", Column("pulled_with_id", "ledger.DropBox")]
    seal: NotRequired[Annotated[str, "the seal that was read", Column("pulled_seal", "ledger.DropBox")]]
    seal_reason: NotRequired[Annotated[str, "why it is not the box's"]]
    emergency: NotRequired[Annotated[str, "why it was pulled outside the filed times"]]


class Exported(TypedDict):
    """what an export covers, as its manifest has it"""

    from_day: Day | None
    to_day: Day | None
    first_leaf: int
    count: int
    tree_size: int
    players: bool
    opened: bool


class Downloaded(TypedDict):
    """a file that left the house"""

    file: str
    address: str
    rows: int
    whole: Annotated[bool, "whether all of it was sent"]
    token: NotRequired[Annotated[Id, "with which a program fetched it"]]


class PaperAsked(TypedDict):
    """a paper that somebody asked to have made and kept"""

    number: Annotated[int, "its own, without gaps", Column("number", "ledger.KeptPaper")]
    paper: Annotated[str, "its name; `all` for the workbook of all, `bundle` for an export"]
    form: str
    from_day: Day | None
    to_day: Day | None
    players: Annotated[bool, "whether players are named"]
    part: NotRequired[Annotated[dict, "of a part: what its lines say, by column"]]  # type: ignore[type-arg]
    terms: NotRequired[Annotated[dict, "of a replay: under which sheet or limit"]]  # type: ignore[type-arg]


class PaperKept(TypedDict):
    """the paper that was made"""

    number: int
    file: str
    digest: Annotated[Digest, "of the file"]
    size: Annotated[int, "bytes of the file"]
    lines: Annotated[int, "lines below its head; of a bundle its records"]
    leaves: Annotated[int, "of the checkpoint from which it was made; of a replay 0"]


class PaperNotMade(TypedDict):
    """why a paper was not made"""

    number: int
    code: Annotated[str, "`cancelled`, or the code of the error"]
    sentence: str


class ControlTested(TypedDict):
    """what a test of a control found"""

    control: Annotated[str, "its code"]
    outcome: Annotated[str, "`passed`, `failed`, `nothing_to_test` or `not_kept`"]
    tested: Annotated[int, "of how many lines, days or quarters it speaks"]
    failed: Annotated[int, "how many of them are against it"]


class ControlsTested(TypedDict):
    """a test of the house's controls over closed gaming days"""

    number: Annotated[int, "its own, without gaps"]
    from_day: Day
    to_day: Day
    table: Annotated[Digest, "of the table of controls"]
    tests: list[ControlTested]
    key: str


class SystemFact(TypedDict):
    """what the house runs on"""

    part: Annotated[str, "`program`, `platform`, `migrations`, `jurisdiction`, `settings` or `sheets`"]
    name: str
    value: Annotated[str, "of a file and of a sheet its SHA-256; never a secret"]


class SystemStated(TypedDict):
    """what the house runs on, where it is not what the statement before says"""

    facts: list[SystemFact]


class ArchiveVerified(TypedDict):
    """a run of `audit archive`, over the papers and exports that the house has kept"""

    by: str
    papers: Annotated[int, "whose files were compared with their digests"]
    bundles: Annotated[int, "of these exports, which were verified"]
    findings: int
    exit: Annotated[int, "its exit status"]


class CheckpointTaken(TypedDict):
    """a checkpoint that somebody took with them"""

    size: int


class CheckpointsSetAside(TypedDict):
    """checkpoints newer than a restored house"""

    reason: str
    lines: Annotated[int, "how many"]
    from_size: int
    to_size: int
    file: str


class ClockDoubtedData(TypedDict):
    """the machine's clock jumped"""

    host: str
    clock: Annotated[Stamp, "what it showed", Column("clock_doubted_at", "ledger.Site")]
    expected: Stamp


class TimeConfirmed(TypedDict):
    """somebody looked at the clock and confirmed it"""

    clock: Annotated[Stamp, "what it showed"]
    doubted: Annotated[Stamp | None, "the moment of the doubt"]
    ahead_until: Annotated[Stamp | None, "until when the house's clock had been ahead"]
    boot: Annotated[str, "which start of the machine"]
    running: Annotated[str, "seconds since that"]
    key: str


class BackedUp(TypedDict):
    """a copy of the house"""

    folder: str
    database: Annotated[Digest, "of the copied database"]


class Restored(TypedDict):
    """the house as a copy has it"""

    made_at: Stamp
    checkpoint: Annotated[int, "leaves of the copy's newest checkpoint"]
    leaves: int


class WithheldOpened(TypedDict):
    """withheld texts that somebody opened"""

    record: Annotated[Id, "the `withheld` record whose texts they are"]
    reason: str
    key: str


class Program(TypedDict):
    """a program"""

    version: str
    rules: Annotated[int, "the version of the rules' code"]
    sources: Annotated[Digest, "of all its files"]


class ProgramStarted(Program):
    """the program that started"""

    process: str
    before: Annotated[Program | None, "the program that ran before"]


class Verified(TypedDict):
    """a run of `audit verify`"""

    by: str
    full: bool
    size: Annotated[int, "leaves of the newest checkpoint"]
    findings: int
    exit: Annotated[int, "its exit status"]


class Monitored(TypedDict):
    """a run of `audit monitor`"""

    by: str
    size: int
    alerts: Annotated[list[str], "their codes"]
    exit: int


class SealingRefused(TypedDict):
    """why nothing was sealed"""

    code: str
    sentence: str


class AskedForMore(TypedDict):
    """an act that was refused, since a place that is counted blind has not so much"""

    place: str
    asset: str
    cents: Annotated[int, "what was asked of it"]
    key: Annotated[str, "of the act"]


HOUSE_EVENTS: Final = {
    "house_opened": HouseFacts,
    "house_changed": HouseChanged,
    "audit_key": AuditKey,
    "signed_in": By,
    "signed_out": Why,
    "sign_in_refused": Refused,
    "pin_refused": Refused,
    "attempts_locked": Run,
    "attempts_lifted": RunLifted,
    "staff_changed": StaffChanged,
    "access_reviewed": AccessReviewed,
    "password_set": StaffFacts,
    "pin_set": StaffFacts,
    "mail_set": StaffFacts,
    "code_made": CodeMade,
    "code_used": Nothing,
    "factor_added": Factor,
    "factor_removed": Factor,
    "factors_reset": FactorsReset,
    "session_ended": SessionEnded,
    "terminal_enrolled": TerminalData,
    "terminal_revoked": TerminalData,
    "token_made": TokenData,
    "token_revoked": TokenRevoked,
    "token_refused": TokenRefused,
    "box_installed": BoxInstalledData,
    "box_pulled": BoxPulledData,
    "exported": Exported,
    "downloaded": Downloaded,
    "paper_asked": PaperAsked,
    "controls_tested": ControlsTested,
    "system_stated": SystemStated,
    "archive_verified": ArchiveVerified,
    "paper_kept": PaperKept,
    "paper_not_made": PaperNotMade,
    "checkpoint_taken": CheckpointTaken,
    "checkpoints_set_aside": CheckpointsSetAside,
    "clock_doubted": ClockDoubtedData,
    "time_confirmed": TimeConfirmed,
    "backed_up": BackedUp,
    "restored": Restored,
    "withheld_opened": WithheldOpened,
    "program_started": ProgramStarted,
    "verified": Verified,
    "monitored": Monitored,
    "sealing_refused": SealingRefused,
    "asked_for_more": AskedForMore,
}
declare_inside("house_event", "data", HOUSE_EVENTS)
