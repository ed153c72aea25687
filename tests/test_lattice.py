"""The same n are looked at whatever the grid: two fixed lattices, the coarse within the fine."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavlov_cli.lattice import coarse_lattice, fine_lattice, window

sizes = st.integers(1, 70_000)


@settings(deadline=None)
@given(sizes)
def test_the_coarse_lattice_is_within_the_fine_one(n_max):
    assert set(coarse_lattice(n_max)) <= set(fine_lattice(n_max))


@settings(deadline=None)
@given(sizes, sizes)
@pytest.mark.parametrize("lattice", [coarse_lattice, fine_lattice])
def test_a_longer_lattice_begins_with_a_shorter_one(lattice, one, other):
    short, long = lattice(min(one, other)), lattice(max(one, other))
    assert long[: len(short)] == short
    assert all(n > min(one, other) for n in long[len(short) :])


@pytest.mark.parametrize(("lattice", "dense", "per_octave"), [(coarse_lattice, 8, 4), (fine_lattice, 32, 16)])
def test_integers_come_first_and_then_so_many_points_an_octave(lattice, dense, per_octave):
    points = lattice(65_536)
    assert points[:dense] == tuple(range(1, dense + 1))
    octave = dense
    while 2 * octave <= 65_536:
        within = [n for n in points if octave < n <= 2 * octave]
        assert len(within) == per_octave
        assert within[-1] == 2 * octave
        octave *= 2
    ratios = [b / a for a, b in pairwise(points) if a >= dense]
    assert max(ratios) <= 1 + 2 / (2 * per_octave) + 1e-12
    assert min(ratios) >= 1 + 1 / (2 * per_octave) - 1e-12


def test_the_lattice_of_one_is_one():
    assert fine_lattice(1) == coarse_lattice(1) == (1,)


@settings(deadline=None)
@given(st.floats(0.5, 60_000), st.floats(1, 4), sizes)
def test_a_window_encloses_what_was_asked_with_one_point_more(low, ratio, n_max):
    high = low * ratio
    chosen, points = window(low, high, n_max), sorted({*fine_lattice(n_max), n_max})
    assert list(chosen) == sorted(set(chosen))
    assert set(chosen) <= set(points)
    assert len(chosen) >= min(2, len(points))
    below, above = [n for n in points if n <= low], [n for n in points if n >= high]
    assert chosen[0] == (below[-2] if len(below) > 1 else points[0])
    assert chosen[-1] == (above[1] if len(above) > 1 else points[-1])


@settings(deadline=None)
@given(st.floats(0.5, 60_000), st.floats(1, 4), sizes)
def test_a_window_keeps_every_integer_to_32_and_thins_the_rest(low, ratio, n_max):
    chosen = window(low, low * ratio, n_max)
    assert [n for n in chosen if n <= 32] == list(range(chosen[0], min(32, chosen[-1]) + 1))
    assert len([n for n in chosen if n > 32]) <= 17


def test_a_window_across_32_keeps_what_lies_below():
    chosen = window(9, 40, 1000)
    assert chosen[: 32 - 8 + 1] == tuple(range(8, 33))
    assert chosen[25:] == (34, 36, 38, 40, 42)


def test_a_wide_window_is_thinned():
    chosen = window(100, 1600, 65_536)
    assert len(fine_lattice(1600)) - len(fine_lattice(100)) == 64
    assert 14 <= len(chosen) <= 18
