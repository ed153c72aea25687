"""Compiled programs are kept where the user says, and only they count as such."""

from __future__ import annotations

from pathlib import Path

from pavlov_cli.places import cache_root, compiled_folders


def test_the_named_folder_goes_before_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("PAVLOV_CACHE_DIR")
    assert cache_root() == tmp_path / "pavlov"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_root() == Path.home() / ".cache" / "pavlov"
    monkeypatch.setenv("PAVLOV_CACHE_DIR", str(tmp_path / "mine"))
    assert cache_root() == tmp_path / "mine"
    assert compiled_folders() == []


def test_only_folders_that_the_engine_makes_are_compiled_programs(monkeypatch, tmp_path):
    monkeypatch.setenv("PAVLOV_CACHE_DIR", str(tmp_path))
    for name in ("xla-0.10.2-0123456789ab", "xla-0.10.2-short", "other", "xla-1-0123456789AB"):
        (tmp_path / name).mkdir()
    (tmp_path / "xla-0.10.2-ffffffffffff").write_text("a file")
    assert [path.name for path in compiled_folders()] == ["xla-0.10.2-0123456789ab"]
