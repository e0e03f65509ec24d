"""The functions that scripts can call. No file, network, clock or process is within reach."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

import tomli_w

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.scripts import RhaiFunction
from jackfield_rhai.results import plain

MAX_INDENT = 200
"""Spaces; more is a mistake."""
MAX_INDENTED = 1 << 22
"""Characters: a text of many lines would become two hundred times as long before Rhai sees it."""


def json_encode(value: object) -> str:
    """A value as JSON in one line: `{"a":1}`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=plain)


def json_encode_pretty(value: object) -> str:
    """A value as JSON, two spaces per level."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=plain)


def json_decode(text: str) -> Json:
    """The value of a JSON text. Raises ValueError for anything but JSON."""
    found: Json = json.loads(text, parse_constant=_refuse)
    return found


def _refuse(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def toml_encode(value: object) -> str:
    """A map as TOML; what is `()` is left out, since TOML has no null. Raises TypeError for anything but a map."""
    if not isinstance(value, dict):
        raise TypeError(f"toml::encode takes a map, not a {type(value).__name__}")
    return tomli_w.dumps(_without_unit(value))


def _without_unit(value: dict[str, object]) -> dict[str, object]:
    return {key: _toml(part) for key, part in value.items() if part is not None}


def _toml(value: object) -> object:
    if isinstance(value, dict):
        return _without_unit(value)
    if isinstance(value, list):
        return [_toml(part) for part in value if part is not None]
    return plain(value) if isinstance(value, Decimal | bytes) else value


def indent(text: str, count: int) -> str:
    """Every line that is not empty, moved to the right by `count` spaces, 0 to 200."""
    if not 0 <= count <= MAX_INDENT:
        raise ValueError(f"indent takes 0 to {MAX_INDENT} spaces, not {count}")
    if len(text) + count * (text.count("\n") + 1) > MAX_INDENTED:
        raise ValueError(f"an indented text may have {MAX_INDENTED} characters")
    return "\n".join(" " * count + line if line else line for line in text.split("\n"))


def trim_lines(text: str) -> str:
    """Every line without the white space around it, without empty lines at the start and the end."""
    return "\n".join(line.strip() for line in text.split("\n")).strip("\n")


FUNCTIONS: Mapping[str, Callable[..., Json]] = {
    "json::encode": json_encode,
    "json::encode_pretty": json_encode_pretty,
    "json::decode": json_decode,
    "toml::encode": toml_encode,
    "json_encode": json_encode,
    "json_encode_pretty": json_encode_pretty,
    "toml_encode": toml_encode,
    "indent": indent,
    "trim_lines": trim_lines,
}


def functions(context: PluginContext) -> Sequence[RhaiFunction]:
    """Those with a namespace, given like a stranger's: their names are taken."""
    return [
        RhaiFunction(name, len(inspect.signature(function).parameters), function)
        for name, function in FUNCTIONS.items()
        if "::" in name
    ]
