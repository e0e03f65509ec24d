"""The workflow document: n8n's workflow JSON, read liberally.

`Workflow.document` is what the author wrote, untouched, so that unknown keys round-trip; the other fields are what the
daemon reads of it. Of a stored workflow, secrets are in the nodes' parameters alone: the document has them sealed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, NotRequired, TypeAlias, TypedDict

from .jsontext import Json
from .records import record

Document: TypeAlias = "dict[str, Json]"

NAMESPACES: Mapping[str, str] = {
    "jackfield.": "",
    "n8n-nodes-base.": "",
    "@n8n/n8n-nodes-base.": "",
    "@n8n/n8n-nodes-langchain.": "langchain.",
}
"""Prefix of a type as written -> prefix of its kind. Two of n8n's packages have types of the same names (`openAi`,
`code`), so that one of them keeps a prefix."""
MAIN = "main"
PARTS = "ai_"
"""How the kinds of wires begin that lead from a part of a node, such as a language model, to the node."""


class BinaryData(TypedDict):
    """One file of an item: `data` is its content in base64, or empty when `id` refers to a kept file."""

    data: str
    mimeType: str
    fileName: NotRequired[str]
    fileExtension: NotRequired[str]
    fileType: NotRequired[str]
    fileSize: NotRequired[str]
    bytes: NotRequired[int]
    directory: NotRequired[str]
    id: NotRequired[str]


class PairedItem(TypedDict):
    """Which input item an output item comes from. run: the index of the node's earlier run that got it; absent: this
    run."""

    item: int
    input: NotRequired[int]
    run: NotRequired[int]


class Item(TypedDict):
    """One item that flows along a wire. Plain data: it is stored and crosses into scripts as it is. Never change an
    item that you were handed: other branches hold the same object."""

    json: dict[str, Json]
    binary: NotRequired[dict[str, BinaryData]]
    pairedItem: NotRequired[PairedItem | int | list[PairedItem]]
    error: NotRequired[Json]


Items: TypeAlias = "list[Item]"
Outputs: TypeAlias = "list[Items]"
"""One list of items per output of the node."""

OnError: TypeAlias = Literal["stopWorkflow", "continueRegularOutput", "continueErrorOutput"]


def local_type(node_type: str) -> str:
    """The type without its namespace: `n8n-nodes-base.set` and `jackfield.set` are both `set`,
    `@n8n/n8n-nodes-langchain.agent` and `jackfield.langchain.agent` both `langchain.agent`; a foreign one stays."""
    for prefix, kept in NAMESPACES.items():
        if node_type.startswith(prefix):
            return kept + node_type[len(prefix) :]
    return node_type


@record
class Wire:
    """Where an output leads: the node's name and its input index."""

    node: str
    input: int


@record
class AttachedWire:
    """A node that serves another one instead of running in turn.

    `kind`: of the wire, such as `ai_tool`. `index`: which input of that kind it goes to.
    """

    kind: str
    node: str
    index: int = 0


@record
class Node:
    """One node.

    `type`: as written. `kind`: without namespace. `version`: None when the document has no typeVersion (then the
    specification's defaults hold, else n8n's). `parameters`: raw, expressions unresolved.
    """

    id: str
    name: str
    type: str
    kind: str
    version: float | None
    parameters: Mapping[str, Json]
    position: tuple[float, float] = (0.0, 0.0)
    disabled: bool = False
    credentials: Mapping[str, Json] = field(default_factory=dict)
    on_error: OnError = "stopWorkflow"
    tries: int = 1
    """How often it is run at most; 2 to 5 with retryOnFail, else 1."""
    wait_between_tries_ms: int = 1000
    execute_once: bool = False
    always_output_data: bool = False
    webhook_id: str | None = None
    raw: Mapping[str, Json] = field(default_factory=dict)

    def credential_id(self, kind: str) -> str | None:
        """The stored credential of this kind that the node names."""
        named = self.credentials.get(kind)
        found = named.get("id") if isinstance(named, dict) else None
        return found if isinstance(found, str) and found else None

    def missing_credential(self, kind: str) -> str:
        """The sentence for one that the node names, by its name or else its id, and that does not exist."""
        named = self.credentials.get(kind)
        name = named.get("name") or named.get("id") if isinstance(named, dict) else named
        return (
            f"The node {self.name} needs the credential {str(name)[:100]} of the kind {kind}, which does not exist; "
            "create or import it, or choose another."
        )


@record
class WorkflowSettings:
    """order: v1 runs a branch to its end before the next; v0 goes breadth first. timeout_s: None = no limit."""

    order: Literal["v0", "v1"] = "v1"
    timezone: str | None = None
    error_workflow: str | None = None
    timeout_s: float | None = None
    raw: Mapping[str, Json] = field(default_factory=dict)


@record
class Workflow:
    """One version of a workflow, parsed.

    `wires`: node name -> per output -> targets, main wires only, in document order. `attached`: node name -> its parts,
    in document order.
    """

    id: str | None
    name: str
    version: int
    active: bool
    nodes: Mapping[str, Node]
    wires: Mapping[str, tuple[tuple[Wire, ...], ...]]
    settings: WorkflowSettings
    pin_data: Mapping[str, Items]
    document: Document
    attached: Mapping[str, tuple[AttachedWire, ...]] = field(default_factory=dict)

    def parts(self) -> frozenset[str]:
        """The names of the nodes that serve others."""
        return frozenset(part.node for parts in self.attached.values() for part in parts)


Severity = Literal["error", "activation", "warning"]


@record
class Problem:
    """A mistake in a document.

    `path`: JSON path such as `nodes[2].parameters.path`. A warning leaves it valid; with `activation` it can be saved
    and run by hand, but not be live.
    """

    path: str
    message: str
    severity: Severity = "error"
