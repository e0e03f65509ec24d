"""The node `jackfield.terminalSession`: a workflow starts an agent in a terminal, types, waits, reads, and ends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import ClassVar, Literal

from pydantic import Field
from pydantic.alias_generators import to_camel

from jackfield.api.auth import AGENTS_WRITE
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.nodes.items import with_json
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items
from jackfield_terminal.form import SESSION
from jackfield_terminal.ports import Act, SessionHub, SessionRequest
from jackfield_terminal.screen.keys import sequence
from jackfield_terminal.screen.snapshot import Snapshot
from jackfield_terminal.session.session import Session


class TerminalSessionParameters(Parameters):
    """One operation for each item. `start` gives `sessionId`, which the others take."""

    ui_fields: ClassVar[UiFields] = SESSION

    operation: Literal["start", "send", "wait", "read", "stop"] = Field("start", description="The action.")
    profile: str = Field("", description="start: alias of the profile whose agent is started.")
    args: list[str] = Field(default_factory=list, description="start: further arguments for the agent.")
    working_directory: str = Field("", description="start: absolute path; else the profile's, else its home.")
    cols: int = Field(120, ge=1, le=1000, description="start: columns of the terminal.")
    rows: int = Field(40, ge=1, le=1000, description="start: rows of the terminal.")
    record: bool = Field(False, description="start: record the session.")
    persist: bool | None = Field(None, description="start: it survives the daemon; else as the profile says.")
    session_id: str = Field("", description="Every operation but start: the session.")
    text: str = Field("", description="send: what is typed.")
    keys: list[str] = Field(default_factory=list, description="send: keys after it, such as enter, up or ctrl-c.")
    wait_for: Literal["idle", "regex", "exit"] = Field("idle", description="wait: for what.")
    pattern: str = Field("", description="wait: a regular expression for the screen's text.")
    quiet: float = Field(1.0, ge=0.05, le=60, description="wait: seconds without a change that mean idle.")
    timeout: float = Field(60.0, ge=0, le=86_400, description="wait: seconds.")
    fail_on_timeout: bool = Field(True, description="wait: fail when it has not come in time.")


class SessionNode(ItemNode):
    """A session outlives the execution that started it: end it with `stop`."""

    kind = "terminalSession"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Terminal Session",
        "Drives an agent in a terminal.",
        "code",
        scopes=(AGENTS_WRITE,),
        help="terminals",
        reads_items=False,
    )
    effect = True
    model = TerminalSessionParameters

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._hub = partial(context.port, SessionHub)
        self._operations: dict[str, Callable[[TerminalSessionParameters], Awaitable[dict[str, Json]]]] = {
            "start": self._start,
            "send": self._send,
            "wait": self._wait,
            "read": self._read,
            "stop": self._stop,
        }

    async def item(self, run: NodeRun, parameters: TerminalSessionParameters, item: Item, index: int) -> Items:
        return [with_json(item, await self._one(parameters), index)]

    async def _one(self, parameters: TerminalSessionParameters) -> dict[str, Json]:
        needed = "profile" if parameters.operation == "start" else "session_id"
        if not getattr(parameters, needed):
            raise NodeError(f"The parameter {to_camel(needed)} is empty; {parameters.operation} needs it.")
        try:
            return await self._operations[parameters.operation](parameters)
        except JackfieldError as exc:
            raise NodeError(exc.message) from None

    async def _start(self, parameters: TerminalSessionParameters) -> dict[str, Json]:
        request = SessionRequest(
            parameters.profile,
            tuple(parameters.args),
            parameters.cols,
            parameters.rows,
            parameters.working_directory or None,
            parameters.record,
            parameters.persist,
            remote=True,  # whoever starts an execution may be anywhere
        )
        return _state(await self._hub().create(request))

    async def _agent(self, parameters: TerminalSessionParameters, act: Act) -> Session:
        """Raises `NotFound`, `NodeError`."""
        await self._hub().require(parameters.session_id, act)
        session = self._hub().find(parameters.session_id)
        if session.kind == "shell":  # whoever starts an execution may be anywhere, and a shell is the whole machine
            raise NodeError("The session is a shell, and this node drives agents only. Use the node executeCommand.")
        try:
            return self._hub().reached_by_anybody(session.id, act)
        except AccessDenied:
            raise NodeError(
                f"The session has the sandbox {session.launch.profile.sandbox}, and a workflow drives only what has at "
                "least terminal.network_sandbox, since an execution may be started from anywhere. Start a session with "
                "this node, or lower the setting."
            ) from None

    async def _send(self, parameters: TerminalSessionParameters) -> dict[str, Json]:
        data = parameters.text.encode() + b"".join(sequence(name) for name in parameters.keys)
        session = await self._agent(parameters, "drive")
        await self._hub().type(session, data)
        return _state(session)

    async def _wait(self, parameters: TerminalSessionParameters) -> dict[str, Json]:
        driver = self._hub().driver((await self._agent(parameters, "look")).id)
        met = await driver.wait(
            parameters.wait_for, quiet=parameters.quiet, timeout=parameters.timeout, pattern=parameters.pattern
        )
        if not met and parameters.fail_on_timeout:
            raise NodeError(f"The session did not come to {parameters.wait_for} within {parameters.timeout:g} seconds.")
        screen = await driver.screen.snapshot()
        told = {to_camel(name): value for name, value in (await driver.view.told(screen)).items()}
        return {**_state(driver.session), "met": met, **_screen(screen), **told}

    async def _read(self, parameters: TerminalSessionParameters) -> dict[str, Json]:
        driver = self._hub().driver((await self._agent(parameters, "look")).id)
        return {**_state(driver.session), **_screen(await driver.screen.snapshot())}

    async def _stop(self, parameters: TerminalSessionParameters) -> dict[str, Json]:
        session = await self._agent(parameters, "drive")
        await self._hub().stop(session.id, "The workflow has ended it.")
        return _state(session)


def _state(session: Session) -> dict[str, Json]:
    return {"sessionId": session.id, "state": session.state, "exitCode": session.exit_code}


def _screen(found: Snapshot) -> dict[str, Json]:
    return {"screen": found.text, "title": found.title, "cursor": {"row": found.row, "col": found.col}}
