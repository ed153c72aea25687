"""The last sentence says what was found, and does not say more."""

from __future__ import annotations

import pytest

from pavlov_cli.studies._answer import capacity_answer, error_answer

IDENTITY = {
    "key_ensemble": "sphere",
    "value_ensemble": "sphere",
    "feature_map": "identity",
    "update_rule": "hebb",
    "parameters": "{}",
    "depth": 1,
    "width": 1,
    "num_heads": 1,
}


def row(criterion="mse", *, d_k=64, **changed):
    judged = {"margin": None, "target_error": {"mse": 0.25, "sign": 0.01}.get(criterion)}
    if criterion == "guaranteed":
        judged = {"margin": 1.0, "target_error": None}
    measured = {
        "capacity": 17.04,
        "capacity_low": 16.5,
        "capacity_high": 17.5,
        "censored": False,
        "side": None,
        "bound": None,
    }
    own = {"criterion": criterion, "mean_capacity": None, "d_k": d_k, "d_v": d_k}
    return IDENTITY | own | judged | measured | changed


def verdict(criterion="mse", **changed):
    found = {"exponent": 0.987, "predicted_exponent": 0.98, "consistent": True, "law": "d_k"}
    margin = 1.0 if criterion == "guaranteed" else None
    target = {"mse": 0.25, "sign": 0.01}.get(criterion)
    judged = {"criterion": criterion, "margin": margin, "target_error": target}
    return IDENTITY | judged | {"d_v": None} | found | changed


def has(text, *parts):
    """One sentence with all of these parts."""
    assert text.endswith(".")
    assert "\n" not in text
    for part in parts:
        assert part in text, f"'{part}' is not in: {text}"


def above(**changed):
    return {"capacity": None, "capacity_high": None, "censored": True, "side": "above", "bound": 4096} | changed


def below():
    return {"capacity": None, "capacity_low": None, "capacity_high": 1.0, "censored": True, "side": "below", "bound": 1}


def test_capacities_at_the_largest_dimension_are_said():
    rows = [row(d_k=64), row(d_k=256, capacity=64.6), row(d_k=128, capacity=33.0)]
    text = capacity_answer(rows, [verdict()])
    has(text, "At d_k = 256 one Hebbian head with random unit keys holds ", "64.6", "at 25% squared error")
    has(text, ", growing as d_k^0.99 (consistent with the d_k law: 0.98 at these d_k)")
    assert "17" not in text
    assert "33" not in text


def test_every_criterion_has_its_part():
    text = capacity_answer([row("guaranteed", capacity=11), row("mse"), row("sign", capacity=12.86)], [])
    has(text, "11", "whatever the values are", "17", "at 25% squared error", "12.9", "at 1% wrong signs")
    assert text.count("; ") == 2
    assert text.count("; and ") == 1


def test_margins_are_told_apart():
    text = capacity_answer([row("guaranteed", margin=0.5, capacity=6), row("guaranteed", capacity=11)], [])
    has(text, "6", "(margin 0.5)", "11")
    assert text.count("margin") == 1


def test_memories_of_one_sweep_are_told_apart():
    text = capacity_answer([row(capacity=17), row(key_ensemble="rademacher", capacity=19)], [])
    has(text, "17", "sphere keys", "19", "rademacher keys")
    assert "random unit keys" not in text


@pytest.mark.parametrize(
    ("consistent", "said"),
    [
        (True, "(consistent with the d_k law: 0.98 at these d_k)"),
        (False, "(INCONSISTENT with the d_k law: 0.98 at these d_k)"),
        (None, None),
    ],
)
def test_the_verdict_is_part_of_the_answer(consistent, said):
    text = capacity_answer([row(), row(d_k=128)], [verdict(consistent=consistent)])
    assert "growing as d_k^0.99" in text
    assert said is None or said in text
    assert said is not None or "law" not in text


