"""Programs of others that read what the house hands out, for the long form of the tests: PDFBox's preflight
judges printed papers, pdftotext says where their words are, LibreOffice opens workbooks.
tools/prerequisites.py installs them."""

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

JARS = Path("/usr/share/java")
PACKAGES = ("libpdfbox2-java", "libactivation-java", "libjaxb-api-java")
"""Debian's packages of preflight; the last two are what it uses of Java 8, which later ones lack."""
PREFLIGHT = ("preflight", "pdfbox2", "fontbox2", "xmpbox", "commons-logging", "javax.activation", "jaxb-api")
JUDGE = "org.apache.pdfbox.preflight.Validator_A1b"
OFFICE, TEXT = "soffice", "pdftotext"
MARGIN = 20
"""Points of a page's side on which nothing is printed."""
PAGE = re.compile(r'<page width="([\d.]+)"')
WORD = re.compile(r'xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="[\d.-]+">(.*?)</word>')
PATIENCE_SECONDS = 600


def judges() -> bool:
    """Return whether preflight can run here."""
    return bool(shutil.which("java")) and all(jar.exists() for jar in _jars())


def opens() -> bool:
    """Return whether LibreOffice can run here."""
    return bool(shutil.which(OFFICE))


def complaints(papers: list[Path]) -> dict[str, set[str]]:
    """Return what preflight has against each of these as PDF/A-1b, by the name of its file. The list that it
    is given and its answer are kept beside the first."""
    asked = papers[0].with_name("judged")
    asked.write_text("".join(f"{paper}\n" for paper in papers))
    run(["java", "-cp", ":".join(map(str, _jars())), JUDGE, "xml", "group", str(asked)])
    answer = ElementTree.parse(asked.with_name("judged.preflight.xml"))
    return {judged.attrib["name"]: _errors(judged) for judged in answer.iter("preflight")}


def _jars() -> list[Path]:
    return [JARS / f"{name}.jar" for name in PREFLIGHT]


def _errors(judged: ElementTree.Element) -> set[str]:
    found = {str(error.findtext("details")) for error in judged.iter("error")}
    return found if judged.findtext("isValid") == "true" else found or {"It is not valid."}


def finds_words() -> bool:
    return bool(shutil.which(TEXT))


def crowded(pdf: Path) -> list[str]:
    """Return the words of a PDF that lie beyond the sides of its page, or over the next one in their line."""
    found: list[str] = []
    _, *pages = PAGE.split(run([TEXT, "-bbox", str(pdf), "-"]))
    for width, page in zip(pages[::2], pages[1::2], strict=True):
        words = [(round(float(y)), float(x), float(end), text) for x, y, end, text in WORD.findall(page)]
        words.sort()
        found += [text for _, x, end, text in words if x < MARGIN or end > float(width) - MARGIN]
        beside = pairwise(words)
        found += [f"{one[3]} {two[3]}" for one, two in beside if one[0] == two[0] and two[1] < one[2] - 1]
    return found


def sheets_of(book: Path, into: Path) -> dict[str, Path]:
    """Let LibreOffice save each sheet of a workbook as a CSV of what it shows; return them by sheet."""
    every_sheet_as_shown = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,true,false,false,-1"
    home = f"-env:UserInstallation={(into / 'home').as_uri()}"
    run([OFFICE, home, "--headless", "--convert-to", every_sheet_as_shown, "--outdir", str(into), str(book)])
    return {path.stem.removeprefix(f"{book.stem}-"): path for path in into.glob(f"{book.stem}-*.csv")}


def run(command: list[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_SECONDS)
    return done.stdout.decode(errors="replace")
