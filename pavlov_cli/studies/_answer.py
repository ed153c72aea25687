"""What is the result in one sentence?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pavlov_cli.config.sheets import read_sheet
from pavlov_cli.report.terminal import number
from pavlov_cli.series import label, same_memory, telling_apart, trimmed

Row = Mapping[str, Any]
_ALIKE = ("criterion", "margin", "target_error", "d_k", "d_v", "update_rule", "feature_map", "value_ensemble")

_MEANINGS = {
    "mse": "squared error",
    "sign": "wrong signs",
    "top1": "wrong nearest values",
    "listwise": "values missing from the list",
    "codebook": "wrong codebook entries",
    "cosine": "cosine distance",
}


def _judged(row: Row) -> str:
    """What counts as held, in words."""
    if row["criterion"] == "guaranteed":
        margin = row["margin"]
        return "whatever the values are" + ("" if margin == 1 else f" (margin {number(margin)})")
    meaning = _MEANINGS.get(row["criterion"], row["criterion"])
    return f"at {number(100 * row['target_error'])}% {meaning}"


def _amount(row: Row) -> str:
    if row["censored"]:
        return f"fewer than {row['bound']}" if row["side"] == "below" else f"more than {row['bound']}"
    return number(row["capacity"], 3)


def capacity_answer(rows: Sequence[Row], verdicts: Sequence[Row]) -> str:
    """The answer of a capacity study.

    Args:
        rows: capacity rows in reading order.
        verdicts: verdict rows.

    Returns:
        One sentence: capacities at the largest d_k and how they grow, or how data compares with random keys.
    """
    if any(row["key_ensemble"] == "file" for row in rows):
        return _data_answer(rows)
    d_k = max(row["d_k"] for row in rows)
    last = [row for row in rows if row["d_k"] == d_k]
    judged = list(dict.fromkeys((row["criterion"], row["margin"], row["target_error"]) for row in last))
    shown = {id(row): plain for row, plain in zip(last, trimmed(last), strict=True)}
    differing = telling_apart(list(shown.values()), ("criterion", "margin", "target_error"))
    parts = []
    for criterion, margin, target in judged:
        members = [r for r in last if (r["criterion"], r["margin"], r["target_error"]) == (criterion, margin, target)]
        if not differing:
            parts.append(f"{_amount(members[0])} {_judged(members[0])}{_growth(members[0], verdicts)}")
            continue
        held = [f"{_amount(row)} with {label(shown[id(row)], differing)}{_growth(row, verdicts)}" for row in members]
        parts.append(f"{_judged(members[0])}: {', '.join(held)}")
    subject = "held are," if differing else f"one {_memory(last[0])} holds"
    return f"At d_k = {d_k} {subject} {_join(parts)}."


def _memory(row: Row) -> str:
    rule = {"hebb": "Hebbian head"}.get(row["update_rule"], f"{row['update_rule']} head")
    return f"{rule} with {read_sheet('key_ensemble', row['key_ensemble']).about['named']}"


def _growth(row: Row, verdicts: Sequence[Row]) -> str:
    found = [
        verdict
        for verdict in verdicts
        if same_memory(verdict, row)
        and all(verdict[name] == row[name] for name in ("criterion", "margin", "target_error"))
    ]
    if not found or found[0]["exponent"] is None:
        return ""
    verdict = found[0]
    text = f", growing as d_k^{verdict['exponent']:.2f}"
    if verdict["consistent"] is None:
        return text
    agreement = "consistent" if verdict["consistent"] else "INCONSISTENT"
    return f"{text} ({agreement} with the {verdict['law']} law: {verdict['predicted_exponent']:.2f} at these d_k)"


def _data_answer(rows: Sequence[Row]) -> str:
    """How far real keys fall below random keys of the same d_k, criterion by criterion."""
    parts = []
    data = [row for row in rows if row["key_ensemble"] == "file"]
    plain = trimmed(data)
    differing = telling_apart(plain, ("criterion", "margin", "target_error"))
    for row, shown in zip(data, plain, strict=True):
        name = label(shown, differing)
        random = next(r for r in rows if r["key_ensemble"] == "sphere" and _alike(r, row))
        named = f" with {name}" if name else ""
        parts.append(f"{_amount(row)} against {_amount(random)} {_judged(row)}{named}{_ratio(row, random)}")
    return f"At d_k = {data[0]['d_k']} these keys hold, against random keys, {_join(parts)}."


def _alike(row: Row, other: Row) -> bool:
    """Whether two rows differ in nothing but where their keys come from."""

    def others(r: Row) -> dict[str, Any]:
        return {n: v for n, v in json.loads(r["parameters"]).items() if not n.startswith("key_ensemble.")}

    return others(row) == others(other) and all(row[name] == other[name] for name in _ALIKE)


def _ratio(row: Row, random: Row) -> str:
    ours, theirs = (r["mean_capacity"] or r["capacity"] for r in (row, random))
    if not ours or not theirs:
        return ""
    share = ours / theirs
    way = "below" if share <= 1 else "above"
    means = " by their means" if row["mean_capacity"] else ""
    return f" ({100 * abs(1 - share):.0f}% {way}{means})"


def _join(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else "; ".join(parts[:-1]) + "; and " + parts[-1]


def required_answer(rows: Sequence[Row]) -> str:
    """The answer of the inverse question: the d_k that each criterion needs for the largest n asked for.

    Args:
        rows: rows with ``required_d_k``.

    Returns:
        One sentence.
    """
    n = max(row["num_associations"] for row in rows)
    last = [row for row in rows if row["num_associations"] == n]
    plain = trimmed(last)
    differing = telling_apart(plain, ("criterion", "margin", "target_error"))
    parts = []
    for row, shown in zip(last, plain, strict=True):
        named = f" with {label(shown, differing)}" if differing else ""
        parts.append(f"d_k = {_needed(row)} {_judged(row)}{named}")
    subject = "To hold" if differing else f"For one {_memory(last[0])} to hold"
    return f"{subject} {n} associations takes {_join(parts)}."


def _needed(row: Row) -> str:
    if row["censored"]:
        return f"at most {row['bound']}" if row["side"] == "below" else f"more than {row['bound']}"
    limits = f"{number(row['required_low'], 3)} .. {number(row['required_high'], 3)}"
    return f"{number(row['required_d_k'], 3)} [{limits}]"


def error_answer(rows: Sequence[Row]) -> str:
    """The answer of an error-rate study: the span of errors over the n asked for, per criterion.

    Args:
        rows: error rows.

    Returns:
        One sentence.
    """
    rows = trimmed(rows)
    differing = telling_apart(rows, ("criterion", "d_k", "num_associations"))
    series: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        series.setdefault((row["criterion"], row["d_k"], *(row[name] for name in differing)), []).append(row)
    parts = []
    for members in series.values():
        ordered = sorted(members, key=lambda row: row["num_associations"])
        name = label(ordered[0], differing)
        title = f"the {ordered[0]['criterion']} error" + (f" ({name})" if name else "")
        parts.append(f"{title} at d_k = {ordered[0]['d_k']} {_span(ordered[0], ordered[-1])}")
    text = _join(parts)
    return text[0].upper() + text[1:] + "."


def _span(first: Row, last: Row) -> str:
    def at(row: Row) -> str:
        limits = f"{number(row['error_low'], 3)} .. {number(row['error_high'], 3)}"
        return f"{number(row['error_rate'], 3)} [{limits}] at n = {row['num_associations']}"

    if first is last:
        return f"is {at(first)}"
    return f"goes from {at(first)} to {at(last)}"
