"""Only runs as pavlov writes them are removed, and the folder of a study only when it is empty."""

from __future__ import annotations

import pytest

from pavlov_cli.errors import ConfigError, DataError
from pavlov_cli.store import write_manifest
from pavlov_cli.store.removal import removable_run, remove_run, weigh


@pytest.fixture
def out(tmp_path):
    """Two runs of a study."""
    for name in ("aaaa", "bbbb"):
        write_manifest(tmp_path / "out" / "study" / name, {"study": "study", "command": "pavlov study"})
    return tmp_path / "out"


def test_a_run_is_found_by_every_way_to_write_it(out, monkeypatch):
    run = out / "study" / "aaaa"
    for text in ("aaaa", "a", "study/aaaa", str(run), str(run / "manifest.json")):
        assert removable_run(out, text) == run
    monkeypatch.chdir(out.parent)
    assert removable_run(out, "out/study/aaaa") == run


@pytest.mark.parametrize("text", ["..", "study/../study/aaaa", "../out/study/aaaa"])
def test_dots_are_refused(out, text):
    with pytest.raises(ConfigError, match=r"must not contain '\.\.'"):
        removable_run(out, text)


def test_a_manifest_that_does_not_match_its_checksum_protects_its_folder(out):
    path = out / "study" / "aaaa" / "manifest.json"
    path.write_text(path.read_text().replace("pavlov study", "something else"))
    with pytest.raises(DataError, match="may not be a run"):
        remove_run(path.parent)
    assert path.is_file()


def test_the_last_run_takes_its_study_along(out):
    remove_run(out / "study" / "aaaa")
    assert (out / "study").is_dir()
    remove_run(out / "study" / "bbbb")
    assert list(out.iterdir()) == []


def test_the_weight_counts_files_and_names_what_is_foreign(out, tmp_path):
    run = out / "study" / "aaaa"
    (tmp_path / "large").write_bytes(b"x" * 10_000)
    before = weigh(run).size_bytes
    (run / "tables").mkdir()
    (run / "tables" / "study.csv").write_bytes(b"x" * 100)
    (run / "notes").symlink_to(tmp_path / "large")
    weight = weigh(run)
    assert before + 100 <= weight.size_bytes < before + 1000
    assert weight.foreign == ("notes",)