def test_a_growth_that_is_not_known_is_not_claimed():
    assert "growing" not in capacity_answer([row()], [verdict(exponent=None, consistent=None)])
    assert "growing" not in capacity_answer([row()], [verdict("sign")])
    assert "growing" not in capacity_answer([row()], [verdict(key_ensemble="rademacher")])


def test_a_capacity_beyond_what_was_looked_at_is_a_bound():
    has(capacity_answer([row(**above())], []), "more than 4096", "at 25% squared error")
    has(capacity_answer([row(**above(capacity_low=None))], []), "more than 4096")
    has(capacity_answer([row(**below())], []), "fewer than 1")


def test_other_keys_and_rules_are_named():
    for keys, named in (
        ("rademacher", "random +-1 keys"),
        ("power_law", "power-law keys"),
        ("gaussian", "Gaussian keys"),
    ):
        assert f"one Hebbian head with {named}" in capacity_answer([row(key_ensemble=keys)], [])
    assert "one delta head" in capacity_answer([row(update_rule="delta")], [])


def test_real_keys_are_compared_with_random_ones():
    rows = [row(key_ensemble="file", capacity=12.0), row(capacity=16.0)]
    assert capacity_answer(rows, []) == (
        "At d_k = 64 these keys hold, against random keys, 12 against 16 at 25% squared error (25% below)."
    )
    rows = [row(key_ensemble="file", capacity=20.0), row(capacity=16.0)]
    assert capacity_answer(rows, []).endswith("(25% above).")


def test_integer_medians_are_compared_by_their_means():
    file = row("guaranteed", key_ensemble="file", capacity=8, mean_capacity=7.5)
    text = capacity_answer([file, row("guaranteed", capacity=10, mean_capacity=10.0)], [])
    assert "8 against 10 whatever the values are (25% below by their means)" in text


def test_a_bound_has_no_ratio():
    rows = [row(key_ensemble="file", **above(bound=40)), row(capacity=16.0)]
    assert capacity_answer(rows, []).endswith("more than 40 against 16 at 25% squared error.")
    rows = [row(key_ensemble="file", capacity=12.0), row(**above())]
    assert capacity_answer(rows, []).endswith("12 against more than 4096 at 25% squared error.")


def test_every_criterion_of_real_keys_is_compared_with_its_own():
    rows = [
        row("mse", key_ensemble="file", capacity=12.0),
        row("sign", key_ensemble="file", capacity=6.0),
        row("mse", capacity=16.0),
        row("sign", capacity=8.0),
    ]
    text = capacity_answer(rows, [])
    assert "12 against 16 at 25% squared error (25% below); and 6 against 8 at 1% wrong signs (25% below)." in text


def error(n, rate, low, high, criterion="sign", d_k=128):
    measured = {"error_rate": rate, "error_low": low, "error_high": high}
    return IDENTITY | {"criterion": criterion, "d_k": d_k, "d_v": d_k, "num_associations": n} | measured


def test_an_error_rate_is_said_with_its_interval():
    assert (
        error_answer([error(64, 0.125, 0.12, 0.13)]) == "The sign error at d_k = 128 is 0.125 [0.12 .. 0.13] at n = 64."
    )


def test_the_span_of_errors_goes_over_n():
    rows = [error(64, 0.2, 0.19, 0.21), error(8, 0.0, 0.0, 0.001), error(16, 0.01, 0.009, 0.011)]
    assert error_answer(rows) == (
        "The sign error at d_k = 128 goes from 0 [0 .. 0.001] at n = 8 to 0.2 [0.19 .. 0.21] at n = 64."
    )


def test_every_criterion_has_its_span():
    rows = [error(8, 0.1, 0.09, 0.11), error(8, 0.5, 0.4, 0.6, "mse")]
    text = error_answer(rows)
    assert text.startswith("The sign error at d_k = 128 is 0.1")
    assert "; and the mse error at d_k = 128 is 0.5" in text
