"""Answers that a caller reads in chunks while the execution runs: JSON lines, in n8n's form."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from .jsontext import Json, dumps
from .records import record

ChunkType: TypeAlias = Literal["begin", "item", "end", "error"]


@record
class Chunk:
    """One piece.

    `content`: a text, or JSON as text; None: it has none. `item`: index of the node's input item. `run`: how often the
    node ran before. `time`: Unix ms. `node_id`, `node_name`: empty where no node is to blame for an error.
    """

    type: ChunkType
    content: str | None
    node_id: str
    node_name: str
    item: int
    run: int
    time: int

    def line(self) -> bytes:
        """As it is sent."""
        content: dict[str, Json] = {} if self.content is None else {"content": self.content}
        metadata: dict[str, Json] = {
            "nodeId": self.node_id,
            "nodeName": self.node_name,
            "itemIndex": self.item,
            "runIndex": self.run,
            "timestamp": self.time,
        }
        return dumps({"type": self.type, **content, "metadata": metadata}) + b"\n"


class ChunkStream(Protocol):
    """Takes the chunks of one execution for its caller."""

    async def put(self, chunk: Chunk) -> None:
        """Returns once there is room for it, which a slow caller makes; at once when the caller went away. Raises
        nothing."""
