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
    "mse_gaussian_keys": spec("mse", keys="gaussian"),
    "mse_decay": spec("mse", rule="decay", rule_parameters=(("beta", 1.0), ("gamma", 0.96875))),
    "mse_gated_delta": spec("mse", rule="gated_delta", rule_parameters=(("beta", 1.0), ("gamma", 0.96875))),
    "mse_delta": spec("mse", rule="delta", rule_parameters=(("beta", 1.0),)),
    "mse_correlated": spec("mse", keys="correlated", key_parameters=(("rho", 0.25),), values="sphere"),
    "sign_gaussian_values": spec("sign", values="gaussian"),
    "cosine_isotropic": spec("cosine", values="sphere"),
    "top1_scale_mixture": spec("top1", values="sphere"),
    "listwise_scale_mixture": spec("listwise", values="sphere"),
    "codebook_scale_mixture": spec("codebook", values="codebook"),
}
TARGETS = {
    "mse": 0.25,
    "sign": 0.01,
    "guaranteed": None,
    "cosine": 0.1,
    "top1": 0.01,
    "listwise": 0.01,
    "codebook": 0.01,
}
OTHER_TARGETS = {"sign_gaussian_values": 0.1}  # at 1% values near 0 leave a capacity below 2
OFFSET = {"mse_gaussian_keys": -1, "mse_delta": 0}  # the leading law is this, else 1, plus a term that grows
# growth of the leading law from d_k 256 to 1024 as an exponent, how far it and the finite-size growth may be off
GROWTH = {
    "d_k": (1.0, 1e-12, 0.05),
    "sqrt(d_k)": (0.5, 1e-12, 0.05),
    "d_k^2/log d_k": (1.8, 0.03, 0.12),  # 2 - log(log ratio): the logarithm is of n, and n of the error
    "d_k d_v V / (d_v + V)": (2 + np.log((256 + 1024) / (1024 + 1024)) / np.log(4), 1e-3, 0.05),
    "constant in d_k": (0.0, 1e-12, 0.15),  # at gamma 31/32 interference is still a tenth of the error at d_k 256
    "constant (d_k at rho = 0)": (np.log((0.0625 + 0.5625 / 255) / (0.0625 + 0.5625 / 1023)) / np.log(4), 1e-12, 0.05),
}
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
    assert module.LAW.exponent in GROWTH
    assert (module.LAW.slope_errors == ()) == (module.LAW.stated_error == "exact")
    with pytest.raises(FrozenInstanceError):
        module.LAW.name = "other"


@EACH
def test_errors_start_near_zero_rise_and_keep_the_shape(name: str) -> None:
    n = np.array([[1, 2, 3], [5, 9, 40]])
    errors = theory.predict_error(PLAIN[name], n)
    assert errors.shape == n.shape and errors.dtype == np.float64
    assert errors[0, 0] == (2 / 16 if name == "mse_gaussian_keys" else 0)  # such keys misread even a single value
    assert np.all(np.diff(errors.ravel()) >= 0) and errors[1, 2] > 0.1


@EACH
def test_a_prediction_is_plain_floats_and_grows_with_d_k_as_stated(name: str) -> None:
    memory = PLAIN[name]
    exponent, leading_deviation, deviation = GROWTH[theory.laws()[name].LAW.exponent]
    log_capacities, log_leading = [], []
    for d_k in (256, 1024):
        larger = replace(memory, d_k=d_k, d_v=d_k, d_phi=d_k)
        prediction = theory.predict_capacity(larger, OTHER_TARGETS.get(name, TARGETS[memory.criterion.name]))
        assert {type(prediction.capacity), type(prediction.fit_capacity), type(prediction.leading_law)} == {float}
        log_capacities.append(np.log(prediction.fit_capacity))
        log_leading.append(np.log(prediction.leading_law - OFFSET.get(name, 1)))
    assert np.diff(log_capacities)[0] / np.log(4) == pytest.approx(exponent, abs=deviation)
    assert np.diff(log_leading)[0] / np.log(4) == pytest.approx(exponent, abs=leading_deviation)


def test_an_infinite_capacity_is_absent_not_a_number() -> None:
    prediction = theory.predict_capacity(PLAIN["sign_sphere"], 0.5)
    assert prediction.capacity is prediction.fit_capacity is prediction.leading_law is None


def test_no_memory_has_two_laws() -> None:
    keys_of = ["sphere", "rademacher", "gaussian", "orthogonal", "correlated", "clustered", "sparse", "power_law"]
    values_of = ["sphere", "rademacher", "gaussian", "one_hot", "codebook"]
    covered = 0
    for criterion, keys, values, cosine in itertools.product(TARGETS, keys_of, values_of, [1.0, 0.8]):
        rho = (("rho", 0.2),) if keys in ("correlated", "clustered") else ()
        memory = spec(criterion, keys=keys, key_parameters=rho, values=values, query_cosine=cosine)
        claims = sum(law.applies(memory) for law in theory.laws().values())
        assert claims <= 1
        covered += claims
    assert covered >= len(PLAIN)


@EACH
@pytest.mark.parametrize(
    "change",
    [
        {"rule": "bcm"},
        {"feature_map": "relu"},
        {"depth": 2},
        {"width": 2},
        {"num_heads": 2},
        {"keys": "file"},
        {"precision": "bfloat16"},
    ],
    ids=str,
)
def test_no_law_claims_another_memory(name: str, change: dict) -> None:
    memory = PLAIN[name]
    given = {"keys": memory.key_ensemble.name, "values": memory.value_ensemble.name, "rule": memory.update_rule.name}
    parameters = {"key_parameters": memory.key_ensemble.parameters, "rule_parameters": memory.update_rule.parameters}
    other = spec(memory.criterion.name, **parameters, **given | change)
    assert theory.find(other) is None
    assert theory.predict_error(other, np.array([4])) is None
    assert theory.predict_capacity(other, 0.1) is None


@pytest.mark.parametrize(
    "memory",
    [
        spec("sign", values="sphere"),
        spec("sign", d_k=3),
        spec("sign", query_cosine=0.9),
        spec("top1", values="sphere", query_cosine=0.9),
        spec("mse", keys="gaussian", query_cosine=0.9),
        spec("mse", values="unheard_of"),
        spec("mse", rule_parameters=(("beta", 0.5),)),
        spec("guaranteed", d_k=1),
        spec("top1", values="rademacher"),
        spec("top1", values="sphere", d_k=7),
        spec("top1", values="sphere", d_v=7),
        spec("listwise", values="sphere", criterion_parameters=(("k", 0),)),
        spec("codebook", values="sphere"),
        spec("codebook", values="codebook", value_parameters=(("size", 64),)),
        spec("cosine", values="gaussian"),
        spec("cosine", values="sphere", d_v=7),
        spec("guaranteed").with_criterion(Choice("unheard_of")),
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
