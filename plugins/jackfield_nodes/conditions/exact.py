"""Values of expressions that JSON has no name for: undefined, NaN and the infinite numbers.

Expressions give null for them. Conditions tell them apart, so that a condition whose value is null asks again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jackfield.api.javascript import UNDEFINED
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeRun, Parameters

_CODE = re.compile(r"=\s*\{\{(.*)\}\}\s*", re.DOTALL)
_PATH = re.compile(r"\s*\$json((?:\s*\??\.\s*[A-Za-z_]\w*)+)\s*", re.ASCII)
_NUMBERS: Mapping[str, float] = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_KIND = "((value) => value === undefined ? 'undefined' : String(value))(\n%s\n)"


class Side(NamedTuple):
    """A field of resolved parameters, and what the document has there."""

    holder: Parameters
    field: str
    written: object


def member(written: object, *path: str | int) -> object:
    """What lies at a path of raw parameters, or None."""
    value = written
    for key in path:
        if isinstance(value, Mapping) and isinstance(key, str):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value


def written_sides(holder: Parameters, written: object, names: Mapping[str, str]) -> Iterator[Side]:
    """names: field of the model -> key of the document."""
    for field, key in names.items():
        if getattr(holder, field) is None:
            yield Side(holder, field, member(written, key))


def _at_path(json: Mapping[str, Json], path: str) -> object:
    """Of a plain path whose value is null: whether it is, or nothing is there."""
    found: Json = dict(json)
    for name in re.findall(r"\w+", path):
        if not isinstance(found, dict) or name not in found:
            return UNDEFINED
        found = found[name]
    return None


async def make_exact(run: NodeRun, rows: Sequence[Iterable[Side]]) -> None:
    """Put the exact values in place of the nulls. rows: per item. Raises `NodeError`."""
    for index, sides in enumerate(rows):
        for side in sides:
            match = _CODE.fullmatch(side.written) if isinstance(side.written, str) else None
            if match is not None:
                setattr(side.holder, side.field, await _exact(run, index, match[1]))


async def _exact(run: NodeRun, index: int, code: str) -> object:
    if not code.strip():
        return UNDEFINED
    if path := _PATH.fullmatch(code):
        return _at_path(run.items[index]["json"], path[1])
    source = _KIND % code.strip().removesuffix(";")
    kind = (await run.evaluate({"kind": f"={{{{ {source} }}}}"}, item=index))["kind"]
    if kind in (None, "undefined"):
        return UNDEFINED
    return _NUMBERS.get(str(kind))
