"""The port that says who may run a workflow by hand."""

from __future__ import annotations

from typing import Protocol

from .auth import Principal
from .workflows import Workflow


class RunRights(Protocol):
    """Of callers who are known to have the scope `workflows:execute`."""

    async def check(self, workflow: Workflow, caller: Principal) -> None:
        """Raises `AccessDenied` for a node that needs a scope which the caller lacks, `StoreUnavailable`."""
