"""How fast is a capacity, against plain NumPy and against what this machine can do at most? Run with ``make bench``.

Everything is measured in one run on one machine, so quote ratios. *Cold* is a new process without compiled programs,
*kept* a new process that finds them, both from its start to the answer; *warm* the same process once more with another
seed, from settings to the answer. The two-rate limit is the time that the useful floating-point operations would take
at the measured matrix-product rate, plus the normals at the measured generator rate, both on all devices.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import plain_numpy as plain

HALF_WIDTH = 0.03
CASES = (("mse", 256), ("mse", 1024), ("sign", 256), ("sign", 1024), ("top1", 128), ("top1", 256), ("top1", 512))
TARGETS = {"mse": 0.25, "sign": 0.01, "top1": 0.01}
QUERIES = {"mse": 256, "sign": 256, "top1": 1024}  # stored items probed, as by default


@dataclass
class Work:
    """Useful work of a run, summed over its calls."""

    flops: float = 0.0
    normals: float = 0.0

    def limit(self, rates: dict[str, float]) -> float:
        return self.flops / rates["flops"] + self.normals / rates["normals"]


def count_work() -> Work:
    """From now on sums what every simulated call has to do at least."""
    from pavlov_cli.studies._supply import Supply

    work, simulate = Work(), Supply._simulate

    def counted(self: Any, needs: Any, blocks: Any, compute: Any) -> None:
        simulate(self, needs, blocks, compute)
        trials = 4 * len(blocks)
        for need in needs:
            spec = need.cell.spec
            n_max = max(need.ns)
            flops = 2.0 * n_max * spec.d_phi * spec.d_v
            for n in need.ns:
                probed = min(n, spec.queries)
                flops += 2.0 * probed * spec.d_phi * spec.d_v
                flops += 2.0 * probed * n * spec.d_v if spec.criterion.name == "top1" else 0.0
            work.flops += trials * flops
            work.normals += trials * n_max * (spec.d_k + spec.d_v)

    Supply._simulate = counted
    return work


def count_compilations() -> Counter[str]:
    """From now on counts programs compiled."""
    import jax

    seen: Counter[str] = Counter()

    def listen(name: str, seconds: float, **_: Any) -> None:
        if name == "/jax/core/compile/backend_compile_duration":
            seen["programs"] += 1

    jax.monitoring.register_event_duration_secs_listener(listen)
    return seen


def rates() -> dict[str, float]:
    """Floating-point operations and normals a second, on all devices at once; the best of five."""
    import jax
    import jax.numpy as jnp

    from pavlov_cli.engine.devices import open_devices
    from pavlov_cli.engine.trials import Batch
    from pavlov_cli.memory import fold_in
    from pavlov_cli.memory._random import normal

    devices = open_devices()
    batch = Batch(devices, 1, tuple(range(devices.count)))
    size, products, group, draws = 1024, 20, 64, 256

    def best(body: Any, per_trial: Any) -> float:
        times = []
        for _ in range(6):
            start = time.perf_counter()
            jax.block_until_ready(batch.run(body, per_trial))
            times.append(time.perf_counter() - start)
        return min(times[1:])

    def multiply(matrix: Any, shared: Any) -> Any:
        return jax.lax.fori_loop(0, products, lambda i, c: jnp.matmul(matrix, c, precision="highest"), matrix)

    def draw(key_data: Any, shared: Any) -> Any:
        def one(i: Any, total: Any) -> Any:
            keys = jax.random.wrap_key_data(fold_in(key_data, i * group + jnp.arange(group)))
            return total + jax.vmap(lambda key: normal(key, size, "float32"))(keys)

        return jax.lax.fori_loop(0, draws, one, jnp.zeros((group, size)))

    matrices = devices.spread(np.eye(size, dtype="float32")[None].repeat(devices.count, 0))
    keys = devices.spread(np.arange(2 * devices.count, dtype="uint32").reshape(-1, 2))
    return {
        "flops": devices.count * products * 2.0 * size**3 / best(multiply, matrices),
        "normals": devices.count * draws * group * size / best(draw, keys),
        "devices": devices.count,
    }


STEPS = {
    "draw": ("TrialKeys", "AssociationKeys", "Begin", "DrawFeatures", "DrawValues", "DrawLabels", "Alphabet"),
    "store": ("Write", "Sample"),
    "read": ("Read",),
    "judge": ("Score", "Own", "Open", "Count", "Lost"),
}


def time_steps() -> Counter[str]:
    """From now on waits for every device call and sums its seconds by what it does."""
    import jax

    from pavlov_cli.engine.trials import Batch

    seconds: Counter[str] = Counter()
    step_of = {body: step for step, bodies in STEPS.items() for body in bodies}
    run = Batch.run

    def timed(self: Any, body: Any, per_trial: Any, shared: Any = ()) -> Any:
        start = time.perf_counter()
        results = jax.block_until_ready(run(self, body, per_trial, shared))
        seconds[step_of[type(body).__name__]] += time.perf_counter() - start
        return results

    Batch.run = timed
    return seconds


def measure(criterion: str, d_k: int, out: str, seed: int) -> dict[str, Any]:
    """One capacity in this process."""
    from pavlov_cli.config.compose import compose_settings
    from pavlov_cli.studies import capacity
    from pavlov_cli.studies._session import Options

    words = [f"criterion={criterion}", f"d_k={d_k}", f"half_width={HALF_WIDTH}", f"seed={seed}"]
    settings = compose_settings("capacity", words, {})
    start = time.perf_counter()
    outcome = capacity.run(settings, Options(out=Path(out), figures=False))
    row = outcome.rows[0]
    half_width = (row["capacity_high"] - row["capacity_low"]) / 2 / row["capacity"]
    found = {"seconds": time.perf_counter() - start, "capacity": row["capacity"], "trials": row["trials"]}
    return found | {"half_width": half_width}


def child(criterion: str, d_k: int) -> None:
    """What a process of its own measures: a first run, then warm ones, with counts."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as out:
        compiled, work = count_compilations(), count_work()
        first = measure(criterion, d_k, out, 0)
        programs = compiled["programs"]
        process = time.perf_counter() - start
        warm = []
        for seed in (1, 2, 3):
            work.flops = work.normals = 0.0
            compiled.clear()
            found = measure(criterion, d_k, out, seed)
            warm.append(found | {"flops": work.flops, "normals": work.normals, "programs": compiled["programs"]})
        steps = time_steps()
        whole = measure(criterion, d_k, out, 4)["seconds"]
        steps["host"] = whole - sum(steps.values())
    middle = sorted(warm, key=lambda run: run["seconds"])[1]
    shares = {step: seconds / whole for step, seconds in steps.items()}
    print(json.dumps({"process": process, "programs": programs, "first": first, "warm": middle, "shares": shares}))


