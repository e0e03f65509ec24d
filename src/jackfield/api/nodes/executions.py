"""A node's knowledge of its execution, and its effects on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from ..binary import Content
from ..jsontext import Json
from ..records import record
from ..workflows import Items, Outputs, Workflow


@record
class ExecutionInfo:
    """The facts of its execution that a node may know. `mode`: webhook, test, manual, trigger, retry, error, sub."""

    id: str
    mode: str
    workflow: Workflow
    timezone: str = "UTC"
    """IANA name of the zone that the workflow's times are meant in."""
    variables: Mapping[str, str] = field(default_factory=dict)
    resume_address: Callable[[], str] = str
    """Makes `resume_url`: a signature, which few executions need."""
    depth: int = 0
    """How many executions stand above it."""

    @property
    def resume_url(self) -> str:
        """Where the execution is called while it waits; empty in a test without an engine."""
        return self.resume_address()


StaticScope: TypeAlias = Literal["global", "node", "deduplication"]
"""global: shared by the workflow's nodes; node: of the node with this name; deduplication: which items the workflow
saw, out of the reach of scripts."""


@record
class NodeAnswer:
    """The answer of a Respond to Webhook node. `body`: as sent, bytes or a kept file. `headers`: may repeat a name."""

    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    body: Content = b""


@record
class Suspend:
    """Returned instead of outputs: the execution waits, survives a restart, and goes on with `outputs`.

    `until`: Unix ms; None: until a call comes. `call`: what a call must be like, for whoever serves them
    (`Engine.waiting`); what it brings is the node's output then. None: no call ends the wait. `state`: the node is not
    done with the wait, but runs again with this and what the call has brought (`NodeRun.resumed`). None: it is done.
    """

    until: int | None
    outputs: Outputs
    call: Mapping[str, Json] | None = None
    state: Mapping[str, Json] | None = None


@record
class Resumed:
    """The data that a node run goes on with after a wait.

    `state`: see `Suspend.state`. `items`: of the call; None: none came in time.
    """

    state: Mapping[str, Json]
    items: Items | None
