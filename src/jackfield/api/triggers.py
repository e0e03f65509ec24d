"""Triggers: what starts workflows by itself. A trigger plugin says what of a document it serves; the store keeps that
in the transaction that saves or activates the workflow; afterwards the plugin follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from .records import record
from .workflows import Problem, Workflow

ROUTED = ("webhook", "form")
"""Kinds whose registrations are addresses: of each kind, a pattern may be live once per method."""


@record
class Registration:
    """One thing that a trigger node registers. For webhooks: a method and a path.

    pattern: the normalised key that may be live only once per kind and method, for the kinds of `ROUTED`; path: as
    shown, with its leading slash.
    """

    node_id: str
    node_name: str
    kind: str
    method: str
    path: str
    pattern: str
    authentication: str = "none"


@record
class WorkflowChange:
    """What was committed. `workflow` is None after a deletion."""

    workflow_id: str
    action: Literal["saved", "activated", "deactivated", "deleted"]
    workflow: Workflow | None


class Trigger(Protocol):
    """One kind of trigger."""

    kind: str

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        """What this workflow registers; disabled nodes register nothing."""

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        """Why this workflow must not go live (an authentication mode without its secret ...)."""

    async def follow(self, change: WorkflowChange) -> None:
        """Serve what the store now holds. Called after the commit and before the caller gets its answer."""
