"""A finished run is read whole; one that did not finish says so."""

from __future__ import annotations

import pytest

from pavlov_cli.errors import DataError
from pavlov_cli.store import is_finished, load_run, read_manifest, write_manifest, write_table


@pytest.fixture
def run(tmp_path):
    """A run of a made-up study with one table."""
    folder = tmp_path / "study" / "0123456789ab"
    write_manifest(folder, {"study": "study", "command": "pavlov study", "seed": 3})
    (folder / "tables").mkdir()
    write_table(folder / "tables" / "study.csv", [{"d_k": 8, "value": 0.5}], ("d_k", "value"))
    write_table(folder / "tables" / "answer.csv", [{"answer": "yes", "confidence": 0.9}], ("answer", "confidence"))
    return folder


def test_a_finished_run_is_read_whole(tmp_path, run):
    stored = load_run(tmp_path, "0123")
    assert stored.rows == stored.tables["study"] == [{"d_k": 8, "value": 0.5}]
    assert (stored.curve, stored.verdicts) == ((), ())
    assert (stored.study, stored.name) == ("study", "study/0123456789ab")
    assert (stored.answer, stored.confidence) == ("yes", 0.9)
    assert [path.name for path in stored.files] == ["answer.csv", "study.csv"]


@pytest.mark.parametrize("missing", ["study.csv", "answer.csv"])
def test_a_run_without_a_table_did_not_finish(tmp_path, run, missing):
    assert is_finished(run, read_manifest(run))
    (run / "tables" / missing).unlink()
    assert not is_finished(run, read_manifest(run))
    with pytest.raises(DataError, match="did not finish. Run again: pavlov study"):
        load_run(tmp_path, "latest")
