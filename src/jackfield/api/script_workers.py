"""The port for worker processes of script engines: processes of all languages under one limit.

A script engine describes its workers once, as a `WorkerKind`, and gets `Workers` for it. The nature of a worker, and
the protocol for it, are the engine's own affair.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from .records import record

API_FOLDER = Path(__file__).parent
"""Where a worker process finds `jackfield.api.confinement`."""
RequestT = TypeVar("RequestT")
RequestT_contra = TypeVar("RequestT_contra", contravariant=True)


class ScriptWorker(Protocol[RequestT_contra]):
    """One process, which answers one request at a time."""

    @property
    def uses(self) -> int:
        """How many requests it got."""

    @property
    def usable(self) -> bool:
        """False once it failed in a way that it does not survive."""

    def lives(self) -> bool:
        """Whether it may get another request: asked of one that was idle."""

    async def request(self, request: RequestT_contra, timeout: float) -> bytes | bytearray:
        """The answer, within `timeout` seconds. Raises `ScriptError`. When this is cancelled, the work has ended."""

    def kill(self) -> None:
        """End the process at once; more than once does no harm."""

    async def ended(self) -> None:
        """Return once the killed process has been reaped."""


@record
class WorkerKind(Generic[RequestT]):
    """`start`: a new worker that is ready, or `ScriptError`; called on the event loop's thread.

    `size`: processes of this kind. `waiting`: requests that may wait for one, each for `wait` seconds. `uses`: requests
    after which a process is replaced, None = never. `urgent`: one process can always be had for this kind, whatever the
    others do. `work`: the noun for what is run, for errors: `script` or `program`.
    """

    start: Callable[[], Awaitable[ScriptWorker[RequestT]]]
    size: int
    waiting: int
    wait: float
    uses: int | None = None
    urgent: bool = False
    work: str = "script"


class Workers(Protocol[RequestT_contra]):
    """The workers of one kind, started when needed. The one that was used last is used first, so that idle ones stay
    untouched."""

    async def call(self, request: RequestT_contra, timeout: float, more_memory: int = 0) -> bytes | bytearray:
        """The answer of a worker, within `timeout` seconds from when it gets the request.

        `more_memory`: bytes that it may take beyond what each request of its kind may. Those of all requests are
        bounded together. Raises `ScriptError`, of the kind `busy` when no worker, or not that much memory, became free
        in time.
        """

    async def close(self) -> None:
        """Kill every worker of this kind and wait until none is left; what runs or waits fails, now and later."""


class ScriptWorkers(Protocol):
    """The port: the worker processes of every script engine, together no more than a limit."""

    def workers(self, kind: WorkerKind[RequestT]) -> Workers[RequestT]: ...
