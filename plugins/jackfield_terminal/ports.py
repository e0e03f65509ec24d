"""The hub, as routes and nodes ask for it. A start that serves no terminal loads nothing of what implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.clock import Clock
from jackfield.api.profiles import Sandbox
from jackfield.api.records import record

if TYPE_CHECKING:
    from jackfield_terminal.driving.driver import Driver
    from jackfield_terminal.session.recordings import Recordings
    from jackfield_terminal.session.session import Session
    from jackfield_terminal.settings import TerminalSettings

Act: TypeAlias = Literal["look", "drive"]
"""drive: type, resize, signal, end."""
Persistence: TypeAlias = bool | Literal["where_possible"] | None
"""Whether a session survives the daemon, as somebody asks for it."""


@record
class ShellChoice:
    """A shell in place of an agent. program: its path; None: the user's own. sandbox: the least that it gets."""

    program: str | None = None
    sandbox: Sandbox = "off"


@record
class SessionRequest:
    """`alias`: of the profile; empty with `shell`, which is started in place of an agent. `args`: after the profile's
    own. `working_dir`: before the profile's. `record`: from the first byte on. `persist`: whether it survives the
    daemon; None: as the profile says, or else `terminal.persist`; `where_possible`: unless the profile says no, or the
    system cannot. `remote`: the caller is on another machine, or nobody knows.
    """

    alias: str
    args: tuple[str, ...] = ()
    cols: int = 80
    rows: int = 24
    working_dir: str | None = None
    record: bool = False
    persist: Persistence = None
    remote: bool = False
    shell: ShellChoice | None = None

    @property
    def size(self) -> tuple[int, int]:
        return self.cols, self.rows


class SessionHub(Protocol):
    """All sessions of the daemon."""

    settings: TerminalSettings
    clock: Clock
    recordings: Recordings
    closing: bool
    """Whether the daemon stops."""

    async def seen(self) -> Sequence[Session]:
        """Those that the current reach sees, the oldest first."""

    async def require(self, id: str, act: Act) -> None:
        """Of the current reach, by the project of its profile; a shell is in the one whose member has started it.

        One that is forgotten is there for a caller who sees everything, by its recording. Raises `NotFound`,
        `AccessDenied`, `StoreUnavailable`.
        """

    def find(self, id: str) -> Session:
        """The session, whoever asks. Raises `NotFound`."""

    def reached(self, id: str, act: Act, scope: Scope) -> Session:
        """The session, when whoever sends the request of this scope may do this to it. Raises `NotFound`;
        `AccessDenied` for a caller from the network when the sandbox is less than `terminal.network_sandbox`, unless it
        is to look at an agent."""

    def reached_by_anybody(self, id: str, act: Act) -> Session:
        """As `reached`, for what may be asked from anywhere."""

    def driver(self, id: str) -> Driver:
        """The one that drives the session. Raises `NotFound`."""

    async def create(self, request: SessionRequest) -> Session:
        """Raises `NotFound`, `InvalidInput`, `Conflict` when there are too many, `JackfieldError` when the system
        cannot start the agent."""

    async def stop(self, id: str, why: str = "") -> None:
        """End a session, and return when it has ended. why: a sentence for those who look at it. Raises
        `NotFound`."""

    async def clean_up(self, scope: Scope) -> None:
        """Forget the sessions that have ended and that this caller may drive, and their recordings."""

    async def type(self, session: Session, data: bytes) -> None:
        """Raises `Conflict` when the session has ended, or its agent does not read; `InvalidInput` for too much at
        once."""

    async def connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application at `/ws/terminal/{session_id}`."""

    async def attach(self, id: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve an accepted WebSocket whose caller may see the session."""
