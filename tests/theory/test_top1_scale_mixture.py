"""Does the scale-mixture law of the top-1 error hold, within the error that it states?"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from theory_specs import draw, golden, spec

from pavlov_cli.theory import top1_scale_mixture as law

Z = 3.3
STATED = 0.05
TABLE = golden("top1_error.csv")
ROWS = pytest.mark.parametrize(
    "row", TABLE, ids=lambda row: f"{row['d_k']:g}-{row['d_v']:g}-{row['num_associations']:g}"
)


def error(d_k: int, d_v: int, n: int) -> float:
    """The predicted error at one n."""
    return float(law.error(spec("top1", d_k=d_k, d_v=d_v, values="sphere"), np.array([n]))[0])


def of_row(row: dict[str, float]) -> float:
    """The predicted error of a golden row."""
    return error(int(row["d_k"]), int(row["d_v"]), int(row["num_associations"]))


@ROWS
def test_simulated_error_is_within_the_stated_error(row: dict[str, float]) -> None:
    assert row["error_rate"] <= 0.8
    assert abs(of_row(row) - row["error_rate"]) <= STATED * row["error_rate"] + Z * row["standard_error"]
    assert (
        Z * row["standard_error"] < 0.1 * row["error_rate"]
    )  # so a textbook prediction, off by a factor of 2, would fail


def test_stated_error_is_not_idle_and_the_table_is_whole() -> None:
    assert len(TABLE) == 14
    excess = [of_row(row) / row["error_rate"] - 1 for row in TABLE]
    assert max(excess) > 0.75 * STATED and min(excess) > -0.01


def test_textbook_route_would_fail_the_golden_table() -> None:
    # independent Gaussian scores: variance (n-1)/(d_k d_v) of the own one and as much of each distractor's
    z = np.linspace(-9, 9, 2001)
    density = np.exp(-z * z / 2) / np.sum(np.exp(-z * z / 2))
    from scipy.special import log_ndtr

    row = next(row for row in TABLE if row["error_rate"] < 0.002)
    n = row["num_associations"]
    signal = math.sqrt(row["d_k"] * row["d_v"] / (n - 1))
    textbook = np.sum(density * -np.expm1((n - 1) * log_ndtr(z + signal)))
    assert abs(textbook - row["error_rate"]) > STATED * row["error_rate"] + Z * row["standard_error"]


def by_many_nodes(d_k: int, d_v: int, n: int, *, coarse: bool) -> float:
    """The law from its definition, with the overlap a = <v_i, v_j> integrated as well.

    ``coarse`` takes 30 and 12 midpoint quantiles for X and R, as the golden column does; else Gauss nodes.
    """
    from scipy.special import betainc, gammaincinv, roots_genlaguerre, roots_hermite, roots_jacobi

    def chi_nodes(freedom: float, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        if coarse:
            return 2 * gammaincinv(freedom / 2, (np.arange(nodes) + 0.5) / nodes), np.full(nodes, 1 / nodes)
        x, weight = roots_genlaguerre(nodes, freedom / 2 - 1)
        return 2 * x, weight / weight.sum()

    def overlap_nodes(d: int, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        x, weight = roots_jacobi(nodes, (d - 3) / 2, (d - 3) / 2)
        return x, weight / weight.sum()

    freedom = 2 * (n - 2) / (3 * d_k * d_v / ((d_k + 2) * (d_v + 2)) - 1)
    x, x_weight = chi_nodes(freedom, 30)
    across, r_weight = chi_nodes(d_v - 1, 12 if coarse else 16)
    z, z_weight = roots_hermite(48)
    a, a_weight = overlap_nodes(d_v, 16)
    b, b_weight = overlap_nodes(d_k, 24)
    total = 0.0
    for scale, share in zip((n - 2) / d_k * x / freedom, x_weight, strict=True):
        t = math.sqrt(2 * scale / d_v) * z
        radius = np.sqrt(scale * across / d_v)
        numerator = (1 - a) * (1 - b[:, None]) + (1 - a) * t[:, None, None]  # [t, b, a]
        threshold = numerator / (radius[:, None, None, None] * np.sqrt(1 - a**2))
        tail = betainc((d_v - 2) / 2, 0.5, 1 - np.minimum(np.abs(threshold), 1) ** 2) / 2
        wins = np.einsum("rtba,b,a->rt", np.where(threshold > 0, tail, 1 - tail), b_weight, a_weight)
        total += share * (r_weight @ -np.expm1((n - 1) * np.log1p(-np.minimum(wins, 1 - 1e-16))) @ z_weight)
    return float(total / math.sqrt(math.pi))


@pytest.mark.parametrize(("d_k", "d_v", "n"), [(16, 16, 16), (32, 32, 51), (32, 64, 80)])
def test_error_is_the_full_integral_over_keys_and_values(d_k: int, d_v: int, n: int) -> None:
    assert error(d_k, d_v, n) == pytest.approx(by_many_nodes(d_k, d_v, n, coarse=False), rel=2e-4)


@pytest.mark.parametrize("row", TABLE[:3], ids=lambda row: f"{row['d_k']:g}-{row['num_associations']:g}")
def test_golden_prediction_is_the_same_integral_with_fewer_nodes(row: dict[str, float]) -> None:
    cell = (int(row["d_k"]), int(row["d_v"]), int(row["num_associations"]))
    assert by_many_nodes(*cell, coarse=True) == pytest.approx(row["scale_mixture_prediction"], abs=1.5e-6)


@pytest.mark.parametrize(("d_k", "d_v", "n", "trials"), [(8, 8, 10, 6000), (64, 16, 40, 1500), (16, 64, 40, 1500)])
def test_other_shapes_are_within_the_stated_error(d_k: int, d_v: int, n: int, trials: int) -> None:
    generator = np.random.default_rng(17)
    keys, values = draw(generator, "sphere", trials, n, d_k), draw(generator, "sphere", trials, n, d_v)
    scores = (keys @ keys.transpose(0, 2, 1)) @ (values @ values.transpose(0, 2, 1))
    own = np.diagonal(scores, axis1=1, axis2=2)[..., None]
    beaten = (np.sum(scores >= own, axis=-1) > 1).mean(axis=1)  # per trial; the own score itself is one
    standard_error = beaten.std() / math.sqrt(trials)
    assert abs(error(d_k, d_v, n) - beaten.mean()) <= STATED * beaten.mean() + Z * standard_error
    assert standard_error < 0.03 * beaten.mean()


def test_stated_slope_error_covers_the_golden_dimensions() -> None:
    # rows of equal rank at d 16, 32, 64: the error's excess over the local slope is the capacity's shortfall
    square = [row for row in TABLE if row["d_k"] == row["d_v"]]
    shortfall = {}
    for row in square:
        d, n = int(row["d_k"]), int(row["num_associations"])
        local = math.log(error(d, d, n + 1) / error(d, d, n)) / math.log((n + 1) / n)
        rank = sum(other["num_associations"] < n for other in square if other["d_k"] == d)
        noise = row["standard_error"] / row["error_rate"] / local
        shortfall[rank, d] = (math.log(of_row(row) / row["error_rate"]) / local, noise)
    for rank, (low, high) in itertools.product(range(4), [(16, 32), (32, 64), (16, 64)]):
        (first, first_noise), (last, last_noise) = shortfall[rank, low], shortfall[rank, high]
        sampling = Z * math.hypot(first_noise, last_noise)
        assert abs(last - first) <= law.LAW.slope_error(low, high) * math.log(high / low) + sampling
        assert sampling < 0.02


def test_one_or_two_associations_never_err_and_errors_never_fall() -> None:
    memory = spec("top1", d_k=16, values="sphere")
    curve = law.error(memory, np.concatenate([np.arange(1, 300), [10**3, 10**4, 10**6, 2**40]]))
    assert curve[:2].tolist() == [0.0, 0.0]
    assert np.all(np.diff(curve[1:-1]) > 0)
    assert 1 - 1e-6 < curve[-1] <= 1


@pytest.mark.parametrize("d_k", [8, 64, 512, 4096])
def test_errors_rise_from_the_far_tail_to_one(d_k: int) -> None:
    sizes = np.unique(np.geomspace(8, 3 * d_k**2, 60).astype(int))
    curve = law.error(spec("top1", d_k=d_k, values="sphere"), sizes)
    assert np.all(np.isfinite(curve)) and np.all(np.diff(curve)[curve[1:] > 0] > 0)
    assert curve[-1] > 0.9 and (d_k == 8 or curve[0] < 1e-8)


def test_capacity_crosses_the_target_and_the_leading_law_solves_its_equation() -> None:
    memory = spec("top1", d_k=64, values="sphere")
    capacity = law.capacity(memory, 0.01)
    assert error(64, 64, math.floor(capacity)) <= 0.01 < error(64, 64, math.floor(capacity) + 1)
    leading = law.leading(memory, 0.01)
    assert 2 * leading * math.log(leading) == pytest.approx(64 * 64, rel=1e-12)
    assert law.capacity(memory, 1.0) is None
