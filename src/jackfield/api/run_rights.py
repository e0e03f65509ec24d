"""The port that says who may run a workflow by hand."""

from __future__ import annotations

from typing import Protocol

from .auth import Principal
from .storage import ExecutionRow
from .workflows import Workflow


class RunRights(Protocol):
    """Of callers who are known to have the scope `workflows:execute`."""

    async def check(self, workflow: Workflow, caller: Principal) -> None:
        """Raises `AccessDenied` for a node that needs a scope which the caller lacks, `StoreUnavailable`."""

    async def check_run(self, row: ExecutionRow) -> None:
        """To end an execution that the current reach sees, or to let it go on. Raises `AccessDenied` for who may not
        start its workflow, `StoreUnavailable`."""
