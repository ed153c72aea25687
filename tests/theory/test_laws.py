"""Does every law file keep the one interface, and is the right law found for a memory?"""

from __future__ import annotations

import itertools
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest
from theory_specs import spec

from pavlov_cli import theory
from pavlov_cli.records import Choice, Spec

PLAIN = {
    "mse_isotropic": spec("mse", values="sphere"),
    "sign_rademacher": spec("sign", keys="rademacher"),
    "sign_sphere": spec("sign"),
    "guaranteed_gaussian": spec("guaranteed", values="sphere"),
}
TARGETS = {"mse": 0.25, "sign": 0.01, "guaranteed": None}
EACH = pytest.mark.parametrize("name", sorted(PLAIN))


def test_laws_are_the_public_files_of_the_package() -> None:
    stems = {path.stem for path in Path(theory.__file__).parent.glob("*.py") if not path.name.startswith("_")}
    assert set(theory.laws()) == stems == set(PLAIN)


@EACH
def test_a_law_is_found_and_complete(name: str) -> None:
    module, memory = theory.laws()[name], PLAIN[name]
    assert theory.find(memory) is module
    assert module.LAW.name == name
    assert all([module.LAW.validity, module.LAW.stated_error, module.LAW.source, module.LAW.leading_law])
    assert module.LAW.exponent in {"sqrt(d_k)", "d_k"}
    assert (module.LAW.slope_errors == ()) == (module.LAW.stated_error == "exact")
    with pytest.raises(FrozenInstanceError):
        module.LAW.name = "other"


@EACH
def test_no_law_speaks_of_noisy_queries(name: str) -> None:
    assert theory.find(replace(PLAIN[name], query_cosine=0.9)) is None


@EACH
def test_errors_start_at_zero_rise_and_keep_the_shape(name: str) -> None:
    n = np.array([[1, 2, 3], [5, 9, 40]])
    errors = theory.predict_error(PLAIN[name], n)
    assert errors.shape == n.shape and errors.dtype == np.float64
    assert errors[0, 0] == 0
    assert np.all(np.diff(errors.ravel()) >= 0) and errors[1, 2] > 0.1


@EACH
def test_a_prediction_is_plain_floats_and_grows_with_d_k_as_stated(name: str) -> None:
    memory = PLAIN[name]
    exponent = {"d_k": 1.0, "sqrt(d_k)": 0.5}[theory.laws()[name].LAW.exponent]
    log_capacities, log_leading = [], []
    for d_k in (256, 1024):
        larger = spec(memory.criterion.name, d_k=d_k, keys=memory.key_ensemble.name, values=memory.value_ensemble.name)
        prediction = theory.predict_capacity(larger, TARGETS[memory.criterion.name])
        assert {type(prediction.capacity), type(prediction.fit_capacity), type(prediction.leading_law)} == {float}
        log_capacities.append(np.log(prediction.fit_capacity))
        log_leading.append(np.log(prediction.leading_law - 1))
    assert np.diff(log_capacities)[0] / np.log(4) == pytest.approx(exponent, abs=0.05)
    assert np.diff(log_leading)[0] / np.log(4) == pytest.approx(exponent, rel=1e-12)


def test_an_infinite_capacity_is_absent_not_a_number() -> None:
    prediction = theory.predict_capacity(PLAIN["sign_sphere"], 0.5)
    assert prediction.capacity is prediction.fit_capacity is prediction.leading_law is None


def test_no_memory_has_two_laws() -> None:
    ensembles = ["sphere", "rademacher", "gaussian", "orthogonal"]
    for criterion, keys, values in itertools.product(["mse", "sign", "guaranteed", "top1"], ensembles, ensembles):
        memory = spec(criterion, keys=keys, values=values)
        assert sum(law.applies(memory) for law in theory.laws().values()) <= 1


@EACH
@pytest.mark.parametrize(
    "change",
    [{"rule": "delta"}, {"feature_map": "relu"}, {"depth": 2}, {"width": 2}, {"num_heads": 2}, {"keys": "gaussian"}],
    ids=str,
)
def test_no_law_claims_another_memory(name: str, change: dict) -> None:
    memory = PLAIN[name]
    given = {"keys": memory.key_ensemble.name, "values": memory.value_ensemble.name, **change}
    other = spec(memory.criterion.name, **given)
    assert theory.find(other) is None
    assert theory.predict_error(other, np.array([4])) is None
    assert theory.predict_capacity(other, 0.1) is None


@pytest.mark.parametrize(
    "memory",
    [
        spec("sign", values="sphere"),
        spec("sign", d_k=3),
        spec("mse", values="one_hot"),
        spec("mse", rule_parameters=(("beta", 0.5),)),
        spec("guaranteed", d_k=1),
        spec("top1", values="sphere"),
        spec("guaranteed").with_criterion(Choice("cosine")),
    ],
    ids=lambda memory: f"{memory.criterion.name}-{memory.value_ensemble.name}-{memory.d_k}",
)
def test_no_law_claims_values_dimensions_or_criteria_outside_its_range(memory: Spec) -> None:
    assert theory.find(memory) is None


def test_importing_the_package_leaves_scipy_and_jax_alone() -> None:
    code = (
        "import sys, pavlov_cli.theory as t; t.laws();"
        "print([m for m in ('scipy', 'jax', 'pandas') if m in sys.modules])"
    )
    root = Path(theory.__file__).parents[2]
    shown = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
