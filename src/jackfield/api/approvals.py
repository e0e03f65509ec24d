"""Approvals: what people are asked, by executions that wait and by agents that want to do something.

A question of an execution stands in the store: every daemon over it can show and answer it. An agent's request lives
with the agent, at one host, and ends with it.

Source: docs/approvals.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from .jsontext import Json
from .records import record

ApprovalState: TypeAlias = Literal["open", "answered", "withdrawn", "expired"]
"""withdrawn: whoever has asked waits no more; expired: nobody has answered in time, and it was rejected."""
AskedBy: TypeAlias = Literal["agent_session", "terminal_session", "run"]
TOPIC = "approvals"
"""Of events: `approval_opened`, `approval_closed`, about agents' requests."""


@record
class ApprovalOption:
    """One answer. allows: it lets go on what was asked for; lasting: for more than this once."""

    id: str
    label: str
    allows: bool
    lasting: bool = False


@record
class WaitingQuestion:
    """The question that an execution waits for.

    `id`: `<execution>.<question>`. `kind`: `question` of a node that has sent it, `form` of a page. `fields`: of the
    form, empty where an option is chosen. `asked_ms`, `until_ms`: Unix ms. `until_ms`: None: it waits without end.
    `url`: of the page that answers too. Empty for who may not answer. `test`: the execution
    is a test of its workflow. `tool`, `input`: of the call that an agent wants to make, when the question is about one.
    """

    id: str
    kind: Literal["question", "form"]
    title: str
    message: str
    asked_ms: int
    until_ms: int | None
    execution_id: str
    workflow_id: str | None
    workflow: str
    node: str
    options: Sequence[ApprovalOption] = ()
    fields: Sequence[Mapping[str, Json]] = ()
    url: str = ""
    test: bool = False
    tool: str = ""
    input: Json = None


@record
class OpenQuestions:
    """rows: newest first. complete: every waiting execution was looked at."""

    rows: Sequence[WaitingQuestion]
    complete: bool = True


class WaitingQuestions(Protocol):
    """The port: questions that executions of this store wait for."""

    async def open(self) -> OpenQuestions:
        """Raises `StoreUnavailable`."""

    async def find(self, id: str) -> WaitingQuestion:
        """Raises `NotFound`; `Conflict` when the execution waits for it no more; `StoreUnavailable`."""

    async def answer(self, id: str, option: str, fields: Mapping[str, Json]) -> None:
        """Returns once the answer is durable; of several one wins. option: of `options`, empty for a form. fields: by
        their keys. Raises `NotFound`, `AccessDenied`, `Conflict` when it waits no more, `InvalidInput` that names the
        field, `StoreUnavailable`."""


@record
class ApprovalAnswer:
    """`option`: the id of one that is offered.

    `note`: a reason, which agents may pass on to their models. `by`: the name of who answers; empty: the daemon itself,
    as nobody has. `remote`: from another machine, or nobody knows.
    """

    option: str
    note: str = ""
    by: str = ""
    remote: bool = False


@record
class AgentRequest:
    """The action that an agent wants permission for.

    `session`: of the daemon's own naming, or the run's id. `tool`: the agent's own name of it. `input`: without
    secrets. `cut`: some of it is not shown, so nobody may allow it. `until_ms`: Unix ms from which on it is rejected;
    None: it waits as long as the agent does. `answer`: tells the agent. Called once for each try, and may raise
    `JackfieldError`, after which the request stays open.
    """

    profile: str
    asked_by: AskedBy
    session: str
    tool: str
    title: str
    input: Json
    options: Sequence[ApprovalOption]
    answer: Callable[[ApprovalAnswer], None]
    cut: bool = False
    until_ms: int | None = None
    execution_id: str = ""


class AgentApprovals(Protocol):
    """The port: requests of this host's agents. All methods belong to the event loop."""

    def open(self, request: AgentRequest) -> str:
        """Its id. Raises `Conflict` (code `TOO_MANY_APPROVALS`) when too many are open."""

    def closed(self, id: str, state: ApprovalState, option: str = "", by: str = "") -> None:
        """It was answered elsewhere, or the agent waits no more. Does nothing when it is closed already."""
