"""A range text stands for exactly the numbers it names."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavlov_cli.errors import ConfigError
from pavlov_cli.plan.ranges import LARGEST, MOST_VALUES, parse_fractions, parse_range

numbers = st.integers(1, LARGEST)


def _ordered(pair):
    return tuple(sorted(pair))


spans = st.tuples(numbers, numbers).map(_ordered)


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=20))
def test_a_list_reads_back_in_order_each_once(values):
    assert parse_range(",".join(map(str, values)), "d_k") == tuple(dict.fromkeys(values))


@settings(deadline=None)
@given(spans)
def test_two_dots_double_from_the_first_while_at_most_the_last(span):
    first, last = span
    found = parse_range(f"{first}..{last}", "d_k")
    assert found == tuple(first * 2**i for i in range(len(found)))
    assert found[-1] <= last < 2 * found[-1]


@settings(deadline=None)
@given(st.integers(1, LARGEST // 2), st.integers(1, 10**5), st.integers(0, 200), st.integers(0, 10**5))
def test_steps_are_those_of_range(first, step, count, rest):
    last = first + step * count + rest % step
    assert parse_range(f"{first}..{last}:+{step}", "d_k") == tuple(range(first, last + 1, step))


@settings(deadline=None)
@given(spans, st.integers(2, 60))
def test_log_spaced_values_hold_both_ends_and_one_ratio(span, count):
    first, last = span
    found = parse_range(f"{first}..{last}:#{count}", "d_k")
    assert (found[0], found[-1]) == (first, last)
    assert list(found) == sorted(set(found))
    assert len(found) <= count
    ratio = (last / first) ** (1 / (count - 1))
    for i, value in enumerate(found if len(found) == count else ()):
        assert abs(value - first * ratio**i) <= 0.5 + 1e-6 * value


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=5), spans)
def test_a_mix_joins_its_parts(values, span):
    part = f"{span[0]}..{span[1]}"
    text = ",".join([*map(str, values), part])
    assert parse_range(text, "d_k") == tuple(dict.fromkeys([*values, *parse_range(part, "d_k")]))


@settings(deadline=None)
@given(st.text(max_size=12))
def test_any_text_is_a_range_or_a_config_error(text):
    # nothing but a ConfigError may come out
    with contextlib.suppress(ConfigError):
        found = parse_range(text, "d_k")
        assert found
        assert all(1 <= value <= LARGEST for value in found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("64..1024", (64, 128, 256, 512, 1024)),
        ("64..1023", (64, 128, 256, 512)),
        ("64..256:+64", (64, 128, 192, 256)),
        ("64..1024:#9", (64, 91, 128, 181, 256, 362, 512, 724, 1024)),
        ("64,96,128", (64, 96, 128)),
        ("96,64..256,96", (96, 64, 128, 256)),
        (" 8 , 16 ", (8, 16)),
        ("+8", (8,)),
        ("008", (8,)),
        ("7..7", (7,)),
        ("7..7:#5", (7,)),
        ("1..3:#10", (1, 2, 3)),
        (str(LARGEST), (LARGEST,)),
    ],
)
def test_forms(text, found):
    assert parse_range(text, "d_k") == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0", "between 1 and"),
        ("-8", "between 1 and 2147483647; got -8"),
        ("0..8", "between 1 and"),
        (str(LARGEST + 1), "between 1 and"),
        ("1.5", "must be like"),
        ("1e3", "must be like"),
        ("8..", "must be like"),
        ("..8", "must be like"),
        ("8...16", "must be like"),
        ("8..16:64", "must be like"),
        ("8..16:*2", "must be like"),
        ("8..16:+-1", "must be like"),
        ("8:16", "must be like"),
        ("", "got ''"),
        ("8,", "got ''"),
        ("null", "must be like"),
        ("16..8", r"must run upwards; got '16..8'. Write 8..16."),
        ("8..16:+0", "between 1 and"),
        ("8..16:#1", "between 2 and"),
        (f"8..16:#{MOST_VALUES + 1}", "between 2 and"),
        (f"1..{MOST_VALUES + 1}:+1", "at most 10000 values"),
        (f"1..{MOST_VALUES}:+1,{MOST_VALUES + 1}", "at most 10000 values"),
    ],
)
def test_what_is_refused(text, said):
    with pytest.raises(ConfigError, match=said):
        parse_range(text, "d_k")


def test_as_many_values_as_allowed_are_allowed():
    assert len(parse_range(f"1..{MOST_VALUES}:+1", "d_k")) == MOST_VALUES


def test_the_error_names_the_axis():
    with pytest.raises(ConfigError, match="^num_associations must"):
        parse_range("x", "num_associations")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nan", "between 0 and 1"),
        ("inf", "between 0 and 1"),
        ("0", "between 0 and 1"),
        ("1", "between 0 and 1"),
        ("2", r"target_error must be between 0 and 1 \(both excluded\); got 2"),
        ("-0.1", "between 0 and 1"),
        ("much", "must be a number; got 'much'"),
        ("0.1,,0.2", "must be a number"),
        ("", "must be a number"),
    ],
)
def test_fractions_outside_their_range_are_refused(text, said):
    with pytest.raises(ConfigError, match=said):
        parse_fractions(text, "target_error")


def test_a_cosine_may_be_1_and_a_target_may_not():
    assert parse_fractions("1,0.9,1", "query.cosine", up_to_1=True) == (1.0, 0.9)
    with pytest.raises(ConfigError, match="above 0 and at most 1"):
        parse_fractions("1.1", "query.cosine", up_to_1=True)
