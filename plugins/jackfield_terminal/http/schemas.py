"""Bodies and answers of `/api/terminal`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from jackfield.api.profiles import Sandbox
from jackfield.api.schemas import Schema
from jackfield_terminal.ports import SessionRequest, ShellChoice
from jackfield_terminal.whole_numbers import whole

Size = Annotated[StrictInt, Field(ge=1, le=1000), BeforeValidator(whole)]
Argument = Annotated[StrictStr, Field(max_length=131_072)]


def _known(given: object) -> object:
    """Of a union pydantic would name each branch in place of the field."""
    if given is None or isinstance(given, bool) or given == "where_possible":
        return given
    raise ValueError("give true, false or where_possible")


Persist = Annotated[StrictBool | Literal["where_possible"] | None, BeforeValidator(_known)]


class _Start(Schema):
    model_config = ConfigDict(extra="forbid")

    cols: Size = 80
    rows: Size = 24
    working_dir: StrictStr | None = None
    record: StrictBool = False
    persist: Persist = None


class SessionIn(_Start):
    """`args`: after the profile's own. `cols`, `rows`: 1 to 1000. `record`: from the first byte on, in asciicast v2.
    `persist`: whether the session survives the daemon; default: the profile's, then `terminal.persist`;
    `where_possible`: unless the profile says no, or the system cannot.
    """

    profile_alias: StrictStr
    args: list[Argument] = Field(default_factory=list, max_length=1000)

    def request(self, *, remote: bool) -> SessionRequest:
        return SessionRequest(
            self.profile_alias,
            tuple(self.args),
            self.cols,
            self.rows,
            self.working_dir,
            self.record,
            self.persist,
            remote,
        )


class ShellSessionIn(_Start):
    """A shell without an agent.

    `shell`: a path from /etc/shells; default: the user's own. `working_dir`: default: the user's home; in a sandbox, a
    new directory. `sandbox`: a caller from the network gets at least `terminal.network_sandbox`.
    """

    shell: Annotated[StrictStr, Field(min_length=1, max_length=4096)] | None = None
    sandbox: Sandbox = "off"

    def request(self, *, remote: bool) -> SessionRequest:
        return SessionRequest(
            "",
            cols=self.cols,
            rows=self.rows,
            working_dir=self.working_dir,
            record=self.record,
            persist=self.persist,
            remote=remote,
            shell=ShellChoice(self.shell, self.sandbox),
        )


class RecordingOut(Schema):
    """reason: why it was stopped before the end of the session."""

    state: Literal["recording", "complete", "stopped"]
    bytes: int
    reason: str | None = None


class SessionStarted(Schema):
    session_id: str
    ws_url: str


class SessionOut(Schema):
    """`kind`: an agent's session, or a plain shell, which has no profile. `exit_code`: of an ended session; 128+n for a
    signal. `persistent`: it survives the daemon. `reason`: why it ended, where that was not the agent's doing.
    """

    id: str
    kind: Literal["agent", "shell"]
    profile_alias: str | None
    state: str
    created_at: str
    pid: int
    cols: int
    rows: int
    client_count: int
    host: str | None = Field(None, description="In a list that is joined over hosts: the host that has it.")
    project_id: str | None = Field(
        None, description="Of a shell: the project in which it was started. An agent's session is where its profile is."
    )
    persistent: bool = False
    exit_code: int | None = None
    reason: str | None = None
    recording: RecordingOut | None = None


class SessionShown(Schema):
    success: Literal[True]
    data: SessionOut


class SessionList(Schema):
    success: Literal[True]
    data: list[SessionOut]
    missing_hosts: list[str] | None = Field(None, description="Hosts that did not answer.")


class SessionMade(Schema):
    success: Literal[True]
    data: SessionStarted


class InputIn(Schema):
    """The input to type: the text, then the data, then the keys. data: base64; keys: `enter`, `up`, `ctrl-c`, ..."""

    model_config = ConfigDict(extra="forbid")

    text: StrictStr | None = None
    data: StrictStr | None = None
    keys: list[StrictStr] = Field(default_factory=list, max_length=1000)


class WaitQuery(Schema):
    """quiet: seconds without a change that mean idle. timeout: seconds. pattern: a JavaScript regular expression,
    with the flags m and u, for the screen's text."""

    model_config = ConfigDict(extra="forbid")

    for_: Literal["idle", "regex", "exit"] = Field("idle", alias="for")
    quiet: float = Field(1.0, ge=0.05, le=60)
    timeout: float = Field(30.0, ge=0, le=600)
    pattern: str | None = Field(None, max_length=1000)


