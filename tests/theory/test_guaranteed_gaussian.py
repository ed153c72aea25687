"""Does the finite-size law of the guaranteed capacity hold, within the error that it states?"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from theory_specs import golden, spec

from pavlov_cli.errors import ConfigError
from pavlov_cli.records import Spec
from pavlov_cli.theory import guaranteed_gaussian as law

Z = 3.3
TABLE = golden("guaranteed_capacity.csv")
ROWS = pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['d_k']:g}-{row['margin']:g}")


def memory_of(row: dict[str, float]) -> Spec:
    """The memory of a golden row."""
    return spec("guaranteed", d_k=int(row["d_k"]), margin=row["margin"])


@ROWS
def test_predicted_median_and_leading_law_are_the_golden_ones(row: dict[str, float]) -> None:
    memory = memory_of(row)
    assert law.capacity(memory, None) == row["finite_size_prediction_median"]
    assert law.leading(memory, None) == pytest.approx(row["leading_law"], abs=5.1e-5)


@ROWS
def test_simulated_median_and_quantiles_are_within_one(row: dict[str, float]) -> None:
    memory = memory_of(row)
    assert abs(law.capacity(memory, None) - row["median"]) <= 1
    assert abs(law.quantile(memory, 0.01) - row["q01"]) <= 1
    assert abs(law.quantile(memory, 0.99) - row["q99"]) <= 1


@ROWS
def test_simulated_mean_is_within_the_stated_error(row: dict[str, float]) -> None:
    allowed = 0.011 if row["d_k"] >= 256 else 0.10
    difference = abs(law.fit_capacity(memory_of(row), None) - row["mean"])
    assert difference <= allowed * row["mean"] + Z * row["mean_se"]


@pytest.mark.parametrize("margin", [0.5, 1.0])
def test_stated_slope_error_covers_every_window_and_is_not_idle(margin: float) -> None:
    rows = [row for row in TABLE if row["margin"] == margin]
    log_d = np.log([row["d_k"] for row in rows])
    log_ratio = np.log([law.fit_capacity(memory_of(row), None) / row["mean"] for row in rows])
    windows = [slice(i, j) for i, j in itertools.combinations(range(len(rows) + 1), 2) if j - i >= 2]
    dimensions = [row["d_k"] for row in rows]
    stated = [law.LAW.slope_error(dimensions[window][0], dimensions[window][-1]) for window in windows]
    errors = [abs(np.polyfit(log_d[window], log_ratio[window], 1)[0]) for window in windows]
    assert all(error <= bound for error, bound in zip(errors, stated, strict=True))
    assert max(error / bound for error, bound in zip(errors, stated, strict=True)) > 0.5


@pytest.mark.parametrize("d_k", [2, 3, 8, 9, 12])
def test_mean_overlap_of_sign_keys_is_the_walk_average(d_k: int) -> None:
    walk = sum(math.comb(d_k, ups) * abs(2 * ups - d_k) for ups in range(d_k + 1)) / 2**d_k / d_k
    mean, deviation = law.overlap_moments(spec("guaranteed", d_k=d_k, keys="rademacher"))
    assert mean == pytest.approx(walk, rel=1e-12)
    assert deviation**2 == pytest.approx(1 / d_k - walk**2, rel=1e-11)


@pytest.mark.parametrize("d_k", [2, 3, 8, 9, 64])
def test_mean_overlap_of_sphere_keys_is_the_integral_over_the_sphere(d_k: int) -> None:
    from scipy.integrate import quad

    weight = [quad(lambda x, p=p: math.cos(x) ** p * math.sin(x) ** (d_k - 2), 0, math.pi / 2)[0] for p in (0, 1)]
    mean, _ = law.overlap_moments(spec("guaranteed", d_k=d_k))
    assert mean == pytest.approx(weight[1] / weight[0], rel=1e-9)


@pytest.mark.parametrize(("keys", "margin"), [("rademacher", 1.0), ("rademacher", 0.5), ("sphere", 1.0)])
def test_simulated_memories_have_the_predicted_median_within_one(keys: str, margin: float) -> None:
    d_k, trials, n_max = 64, 600, 26
    generator = np.random.default_rng(11)
    drawn = generator.standard_normal((trials, n_max, d_k))
    drawn = np.sign(drawn) if keys == "rademacher" else drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    overlaps = np.abs(drawn @ drawn.transpose(0, 2, 1))
    own = np.diagonal(overlaps, axis1=1, axis2=2)
    held = []
    for trial, diagonal in zip(overlaps, own, strict=True):
        passes = [bool(np.all(trial[:n, :n].sum(1) - diagonal[:n] < margin * diagonal[:n])) for n in range(1, n_max)]
        held.append(passes.index(False))
    assert abs(np.median(held) - law.capacity(spec("guaranteed", d_k=d_k, keys=keys, margin=margin), None)) <= 1


def test_mean_is_the_sum_of_survival_probabilities() -> None:
    memory = spec("guaranteed", d_k=100)
    assert law.mean(memory) == pytest.approx(np.sum(law.all_pass(memory, np.arange(1, 500))), rel=1e-14)


def test_error_is_zero_at_one_association_and_precise_where_small() -> None:
    memory = spec("guaranteed", d_k=1024)
    errors = law.error(memory, np.array([1, 2, 32, 200]))
    assert errors[0] == 0
    assert 0 < errors[1] < 1e-200 or errors[1] == 0
    assert errors[2] < 0.5 < law.error(memory, np.array([33]))[0]
    assert errors[3] == pytest.approx(1)


def test_margin_defaults_to_one() -> None:
    assert law.mean(spec("guaranteed")) == law.mean(spec("guaranteed", margin=1.0))
    assert law.mean(spec("guaranteed")) > law.mean(spec("guaranteed", margin=0.9))


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1])
def test_a_quantile_outside_the_unit_interval_is_refused(probability: float) -> None:
    with pytest.raises(ConfigError, match=r"quantile must be in \(0, 1\)"):
        law.quantile(spec("guaranteed"), probability)
