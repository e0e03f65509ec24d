"""Whether a workflow has a node that sends chunks; see `jackfield.api.streaming`."""

from __future__ import annotations

from ..workflows import Node, Workflow
from .types import NodeCatalog, streaming_node

NOTHING_STREAMS = (
    "No node behind this one can stream. Add an AI Agent (from version 2.1) or a Respond to Webhook (from version 1.5) "
    "with enableStreaming, or choose another responseMode."
)
"""Why a trigger whose response mode is streaming cannot go live: its callers would get nothing."""


def streams_behind(start: Node, workflow: Workflow, catalog: NodeCatalog) -> bool:
    """Whether a node that the trigger leads to can send chunks."""
    seen, open_ends = {start.name}, [start.name]
    while open_ends:
        for targets in workflow.wires.get(open_ends.pop(), ()):
            fresh = {wire.node for wire in targets} - seen
            seen |= fresh
            open_ends += fresh
    behind = (workflow.nodes[name] for name in seen if name in workflow.nodes)
    return any(
        (found := streaming_node(catalog.find(node.kind))) is not None and found.streams(node)
        for node in behind
        if not node.disabled
    )
