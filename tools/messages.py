"""Bring the catalogs in locale/ up to date with what the translated rooms say, and compile them.

`make messages`. A new message is added without a translation; one that nothing says is dropped. It
needs Babel, which comes with the tests; compiled catalogs are kept with the sources.
"""

import ast
import io
import json
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from babel.messages.catalog import Catalog, Message  # noqa: E402
from babel.messages.extract import extract_python  # noqa: E402
from babel.messages.mofile import write_mo  # noqa: E402
from babel.messages.pofile import read_po, write_po  # noqa: E402
from django.utils.translation import to_locale  # noqa: E402
from django.utils.translation.template import templatize  # noqa: E402

from casino.languages import ENGLISH, LANGUAGES, ROOMS  # noqa: E402

LOCALE = ROOT / "locale"
DOMAINS = ("django", "djangojs")
PLURALS = {"zh-hant": (1, "0"), "vi": (1, "0"), "es": (2, "(n != 1)")}
TEXT = r'"(?:[^"\\]|\\.)*"'
IN_SCRIPTS = re.compile(rf"\b(?:t|(?P<several>tn))\(\s*(?P<one>{TEXT})(?:,\s*(?P<many>{TEXT}))?")
IN_TEMPLATES = {"gettext": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2), "_": None}
# What only programs read: names of columns, SQL, patterns, names and values of headers.
FOR_PROGRAMS = re.compile(
    r"[a-z]+_+[a-z_]+|^(UPDATE|INSERT|SELECT)\b|^\^|^\w+(-[A-Z]\w+)+$|charset=|no-store|\n"
)
NAMES_COLUMNS = ("joined", "unread")  # of Compiled (ledger/db/compiled.py)
FOR_PROGRAMMERS = ("OperationalError", "TypeError", "ValueError")
RULE = re.compile(r"R\d+")
PLACE = re.compile(r"\{\w+\}")
SURE = re.compile(r"\{(dollars|pieces|serial|time)")
FEWEST_LETTERS = 4
"""Of a message that begins with a value and has no money, time or serial number, so that it is not found in
every sentence."""

HEADER = """\
# {name}. Made by tools/messages.py (`make messages`) of what the translated rooms say (casino/languages.py).
# A translation below a line `# unreviewed` has been read by nobody of the trade; whoever has read it takes
# that line off."""
UNREVIEWED = "unreviewed"


class Meant(NamedTuple):
    """A text that means something else in this `context` than elsewhere: `Full` of a table, not of a fee."""

    text: str
    context: str


Text = str | tuple[str, str] | Meant


