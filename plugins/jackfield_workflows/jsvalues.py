"""JavaScript's rules for reading members of JSON values and for turning them into text.

None stands for undefined as well as for null. Integers keep their digits, also beyond 2^53.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from jackfield.api import jsontext

Key = str | int


class Beyond(Exception):
    """Python would not give exactly what JavaScript gives."""


class Special:
    """A value of an expression that is no JSON, such as a date. Its methods raise `Beyond` where they do not know."""

    __slots__ = ()

    def text(self) -> str:
        """`String(value)`"""
        raise Beyond

    def json(self) -> str:
        """The text that JSON has for it."""
        raise Beyond

    def number(self) -> int:
        """`Number(value)`"""
        raise Beyond

    def primitive(self) -> object:
        """What `+` works with."""
        raise Beyond

    def member(self, name: str) -> object:
        """`value[name]`, of a name that is no method's."""
        raise Beyond

    def methods(self) -> Mapping[str, tuple[int, int, Callable[..., object]]]:
        """Name -> fewest arguments, most arguments, what is called with the value and the arguments."""
        raise Beyond


def member(value: object, key: Key) -> object:
    """`value[key]`, own properties only; None for what JavaScript has no data at."""
    if isinstance(value, dict):
        return value.get(key if type(key) is str else str(key))
    if isinstance(value, list):
        if key == "length":
            return len(value)
        index = array_index(key)
        return value[index] if index is not None and index < len(value) else None
    if isinstance(value, str):
        return text_length(value) if key == "length" else _unit(value, array_index(key))
    if isinstance(value, Mapping):
        return value.get(str(key))
    return None


def array_index(key: Key) -> int | None:
    """The index that a key means: `0` and `"0"`, but not `"00"`."""
    if type(key) is int:
        return key
    text = str(key)
    if text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") and len(text) < 16:
        return int(text)
    return None


def text_length(text: str) -> int:
    """UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _unit(text: str, index: int | None) -> str | None:
    """The code unit at an index. Half a character has no text of its own, so U+FFFD stands for it."""
    if index is None:
        return None
    if text.isascii():
        return text[index] if index < len(text) else None
    unit = text.encode("utf-16-le", "surrogatepass")[2 * index : 2 * index + 2]
    return unit.decode("utf-16-le", "replace") if unit else None


def template_text(value: object) -> str:
    """How a value prints inside a template: null, undefined, NaN and "" print nothing, the rest as `String(value)`."""
    if type(value) is str:
        return value
    if value is None or value != value:
        return ""
    return to_text(value)


def json_template_text(value: object) -> str:
    """How a value prints inside a JSON text: objects and lists as JSON, texts as they are, nothing as null."""
    if isinstance(value, Special):
        return f'"{value.json()}"'
    if isinstance(value, dict | list):
        return jsontext.dumps(value).decode()
    return "null" if value is None or value != value else to_text(value)


def to_text(value: object) -> str:
    """`String(value)`."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, Sequence):
        return ",".join("" if item is None else to_text(item) for item in value)
    if isinstance(value, Special):
        return value.text()
    return "[object Object]"


def number_text(value: float) -> str:
    """JavaScript's `Number::toString`: the shortest digits that read back, an exponent below 1e-6 and from 1e21 on."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return sign + _place(digits, point)


def _place(digits: str, point: int) -> str:
    """Write digits whose decimal point stands after the first `point` of them."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{'+' if power >= 0 else '-'}{abs(power)}"
