"""Whatever file holds the keys, the same rows are read; what cannot be keys is refused."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import save_file

from pavlov_cli.errors import DataError
from pavlov_cli.vectors import read_vectors


@pytest.fixture
def rows():
    return np.random.default_rng(1).normal(size=(12, 5)).astype(np.float32)


@pytest.fixture
def write(tmp_path):
    """Writes an array in every format; the paths."""

    def make(array, stem="keys"):
        paths = [tmp_path / f"{stem}{suffix}" for suffix in (".npy", ".npz", ".safetensors")]
        np.save(paths[0], array)
        np.savez(paths[1], only=array)
        save_file({"only": np.ascontiguousarray(array)}, paths[2])
        return paths

    return make


def test_every_format_gives_the_same_rows(write, rows):
    found = [read_vectors(str(path)) for path in write(rows)]
    for vectors in found:
        np.testing.assert_array_equal(vectors.rows, found[0].rows)
        assert (vectors.digest, vectors.count, vectors.dimension) == (found[0].digest, 12, 5)
        assert vectors.rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors.rows, axis=1), 1, atol=1e-6)
        np.testing.assert_allclose(vectors.rows, rows / np.linalg.norm(rows, axis=1, keepdims=True), atol=1e-6)


def test_layer_and_head_pick_the_same_rows_in_every_format(write, rows):
    stacked = np.stack([np.stack([rows + 10 * layer + head for head in range(3)]) for layer in range(2)])
    expected = read_vectors(str(write(rows + 12, "plain")[0])).digest
    for path in write(stacked):
        vectors = read_vectors(str(path), None, 1, 2)
        assert vectors.digest == expected
        assert vectors.name == f"{path.name}, layer 1, head 2"
    for path in write(stacked[1], "heads"):
        assert read_vectors(str(path), None, None, 2).digest == expected


def test_an_array_is_picked_by_name(tmp_path, rows):
    np.savez(tmp_path / "two.npz", a=rows, b=2 - rows)
    save_file({"a": rows, "b": 2 - rows}, tmp_path / "two.safetensors")
    for name in ("two.npz", "two.safetensors"):
        first, second = (read_vectors(str(tmp_path / name), array) for array in ("a", "b"))
        assert first.digest != second.digest
        assert first.name == f"{name}, array a"
    assert (
        read_vectors(str(tmp_path / "two.npz"), "b").digest
        == read_vectors(str(tmp_path / "two.safetensors"), "b").digest
    )


def test_the_digest_knows_content_and_shape_and_not_the_place(write, tmp_path, rows):
    path = write(rows)[0]
    moved = tmp_path / "elsewhere" / "other.npy"
    moved.parent.mkdir()
    np.save(moved, rows.astype(np.float64))
    assert read_vectors(str(path)).digest == read_vectors(str(moved)).digest
    assert read_vectors(str(write(rows.reshape(10, 6), "shaped")[0])).digest != read_vectors(str(path)).digest
    assert read_vectors(str(write(rows[::-1], "reversed")[0])).digest != read_vectors(str(path)).digest


def test_scaling_a_row_changes_nothing(write, rows):
    scaled = rows.astype(np.float64) * 2.0 ** np.arange(12)[:, None]
    assert read_vectors(str(write(scaled, "scaled")[0])).digest == read_vectors(str(write(rows)[0])).digest


def test_rows_of_extreme_size_keep_their_direction(write):
    extreme = np.array([[3e-300, 4e-300], [3e-30, 4e-30], [3e30, 4e30], [3e300, 4e300]])
    vectors = read_vectors(str(write(extreme)[0]))
    np.testing.assert_allclose(vectors.rows, [[0.6, 0.8]] * 4, rtol=1e-6)
    values = read_vectors(str(write(extreme[::3], "values")[0]), group="value_ensemble")
    np.testing.assert_allclose(np.linalg.norm(values.rows, axis=1), [0, np.sqrt(2)], rtol=1e-6, atol=1e-6)


def test_repeated_rows_are_counted(write, rows):
    assert read_vectors(str(write(rows)[0])).repeated == 0
    doubled = np.concatenate([rows, rows[:3], 2 * rows[:1]])
    assert read_vectors(str(write(doubled, "doubled")[0])).repeated == 4


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, np.int64, np.uint16])
def test_integers_and_every_float_are_numbers(write, dtype):
    array = np.arange(1, 11).reshape(5, 2).astype(dtype)
    assert read_vectors(str(write(array)[0])).count == 5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a: a[0], r"must be \[rows, d\]"),
        (lambda a: a[:1], "at least two vectors; got shape \\[1, 5\\]"),
        (lambda a: a[:, :0], "at least two vectors"),
        (lambda a: a > 0, "real numbers; got bool"),
        (lambda a: np.where(np.arange(12)[:, None] == 7, np.nan, a), "1 rows hold NaN or infinity, the first is row 7"),
        (
            lambda a: np.where(np.arange(12)[:, None] >= 9, -np.inf, a),
            "3 rows hold NaN or infinity, the first is row 9",
        ),
        (lambda a: a * (np.arange(12) != 4)[:, None], "no zero vector; row 4 is one"),
        (lambda a: a[None], "key_ensemble.head must be from 0 to 0 .*; got none"),
    ],
)
def test_what_cannot_be_keys_is_refused_in_every_format(write, rows, change, said):
    for path in write(change(rows)):
        with pytest.raises(DataError, match=said):
            read_vectors(str(path))


def test_an_axis_that_is_not_there_cannot_be_picked(write, rows):
    path = str(write(rows)[0])
    with pytest.raises(DataError, match="no layer axis"):
        read_vectors(path, None, 0)
    with pytest.raises(DataError, match="no head axis"):
        read_vectors(path, None, None, 0)


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
@pytest.mark.parametrize("kept", [0, 1, 60, 0.5, -1])
def test_a_cut_file_is_refused_without_a_crash(write, rows, suffix, kept):
    path = next(path for path in write(rows) if path.suffix == suffix)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content)) if isinstance(kept, float) else kept])
    with pytest.raises(DataError) as caught:
        read_vectors(str(path))
    assert str(path) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_pickles_are_never_loaded(tmp_path, suffix):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    path = tmp_path / f"trap{suffix}"
    array = np.array([Trap()], dtype=object)
    np.save(path, array, allow_pickle=True) if suffix == ".npy" else np.savez(path, only=array)
    with pytest.raises(DataError, match="cannot be read as"):
        read_vectors(str(path))
    assert not (tmp_path / "sprung").exists()


def test_missing_files_folders_and_other_suffixes_are_refused(tmp_path):
    (tmp_path / "folder.npy").mkdir()
    for name, said in (
        ("none.npy", "does not exist or is not a file"),
        ("folder.npy", "is not a file"),
        ("x.csv", "must end in"),
    ):
        with pytest.raises(DataError, match=said):
            read_vectors(str(tmp_path / name))


def test_the_real_heads_can_be_read(minilm):
    with np.load(minilm) as archive:
        name, array = next((name, archive[name]) for name in archive.files if archive[name].ndim == 4)
    vectors = read_vectors(str(minilm), name, 0, 0)
    assert (vectors.count, vectors.dimension) == array.shape[2:]