class HouseCatalog(Catalog):
    """A catalog whose header says no more than the language, its plural, and how many are unreviewed."""

    code = ENGLISH

    @property  # type: ignore[misc]
    def mime_headers(self) -> list[tuple[str, str]]:
        forms, rule = PLURALS[self.code]
        unread = sum(UNREVIEWED in message.user_comments for message in self._messages.values())
        return [
            ("Language", to_locale(self.code)),
            ("Plural-Forms", f"nplurals={forms}; plural={rule};"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("MIME-Version", "1.0"),
            ("X-Unreviewed", f"{unread} of {len(self)}"),
        ]


def said_in(room_part: Iterable[str], below: str) -> list[Path]:
    """Return the files of a part of a room; a pattern without a file raises."""
    found: list[Path] = []
    for pattern in room_part:
        matched = sorted((ROOT / below).glob(pattern))
        if not matched:
            raise FileNotFoundError(f"{below}/{pattern}")
        found += matched
    return found


def of_template(path: Path) -> Iterator[Text]:
    source = "\n".join(line.lstrip() for line in templatize(path.read_text()).splitlines())
    yield from _texts(extract_python(io.BytesIO(source.encode()), IN_TEMPLATES, (), {"encoding": "utf-8"}))


def of_script(path: Path) -> Iterator[Text]:
    """Yield the texts of `t("...")` and `tn("...", "...")`, also where one stands inside another."""
    for call in IN_SCRIPTS.finditer(path.read_text()):
        one, many = (json.loads(text) if text else "" for text in call.group("one", "many"))
        if call["several"]:
            yield one, many
        else:
            yield one


def _texts(found: Iterable[Any]) -> Iterator[Text]:
    for _, function, texts, _ in found:
        several = texts if isinstance(texts, tuple) else (texts,)
        if function == "pgettext":
            yield Meant(several[1], several[0])
        elif several and several[0]:
            yield (several[0], several[1]) if function == "ngettext" else several[0]


def of_sentences(place: str) -> Iterator[str]:
    """Yield the sentences of a module of Python, with a named place where each value stands; of the functions
    alone that it names (`tables/models/session.py:__str__`)."""
    module, _, names = place.partition(":")
    wanted = set(filter(None, names.split(",")))
    tree: ast.AST = ast.parse((ROOT / module).read_text())
    known = _named_in(tree)
    if missing := wanted - known.keys():
        raise LookupError(f"{module} has no {', '.join(sorted(missing))}")
    for part in [known[name] for name in sorted(wanted)] or [tree]:
        silent = {id(inner) for node in ast.walk(part) for inner in _silent(node)}
        for node in ast.walk(part):
            text = None if id(node) in silent else message_of(node)
            if text and _is_for_people(text):
                yield text


def _named_in(tree: ast.AST, inside: str = "") -> dict[str, ast.AST]:
    """Return the functions and classes of a module by name: `Table.Side`."""
    found: dict[str, ast.AST] = {}
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[inside + node.name] = node
            found |= _named_in(node, f"{inside}{node.name}.")
    return found


def _is_for_people(text: str) -> bool:
    literal = PLACE.sub("", text)
    is_loose = text[0] == "{" and not {*"(:"} & {*literal} and not SURE.search(text)
    if FOR_PROGRAMS.search(literal) or (is_loose and len(re.findall("[A-Za-z]", literal)) < FEWEST_LETTERS):
        return False
    return " " in text.strip() or re.fullmatch(r"[A-Z][a-z-]+\??", text) is not None or text == "PIN"


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is no text of its own: notes, parts of a text with values, what programmers alone read."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    if isinstance(node, ast.JoinedStr):
        yield from node.values
    if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
        yield from ast.walk(node.format_spec)
    if isinstance(node, ast.keyword) and node.arg in NAMES_COLUMNS:
        yield node.value
    if isinstance(node, ast.Raise) and getattr(getattr(node.exc, "func", None), "id", "") in FOR_PROGRAMMERS:
        yield from ast.walk(node)


def message_of(node: ast.AST) -> str | None:
    """Return a text as a message: `Seat {seat} has left.`; None for anything but a text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.JoinedStr):
        return None
    text, used = "", dict[str, int]()
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
            continue
        name = _name(part)
        used[name] = used.get(name, 0) + 1
        text += f"{{{name}{used[name] if used[name] > 1 else ''}}}"
    return text


def _name(node: ast.AST) -> str:
    match node:
        case ast.FormattedValue(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
            return _name(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name.strip("_").lower()
    return "value"


def of_words(place: str) -> Iterator[str]:
    """Yield the texts in constants of a module, and in its choices, of which each says its label last:
    `tables/rules/words/names.py:CATEGORY_NAMES`, `tables/models/session.py:Table.Side`. Of calls the
    arguments at one place alone, if it is given: `ledger/chart.py:EVENTS@1`."""
    module, _, names = place.partition(":")
    names, _, at = names.partition("@")
    wanted = set(names.split(","))
    if module.endswith(".toml"):
        for sheet in sorted(ROOT.glob(module)):
            yield from (str(tomllib.loads(sheet.read_text())[name]) for name in wanted)
        return
    tree = ast.parse((ROOT / module).read_text())
    for name, choices in _named_in(tree).items():
        if name in wanted and isinstance(choices, ast.ClassDef):
            wanted.discard(name)
            labels = [node.value for node in choices.body if isinstance(node, ast.Assign)]
            yield from (text for one in labels for text in _values(getattr(one, "elts", [one])[-1]))
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        named = {target.id for target in targets if isinstance(target, ast.Name)}
        if named & wanted:
            wanted -= named
            yield from _arguments(node, int(at)) if at else _values(node.value)  # type: ignore[attr-defined]
    if wanted:
        raise LookupError(f"{module} has no {', '.join(sorted(wanted))}")


def _arguments(node: ast.AST, at: int) -> Iterator[str]:
    calls = (call for call in ast.walk(node) if isinstance(call, ast.Call) and len(call.args) > at)
    yield from filter(None, (message_of(call.args[at]) for call in calls))


def _values(node: ast.AST) -> Iterator[str]:
    found = [*node.values] if isinstance(node, ast.Dict) else [*ast.iter_child_nodes(node)]
    texts = [text for inner in found if inner is not None for text in _values(inner)]
    if isinstance(node, ast.Dict) and not texts:
        texts = [text for key in node.keys if key is not None for text in _values(key)]
    yield from texts
    text = message_of(node)
    if text and (text[0].isalpha() or text[0] in "{,") and not RULE.fullmatch(text):
        yield text


def messages() -> dict[str, dict[Text, set[str]]]:
    """Return every message of every translated room by domain, with the files that say it."""
    found: dict[str, dict[Text, set[str]]] = {domain: {} for domain in DOMAINS}

    def add(domain: str, texts: Iterable[Text], where: str) -> None:
        for text in texts:
            found[domain].setdefault(text, set()).add(where)

    for room in ROOMS:
        for path in said_in(room.templates, "templates"):
            add("django", of_template(path), str(path.relative_to(ROOT)))
        for place in room.sentences:
            add("django", of_sentences(place), place.partition(":")[0])
        for place in room.words:
            add("django", of_words(place), place.partition(":")[0])
        for path in said_in(room.scripts, "casino/static/js"):
            add("djangojs", of_script(path), str(path.relative_to(ROOT)))
    return found


def po_file(language: str, domain: str) -> Path:
    return LOCALE / to_locale(language) / "LC_MESSAGES" / f"{domain}.po"


def kept(language: str, domain: str) -> Catalog:
    path = po_file(language, domain)
    if not path.exists():
        return Catalog(locale=None)
    with path.open("rb") as file:
        return read_po(file, domain=domain)


def updated(language: str, domain: str, found: dict[Text, set[str]]) -> Catalog:
    """Return the catalog with exactly these messages, and the translations it had of them."""
    before = kept(language, domain)
    after = HouseCatalog(domain=domain, fuzzy=False, charset="utf-8")
    after.code, after.header_comment = language, HEADER.format(name=dict(LANGUAGES)[language])
    vars(after).update(zip(("_num_plurals", "_plural_expr"), PLURALS[language], strict=True))
    for text in sorted(found, key=str):
        context = text.context if isinstance(text, Meant) else None
        said = text.text if isinstance(text, Meant) else text
        had: Message | None = before.get(said[0] if isinstance(said, tuple) else said, context)
        same = had is not None and had.id == said
        after.add(
            said,
            had.string if same and had else "",
            locations=[(where, 0) for where in sorted(found[text])],
            user_comments=had.user_comments if same and had else (),
            flags=(),
            context=context,
        )
    return after


def text_of(message: Any) -> Any:
    """Return a message of a catalog as its template says it, a `Text`."""
    return Meant(message.id, message.context) if message.context else message.id


def compiled(catalog: Catalog) -> bytes:
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def written(catalog: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalog, width=0, include_lineno=False)
    return file.getvalue()


def main() -> int:
    """Write every catalog; say of each language how many texts it has."""
    found = messages()
    for language, name in LANGUAGES:
        if language == ENGLISH:
            continue
        for domain in DOMAINS:
            catalog = updated(language, domain, found[domain])
            path = po_file(language, domain)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(written(catalog))
            path.with_suffix(".mo").write_bytes(compiled(catalog))
            done = sum(1 for message in catalog if message.id and all(_forms(message)))
            print(f"{name}, {domain}: {done} of {len(found[domain])}", flush=True)
    return 0


def _forms(message: Message) -> tuple[str, ...]:
    text = message.string
    return tuple(text) if isinstance(text, list | tuple) else (text or "",)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    sys.exit(main())
