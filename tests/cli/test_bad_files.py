"""Whatever is wrong with a file or a folder, one clear message names it, and what was there stays as it was."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

USAGE, DATA = 2, 3


def _refused(ended, code):
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith("pavlov: ")
    assert len(ended.err.splitlines()) <= 2
    assert "Traceback" not in ended.err


def _content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _npz(path, **arrays):
    np.savez(path, **arrays)


def _tensors(path, keys):
    save_file({"a": keys}, path)


# name of the file, what is put there, parameters, what the message must say
FILES = {
    "missing": ("none.npy", None, (), "does not exist"),
    "wrong suffix": ("x.txt", lambda p, k: p.write_text("1 2"), (), "must end in .npy, .npz, .safetensors"),
    "no suffix": ("x", lambda p, k: p.write_text("1 2"), (), "must end in"),
    "empty npy": ("x.npy", lambda p, k: p.write_bytes(b""), (), "cannot be read as .npy"),
    "empty npz": ("x.npz", lambda p, k: p.write_bytes(b""), (), "is not a .npz archive"),
    "empty safetensors": ("x.safetensors", lambda p, k: p.write_bytes(b""), (), "cannot be read as .safetensors"),
    "empty archive": ("x.npz", lambda p, k: _npz(p), (), "holds no array"),
    "no rows": ("x.npy", lambda p, k: np.save(p, k[:0]), (), "at least two vectors; got shape [0, 8]"),
    "one row": ("x.npy", lambda p, k: np.save(p, k[:1]), (), "at least two vectors; got shape [1, 8]"),
    "no columns": ("x.npy", lambda p, k: np.save(p, k[:, :0]), (), "at least two vectors; got shape [40, 0]"),
    "no head": ("x.npy", lambda p, k: np.save(p, k[None][:0]), ("head=0",), "empty head axis"),
    "no axis": ("x.npy", lambda p, k: np.save(p, np.float32(1)), (), "must be [rows, d]"),
    "one axis": ("x.npy", lambda p, k: np.save(p, k[0]), (), "must be [rows, d]"),
    "five axes": ("x.npy", lambda p, k: np.save(p, k[None, None, None]), (), "must be [rows, d]"),
    "NaN": ("x.npy", lambda p, k: np.save(p, np.where(k == k[3, 2], np.nan, k)), (), "the first is row 3"),
    "infinity": ("x.npy", lambda p, k: np.save(p, np.where(k == k[4, 0], np.inf, k)), (), "the first is row 4"),
    "complex": ("x.npy", lambda p, k: np.save(p, k.astype(complex)), (), "real numbers; got complex128"),
    "text": ("x.npy", lambda p, k: np.save(p, k.astype(str)), (), "must hold real numbers"),
    "text renamed": ("x.npy", lambda p, k: p.write_text("1 2 3\n"), (), "cannot be read as .npy"),
    "truncated npy": ("x.npy", lambda p, k: (np.save(p, k), os.truncate(p, 300)), (), "cannot be read as .npy"),
    "truncated header": ("x.npy", lambda p, k: (np.save(p, k), os.truncate(p, 40)), (), "cannot be read as .npy"),
    "truncated npz": ("x.npz", lambda p, k: (_npz(p, a=k), os.truncate(p, 300)), (), "damaged or truncated"),
    "truncated safetensors": (
        "x.safetensors",
        lambda p, k: (_tensors(p, k), os.truncate(p, 300)),
        (),
        "cannot be read as .safetensors",
    ),
    "more promised than held": (
        "x.npy",
        lambda p, k: (np.save(p, k), p.write_bytes(p.read_bytes().replace(b"(40, 8)", b"(4000000000000, 8)"))),
        (),
        "cannot be read as .npy",
    ),
    "huge safetensors header": (
        "x.safetensors",
        lambda p, k: p.write_bytes((2**60).to_bytes(8, "little") + b"{}"),
        (),
        "cannot be read as .safetensors",
    ),
    "pickle": ("x.npy", lambda p, k: p.write_bytes(pickle.dumps(k)), (), "cannot be read as .npy"),
    "objects": ("x.npy", lambda p, k: np.save(p, np.array([{}, 1], object)), (), "cannot be read as .npy"),
    "objects in npz": ("x.npz", lambda p, k: _npz(p, a=np.array([{}], object)), (), "cannot be read as .npz"),
    "directory": ("x.npy", lambda p, k: p.mkdir(), (), "is not a file"),
    "array not named": ("x.npz", lambda p, k: _npz(p, a=k, b=k), (), "{group}.array from: a, b"),
    "array unknown": ("x.npz", lambda p, k: _npz(p, a=k, b=k), ("array=c",), "no array 'c'"),
    "array of a single": ("x.npy", lambda p, k: np.save(p, k), ("array=c",), "leave {group}.array out"),
    "head not there": ("x.npy", lambda p, k: np.save(p, k), ("head=0",), "no head axis"),
    "head not chosen": ("x.npy", lambda p, k: np.save(p, k.reshape(2, 20, 8)), (), "from 0 to 1"),
    "head too large": ("x.npy", lambda p, k: np.save(p, k.reshape(2, 20, 8)), ("head=2",), "from 0 to 1"),
    "layer too large": (
        "x.npy",
        lambda p, k: np.save(p, k.reshape(2, 2, 10, 8)),
        ("layer=2", "head=0"),
        "{group}.layer must be from 0 to 1",
    ),
}
MODES = {"run": (), "dry-run": ("--dry-run",), "json": ("--json",)}


@pytest.mark.parametrize("group", ["key_ensemble", "value_ensemble"])
@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_used_is_a_data_error(pavlov, tmp_path, keys, group, case):
    name, make, parameters, said = FILES[case]
    out, path = tmp_path / "results", tmp_path / name
    if make:
        make(path, keys)
    words = [f"{group}=file", f"{group}.path={path}", *(f"{group}.{text}" for text in parameters)]
    for mode in MODES.values():
        ended = pavlov("capacity", "--dk", 8, *words, *mode, "--out", out)
        _refused(ended, DATA)
        assert said.format(group=group) in ended.err
    assert not out.exists(), "a folder was left behind"


def test_a_key_without_length_is_refused(pavlov, tmp_path, keys):
    path = tmp_path / "x.npy"
    np.save(path, keys * (np.arange(40) != 5)[:, None])
    ended = pavlov("capacity", "key_ensemble=file", f"key_ensemble.path={path}", "--out", tmp_path / "results")
    _refused(ended, DATA)
    assert "row 5 is one" in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "key_ensemble.path must be given"),
        (("key_ensemble.path=",), "key_ensemble.path must be given"),
        (("key_ensemble.path=keys.npy", "key_ensemble.head=-1"), "must be >= 0; got -1"),
        (("key_ensemble.path=keys.npy", "key_ensemble.layer=1.5"), "must be of type int"),
        (("key_ensemble.path=keys.npy", "--dk", "16"), "d_k must be 8, the dimension of the vectors of keys.npy"),
    ],
)
def test_a_file_ensemble_that_is_asked_for_wrongly_is_a_usage_error(pavlov, tmp_path, monkeypatch, keys, words, said):
    monkeypatch.chdir(tmp_path)
    np.save("keys.npy", keys)
    out = tmp_path / "results"
    ended = pavlov("capacity", "key_ensemble=file", *words, "--out", out)
    _refused(ended, USAGE)
    assert said in ended.err and not out.exists()


def test_more_associations_than_a_file_has_rows_are_refused(pavlov, tmp_path, keys):
    np.save(tmp_path / "keys.npy", keys)
    out = tmp_path / "results"
    words = ("key_ensemble=file", f"key_ensemble.path={tmp_path / 'keys.npy'}")
    ended = pavlov("error-rate", "--n", 41, *words, "--out", out)
    _refused(ended, USAGE)
    assert "at most 40 here (keys.npy has 40 rows); got 41" in ended.err and not out.exists()


@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_in_the_way_of_the_results_is_named(pavlov, tmp_path, below):
    (tmp_path / "file").write_text("kept")
    ended = pavlov("capacity", "--dk", 8, "--out", tmp_path / "file" / below)
    _refused(ended, DATA)
    assert str(tmp_path / "file") in ended.err and "--out" in ended.err
    assert (tmp_path / "file").read_text() == "kept"


TINY = ("capacity", "--dk", "8,16", "criterion=mse", "--trials", "8", "--quiet")


def test_a_folder_that_cannot_be_written_is_named(pavlov, tmp_path, monkeypatch):
    out = tmp_path / "results"
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode, **rest: not mode & os.W_OK and allowed(path, mode, **rest))
    ended = pavlov(*TINY, "--out", out)
    _refused(ended, DATA)
    assert f"cannot create files in {out}" in ended.err and "Permission denied; grant access" in ended.err


def test_a_file_system_that_cannot_be_written_is_named(pavlov):
    ended = pavlov(*TINY, "--out", "/proc/results")  # not even root makes a folder there
    _refused(ended, DATA)
    assert "cannot create files in /proc/results" in ended.err and "--out" in ended.err


@pytest.mark.parametrize(
    ("whole", "number"), [*((n, errno.ENOSPC) for n in range(8)), (0, errno.EIO), (3, errno.EDQUOT)]
)
def test_a_disk_that_fills_up_is_said_and_the_same_command_continues(
    pavlov, tmp_path, tmp_path_factory, monkeypatch, derived, stored, whole, number
):
    """The disk takes ``whole`` writes: manifest, rows, tables, figures are each cut short in turn."""
    out, write, taken = tmp_path / "results", os.write, []

    def full(handle, data):
        place = os.readlink(f"/proc/self/fd/{handle}")
        if str(out) not in place:
            return write(handle, data)
        taken.append(place)
        if len(taken) > whole:
            raise OSError(number, os.strerror(number))
        return write(handle, data)

    monkeypatch.setattr(os, "write", full)
    ended = pavlov(*TINY, "--out", out)
    _refused(ended, DATA)
    assert os.strerror(number) in ended.err and str(out) in ended.err
    assert not [path for path in out.rglob("*") if path.suffix == ".tmp"]
    monkeypatch.setattr(os, "write", write)
    assert pavlov(*TINY, "--out", out).code == 0
    found = {name: data for name, data in derived(out).items() if "/tables/" in name}
    assert found == derived(stored)


def test_an_output_that_is_full_is_one_clear_line(stored):
    for words in (("show", "--out", stored), ("show", "--json", "--out", stored), ("list",), ("--help",)):
        with open("/dev/full", "w") as full:
            command = [sys.executable, "-m", "pavlov_cli", *map(str, words)]
            ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        assert ended.returncode == DATA
        assert ended.stderr == "pavlov: cannot use the output: No space left on device.\n"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_figure_that_cannot_be_written_is_named_and_leaves_the_old_one(pavlov, stored, tmp_path, monkeypatch, number):
    place = tmp_path / "figure.png"
    place.write_bytes(b"old")

    def refuse(*arguments):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", refuse)
    ended = pavlov("plot", "--output", place, "--out", stored)
    _refused(ended, DATA)
    assert str(place) in ended.err and os.strerror(number) in ended.err
    assert _content(tmp_path) == {place.relative_to(tmp_path): b"old"}


@pytest.mark.parametrize("name", ["nosuch/figure.png", "folder.png"])
def test_a_figure_has_to_go_to_a_file(pavlov, stored, tmp_path, name):
    (tmp_path / "folder.png").mkdir()
    ended = pavlov("plot", "--output", tmp_path / name, "--out", stored)
    _refused(ended, DATA)
    assert name in ended.err


@pytest.mark.parametrize("verb", ["show", "diff", "plot", "clean"])
def test_a_run_that_is_not_there_is_a_data_error(pavlov, tmp_path, verb):
    runs = ("nosuch", "nosuch") if verb == "diff" else ("nosuch",)
    ended = pavlov(verb, *runs, "--out", tmp_path / "results")
    _refused(ended, DATA)
    assert "there are no runs under" in ended.err
    assert not (tmp_path / "results").exists()


# what is done to which file of a run
DAMAGE = {
    "a flipped bit": lambda data: (
        data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]
    ),
    "cut short": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "not text": lambda data: b"\xff\xfe\x00" * 40,
}
VERBS = {
    "show": ("show",),
    "show csv": ("show", "--format", "csv"),
    "diff": ("diff", "latest", "latest"),
    "plot": ("plot",),
    "clean": ("clean", "--all", "--dry-run"),
    "list": ("list", "runs"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", ["rows", "manifest.json", "tables/capacity.csv", "tables/answer.csv"])
def test_a_damaged_file_is_named_by_every_verb_or_does_not_matter_to_it(
    pavlov, stored, tmp_path, monkeypatch, kind, damage, verb
):
    import shutil

    out = tmp_path / "results"
    shutil.copytree(stored, out)
    (run,) = (out / "capacity").iterdir()
    path = next((run / "rows").iterdir()) if kind == "rows" else run / kind
    whole = pavlov(*VERBS[verb], "--out", out)
    shutil.rmtree(out)
    shutil.copytree(stored, out)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    before = _content(out)
    ended = pavlov(*VERBS[verb], "--out", out)
    assert "Traceback" not in ended.err and ended.code in (0, DATA)
    if ended.code == DATA:
        _refused(ended, DATA)
        assert str(path) in ended.err
    elif str(path) not in ended.err:
        assert ended.out == whole.out or verb in ("clean", "list"), "damage changed what is said, unnoticed"
    if kind == "rows" and verb not in ("clean", "list"):
        assert ended.code == 0, "tables stand for themselves"
    assert {name: data for name, data in _content(out).items() if name in before} == before


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", ["rows", "manifest.json", "tables/capacity.csv", "tables/answer.csv"])
def test_after_any_damage_the_same_command_rebuilds_the_run(pavlov, stored, tmp_path, derived, kind, damage):
    import shutil

    out = tmp_path / "results"
    shutil.copytree(stored, out)
    (run,) = (out / "capacity").iterdir()
    path = next((run / "rows").iterdir()) if kind == "rows" else run / kind
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    ended = pavlov(*TINY, "--no-figures", "--out", out)
    assert ended.code == 0
    assert derived(out) == derived(stored)
    if kind == "rows" and damage != "empty":
        assert str(path) in ended.err
