"""Set a paper in a process of its own, because a long one takes memory that a server would keep: `python -m
ledger.printing.typesetting` reads its text as JSON, and writes a PDF/A-2b. The same input gives the same
bytes."""

import json
import sys
from pathlib import Path
from typing import Any, Final

import typst

HERE = Path(__file__).parent
STANDARD: Final = "a-2b"


def typeset(said: dict[str, Any]) -> bytes:
    pdf: bytes = typst.compile(
        HERE / "paper.typ",
        format="pdf",
        sys_inputs={"data": json.dumps(said)},
        font_paths=[HERE / "fonts"],
        ignore_system_fonts=True,
        pdf_standards=[STANDARD],
        pdf_tags=False,
        timestamp=said["made_at"],
    )
    return pdf


def main() -> int:
    sys.stdout.buffer.write(typeset(json.load(sys.stdin)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
