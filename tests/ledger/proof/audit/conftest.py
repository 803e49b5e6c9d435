"""Verifying an export that a test has made."""

import pytest

from ledger.proof.audit.export.verdict import Brought, verify_bundle
from tests.support.changed_exports import no_checks


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
