"""The facts that lists show of node types, written down: making all of them takes seconds and tens of megabytes.

`tools/node_outlines.py` writes the files. A test compares them with what the node types say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from ..json_values import Json, dumps
from ..jsontext import loads
from ..records import as_dict, record
from .descriptions import NodeCredential, NodeDescription, NodeShape
from .types import NodeOutline

_PARTS = {"credentials": NodeCredential, "shapes": NodeShape}


@record
class WrittenOutline:
    """A `NodeOutline`."""

    kind: str
    versions: Sequence[float]
    description: NodeDescription
    effect: bool


class WrittenOutlines:
    """All of one file. One that is absent has none."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, Any]]:
        """By kind, as `outline_row` writes them."""
        if not self._file.is_file():
            return {}
        return cast("Mapping[str, Mapping[str, Any]]", loads(self._file.read_bytes()))

    def of(self, kind: str) -> WrittenOutline | None:
        row = self.rows.get(kind)
        if row is None:
            return None
        described = {**row["description"]}
        for name, part in _PARTS.items():
            described[name] = [part(**one) for one in described.get(name, ())]
        return WrittenOutline(kind, row["versions"], NodeDescription(**described), row["effect"])


def outline_row(outline: NodeOutline) -> dict[str, Json]:
    """As it is written down: what differs from the defaults of `NodeDescription`."""
    usual = as_dict(NodeDescription("", "", ""))
    told = as_dict(outline.description)
    given = {name: value for name, value in told.items() if value != usual[name]}
    for name in _PARTS.keys() & given.keys():
        given[name] = [as_dict(one) for one in cast("Sequence[object]", given[name])]
    row = {"versions": list(outline.versions), "effect": outline.effect, "description": given}
    return cast("dict[str, Json]", loads(dumps(row)))


def written(rows: Mapping[str, Mapping[str, Json]]) -> str:
    """The file: one line per node type."""
    return (
        "{\n" + ",\n".join(f"{dumps(kind).decode()}: {dumps(rows[kind]).decode()}" for kind in sorted(rows)) + "\n}\n"
    )
