"""The d_k that holds n is found where the error at n crosses its target, from the values and the budget alone."""

from __future__ import annotations

import numpy as np
import pytest

from pavlov_cli.config.compose import compose_settings
from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.errors import ConfigError
from pavlov_cli.plan.grid import build_families
from pavlov_cli.records import TrialValues
from pavlov_cli.studies._adaptive import Budget
from pavlov_cli.studies._dimension import LARGEST, SMALLEST, dimension_request
from pavlov_cli.studies.required_dimension import predicted


def families_of(*words):
    return build_families(compose_settings("capacity", words, {}), read_sheet)


def search(family, error, *, half_width=0.03, max_trials=256):
    """Drives the request with made-up errors (d_k, trial) -> error."""
    request, needs = dimension_request(family, Budget(0.95, half_width, max_trials, None)), []
    need = next(request)
    while True:
        needs.append(need)
        values = tuple(error(need.cell.spec.d_k, trial) for trial in range(4 * need.blocks))
        try:
            need = request.send({n: TrialValues(values, 1, 1) for n in need.ns})
        except StopIteration as end:
            return end.value, needs


@pytest.mark.parametrize("n", [2, 9, 33, 200])
def test_an_ideal_memory_needs_what_its_law_says(n):
    (family,) = families_of(f"num_associations={n}", "criterion=mse")
    result, _ = search(family, lambda d_k, trial: (n - 1) / d_k)
    assert result.dimension.value == pytest.approx(4 * (n - 1), rel=0.005)
    assert (result.censored, result.settled) == (None, True)
    assert predicted(family) == pytest.approx(4 * (n - 1), rel=0.005)


def test_spread_widens_the_interval_around_the_truth():
    (family,) = families_of("num_associations=33", "criterion=mse")

    def noisy(d_k, trial):
        return 32 / d_k * max(0.0, np.random.default_rng(trial).normal(1, 0.3))

    result, needs = search(family, noisy, max_trials=4096)
    low, value, high = result.dimension.low, result.dimension.value, result.dimension.high
    assert low < value < high and low < 128 < high
    assert (high - low) / 2 <= 0.031 * value
    assert max(need.blocks for need in needs) > 2


def test_a_criterion_of_whole_trials_is_held_by_half_of_them():
    (family,) = families_of("num_associations=20", "criterion=guaranteed")
    # a trial holds 20 from d_k = 300 + trial-dependent spread on
    result, _ = search(family, lambda d_k, trial: 25 if d_k > 300 + 10 * np.sin(trial) else 12, max_trials=64)
    assert 256 <= result.dimension.value <= 320


def test_what_no_dimension_holds_or_every_one_does_is_censored():
    (family,) = families_of("num_associations=5", "criterion=mse")
    result, _ = search(family, lambda d_k, trial: 1.0)
    assert (result.dimension.value, result.censored, result.bound) == (None, "above", LARGEST)
    result, _ = search(family, lambda d_k, trial: 0.0)
    assert (result.dimension.value, result.censored, result.bound) == (None, "below", SMALLEST)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("key_ensemble=orthogonal",), "orthogonal keys do not"),
        (("key_ensemble=file", "key_ensemble.path=keys.npy"), "file keys do not"),
        (("n_max=100",), "n_max does not apply"),
        (("criterion=guaranteed", "num_associations=5000"), "at most 4096"),
    ],
)
def test_what_has_no_answer_is_refused(words, said):
    with pytest.raises(ConfigError, match=said):
        families_of("num_associations=8", *words)


def test_every_n_and_memory_is_a_question_of_its_own():
    found = families_of("num_associations=8,16", "criterion=mse,guaranteed", "target_error=0.1,0.2")
    assert [(f.n, f.at(64).spec.criterion.name, f.at(64).target_error) for f in found] == [
        (n, name, target) for n in (8, 16) for name, target in (("mse", 0.1), ("mse", 0.2), ("guaranteed", None))
    ]
