"""Would the tests notice? Each sabotage breaks one line on purpose and must turn its tests red.

Run with ``make sabotage``, or name some: ``python tests/sabotage.py dropped-write wrong-scale``. The code is broken in
a temporary copy; the checkout is never touched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("pavlov_cli", "configs", "experiments", "tests", "pyproject.toml", "README.md")
TESTS_FAILED = 1  # pytest's exit code; errors of collection or usage are not a red test


@dataclass(frozen=True)
class Sabotage:
    """One deliberate fault.

    Attributes:
        name: what it does wrong.
        file: where, below the repository.
        right: the text that is replaced; it must occur exactly once.
        wrong: what it is replaced with.
        tests: pytest node ids or files, each of which must fail.
    """

    name: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


GOLDEN = "tests/engine/test_golden.py"
READOUTS = "tests/engine/test_readouts.py"
COVERAGE = "tests/statistics/test_coverage.py"
DISTRACTORS = "tests/engine/test_distractors.py"
ENSEMBLES = "tests/engine/test_ensembles.py"
KEYS = "tests/memory/test_key_ensembles.py"
SABOTAGES = (
    Sabotage(
        "dropped-write",
        "pavlov_cli/memory/update_rules/hebb.py",
        "[:, None] < count, keys, 0)",
        "[:, None] < count - 1, keys, 0)",
        (
            f"{GOLDEN}::test_sign_errors_on_sphere_keys_meet_the_exact_integral",
            f"{GOLDEN}::test_mse_is_n_minus_1_over_d",
            f"{READOUTS}::test_the_chunk_form_equals_the_step_form",
            f"{READOUTS}::test_a_memory_of_one_chunk_is_read_the_same_with_and_without_a_state",
        ),
    ),
    Sabotage(
        "read-of-what-is-not-yet-written",
        "pavlov_cli/memory/update_rules/hebb.py",
        "return self.beta * product(product(queries, _first(keys, count).T), values)",
        "return self.beta * product(product(queries, keys.T), values)",
        (
            f"{READOUTS}::test_a_memory_of_one_chunk_is_read_the_same_with_and_without_a_state",
            f"{READOUTS}::test_integers_are_read_exactly_without_a_state",
        ),
    ),
    Sabotage(
        "reused-random-key",
        "pavlov_cli/engine/draws.py",
        "return self.source.values(common, jax.random.wrap_key_data(rows.key_data[:, VALUES])",
        "return self.source.values(common, jax.random.wrap_key_data(rows.key_data[:, KEYS])",
        (
            f"{GOLDEN}::test_sign_errors_on_sign_keys_meet_the_exact_binomial",
            f"{GOLDEN}::test_sign_errors_on_sphere_keys_meet_the_exact_integral",
            f"{READOUTS}::test_errors_equal_the_loops_at_every_kind_of_n",
        ),
    ),
    Sabotage(
        "reused-trial",
        "pavlov_cli/engine/draws.py",
        "fold_in(fold_in(shared, per_trial), jnp.arange(STREAMS))",
        "fold_in(fold_in(shared, per_trial // 8), jnp.arange(STREAMS))",
        (
            f"{COVERAGE}::test_error_intervals_cover_93_to_97_percent",
            "tests/engine/test_determinism.py::test_seeds_and_trials_differ",
        ),
    ),
    Sabotage(
        "ignored-mask",
        "pavlov_cli/engine/stored.py",
        "jnp.where(jnp.isfinite(priorities), errors, jnp.zeros_like(errors))",
        "errors",
        (
            f"{GOLDEN}::test_sign_errors_on_sign_keys_meet_the_exact_binomial",
            f"{GOLDEN}::test_sign_errors_on_sphere_keys_meet_the_exact_integral",
            f"{GOLDEN}::test_mse_is_n_minus_1_over_d",
        ),
    ),
    Sabotage(
        "wrong-scale",
        "pavlov_cli/memory/_head.py",
        "return 1.0 / self.key_ensemble.squared_norm(self.d_k) if self.source.raw else 1.0",
        "return 1.1 / self.key_ensemble.squared_norm(self.d_k) if self.source.raw else 1.0",
        (f"{GOLDEN}::test_mse_is_n_minus_1_over_d",),
    ),
    Sabotage(
        "lost-ties",
        "pavlov_cli/memory/criteria/sign.py",
        "jnp.where(agreement == 0, 1, 0)",
        "jnp.where(agreement == 0, 0, 0)",
        (
            f"{GOLDEN}::test_sign_errors_on_sign_keys_meet_the_exact_binomial",
            f"{READOUTS}::test_sign_counts_are_exact_integers_on_sign_keys",
        ),
    ),
    Sabotage(
        "dominance-not-strict",
        "pavlov_cli/memory/criteria/guaranteed.py",
        "(interference < self.margin * signal[:, None])",
        "(interference <= self.margin * signal[:, None])",
        (f"{READOUTS}::test_guaranteed_is_the_first_n_whose_gram_corner_is_not_dominant",),
    ),
    Sabotage(
        "own-signal-counted-as-interference",
        "pavlov_cli/memory/criteria/guaranteed.py",
        "jnp.where(index[:, None] == index[None, :], 0, jnp.abs(attention))",
        "jnp.abs(attention) * 0.999",
        (f"{GOLDEN}::test_guaranteed_capacity_meets_the_golden_means_and_medians",),
    ),
    Sabotage(
        "one-overlap-forgotten",
        "pavlov_cli/memory/criteria/guaranteed.py",
        "stored = index[:, None] <= index[None, :]",
        "stored = index[:, None] < index[None, :]",
        (f"{READOUTS}::test_guaranteed_is_the_first_n_whose_gram_corner_is_not_dominant",),
    ),
    Sabotage(
        "probes-not-random",
        "pavlov_cli/engine/stored.py",
        "lax.top_k(-pool.priorities, slots)",
        "lax.top_k(-jnp.sort(pool.priorities), slots)",
        (
            f"{GOLDEN}::test_probed_items_are_a_uniform_sample_of_all_stored",
            f"{READOUTS}::test_errors_equal_the_loops_at_every_kind_of_n",
        ),
    ),
    Sabotage(
        "keys-not-normalised",
        "pavlov_cli/memory/key_ensembles/sphere.py",
        "return unit(normal(prng_key, d_k, dtype))",
        "return normal(prng_key, d_k, dtype) / d_k**0.5",
        (
            f"{GOLDEN}::test_mse_is_n_minus_1_over_d",
            f"{GOLDEN}::test_guaranteed_capacity_meets_the_golden_means_and_medians",
        ),
    ),
    Sabotage(
        "thread-pool-follows-the-machine",
        "pavlov_cli/engine/devices.py",
        'os.environ["PJRT_NPROC"] = str(THREADS)',
        'os.environ.pop("PJRT_NPROC", None)',
        ("tests/engine/test_determinism.py::test_one_and_eight_devices_and_one_core_give_equal_bits",),
    ),
    Sabotage(
        "a-round-of-the-generator-left-out",
        "pavlov_cli/memory/_random.py",
        "((13, 15, 26, 6), (17, 29, 16, 24))",
        "((13, 15, 26), (17, 29, 16, 24))",
        (
            "tests/memory/test_random.py::test_bits_and_normals_are_those_of_jax_random",
            "tests/memory/test_random.py::test_the_known_answer_of_the_generator",
        ),
    ),
    Sabotage(
        "probed-items-of-other-places",
        "pavlov_cli/engine/stream.py",
        "rows = sample.places if self.near else slice(sample.places.shape[0])",
        "rows = slice(sample.places.shape[0])",
        (
            f"{READOUTS}::test_errors_equal_the_loops_at_every_kind_of_n",
            f"{DISTRACTORS}::test_top1_and_listwise_are_the_loops_at_every_kind_of_n",
        ),
    ),
    Sabotage(
        "own-item-counted-as-distractor",
        "pavlov_cli/engine/distractors.py",
        "(others != part(names)[:, None]) & ",
        "",
        (
            f"{DISTRACTORS}::test_top1_and_listwise_are_the_loops_at_every_kind_of_n",
            f"{DISTRACTORS}::test_equal_stored_values_tie_and_an_equal_codebook_entry_is_the_own",
            f"{GOLDEN}::test_top1_errors_meet_the_golden_simulation",
        ),
    ),
    Sabotage(
        "tie-of-values-forgiven",
        "pavlov_cli/engine/distractors.py",
        "rival = ~(scores < part(own)[:, None])",
        "rival = (scores > part(own)[:, None])",
        (
            f"{DISTRACTORS}::test_top1_and_listwise_are_the_loops_at_every_kind_of_n",
            f"{DISTRACTORS}::test_equal_stored_values_tie_and_an_equal_codebook_entry_is_the_own",
            f"{DISTRACTORS}::test_repeated_rows_of_a_file_tie_exactly_in_float32",
        ),
    ),
    Sabotage(
        "not-across-the-shared-direction",
        "pavlov_cli/memory/_directions.py",
        "noise = noise - direction * jnp.sum(noise * direction)",
        "noise = noise - 0 * direction",
        (
            f"{KEYS}::test_correlated_keys_stand_at_one_angle_to_their_direction",
            f"{KEYS}::test_keys_across_the_shared_direction_are_isotropic",
            f"{KEYS}::test_noisy_queries_have_the_cosine_and_the_norm_asked_for",
        ),
    ),
    Sabotage(
        "noise-of-a-query-not-renormalised",
        "pavlov_cli/memory/_directions.py",
        "return unit(noise)",
        "return noise / noise.shape[0] ** 0.5",
        (
            f"{KEYS}::test_noisy_queries_have_the_cosine_and_the_norm_asked_for",
            f"{READOUTS}::test_errors_of_noisy_queries_equal_the_loop",
        ),
    ),
    Sabotage(
        "file-pairing-broken",
        "pavlov_cli/memory/value_ensembles/file.py",
        "jax.random.permutation(prng_key,",
        "jax.random.permutation(jax.random.fold_in(prng_key, 1),",
        ("tests/memory/test_value_ensembles.py::test_files_of_keys_and_values_stay_paired_row_by_row",),
    ),
    Sabotage(
        "bfloat16-state-not-rounded",
        "pavlov_cli/memory/update_rules/hebb.py",
        "(state + self.beta * product(_first(keys, count).T, values)).astype(state.dtype)",
        "state + self.beta * product(_first(keys, count).T, values)",
        (f"{READOUTS}::test_bfloat16_rounds_vectors_state_and_readout_and_nothing_else",),
    ),
    Sabotage(
        "keys-share-what-values-share",
        "pavlov_cli/memory/key_ensembles/clustered.py",
        "jax.random.split(jax.random.fold_in(prng_key, 2), self.clusters)",
        "jax.random.split(jax.random.fold_in(prng_key, 1), self.clusters)",
        (f"{ENSEMBLES}::test_what_keys_share_is_independent_of_what_values_share",),
    ),
    Sabotage(
        "narrow-mean-intervals",
        "pavlov_cli/stats/intervals.py",
        "half_width = _t_quantile(trials - 1, confidence) *",
        "half_width = 0.6 * _t_quantile(trials - 1, confidence) *",
        (
            f"{COVERAGE}::test_error_intervals_cover_93_to_97_percent[mse]",
            f"{COVERAGE}::test_capacity_intervals_cover_93_to_97_percent[mse capacity]",
        ),
    ),
    Sabotage(
        "queries-taken-as-independent",
        "pavlov_cli/stats/intervals.py",
        "    units = _effective_units(sample, per_trial, confidence, clump or math.sqrt(per_trial))",
        "    units = float(sample.size * per_trial)",
        (
            f"{COVERAGE}::test_error_intervals_cover_93_to_97_percent[sign]",
            f"{COVERAGE}::test_capacity_intervals_cover_93_to_97_percent[sign capacity]",
        ),
    ),
    Sabotage(
        "no-bound-at-zero-errors",
        "pavlov_cli/studies/_adaptive.py",
        "return partial(proportion_interval, per_trial=units, confidence=confidence)",
        "return lambda r: proportion_interval(r, units, confidence) if r.any() else Estimate(0.0, 0.0, 0.0, len(r))",
        (
            f"{COVERAGE}::test_an_upper_bound_where_no_error_was_seen_is_honest",
            f"{COVERAGE}::test_error_intervals_cover_93_to_97_percent",
        ),
    ),
    Sabotage(
        "tie-counted-whole-in-theory",
        "pavlov_cli/theory/sign_rademacher.py",
        "_at_most(np.ceil(half) - 1, steps)) / 2",
        "_at_most(np.floor(half), steps)) / 2",
        ("tests/theory/test_sign_rademacher.py",),
    ),
    Sabotage(
        "integral-step-doubled",
        "pavlov_cli/theory/_sphere_sum.py",
        "step = 2 * math.pi / period",
        "step = 16 * math.pi / period",
        ("tests/theory/test_sign_sphere.py",),
    ),
    Sabotage(
        "pair-term-dropped-from-variance",
        "pavlov_cli/theory/mse_isotropic.py",
        "pairs = 2 * (n - 1) * (n - 2) /",
        "pairs = 1 * (n - 1) * (n - 2) /",
        ("tests/theory/test_mse_isotropic.py", f"{GOLDEN}::test_the_per_trial_variance_of_mse_is_the_exact_formula"),
    ),
    Sabotage(
        "crossing-linear-in-n",
        "pavlov_cli/stats/crossings.py",
        "return _Curve(np.log(grid), table)",
        "return _Curve(grid, table)",
        ("tests/stats/test_crossings.py",),
    ),
    Sabotage(
        "median-interval-one-rank-short",
        "pavlov_cli/stats/order.py",
        "low=_ranked(values, int(lower[-1])) if lower.size else None",
        "low=_ranked(values, int(lower[-1]) + 3) if lower.size else None",
        ("tests/stats/test_order.py",),
    ),
    Sabotage(
        "slope-error-forgotten",
        "pavlov_cli/stats/verdicts.py",
        "consistent = distance <= half_width + slope_error",
        "consistent = distance <= half_width",
        ("tests/stats/test_verdicts.py",),
    ),
    Sabotage(
        "checksum-ignored",
        "pavlov_cli/store/_lines.py",
        "    if stored != computed:",
        "    if False and stored != computed:",
        ("tests/store/test_lines.py",),
    ),
    Sabotage(
        "gaussian-interference",
        "pavlov_cli/theory/_scale_mixture.py",
        "return 2 / ((keys * values / 3 - 1) / terms + pairs)",
        "return 2e6 / ((keys * values / 3 - 1) / terms + pairs)",
        (
            "tests/theory/test_scale_mixture.py::test_degrees_of_freedom_are_those_of_the_simulated_sum",
            "tests/theory/test_top1_scale_mixture.py::test_simulated_error_is_within_the_stated_error",
        ),
    ),
    Sabotage(
        "forgotten-repeats",
        "pavlov_cli/theory/codebook_scale_mixture.py",
        "own = total_overlap_weights(d_k, grid.step, draws=others,",
        "own = total_overlap_weights(d_k, grid.step, draws=0,",
        ("tests/theory/test_codebook_scale_mixture.py::test_error_is_within_the_stated_error",),
    ),
    Sabotage(
        "fading-query",
        "pavlov_cli/theory/mse_isotropic.py",
        "return (1 - spec.query_cosine) ** 2",
        "return 1 - spec.query_cosine**2",
        ("tests/theory/test_mse_isotropic.py::test_error_holds_for_any_values_and_for_noisy_queries",),
    ),
    Sabotage(
        "tables-taken-on-trust",
        "pavlov_cli/store/seal.py",
        "if _checksum(path) != checksum:",
        "if not path.is_file():",
        (
            "tests/store/test_runs.py::test_a_table_that_was_changed_is_named",
            "tests/cli/test_bad_files.py::test_a_damaged_file_is_named_by_every_verb_or_does_not_matter_to_it",
        ),
    ),
    Sabotage(
        "figures-of-other-tables",
        "pavlov_cli/studies/_session.py",
        "if not is_sealed(folder, [*known, *tables]):",
        "if not all(path.is_file() for path in known):",
        (
            "tests/cli/test_resume.py::test_figures_follow_tables_that_changed_without_them",
            "tests/cli/test_resume.py::test_a_damaged_figure_is_drawn_again",
        ),
    ),
    Sabotage(
        "what-a-chunk-starts-from-fades-late",
        "pavlov_cli/memory/_chunkwise.py",
        "gamma ** (number[:, None] + 1) * product(kept, state.astype(wide))",
        "gamma ** number[:, None] * product(kept, state.astype(wide))",
        (
            "tests/memory/test_update_rules.py::test_the_chunk_form_is_the_step_form_also_where_chunks_do_not_divide_n",
            "tests/memory/test_update_rules.py::test_errors_equal_the_loop_across_chunks",
        ),
    ),
    Sabotage(
        "writes-that-do-not-count",
        "pavlov_cli/memory/_chunkwise.py",
        "return jnp.where(later >= 0, gamma ** jnp.maximum(later, 0), 0.0)",
        "return gamma ** jnp.maximum(later, 0)",
        ("tests/memory/test_update_rules.py::test_a_memory_of_one_chunk_is_read_as_written_and_read",),
    ),
    Sabotage(
        "correction-of-what-was-forgotten",
        "pavlov_cli/theory/mse_delta.py",
        "(after + gamma**2 * before * (remaining - h * own))",
        "(after + gamma**2 * before * (remaining - own))",
        ("tests/theory/test_mse_fading.py::test_errors_of_a_correcting_memory_agree_at_every_age",),
    ),
    Sabotage(
        "longer-list",
        "pavlov_cli/theory/listwise_scale_mixture.py",
        "betainc(k, n - k, wins)",
        "betainc(k + 1, n - k, wins)",
        ("tests/theory/test_listwise_scale_mixture.py::test_error_is_within_the_stated_error",),
    ),
)


def _copy(target: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)


def _run(folder: Path, test: str) -> int:
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(folder / test)]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, timeout=900, check=False).returncode


def undetected(sabotage: Sabotage) -> list[str]:
    """The tests of a sabotage that do not turn red.

    Raises:
        ValueError: the text to replace does not occur exactly once.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _copy(folder)
        path = folder / sabotage.file
        text = path.read_text(encoding="utf-8")
        if text.count(sabotage.right) != 1:
            raise ValueError(f"{sabotage.name}: its text occurs {text.count(sabotage.right)} times in {sabotage.file}.")
        path.write_text(text.replace(sabotage.right, sabotage.wrong), encoding="utf-8")
        return [test for test in sabotage.tests if _run(folder, test) != TESTS_FAILED]


def main() -> int:
    """Runs the sabotages named on the command line, or all."""
    asked = set(sys.argv[1:])
    chosen = [s for s in SABOTAGES if not asked or s.name in asked]
    missed = 0
    for sabotage in chosen:
        start = time.monotonic()
        survivors = undetected(sabotage)
        missed += bool(survivors)
        verdict = f"NOT NOTICED by {', '.join(survivors)}" if survivors else f"noticed by {len(sabotage.tests)}"
        print(f"{sabotage.name:<36} {verdict} ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} sabotages turn every test they name red.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
