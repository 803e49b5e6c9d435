"""Rules that linters do not check: sizes, names, unfinished work, and templates that keep the content
security policy. Each test first checks that its rule finds a planted offence."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("casino", "tables", "ledger", "tests", "tools", "benchmarks")
PRODUCT = ("casino", "tables", "ledger")
MOST_LINES = 500
MOST_LINES_OF_A_FUNCTION = 60
MOST_PARAMETERS = 6
MOST_LOOSE_FILES = 10
MOST_CHARACTERS = 110
MOST_CHARACTERS_OF_A_TEMPLATE_LINE = 160
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "common", "core", "services", "misc"}

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
SWITCHED_OFF = re.compile(r"pytest\.mark\.(skip|xfail)|pytest\.(skip|xfail)\(|--reruns")
SWALLOWED = re.compile(r"except( Exception| BaseException)?:\s*\n\s*(pass|\.\.\.)\s*\n")
INLINE = re.compile(r"\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|<style|<script(?![^>]*\ssrc=)", re.IGNORECASE)
LONG_LINE = re.compile(rf"^.{{{MOST_CHARACTERS + 1},}}$", re.MULTILINE)
BROKEN_NOTE = re.compile(r"{#(?:(?!#}).)*$", re.M)
LONG_TEMPLATE_LINE = re.compile(rf"^.{{{MOST_CHARACTERS_OF_A_TEMPLATE_LINE + 1},}}$", re.MULTILINE)
WRITTEN_ADDRESS = re.compile(
    r"""\s(href|src|action|formaction|sse-connect|hx-[a-z]+)\s*=\s*["']/""", re.IGNORECASE
)
FROM_OUTSIDE = re.compile(r"""(src|href)\s*=\s*["'](https?:)?//""", re.IGNORECASE)


def files(*folders: str, pattern: str = "*.py") -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob(pattern))]


def code() -> list[Path]:
    return [path for path in files(*FOLDERS) if "migrations" not in path.parts]


def product() -> list[Path]:
    return [path for path in files(*PRODUCT) if "migrations" not in path.parts]


def templates() -> list[Path]:
    return files("templates", *PRODUCT, pattern="*.html")


