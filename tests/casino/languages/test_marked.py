"""Nothing that people read in a translated room stands there unmarked: in templates, and in scripts."""

import html.parser
import re
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType

from casino.languages import ROOMS
from tools.messages import ROOT, said_in

READ = ("alt", "aria-label", "placeholder", "title", "aria-description")
"""Attributes that people read or hear."""
NOT_WORDS = ("code", "kbd", "script")
ALIKE = {"Casino Tables", "demo", "UTC"}
"""Alike in every language: the product's name, the password of a demo, a zone of time."""
SILENT = {"attributes", "room", "page_class", "live", "zone"}
"""Blocks of the page's frame: classes and attributes."""
ATTRIBUTES_ALONE = {"_stream.html"}
WORD = re.compile(r"[A-Za-z]{2,}")
# In a tag: `with title="No table"`, `|default:"Nobody"`, but not `_("...")`, an address or a sign.
GIVEN = re.compile(
    r"""\b(?:title|text|action|label)=(?P<q>["'])(?P<given>(?:(?!(?P=q)).)*[A-Za-z].*?)(?P=q)"""
)
DEFAULT = re.compile(r"""\|default:(?P<q>["'])(?P<given>[^"']*(?:[A-Z]|[a-z] [a-z])[^"']*)(?P=q)""")

QUOTED = r'"(?:[^"\\\n]|\\.)*"'
# Whatever is marked; then what is left of texts.
MARKED = re.compile(rf"\b(?:t|tn)\(\s*{QUOTED}(?:,\s*{QUOTED})?")
NOTE = re.compile(r"^\s*(?://|/?\*).*$|(?<=[;,{{\s])//\s.*$", re.MULTILINE)
LITERAL = re.compile(rf"{QUOTED}|`(?:[^`\\]|\\.)*`")
FROM = re.compile(rf"\bfrom {QUOTED}|\bimport {QUOTED}")
VALUE = re.compile(r"\$\{[^{}]*\}")
SENTENCE = re.compile(
    r"^[A-Z][a-z]+(?: |$|[.:?!,])|(?:^| )[a-z]{2,} [a-z]{2,}(?:[ .,;:?!]|$)|^[A-Z][a-z]+-[a-z]+$"
)
KEYS = re.compile(
    r"^(Arrow(Left|Right|Up|Down)|Backspace|Delete|Enter|Escape|Accept|Mis|Tab)$"
    r"|^As$|^(Wrong card|Wrong suit|Two cards swapped|Declaration missed)$"
)
"""Names of keys and headers; the ace of spades; reasons, which are recorded in English."""
CLASSES = re.compile(r"^[a-z][\w-]*( [a-z][\w-]*)*$")
"""Classes and other lists of names: `button button--primary`."""


