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
from jackfield.api.nodes.leaves import Apart, Leaf

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
    """The value at a path of raw parameters, or None."""
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
    """Those that are null, or that an item's own value stands for. names: field of the model -> key of the
    document."""
    for field, key in names.items():
        value = getattr(holder, field)
        if value is None or type(value) is Leaf:
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


async def make_leaves_exact(run: NodeRun, sides: Iterable[Side], given: Sequence[Apart[object]]) -> None:
    """The same for the items' own values. sides: of the parameters that the items share. Raises `NodeError`."""
    codes: list[tuple[int, str]] = []
    for side in sides:
        leaf = getattr(side.holder, side.field)
        match = _CODE.fullmatch(side.written) if isinstance(side.written, str) else None
        if type(leaf) is Leaf and match is not None:
            codes.append((leaf.place, match[1]))
    for index, (_, values) in enumerate(given):
        for place, code in codes if None in values else ():
            if values[place] is None:
                values[place] = await _exact(run, index, code)


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
