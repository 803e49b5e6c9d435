"""Pack the verifier into one file, verify.pyz: the same sources always give the same bytes."""

from functools import cache

from ledger.audit.packing import packed


@cache
def verifier_bytes() -> bytes:
    """Return the bytes of verify.pyz. Running `python3 -I verify.pyz FILE.zip` needs nothing else."""
    return packed(
        "tables.audit.main",
        whole=("ledger.audit", "tables.audit", "tables.rules"),
        files={
            "ledger": ("__init__.py", "errors.py", "money.py", "chart.py"),
            "tables": ("__init__.py",),
        },
        # Packages that verifying never imports: words for screens, and the part that needs NumPy.
        left_out=("tables/rules/words", "tables/rules/batch"),
    )
