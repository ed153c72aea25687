"""Same seed, same bits: whatever the batch, the device count, the company and the order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from memory_specs import choice, make_spec

from pavlov_cli.engine.attention import first_failures
from pavlov_cli.engine.devices import open_devices
from pavlov_cli.engine.draws import draw_words
from pavlov_cli.engine.stream import Lane, stream_trials
from pavlov_cli.memory import build_criterion, build_memory

NS = (3, 17, 100, 256, 290)
TRIALS = range(11)  # does not divide evenly over devices or batches


def lane(criterion: str, ns=NS, **kind) -> Lane:
    spec = make_spec(criterion, **kind)
    return Lane(build_memory(spec), (build_criterion(spec),), ns, spec.queries)


def measure(lanes, devices, trials=TRIALS, batch=None, **kind):
    return stream_trials(lanes, trials, draw_words(make_spec(**kind)), None, devices, batch_limit=batch)


@pytest.mark.parametrize("batch", [1, 3, 64])
def test_batch_size_changes_no_bit(devices, batch: int) -> None:
    reference = measure([lane("mse")], devices)
    other = measure([lane("mse")], devices, batch=batch)
    for n in NS:
        np.testing.assert_array_equal(reference[0, 0, n], other[0, 0, n])


def test_a_trial_does_not_depend_on_the_others(devices) -> None:
    reference = measure([lane("mse")], devices)
    alone = measure([lane("mse")], devices, trials=[5])
    for n in NS:
        assert reference[0, 0, n][5] == alone[0, 0, n][0]


def test_a_point_does_not_depend_on_other_n_or_lanes(devices) -> None:
    reference = measure([lane("mse")], devices)
    together = measure([lane("sign"), lane("mse", (3, 5, 100, 120, 290, 600))], devices)
    for n in (3, 100, 290):
        np.testing.assert_array_equal(reference[0, 0, n], together[1, 0, n])


def test_one_device_gives_the_bits_of_two(devices) -> None:
    reference = measure([lane("mse")], devices)
    single = measure([lane("mse")], open_devices("cpu", 1))
    for n in NS:
        np.testing.assert_array_equal(reference[0, 0, n], single[0, 0, n])


_SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[2])
from memory_specs import make_spec
from pavlov_cli.engine.attention import first_failures
from pavlov_cli.engine.devices import open_devices
from pavlov_cli.engine.draws import draw_words
from pavlov_cli.engine.stream import Lane, stream_trials
from pavlov_cli.memory import build_criterion, build_memory
devices = open_devices("cpu", int(sys.argv[1]))
assert devices.count == int(sys.argv[1])
out = {}
for d_k, rule in ((16, "hebb"), (96, "hebb"), (96, "delta"), (32, "trace"), (32, "oja")):
    spec = make_spec("mse", d_k=d_k, rule=rule)
    lane = Lane(build_memory(spec), (build_criterion(spec),), (3, 17, 100, 290), 256)
    sums = stream_trials([lane], range(11), draw_words(spec), None, devices)
    out[f"{rule} {d_k}"] = {str(n): [float(x).hex() for x in sums[0, 0, n]] for n in (3, 17, 100, 290)}
spec = make_spec("guaranteed", d_k=32)
found = first_failures(build_memory(spec), build_criterion(spec), range(11), 4096, draw_words(spec), None, devices)
out["guaranteed"] = [int(x) for x in found]
print(json.dumps(out, sort_keys=True))
"""


@pytest.mark.slow
def test_one_and_eight_devices_and_one_core_give_equal_bits(on_devices) -> None:
    one = on_devices(_SCRIPT, 1)
    assert on_devices(_SCRIPT, 8) == one
    assert on_devices(_SCRIPT, 1, "taskset", "-c", "0") == one


def test_guaranteed_does_not_depend_on_batch_or_size_limit(devices) -> None:
    spec = make_spec("guaranteed", d_k=16)
    memory, criterion = build_memory(spec), build_criterion(spec)
    reference = first_failures(memory, criterion, TRIALS, 4096, draw_words(spec), None, devices)
    batched = first_failures(memory, criterion, TRIALS, 4096, draw_words(spec), None, devices, batch_limit=2)
    np.testing.assert_array_equal(reference, batched)
    short = first_failures(memory, criterion, TRIALS, 5, draw_words(spec), None, devices)
    np.testing.assert_array_equal(np.minimum(reference, 6), short)


def test_seeds_and_trials_differ(devices) -> None:
    first = measure([lane("mse")], devices)[0, 0, 17]
    second = measure([lane("mse", seed=1)], devices, seed=1)[0, 0, 17]
    assert len(set(first) | set(second)) == 2 * len(TRIALS)


def test_d_v_and_values_leave_the_keys_alone() -> None:
    assert draw_words(make_spec("mse", d_v=8)) == draw_words(make_spec("sign", d_v=32))
    assert draw_words(make_spec("mse", d_k=8)) != draw_words(make_spec("mse", d_k=16))
    assert draw_words(make_spec(keys="sphere")) != draw_words(make_spec(keys="rademacher"))


def test_equal_rows_give_equal_draws_wherever_they_lie() -> None:
    def words(digest: str, **parameters) -> tuple[int, int, int]:
        keys = choice("key_ensemble", "file", **parameters)
        return draw_words(replace(make_spec(), key_ensemble=keys, data_digest=digest))

    # Points are known by the content of files: two places of one content must not give one point two values.
    assert words("1", path="a.npy") == words("1", path="b.npz", array="k", layer=1, head=2)
    assert words("1", path="a.npy") != words("2", path="a.npy")
