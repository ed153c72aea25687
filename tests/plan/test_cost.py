"""The plan counts cells, points and programs, and scales as the work does."""

from __future__ import annotations

import pytest

from pavlov_cli.lattice import coarse_lattice
from pavlov_cli.plan import cost as plan_cost
from pavlov_cli.plan.cost import PILOT_TRIALS, estimate


def test_an_error_rate_has_a_point_for_every_cell_and_n(cells_of):
    cells = cells_of("d_k=8,16", "criterion=sign,mse", study="error_rate")
    cost = estimate(cells, (2, 4, 300))
    assert (cost.cells, cost.points) == (4, 12)


def test_a_capacity_looks_at_the_coarse_lattice_to_beyond_the_prediction(cells_of):
    cells = cells_of("d_k=64", "criterion=mse")  # predicted: 1 + 64/4 = 17, so twice that lies within 16 * 4
    assert estimate(cells, None).points == len(coarse_lattice(64))


def test_the_reach_ends_at_the_largest_n(cells_of):
    cells = cells_of("d_k=64", "criterion=mse", "n_max=20")
    assert estimate(cells, None).points == len(coarse_lattice(20))


def test_guaranteed_is_one_point(cells_of):
    assert estimate(cells_of("d_k=64,128", "criterion=guaranteed"), None).points == 2


def test_criteria_share_programs_and_dimensions_do_not(cells_of):
    one = estimate(cells_of("d_k=64", "criterion=mse", "value_ensemble=sphere"), (8, 16)).compilations
    two = estimate(cells_of("d_k=64", "criterion=mse,sign", "value_ensemble=sphere"), (8, 16)).compilations
    other = estimate(cells_of("d_k=64,128", "criterion=mse", "value_ensemble=sphere"), (8, 16)).compilations
    assert two == one + 1  # one more program that scores
    assert other > two


def test_more_n_of_the_same_size_compile_nothing_more(cells_of):
    cells = cells_of("d_k=64", "criterion=mse")
    assert estimate(cells, (8, 16)).compilations == estimate(cells, (8, 9, 10, 16, 60)).compilations


def test_arithmetic_grows_with_the_square_of_the_dimension(cells_of):
    small, large = (estimate(cells_of(f"d_k={d_k}", "criterion=mse"), (16,)).flops for d_k in (64, 128))
    assert large == pytest.approx(4 * small)


def test_random_numbers_are_those_of_the_pilot(cells_of):
    cost = estimate(cells_of("d_k=64", "d_v=32", "criterion=mse"), (10, 100))
    assert cost.normals == PILOT_TRIALS * 100 * (64 + 32)


def test_comparing_with_other_values_and_noisy_queries_cost_extra(cells_of):
    def cost(*words):
        return estimate(cells_of("d_k=64", "d_v=32", "value_ensemble=codebook", *words), (10, 2000))

    plain, top1, codebook = (cost(f"criterion={name}", "queries=256") for name in ("mse", "top1", "codebook"))
    assert top1.flops - plain.flops == pytest.approx(PILOT_TRIALS * 2 * 32 * (10 * 10 + 256 * 2000))
    assert codebook.flops - plain.flops == pytest.approx(PILOT_TRIALS * 2 * 32 * (10 + 256) * 1024)
    noisy = cost("criterion=mse", "queries=256", "query.cosine=0.9")
    assert noisy.normals - plain.normals == PILOT_TRIALS * (2000 + 256) * 64  # the probed ones are drawn again


def test_the_text_says_all_of_it(cells_of):
    lines = estimate(cells_of("d_k=64"), None).text().splitlines()
    assert [line.split()[0] for line in lines] == ["cells", "points", "compilations", "pilot", "memory"]
    assert max(map(len, lines)) <= 80


def test_sizes_are_those_of_the_engine():
    from pavlov_cli.engine import draws
    from pavlov_cli.studies import _adaptive

    assert (plan_cost.GROUP, plan_cost.CHUNK, plan_cost.FAR) == (draws.GROUP, draws.CHUNK, draws.FAR)
    assert (plan_cost.FIRST_ROUND, plan_cost.NEAR) == (_adaptive.FIRST_ROUND, _adaptive.FAR)
