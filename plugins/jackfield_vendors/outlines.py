"""The facts that lists show of shipped nodes, without reading their descriptions.

`tools/node_outlines.py` writes them down. One whose description has changed since is not believed: its node is made.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from jackfield.api.json_values import Json
from jackfield.api.nodes import NodeOutline
from jackfield.api.nodes.outlines import WrittenOutline, WrittenOutlines, outline_row

WRITTEN = Path(__file__).with_name("outlines.json")


class VendorOutlines:
    """All that are written down. file: absent: every node is made."""

    def __init__(self, file: Path = WRITTEN) -> None:
        self._written = WrittenOutlines(file)

    def of(self, kind: str, description: Path) -> WrittenOutline | None:
        """None: nothing is known of this description as it is now."""
        row = self._written.rows.get(kind)
        return self._written.of(kind) if row is not None and row["digest"] == digest(description) else None


def digest(description: Path) -> str:
    return blake2b(description.read_bytes(), digest_size=16).hexdigest()


def vendor_row(outline: NodeOutline, description: Path) -> dict[str, Json]:
    """As it is written down."""
    return {"digest": digest(description), **outline_row(outline)}
