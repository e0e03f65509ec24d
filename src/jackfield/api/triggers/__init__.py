"""Triggers: what starts workflows by itself. A trigger plugin says what of a document it serves. The store keeps that
in the transaction that saves or activates the workflow. Afterwards the plugin follows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, Protocol, cast, runtime_checkable

from ..extensions import ExtensionPoint
from ..object_references import load
from ..records import record
from ..registrations import Registration as Registration
from ..workflows import Items, Node, Problem, Workflow


@record
class WorkflowChange:
    """A committed change. `workflow` is None after a deletion."""

    workflow_id: str
    action: Literal["saved", "activated", "deactivated", "deleted"]
    workflow: Workflow | None


def served_nodes(workflow: Workflow, kinds: Collection[str]) -> list[Node]:
    """The workflow's enabled nodes of these kinds, in the document's order."""
    return [node for node in workflow.nodes.values() if node.kind in kinds and not node.disabled]


def node_path(workflow: Workflow, node: Node) -> str:
    """The JSON path of a node in its document, such as `nodes[2]`, for `Problem`s."""
    listed = workflow.document.get("nodes")
    for index, raw in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(raw, dict) and raw.get("name") == node.name:
            return f"nodes[{index}]"
    return "nodes"


def registered_node(nodes: Iterable[Node], node_id: str, node_name: str) -> Node | None:
    """The node that registered itself with this id and name; ids may be missing or repeated in a document, so that the
    name counts too."""
    same = [node for node in nodes if node.id == node_id]
    return next((node for node in same if node.name == node_name), same[0] if same else None)


class Trigger(Protocol):
    """One kind of trigger."""

    kind: str

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        """The registrations of this workflow; disabled nodes register nothing."""

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        """Why this workflow must not go live (an authentication mode without its secret ...)."""

    async def follow(self, change: WorkflowChange) -> None:
        """Serve what the store now holds. Called after the commit and before the caller gets its answer."""


@record
class Start:
    """When or by which a node starts its workflow, as a sentence for readers, such as `Every weekday at 09:00`."""

    node_name: str
    text: str


@runtime_checkable
class StartTeller(Protocol):
    """A `Trigger` that can say it."""

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        """Of the workflow's enabled nodes that it serves, whether the workflow is live or not.

        It leaves out wrong nodes: `activation_problems` names them.
        """


class NodeTrigger:
    """Base of a `Trigger` that says which nodes it serves, where its `kind` is no kind of a node."""

    nodes: Collection[str] = ()
    """Kinds of these nodes."""

    def idle(self, node: Node) -> str:
        """Why this node of its starts nothing in a live workflow, a clause with a full stop; empty: it does."""
        return ""

    async def attention(self, workflow: Workflow) -> Sequence[Problem]:
        """The reasons that keep nodes of this live workflow from starting it now, such as a subscription that was
        refused. Asked with each change and now and then; beside `activation_problems`, which need not be repeated.
        """
        return []

    async def by_hand(self, workflow: Workflow, node: Node, execution_id: str) -> Items | None:
        """The output of this node of its in a run by hand, for which neither the caller nor pinned data says it; empty:
        nothing runs. None: the trigger has nothing to say. execution_id: of the run, for files. Raises
        `JackfieldError`, with which no execution starts."""
        return None


class OfferedTrigger:
    """A `Trigger` that is made with the first workflow that has one of its nodes."""

    def __init__(self, kind: str, serves: Collection[str], reference: str, *arguments: object) -> None:
        """serves: kinds of these nodes. reference: of a class or function that is called with `arguments` and gives the
        trigger."""
        self.kind = kind
        self.nodes = frozenset(serves)
        self._reference = reference
        self._arguments = arguments
        self._made: Trigger | None = None

    def _trigger(self) -> Trigger:
        if self._made is None:
            self._made = cast("Callable[..., Trigger]", load(self._reference))(*self._arguments)
        return self._made

    def concerns(self, workflow: Workflow | None) -> bool:
        """Whether the workflow has one of its nodes."""
        return workflow is not None and any(node.kind in self.nodes for node in workflow.nodes.values())

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return self._trigger().registrations(workflow) if self.concerns(workflow) else []

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        return await self._trigger().activation_problems(workflow) if self.concerns(workflow) else []

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        trigger = self._trigger() if self.concerns(workflow) else None
        return await trigger.starts(workflow) if isinstance(trigger, StartTeller) else []

    async def follow(self, change: WorkflowChange) -> None:
        """A trigger that was never made serves nothing that could end."""
        if self._made is not None or self.concerns(change.workflow):
            await self._trigger().follow(change)


TRIGGERS = ExtensionPoint("jackfield_triggers", Trigger, "kind")
