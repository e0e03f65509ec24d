"""The ports to the rules of node types: for changes of projects, and for executions."""

from __future__ import annotations

from typing import Protocol

from .auth import Principal
from .records import record
from .workflows import Workflow


class ProjectNodeRules(Protocol):
    """`[[node_types.rules]]` whose project is named."""

    async def check_move(self, workflow_id: str, project_id: str, caller: Principal) -> None:
        """Raises `AccessDenied` for a workflow with a node that a rule of the project excludes, `NotFound`,
        `StoreUnavailable`."""

    async def check_rename(self, project_id: str) -> None:
        """Raises `Conflict` for a project that a rule names by its name."""


@record
class ExcludedNode:
    """node: its name; message: the rule that excludes it, and the remedy."""

    node: str
    message: str


class RunNodeRules(Protocol):
    """The rules that apply to a workflow whoever starts it: those of roles do not."""

    @property
    def in_use(self) -> bool:
        """Whether there is any rule."""

    async def excluded(self, workflow: Workflow) -> ExcludedNode | None:
        """The first node that keeps it from running, in the reach of its execution. Raises `StoreUnavailable`."""
