"""Pack the verifier into one file, verify.pyz: the same sources give the same bytes."""

from functools import cache

from ledger.proof.audit.packing import packed


@cache
def verifier_bytes() -> bytes:
    return packed(
        "tables.audit.main",
        whole=(
            "ledger.proof.audit",
            "ledger.papers",
            "ledger.records",
            "ledger.rules",
            "tables.audit",
            "tables.rules",
        ),
        files={
            "ledger": ("__init__.py", "errors.py", "money.py", "chart.py", "rights.py"),
            "ledger.proof": ("__init__.py",),
            "tables": ("__init__.py",),
        },
        # Verifying never imports these: words for screens, and the package that needs NumPy.
        left_out=("tables/rules/words", "tables/rules/batch"),
    )
