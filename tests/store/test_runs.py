"""A finished run is read whole; one that did not finish says so."""

from __future__ import annotations

import subprocess

import pytest

from pavlov_cli.errors import DataError
from pavlov_cli.store import is_finished, load_run, read_manifest, write_manifest, write_seal, write_table


@pytest.fixture
def run(tmp_path):
    """A run of a made-up study with one table."""
    folder = tmp_path / "study" / "0123456789ab"
    write_manifest(folder, {"study": "study", "command": "pavlov study", "seed": 3})
    (folder / "tables").mkdir()
    write_table(folder / "tables" / "study.csv", [{"d_k": 8, "value": 0.5}], ("d_k", "value"))
    write_table(folder / "tables" / "answer.csv", [{"answer": "yes", "confidence": 0.9}], ("answer", "confidence"))
    (folder / "tables" / "notes.csv").write_text("a user's own file", encoding="utf-8")
    write_seal(folder / "tables", [folder / "tables" / "study.csv", folder / "tables" / "answer.csv"])
    return folder


def test_a_finished_run_is_read_whole(tmp_path, run):
    stored = load_run(tmp_path, "0123")
    assert stored.rows == stored.tables["study"] == [{"d_k": 8, "value": 0.5}]
    assert (stored.curve, stored.verdicts) == ((), ())
    assert (stored.study, stored.name) == ("study", "study/0123456789ab")
    assert (stored.answer, stored.confidence) == ("yes", 0.9)
    assert [path.name for path in stored.files] == ["answer.csv", "study.csv"]


@pytest.mark.parametrize("missing", ["study.csv", "answer.csv", "SHA256SUMS"])
def test_a_run_without_a_table_did_not_finish(tmp_path, run, missing):
    assert is_finished(run, read_manifest(run))
    (run / "tables" / missing).unlink()
    assert not is_finished(run, read_manifest(run))
    with pytest.raises(DataError, match="did not finish. Run again: pavlov study"):
        load_run(tmp_path, "latest")


def test_a_table_that_was_changed_is_named(tmp_path, run):
    table = run / "tables" / "study.csv"
    table.write_text(table.read_text().replace("0.5", "0.6"))
    with pytest.raises(DataError, match=r"study.csv is damaged or was changed: it does not match SHA256SUMS"):
        load_run(tmp_path, "latest")


@pytest.mark.parametrize("text", ["", "words\n", "0" * 64 + "  ../study.csv\n", "0" * 64 + "  nosuch.csv\n"])
def test_a_list_of_checksums_that_is_none_is_named(tmp_path, run, text):
    (run / "tables" / "SHA256SUMS").write_text(text)
    with pytest.raises(DataError, match=r"SHA256SUMS is damaged|nosuch.csv is missing"):
        load_run(tmp_path, "latest")


def test_other_programs_can_check_the_tables(run):
    checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=run / "tables", capture_output=True, text=True)
    assert (checked.returncode, checked.stdout) == (0, "answer.csv: OK\nstudy.csv: OK\n")