class CursorOut(Schema):
    row: int
    col: int
    visible: bool


class ScreenOut(Schema):
    """lines: from the top, without trailing spaces; cursor: from 0; alternate: a full-screen program is running."""

    cols: int
    rows: int
    cursor: CursorOut
    alternate: bool
    title: str
    lines: list[str]
    text: str


class OptionOut(Schema):
    """number: as shown, or its place from 1. selected: a return chooses it."""

    number: int
    text: str
    selected: bool


class DialogOut(Schema):
    """asking: the agent wants a permission or an answer; trusting: whether its working directory is to be trusted."""

    kind: Literal["asking", "trusting"]
    text: str
    options: list[OptionOut]


class WaitOut(Schema):
    """met: whether it came in time. status: of the agent, where its manifest says how its screen looks."""

    met: bool
    state: str
    exit_code: int | None
    screen: ScreenOut
    judged_by: Literal["manifest", "quiet"]
    status: Literal["stable", "running", "asking", "trusting"] | None = None
    dialog: DialogOut | None = None


class MessageIn(Schema):
    """`user`: typed and sent off once the agent waits for input. `raw`: keystrokes as they are. `wait`: seconds to wait
    for the answer once the agent has taken the message; default: `terminal.answer_wait`.
    """

    model_config = ConfigDict(extra="forbid")

    content: StrictStr = Field(max_length=262_144)
    type: Literal["user", "raw"] = "user"
    wait: float | None = Field(None, ge=0, le=600, allow_inf_nan=False)


class MessageOut(Schema):
    id: int
    role: Literal["user", "agent"]
    content: str
    time: str


class MessagesOut(Schema):
    messages: list[MessageOut]


class StatusOut(Schema):
    """`stable`: the agent waits for input. `asking`, `trusting`: for an answer to the dialog. `judged_by`: the patterns
    of the agent's manifest, or a second without a change.
    """

    status: Literal["stable", "running", "asking", "trusting"]
    agent_type: str
    transport: Literal["pty"]
    judged_by: Literal["manifest", "quiet"]
    dialog: DialogOut | None = None


class TypedOut(Schema):
    bytes: int = Field(description="How many were typed.")


class SaidOut(Schema):
    """`ok`: it was typed and, judged by the manifest, taken. `answer`: the agent's words so far; absent where nobody
    knows where its words begin and end. `status`: of the agent now.
    """

    ok: Literal[True]
    judged_by: Literal["manifest", "quiet"] | None = None
    status: Literal["stable", "running", "asking", "trusting"] | None = None
    answer: str | None = None
    dialog: DialogOut | None = None


class TypedAnswer(Schema):
    success: Literal[True]
    data: TypedOut


class SaidAnswer(Schema):
    success: Literal[True]
    data: SaidOut


class ScreenAnswer(Schema):
    success: Literal[True]
    data: ScreenOut


class WaitAnswer(Schema):
    success: Literal[True]
    data: WaitOut


class MessagesAnswer(Schema):
    success: Literal[True]
    data: MessagesOut


class StatusAnswer(Schema):
    success: Literal[True]
    data: StatusOut


class RecordingAnswer(Schema):
    success: Literal[True]
    data: RecordingOut


class TerminalDone(Schema):
    success: Literal[True]


class CleanedUp(TerminalDone):
    warnings: list[str] | None = Field(None, description="The part that has not been done.")
    missing_hosts: list[str] | None = Field(None, description="Hosts that did not answer, or did not do it.")