class Text(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found += [
            value.strip() for name, value in attrs if name in READ and value and WORD.search(value)
        ]
        if tag in NOT_WORDS:
            self.silent.append(tag)

    def handle_endtag(self, tag):
        if self.silent and self.silent[-1] == tag:
            self.silent.pop()

    def handle_data(self, data):
        words = " ".join(data.split())
        if not self.silent and WORD.search(words) and words.strip(",. ") not in ALIKE:
            self.found.append(words)


def unmarked(template):
    """Return the texts of a template that nothing translates."""
    left, found, inside, blocks = [], [], False, []
    for token in Lexer(template).tokenize():
        name = token.contents.split()[0] if token.contents.split() else ""
        if token.token_type == TokenType.BLOCK and name in ("blocktranslate", "endblocktranslate"):
            inside = name == "blocktranslate"
        elif token.token_type == TokenType.BLOCK and name == "block":
            blocks.append(token.contents.split()[1])
        elif token.token_type == TokenType.BLOCK and name == "endblock":
            blocks.pop()
        elif token.token_type in (TokenType.BLOCK, TokenType.VAR):
            if name not in ("translate", "timezone", "url", "static"):
                found += [
                    one["given"]
                    for one in (*GIVEN.finditer(token.contents), *DEFAULT.finditer(token.contents))
                    if one["given"] not in ALIKE
                ]
        elif token.token_type == TokenType.TEXT and not inside and not SILENT & set(blocks):
            left.append(token.contents)
            continue
        left.append(" ")
    parser = Text()
    parser.feed("".join(left))
    return found + parser.found


def unmarked_in(script):
    """Return the texts of a script that nothing translates."""
    code = FROM.sub("", MARKED.sub("t(", NOTE.sub("", script)))
    found = []
    for literal in LITERAL.findall(code):
        text = literal[1:-1]
        while VALUE.search(text):
            text = VALUE.sub("x", text) if literal[0] == "`" else VALUE.sub("", text)
        if (
            SENTENCE.search(text)
            and not KEYS.search(text)
            and not (literal[0] == '"' and CLASSES.fullmatch(text))
        ):
            found.append(text)
    return found


@pytest.mark.parametrize(
    ("template", "strays"),
    [
        ("<p>Sign in</p>", ["Sign in"]),
        ('<p>{% translate "Sign in" %}</p>', []),
        ("<p>{% blocktranslate %}At {{ table }}{% endblocktranslate %}</p>", []),
        ("<p>At {{ table }}</p>", ["At"]),
        ('<button aria-label="Close {{ it }}">{{ sign }}</button>', ["Close"]),
        ('{% include "a.html" with title="No table" text=_("None") only %}', ["No table"]),
        ('{{ who|default:"Nobody" }}', ["Nobody"]),
        ('<a class="button" href="{% url \'home\' %}"><kbd>Del</kbd>{# a note #} 12 s</a>', []),
    ],
)
def test_a_text_of_a_template_that_is_not_marked_is_found(template, strays):
    assert unmarked(template) == strays


@pytest.mark.parametrize(
    ("script", "strays"),
    [
        ('note("The floor has been asked.");', ["The floor has been asked."]),
        ('note(t("The floor has been asked."));', []),
        ('tn("{count} card", "{count} cards", 3)', []),
        ("title.textContent = `Round ${number}`;", ["Round x"]),
        ("x = `${one} left in ${place}`;", ["x left in x"]),
        ('h("button", { class: "button button--primary" }, "Swap")', ["Swap"]),
        ('import { t } from "./language.js"; // Say so.', []),
    ],
)
def test_a_text_of_a_script_that_is_not_marked_is_found(script, strays):
    assert unmarked_in(script) == strays


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_text_of_a_translated_room_is_marked(room):
    found = {}
    for path in said_in(room.templates, "templates"):
        found[str(path.relative_to(ROOT))] = unmarked(path.read_text())
    for path in said_in(room.scripts, "casino/static/js"):
        found[str(path.relative_to(ROOT))] = unmarked_in(path.read_text())
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_every_template_of_a_translated_page_belongs_to_a_room():
    """What a translated page includes is marked as well."""
    covered = {path for room in ROOMS for path in said_in(room.templates, "templates")}
    included = re.compile(r"""{% (?:include|extends) ["']([^"']+)["']""")
    missing = {
        name
        for path in covered
        for name in included.findall(path.read_text())
        if name not in ATTRIBUTES_ALONE
        and (ROOT / "templates" / name) not in covered
        and unmarked((ROOT / "templates" / name).read_text())
    }
    assert missing == set()


def test_a_page_that_is_not_translated_offers_no_language():
    covered = {path for room in ROOMS for path in said_in(room.templates, "templates")}
    offers = {
        path for path in (ROOT / "templates").rglob("*.html") if '"_languages.html"' in path.read_text()
    }
    assert offers
    assert offers <= covered


def test_a_room_names_files_that_are_there():
    with pytest.raises(FileNotFoundError):
        said_in(("nowhere/*.html",), "templates")
    assert all(isinstance(path, Path) for room in ROOMS for path in said_in(room.templates, "templates"))
