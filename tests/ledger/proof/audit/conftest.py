"""Verifying an export that a test has made."""

from functools import cache

import pytest

from ledger.proof.audit.export.verdict import Brought, verify_bundle
from ledger.proof.audit.tree import cosignatures
from tests.support.changed_exports import no_checks


@pytest.fixture(scope="session", autouse=True)
def _signatures_are_checked_once():
    """Exports that differ elsewhere have the same signatures; in plain Python one takes a twentieth of a
    second."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cosignatures, "holds", cache(cosignatures.holds))
        yield


@pytest.fixture
def judge(tmp_path):
    def verdict(data, *, checks=no_checks, program=None, progress=None, apart=None, **brought):
        path = tmp_path / "export.zip"
        path.write_bytes(data)
        more = {"program": program, "progress": progress, "apart": apart}
        return verify_bundle(path, checks=checks, brought=Brought(**brought), **more)

    return verdict


@pytest.fixture
def found(judge):
    """Return what is wrong with an export: codes with their leaf."""

    def found(data, **options):
        return [(finding.code, finding.leaf) for finding in judge(data, **options).findings]

    return found
