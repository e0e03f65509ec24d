"""Merge and Compare Datasets on a bench: several inputs, and items told apart by where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from node_fakes import Bench

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Items, Outputs

Rows = Sequence[Mapping[str, Json]]


def file(name: str) -> dict[str, Any]:
    return {"data": name, "mimeType": "text/plain"}


def entries(rows: Rows) -> Items:
    return [{"json": dict(row)} for row in rows]


async def combined(
    bench: Bench, version: float | None, parameters: Mapping[str, Any], *inputs: Rows | Items, kind: str = "merge"
) -> Outputs:
    """The outputs for these inputs: plain objects, or whole items."""
    given: list[Any] = [rows if rows and "json" in rows[0] else entries(rows) for rows in inputs]  # type: ignore[arg-type]
    return await bench.outputs(bench.run(kind, version, parameters, given[0], others=given[1:]))


async def jsons(bench: Bench, version: float | None, parameters: Mapping[str, Any], *inputs: Rows) -> list[Any]:
    (made,) = await combined(bench, version, parameters, *inputs)
    return [item["json"] for item in made]


async def origins(bench: Bench, version: float | None, parameters: Mapping[str, Any], *inputs: Rows) -> list[Any]:
    """Per item of the output, the (input, index) of the items it comes from."""
    (made,) = await combined(bench, version, parameters, *inputs)
    return [references(item) for item in made]


def references(item: Any) -> list[tuple[int, int]]:
    paired = item["pairedItem"]
    return [(one.get("input", 0), one["item"]) for one in (paired if isinstance(paired, list) else [paired])]
