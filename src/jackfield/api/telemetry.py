"""Usage: tokens and cost of agents, from their own logs and from proxied requests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from .extensions import ExtensionPoint
from .records import record
from .tracing import OpenSpan, TraceContext
from .tracing import Span as Span
from .usage import Cost, RunUsage, Tokens

if TYPE_CHECKING:
    from .profiles import Launch

__all__ = (
    "Bookmark",
    "Cost",
    "ExecutionEnded",
    "ExecutionStarted",
    "LogFile",
    "ProxiedRequest",
    "Reading",
    "RunEnded",
    "RunUsage",
    "Span",
    "TelemetryRecord",
    "TelemetrySink",
    "Tokens",
    "Usage",
    "UsageEntry",
    "UsageReader",
)


@record
class UsageEntry:
    """One answer of a model.

    `agent`: whose. Answer and request together tell it from every other of this agent. Of two that are the same, the
    one with more tokens counts. `copy`: repeats an answer under another request, and counts only while no original of
    this `answer` is known. `time_ms`: Unix ms. `cost_usd`: what the log says, if it does. `service_tier`: `fast`,
    `priority`, `flex`, where the price depends on it. `project`: directory that the agent worked in. `response_id`: the
    provider's id of the answer, as the agent got it; None: it is not known.
    """

    agent: str
    answer: str
    session_id: str
    time_ms: int
    model: str
    tokens: Tokens
    request: str = ""
    copy: bool = False
    cost_usd: float | None = None
    service_tier: str | None = None
    project: str | None = None
    provider: str | None = None
    profile: str | None = None
    response_id: str | None = None


@record
class LogFile:
    """A file of an agent's log.

    `identity`: what stays when the file is moved, such as the rollout's id; its path where nothing better is known.
    """

    path: Path
    identity: str


@record
class Bookmark:
    """Up to where a file was read, and what its reader must remember to go on from there.

    `offset`: bytes from the start, at the beginning of a line. A value of -1 means that a reader always reads the whole
    file.
    """

    offset: int = 0
    memory: bytes = b""


@record
class Reading:
    """A part of a file: the answers in it, and the place from which to read on."""

    entries: Sequence[UsageEntry]
    bookmark: Bookmark


class UsageReader(Protocol):
    """One agent's log format (`jackfield_usage_readers`). Methods block; they are called on threads and in worker
    processes, so an instance must be picklable and hold no state."""

    name: str
    """`claude`, `codex`, `opencode`, ...; also the agent of its entries."""
    version: int
    """Raise it when the same file gives other entries than before: known files are then read again, whole."""

    def directories(self, environment: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Where the tool keeps its data for this user, those that exist."""

    def files(self, directory: Path) -> Iterable[LogFile]:
        """The log files below a data directory, each identity once."""

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        """The entries of the file from there on, in parts of at most some thousand entries.

        A line without its end is not read yet. Lines that are damaged are skipped. Raises OSError.
        """


@record
class RunEnded:
    """A run of a profile has ended. usage: None where the agent keeps no log that is known. Times: Unix ms."""

    run_id: str
    profile: str
    agent: str
    provider: str
    model: str
    kind: str
    """`profile_run`, `terminal_session`, `agent_session`, `workflow`."""
    started_ms: int
    ended_ms: int
    exit_code: int
    usage: RunUsage | None = None
    span: OpenSpan | None = None
    """Of the run; None: nothing is traced."""


@record
class ExecutionStarted:
    """An execution of a workflow has begun to run, or goes on after a wait. time_ms: Unix ms."""

    execution_id: str
    workflow_id: str
    workflow_name: str
    mode: str
    """`webhook`, `trigger`, `manual`, `test` ..."""
    time_ms: int


@record
class ExecutionEnded:
    """An execution has ended. started_ms: its first start, Unix ms; None: an earlier daemon has started it."""

    execution_id: str
    workflow_id: str
    workflow_name: str
    mode: str
    status: str
    """`success`, `failed`, `cancelled`."""
    started_ms: int | None
    ended_ms: int

    @property
    def duration_ms(self) -> int | None:
        return None if self.started_ms is None else max(0, self.ended_ms - self.started_ms)


@record
class ProxiedRequest:
    """A proxy has served a request.

    `model`: that was used. `asked_model`: that the client has named. `status`: what the client got. `tokens`: None when
    the answer has said nothing of them. `cost`: US dollars; None: it is not known. `stream`: whether the answer came in
    parts. `key`: id of the caller's virtual key, empty for the profile's own token.
    """

    request_id: str
    profile: str
    provider: str
    model: str
    asked_model: str
    status: int
    ended_ms: int
    """Unix ms."""
    duration_ms: int
    first_byte_ms: int | None = None
    attempts: int = 1
    tokens: Tokens | None = None
    cost: float | None = None
    error: str | None = None
    stream: bool = False
    key: str = ""
    trace: TraceContext | None = None
    """The span that the client has named in its headers."""


TelemetryRecord: TypeAlias = "RunEnded | ExecutionStarted | ExecutionEnded | ProxiedRequest | Span"


class TelemetrySink(Protocol):
    """Where records of what happened go beside our own files (`jackfield_telemetry_sinks`).

    Each sink has a queue of `telemetry.sink_queue` records and one task. `/metrics` counts lost records: those that do
    not fit, and those that a sink fails to take. Runs and requests wait for no sink. No record holds a secret.
    """

    @property
    def name(self) -> str: ...

    @property
    def takes(self) -> Collection[type]:
        """The kinds of records that it wants, such as `{ExecutionEnded, ProxiedRequest}`. Read once."""

    async def take(self, batch: Sequence[TelemetryRecord]) -> None:
        """In the order in which they came, 1 to `telemetry.sink_batch`.

        Called again when this has ended; it has `telemetry.sink_timeout` seconds. The daemon logs its exceptions.
        """

    async def close(self) -> None:
        """At the daemon's stop, after the last batch, with the same time."""


class Usage(Protocol):
    """The port; a plugin names it in `provides`."""

    async def run_ended(self, launch: Launch, exit_code: int) -> RunUsage | None:
        """Read what the run has added to the log in its profile's home, and append the run to the log of sessions,
        durably. None: the agent keeps no log that is known."""

    async def proxied(self, entry: UsageEntry) -> None:
        """A request that a proxy has served; the same in the agent's log is not counted again."""

    async def cost_of(self, entry: UsageEntry) -> Cost | None:
        """Of one answer, by the price list; None: the model's price is not known."""

    async def spent(self, profile: str, start_ms: int) -> RunUsage:
        """The requests that the profile's proxy has served since then, Unix ms."""


USAGE_READERS = ExtensionPoint("jackfield_usage_readers", UsageReader)


TELEMETRY_SINKS = ExtensionPoint("jackfield_telemetry_sinks", TelemetrySink)
