"""Which numbers does an axis text such as ``64..1024:#9`` stand for?"""

from __future__ import annotations

import re

from pavlov_cli.errors import ConfigError

MOST_VALUES = 10_000
LARGEST = 2**31 - 1
_RANGE = re.compile(r"(\d+)\.\.(\d+)(?::([+#])(\d+))?")
FORMS = "64..1024 (doubling), 64..1024:+64 (steps), 64..1024:#9 (nine log-spaced), 64,96,128, or a mix with commas"


def parse_range(text: str, axis: str) -> tuple[int, ...]:
    """The values of an axis, in the order written, each once.

    Args:
        text: ``A..B`` doubles from A while <= B; ``A..B:+S`` steps by S; ``A..B:#C`` gives C log-spaced integers from A
            to B; single numbers; or a mix with commas.
        axis: name for error messages.

    Returns:
        Integers >= 1.

    Raises:
        ConfigError: the text is none of these, a number is below 1, a range runs backwards, or there are too many
        values.

    >>> parse_range("64..1024", "d_k")
    (64, 128, 256, 512, 1024)
    >>> parse_range("8,16..64:+16", "d_k")
    (8, 16, 32, 48, 64)
    """
    values: list[int] = []
    for part in str(text).split(","):
        values += _part(part.strip(), axis)
        if len(values) > MOST_VALUES:
            raise ConfigError(f"{axis} must have at most {MOST_VALUES} values; got more in '{text}'.")
    return tuple(dict.fromkeys(values))


def parse_fractions(text: str, name: str, *, up_to_1: bool = False) -> tuple[float, ...]:
    """Numbers between 0 and 1, in the order written, each once.

    Args:
        text: numbers separated by commas.
        name: name for error messages.
        up_to_1: whether 1 itself is allowed.

    Returns:
        Numbers in (0, 1), or (0, 1].

    Raises:
        ConfigError: something else.

    >>> parse_fractions("0.01,0.1", "target_error")
    (0.01, 0.1)
    """
    legal = "above 0 and at most 1" if up_to_1 else "between 0 and 1 (both excluded)"
    values = []
    for part in text.split(","):
        try:
            value = float(part)
        except ValueError:
            raise ConfigError(f"{name} must be a number; got '{part.strip()}'.") from None
        if not (0 < value < 1 or (up_to_1 and value == 1)):
            raise ConfigError(f"{name} must be {legal}; got {part.strip()}.")
        values.append(value)
    return tuple(dict.fromkeys(values))


def _number(text: str, axis: str) -> int:
    value = int(text) if len(text) < 12 else LARGEST + 1
    if not 1 <= value <= LARGEST:
        raise ConfigError(f"{axis} must be between 1 and {LARGEST}; got {text}.")
    return value


def _part(part: str, axis: str) -> list[int]:
    if re.fullmatch(r"[+-]?\d+", part):
        return [_number(part, axis)]
    match = _RANGE.fullmatch(part)
    if not match:
        raise ConfigError(f"{axis} must be like {FORMS}; got '{part}'.")
    first, last = _number(match[1], axis), _number(match[2], axis)
    if last < first:
        raise ConfigError(f"{axis} must run upwards; got '{part}'. Write {last}..{first}.")
    if match[3] is None:
        return [first << i for i in range((last // first).bit_length()) if first << i <= last]
    count = _number(match[4], axis)
    if match[3] == "+":
        if (last - first) // count >= MOST_VALUES:
            raise ConfigError(f"{axis} must have at most {MOST_VALUES} values; got more in '{part}'.")
        return list(range(first, last + 1, count))
    if not 2 <= count <= MOST_VALUES:
        raise ConfigError(f"{axis} must have between 2 and {MOST_VALUES} log-spaced values; got '{part}'.")
    ratio = last / first
    return list(dict.fromkeys(round(first * ratio ** (i / (count - 1))) for i in range(count)))
