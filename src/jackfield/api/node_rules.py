"""The port to the rules of node types, for changes of projects."""

from __future__ import annotations

from typing import Protocol

from .auth import Principal


class ProjectNodeRules(Protocol):
    """`[[node_types.rules]]` whose project is named."""

    async def check_move(self, workflow_id: str, project_id: str, caller: Principal) -> None:
        """Raises `AccessDenied` for a workflow with a node that a rule of the project excludes, `NotFound`,
        `StoreUnavailable`."""

    async def check_rename(self, project_id: str) -> None:
        """Raises `Conflict` for a project that a rule names by its name."""
