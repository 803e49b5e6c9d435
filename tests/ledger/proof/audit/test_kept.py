"""The folder of a log within the folder of all, whatever the log is called."""

import pytest

from ledger.proof.audit.kept import KeptFolder, folder_of, line_of


@pytest.mark.parametrize("origin", ["tables.example.com/log", "the-fifth-street-room/gege-1/1", "log"])
def test_a_log_s_folder_has_its_name(tmp_path, origin):
    assert folder_of(tmp_path, origin) == tmp_path / origin.replace("/", "-")


@pytest.mark.parametrize(
    "origin",
    [
        "..",
        ".",
        "",
        "/",
        "../..",
        "..\\..",
        "C:\\log",
        "C:log",
        "\0",
        "log\n",
        "\ud800",
        "é" * 200,
        "/etc/passwd",
    ],
)
def test_no_name_of_a_log_leads_out_of_the_folder(tmp_path, origin):
    root = tmp_path / "checkpoints"
    found = folder_of(root, origin)
    assert found.parent == root
    found.mkdir(parents=True)
    assert found.resolve().parent == root.resolve()


def test_checkpoints_beside_the_folder_are_no_log_s(tmp_path):
    (tmp_path / "2026-11-24.jsonl").write_bytes(line_of("of nobody"))
    assert not [*KeptFolder(tmp_path / "checkpoints", "..").lines()]
    assert not [*KeptFolder(tmp_path, ".").lines()]