def in_process_of_its_own(criterion: str, d_k: int, cache: str) -> dict[str, Any]:
    words = [sys.executable, __file__, "child", criterion, str(d_k)]
    done = subprocess.run(
        words, env=os.environ | {"PAVLOV_CACHE_DIR": cache}, capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def timed(function: Any, *arguments: Any) -> tuple[float, float]:
    start = time.perf_counter()
    value = function(*arguments)
    return time.perf_counter() - start, value


def profile(shares: dict[str, dict[str, float]]) -> None:
    """Where the warm time goes."""
    print("\nShare of a warm run, each device call waited for")
    names = (*STEPS, "host")
    print(f"{'criterion, d':>14} " + " ".join(f"{name:>7}" for name in names))
    for case, found in shares.items():
        print(f"{case:>14} " + " ".join(f"{found.get(name, 0.0):>7.2f}" for name in names))


def growth(best: dict[str, float]) -> None:
    """Warm seconds of a trial over d and n, beside the two-rate limit."""
    from pavlov_cli.engine.devices import open_devices
    from pavlov_cli.engine.draws import draw_words
    from pavlov_cli.engine.stream import Lane, stream_trials
    from pavlov_cli.memory import build_criterion, build_memory
    from pavlov_cli.records import Choice, Spec

    devices = open_devices()
    print("\nGrowth: one top-1 error at n, seconds a trial (warm)")
    print(f"{'d':>5} {'n':>6} {'s/trial':>9} {'GFLOP':>8} {'M normals':>10} {'share of limit':>15}")
    for d, n in ((128, 1024), (256, 1024), (512, 1024), (1024, 1024), (512, 2048), (512, 4096), (512, 8192)):
        plain_choices = map(Choice, ("sphere", "sphere", "identity", "hebb", "top1"))
        queries = QUERIES["top1"]
        spec = Spec(d, d, d, *plain_choices, queries=queries)
        lane = Lane(build_memory(spec), (build_criterion(spec),), (n,), queries)
        trials = 4 * devices.count
        stream_trials([lane], range(trials), draw_words(spec), None, devices)
        seconds, _ = timed(stream_trials, [lane], range(trials, 2 * trials), draw_words(spec), None, devices)
        flops = 2.0 * n * d * d + 2.0 * min(n, queries) * d * (d + n)
        limit = flops / best["flops"] + 2.0 * n * d / best["normals"]
        shown = (
            f"{seconds / trials:>9.4f} {flops / 1e9:>8.2f} {2 * n * d / 1e6:>10.2f} {limit * trials / seconds:>15.2f}"
        )
        print(f"{d:>5} {n:>6} {shown}", flush=True)


def main() -> None:
    from pavlov_cli.engine.devices import available_cores

    best = rates()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    print(f"{available_cores()} cores, {memory:.0f} GiB; {best['devices']} devices: ", end="")
    print(f"{best['flops'] / 1e9:.0f} GFLOP/s, {best['normals'] / 1e6:.0f} M normals/s")
    print(f"\nOne capacity to a half-width of {100 * HALF_WIDTH:g}%, seconds; NumPy with as many trials")
    names = ("criterion", "d", "trials", "cold", "kept", "warm", "fresh", "streaming")
    ratios = ("fresh/warm", "stream/warm", "share", "programs")
    print(" ".join(f"{name:>9}" for name in names) + " " + " ".join(f"{name:>11}" for name in ratios))
    steps = {}
    for criterion, d_k in CASES:
        with tempfile.TemporaryDirectory() as cache:
            cold = in_process_of_its_own(criterion, d_k, cache)
            kept = in_process_of_its_own(criterion, d_k, cache)
        warm, queries = cold["warm"], QUERIES[criterion]
        asked = (criterion, d_k, TARGETS[criterion], warm["trials"], queries, HALF_WIDTH, 0)
        fresh, by_fresh = timed(plain.fresh_capacity, *asked)
        streaming, by_streaming = timed(plain.streaming_capacity, *asked)
        for other in (by_fresh, by_streaming):
            assert abs(math.log(other / warm["capacity"])) < 4 * HALF_WIDTH, (other, warm["capacity"])
        limit = Work(warm["flops"], warm["normals"]).limit(best)
        seconds = [cold["process"], kept["process"], warm["seconds"], fresh, streaming]
        line = f"{criterion:>9} {d_k:>9} {warm['trials']:>9} " + " ".join(f"{value:>9.2f}" for value in seconds)
        shares = [fresh / warm["seconds"], streaming / warm["seconds"], limit / warm["seconds"]]
        print(line + " " + " ".join(f"{value:>11.2f}" for value in shares) + f" {cold['programs']:>11}", flush=True)
        assert warm["programs"] == 0 or warm["programs"] < cold["programs"] / 4, "another seed must reuse programs"
        steps[f"{criterion}, {d_k}"] = cold["shares"]
    profile(steps)
    growth(best)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2], int(sys.argv[3]))
    else:
        main()
