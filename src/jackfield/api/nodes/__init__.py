"""Nodes: all that a plugin needs to write one.

Here stand the port of a node type, the port that one run of a node gets, and the base of parameters. The rooms beside
it are for the work of a node, whose module imports them:

- `jackfield.api.nodes.items`: items that a node makes, their pairing, and items that failed.

- `jackfield.api.nodes.running`: how a node goes through its items; bases of node types, `ItemNode` for the most
  frequent case.

- `jackfield.api.nodes.files`: the files of items.

`jackfield.testing.node_runs` has `FakeNodeRun`, with which a test runs a node without an engine.
"""

from __future__ import annotations

from .descriptions import NodeCredential, NodeDescription, NodeShape
from .executions import ExecutionInfo, NodeAnswer, Resumed, StaticScope, Suspend
from .needs import needed
from .parameters import (
    ANY,
    CREDENTIAL_JSON,
    CREDENTIAL_ROWS,
    Flag,
    NodeParameters,
    NoParameters,
    Parameters,
    marked_paths,
)
from .starting import community_package, community_remedy, obstacles_of, unknown_type
from .types import (
    REVIEW_FORM,
    TOOL_FORM,
    AttachedNode,
    EntryNode,
    KeptBroken,
    NodeCatalog,
    NodeError,
    NodeOffer,
    NodeOutline,
    NodeResult,
    NodeRun,
    NodeType,
    NodeUnavailable,
    PatientNode,
    SelfServingNode,
    StreamingNode,
    SupplyingNode,
    entry_items,
    entry_node,
    patient_node,
    self_serving_node,
    streaming_node,
    supplying_node,
    type_of,
)

__all__ = [
    "ANY",
    "CREDENTIAL_JSON",
    "CREDENTIAL_ROWS",
    "REVIEW_FORM",
    "TOOL_FORM",
    "AttachedNode",
    "EntryNode",
    "ExecutionInfo",
    "Flag",
    "KeptBroken",
    "NoParameters",
    "NodeAnswer",
    "NodeCatalog",
    "NodeCredential",
    "NodeDescription",
    "NodeError",
    "NodeOffer",
    "NodeOutline",
    "NodeParameters",
    "NodeResult",
    "NodeRun",
    "NodeShape",
    "NodeType",
    "NodeUnavailable",
    "Parameters",
    "PatientNode",
    "Resumed",
    "SelfServingNode",
    "StaticScope",
    "StreamingNode",
    "SupplyingNode",
    "Suspend",
    "community_package",
    "community_remedy",
    "entry_items",
    "entry_node",
    "marked_paths",
    "needed",
    "obstacles_of",
    "patient_node",
    "self_serving_node",
    "streaming_node",
    "supplying_node",
    "type_of",
    "unknown_type",
]