def offences(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    found = []
    for path in paths:
        text = path.read_text()
        found += [
            f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
            for match in pattern.finditer(text)
        ]
    return found


@dataclass(frozen=True)
class Source:
    """What the rules need of a file; functions with their lines and parameters."""

    told: bool
    functions: list[tuple[str, int, int]]
    classes: list[str]
    asserts: list[int]


def statements(block: ast.AST) -> Iterator[ast.stmt]:
    """Yield every statement inside, at any depth; expressions contain none."""
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        for inner in getattr(block, part, ()):
            yield inner
            yield from statements(inner)


def read(text: str) -> Source:
    tree = ast.parse(text)
    inside = list(statements(tree))
    functions = [node for node in inside if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return Source(
        told=not text.strip() or ast.get_docstring(tree) is not None,
        functions=[(node.name, lines_of(node), parameters_of(node)) for node in functions],
        classes=[node.name for node in tree.body if isinstance(node, ast.ClassDef)],
        asserts=[node.lineno for node in inside if isinstance(node, ast.Assert)],
    )


def lines_of(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def parameters_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return sum(argument.arg not in {"self", "cls"} for argument in given)


@cache
def source_of(path: Path) -> Source:
    """Parsed once for all rules."""
    return read(path.read_text())


def long_functions(source: Source) -> list[str]:
    return [f"{name} ({lines})" for name, lines, _ in source.functions if lines > MOST_LINES_OF_A_FUNCTION]


def many_parameters(source: Source) -> list[str]:
    return [name for name, _, parameters in source.functions if parameters > MOST_PARAMETERS]


def named_twice(sources: Iterable[Source]) -> set[str]:
    """Return class names used more than once; Django wants every command called `Command`."""
    names = Counter(name for source in sources for name in source.classes)
    return {name for name, times in names.items() if times > 1} - {"Command"}


def breaking(rule: Callable[[Source], list[Any]], paths: list[Path]) -> dict[str, list[Any]]:
    found = {str(path.relative_to(ROOT)): rule(source_of(path)) for path in paths}
    return {name: offences for name, offences in found.items() if offences}


def test_no_file_is_too_long_to_read():
    assert [str(path) for path in code() if path.read_text().count("\n") > MOST_LINES] == []


def test_no_line_is_too_long_to_see():
    """Ruff's E501 lets a line pass that ends in `# noqa` or `# type: ignore`, or has no blank in it."""
    assert LONG_LINE.search("x" * MOST_CHARACTERS) is None
    assert LONG_LINE.search("x = 1  # noqa: S608".rjust(MOST_CHARACTERS + 1))
    assert offences(LONG_LINE, code()) == []


def test_no_function_is_too_long_to_see():
    planted = (
        "try:\n    pass\nexcept KeyError:\n    def f():\n" + "        x = 1\n" * MOST_LINES_OF_A_FUNCTION
    )
    assert long_functions(read(planted)) == [f"f ({MOST_LINES_OF_A_FUNCTION + 1})"]
    assert breaking(long_functions, code()) == {}


def test_a_class_has_its_name_to_itself():
    assert named_twice(map(read, ["class A: pass", "class B: pass\nclass A: pass"])) == {"A"}
    assert named_twice(map(source_of, product())) == set()


def test_no_function_has_many_parameters():
    planted = "def f(self, a, b, c, d, *, e, g): pass\ndef h(a, b, c, d, e, *, g, i): pass\n"
    assert many_parameters(read(planted)) == ["h"]
    assert breaking(many_parameters, product()) == {}


def test_every_file_is_named_after_its_work():
    assert [str(path) for path in code() if path.stem in NAMES_THAT_SAY_NOTHING] == []


def without_purpose(folder: Path) -> Iterator[str]:
    """Yield the packages whose `__init__.py` does not say what they never do."""
    for room in sorted({path.parent for path in folder.rglob("*.py")} - {folder / "migrations"}):
        told = room / "__init__.py"
        says = ast.get_docstring(ast.parse(told.read_text())) if told.exists() else None
        if not re.search(r"\bnever\b", says or "", re.IGNORECASE):
            yield str(room)


def test_every_room_says_what_it_is_and_what_it_never_does(tmp_path):
    for room in ("told", "mute", "missing", "half", "migrations"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "work.py").touch()
    (tmp_path / "__init__.py").write_text('"""The house. It never moves."""')
    (tmp_path / "told" / "__init__.py").write_text('"""A room. Never has it\na door."""')
    (tmp_path / "half" / "__init__.py").write_text('"""A room. It has no door."""')
    (tmp_path / "mute" / "__init__.py").touch()
    strays = [str(tmp_path / room) for room in ("half", "missing", "mute")]
    assert list(without_purpose(tmp_path)) == strays
    assert [room for folder in PRODUCT for room in without_purpose(ROOT / folder)] == []


@pytest.mark.parametrize("app", ["tables", "ledger"])
def test_an_app_opens_with_rooms_and_few_loose_files(app):
    assert len(list((ROOT / app).glob("*.py"))) <= MOST_LOOSE_FILES


def test_every_module_says_what_lives_there():
    assert [read(text).told for text in ("", '"""What lives here."""', "x = 1")] == [True, True, False]
    mute = [str(path.relative_to(ROOT)) for path in code() if not source_of(path).told]
    assert mute == []


@pytest.mark.parametrize(
    ("pattern", "planted"),
    [
        (UNFINISHED, "x = 1  # TO" + "DO later"),
        (SWITCHED_OFF, "@pytest.mark." + "skip"),
        (SWALLOWED, "try:\n    f()\nexcept Exception:\n    pa" + "ss\n"),
    ],
)
def test_nothing_is_left_unfinished_switched_off_or_swallowed(pattern, planted):
    assert pattern.search(planted)
    others = [path for path in code() if path != Path(__file__)]
    assert offences(pattern, others) == []


def test_no_assert_guards_the_product_for_python_o_removes_it():
    planted = "match money:\n    case 0:\n        with room:\n            assert money > 0"
    assert read(planted).asserts == [4]
    assert breaking(lambda source: source.asserts, product()) == {}


@pytest.mark.parametrize("planted", ['<p style="x">', "<a onclick='x'>", "<style>", "<script>x</script>"])
def test_templates_have_no_inline_style_or_script(planted):
    assert INLINE.search(planted)
    assert not INLINE.search('<script src="/static/x.js" defer></script><span class="on style">')
    assert offences(INLINE, templates()) == []


@pytest.mark.parametrize("planted", ['<img src="https://a.example/x">', '<link href="//a.example/x">'])
def test_templates_load_nothing_from_outside(planted):
    assert FROM_OUTSIDE.search(planted)
    assert offences(FROM_OUTSIDE, templates()) == []


def test_no_line_of_a_template_is_too_long_to_review():
    planted = "<td>" + "x" * MOST_CHARACTERS_OF_A_TEMPLATE_LINE
    assert LONG_TEMPLATE_LINE.search(f"<tr>\n{planted}\n</tr>")
    assert not LONG_TEMPLATE_LINE.search(planted[:MOST_CHARACTERS_OF_A_TEMPLATE_LINE])
    assert offences(LONG_TEMPLATE_LINE, templates()) == []


def test_a_note_in_a_template_is_one_line_since_longer_ones_are_shown():
    assert BROKEN_NOTE.search("{# of: what it is,\n    where it is past #}")
    assert not BROKEN_NOTE.search("{# of: what it is #}\n<p>{# another #}</p>")
    assert offences(BROKEN_NOTE, templates()) == []


@pytest.mark.parametrize(
    "planted",
    ['<a href="/floor/">', "<form action='/sign-out/'>", '<div hx-get="/sessions/{{ pk }}/seats/">'],
)
def test_templates_name_pages_and_leave_their_addresses_to_urls(planted):
    assert WRITTEN_ADDRESS.search(planted)
    assert not WRITTEN_ADDRESS.search("""<a href="{% url 'floor' %}" data-href="/x">""")
    assert offences(WRITTEN_ADDRESS, templates()) == []


def test_mypy_judges_every_room_and_none_less_strictly():
    types = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert types["strict"] is True
    assert types["files"] == ["casino", "tables", "ledger", "tools"]
    assert types["exclude"] == ["/migrations/"]
    # No override names a module of ours, only packages without types.
    named = [name for override in types["overrides"] for name in override["module"]]
    assert [name for name in named if ROOT.joinpath(name.split(".")[0]).exists()] == []


ONE_PLACE = {
    "tables/rules/table/buy_ins.py": (
        r"\b(30|9) \* |\* (30|9)\b(?= *[^\d. ])|BUY_IN_POINTS = ",
        "x = 30 * limit",
    ),
    "tables/rules/table/corrections.py": (r"def _?(by_pair|plan_changes|_movable)\(", "def by_pair("),
    "tables/rules/game/matches.py": (r"= winner\(|else winner\(", "won_by = winner("),
    "tables/rules/table/eligibility.py": (
        r"below nine points \(R53\)|Fifth, next in|waits as the fifth|running round must be settled "
        "or|stands still; the floor",
        "Fifth, next in",
    ),
    "tables/rules/table/moves.py": (
        r"paid_here or unused|def whose_turn|sorted\(before\.dealt\)",
        "def whose_turn(",
    ),
    "ledger/rules/gaming_days.py": (r"time\(\w*\.?\w*starts_at\)|\.hour >=", "local.hour >= 6"),
    "ledger/money.py": (r"\{1,13\}|Decimal\(amount\)|def \w*cents_of\(", "Decimal(amount)"),
}


@pytest.mark.parametrize("place", ONE_PLACE)
def test_each_rule_of_the_floor_is_said_in_one_file(place):
    pattern, planted = ONE_PLACE[place]
    said = re.compile(pattern)
    assert said.search(planted)
    product = [
        path for kind in ("*.py", "*.html", "*.js") for path in files(*PRODUCT, "templates", pattern=kind)
    ]
    found = {
        str(path.relative_to(ROOT))
        for path in product
        if "migrations" not in path.parts and said.search(path.read_text())
    }
    assert found == {place}


REACHED = [
    ("casino/management/commands/seed.py", "ledger"),
    ("casino/roles.py", "auth"),
    ("ledger/db/guards.py", "any"),
    ("ledger/db/keeping.py", "any"),
    ("ledger/proof/log/following.py", "any"),
    ("ledger/proof/log/unchanged.py", "any"),
]
"""Where models are looked up by name, past the import contracts, and of which app; `any` if computed."""


def reached(source: str, own: str) -> list[str]:
    """Return the other apps whose models code looks up by name, once for each call."""
    found = []
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in {"get_model", "get_models"}:
            named = [*call.args, *(word.value for word in call.keywords if word.arg == "app_label")]
            label = getattr(named[0], "value", None) if named else None
            found.append(label.partition(".")[0] if isinstance(label, str) else "any")
    return [app for app in found if app != own]


def test_models_of_another_app_are_asked_for_by_name_in_ever_fewer_places():
    """Such lookups would let the floor know the project, or the project write rows of the books."""
    planted = (
        "apps.get_model({0!r}, 'A')\napps.get_model('{0}.A')\napps.get_model(model_name='A', app_label={0!r})"
    ).format
    assert reached(planted("casino"), own="tables") == ["casino"] * 3
    assert reached(planted("tables"), own="tables") == []
    assert reached("apps.get_model(label); apps.get_models()", own="tables") == ["any", "any"]
    found = [
        (str(path.relative_to(ROOT)), app)
        for folder in PRODUCT
        for path in product()
        if path.is_relative_to(ROOT / folder) and "get_model" in (text := path.read_text())
        for app in reached(text, own=folder)
    ]
    assert sorted(found) == REACHED, "Come in by the door, or shorten the list."


STATUSES = {401, 403, 409, 410, 422, 429}


def naming_a_status(source: str) -> bool:
    return any(
        isinstance(node, ast.Constant) and node.value in STATUSES for node in ast.walk(ast.parse(source))
    )


def test_no_other_place_than_refusals_names_a_status():
    """The refusal classes do, and pages for Django's refusals, the guards before them."""
    assert naming_a_status('STATUS = {"second_person": 403}')
    naming = {str(path.relative_to(ROOT)) for path in files(*PRODUCT) if naming_a_status(path.read_text())}
    assert naming == {
        "casino/house/first_start.py",
        "casino/requests/middleware.py",
        "casino/roles.py",
        "casino/sign_in/errors.py",
        "casino/sign_in/factors.py",
        "casino/staff/hiring.py",
        "casino/views.py",
        "ledger/proof/audit/errors.py",
        "ledger/rules/refusals.py",
        "ledger/views/api.py",
        "ledger/errors.py",
        "tables/errors.py",
    }
