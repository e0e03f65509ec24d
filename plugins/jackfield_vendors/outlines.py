"""The facts that lists show of shipped nodes, without reading their descriptions: making all of them takes seconds and
40 MB.

`tools/vendor_outlines.py` writes them down. One whose description has changed since is not believed: its node is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from jackfield.api.json_values import Json, dumps
from jackfield.api.jsontext import loads
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeOutline, NodeShape
from jackfield.api.records import as_dict, record

WRITTEN = Path(__file__).with_name("outlines.json")
_PARTS = {"credentials": NodeCredential, "shapes": NodeShape}


@record
class VendorOutline:
    """A `NodeOutline`."""

    kind: str
    versions: Sequence[float]
    description: NodeDescription
    effect: bool


class VendorOutlines:
    """All that are written down. file: absent, or not readable: every node is made."""

    def __init__(self, file: Path = WRITTEN) -> None:
        self._file = file

    @cached_property
    def _rows(self) -> Mapping[str, Mapping[str, Any]]:  # as `outline_row` writes them
        if not self._file.is_file():
            return {}
        return cast("Mapping[str, Mapping[str, Any]]", loads(self._file.read_bytes()))

    def of(self, kind: str, description: Path) -> VendorOutline | None:
        """None: nothing is known of this description as it is now."""
        row = self._rows.get(kind)
        if row is None or row["digest"] != digest(description):
            return None
        described = {**row["description"]}
        for name, part in _PARTS.items():
            described[name] = [part(**one) for one in described.get(name, ())]
        return VendorOutline(kind, row["versions"], NodeDescription(**described), row["effect"])


def digest(description: Path) -> str:
    return blake2b(description.read_bytes(), digest_size=16).hexdigest()


def outline_row(outline: NodeOutline, description: Path) -> dict[str, Json]:
    """As it is written down: what differs from the defaults of `NodeDescription`."""
    usual = as_dict(NodeDescription("", "", ""))
    told = as_dict(outline.description)
    given = {name: value for name, value in told.items() if value != usual[name]}
    for name in _PARTS.keys() & given.keys():
        given[name] = [as_dict(one) for one in cast("Sequence[object]", given[name])]
    row = {
        "digest": digest(description),
        "versions": list(outline.versions),
        "effect": outline.effect,
        "description": given,
    }
    return cast("dict[str, Json]", loads(dumps(row)))


def written(rows: Mapping[str, Mapping[str, Json]]) -> str:
    """The file: one line per node."""
    return "{\n" + ",\n".join(_lines(rows)) + "\n}\n"


def _lines(rows: Mapping[str, Mapping[str, Json]]) -> Iterator[str]:
    for kind in sorted(rows):
        yield f"{dumps(kind).decode()}: {dumps(rows[kind]).decode()}"
