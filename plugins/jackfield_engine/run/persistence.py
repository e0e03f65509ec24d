"""What the store is told of one execution, and when.

The acceptance stands before anything that has an effect outside the execution, and before a wait; the result of a node
with an effect before the next such node runs; then the end. So a run of nodes without effects that ends quickly needs
one write, or two when its acceptance was asked for first.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

from jackfield.api.clock import Clock
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.storage import ExecutionStatus, FinishedExecution, NewExecution, Store
from jackfield_engine.run.handles import settle_error
from jackfield_engine.shared.records import LEFT, RESUMED, call_mark, chunk

BACKOFF_S = (0.1, 0.2, 0.5, 1, 2, 5)


class Refused(Exception):
    """The store did not take the execution, so that it must not go on."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


def pause(attempt: int) -> float:
    """Seconds to wait before the store is asked again."""
    return BACKOFF_S[min(attempt, len(BACKOFF_S) - 1)]


class Persistence:
    """The writes of one execution. status: what the store has or is about to have; None: it does not know the
    execution."""

    def __init__(
        self,
        execution_id: str,
        store: Store,
        clock: Clock,
        log: logging.Logger,
        new: Callable[[ExecutionStatus], NewExecution],
        added: Callable[[BaseException | None], None],
    ) -> None:
        """new: makes what is added. added: told that the store has the execution, or why not."""
        self.status: ExecutionStatus | None = None
        self._id = execution_id
        self._store = store
        self._clock = clock
        self._log = log
        self._new = new
        self._told = added
        self._pending: list[bytes] = []
        self.effect_pending = False
        """Whether a node run with an effect waits to be stored."""
        self._marked = False
        """Whether a mark is the last that the store was given."""
        self._adding: asyncio.Future[None] | None = None
        self._checkpoint: asyncio.Future[None] | None = None
        self._checkpoint_steps = b""

    def restore(self, status: ExecutionStatus) -> None:
        """The store has the execution already."""
        self.status = status

    def accept(self, status: ExecutionStatus) -> asyncio.Future[None]:
        """Queue the acceptance. Raises `StoreUnavailable`."""
        future = self._store.add_execution(self._new(status))
        self.status = status
        self._adding = future
        future.add_done_callback(self._added)
        return future

    def _added(self, future: asyncio.Future[None]) -> None:
        self._told(StoreUnavailable() if future.cancelled() else future.exception())

    def show_running(self, started_at: int) -> None:
        """Queue what the store lacks to know that the execution runs. Raises `StoreUnavailable`."""
        if self.status is None:
            self.accept("running")
        elif self.status in ("queued", "waiting"):
            try:
                self._store.set_running(self._id, started_at).add_done_callback(_ignore)
                self.status = "running"
            except StoreUnavailable:
                self._log.debug("execution %s is not shown as running", self._id)

    def keep(self, record: bytes, *, effect: bool = False) -> None:
        """A node run, to be stored with the next write."""
        self._pending.append(record)
        self.effect_pending = self.effect_pending or effect

    def checkpoint(self) -> None:
        """Queue what was kept, as a node had an effect. There is at most one under way, because an effect waits for the
        one before."""
        self._checkpoint_steps = self.take() or b"[]"
        self._save()

    def _save(self) -> None:
        try:
            self._checkpoint = self._store.append_steps(self._id, self._checkpoint_steps)
        except StoreUnavailable as exc:
            self._checkpoint = asyncio.get_running_loop().create_future()
            settle_error(self._checkpoint, exc)

    async def secure(self, started_at: int) -> None:
        """Return once everything so far is durable. Raises `Refused` when the execution is not accepted."""
        try:
            self.show_running(started_at)
            if self._adding is not None:
                await asyncio.shield(self._adding)
                self._adding = None
        except JackfieldError as exc:
            raise Refused(exc) from None
        await self.settle()

    async def settle(self) -> None:
        """Wait for the checkpoint under way; while the store does not answer, try again."""
        attempt = 0
        while (future := self._checkpoint) is not None:
            try:
                await asyncio.shield(future)
                self._checkpoint = None
            except StoreUnavailable:
                await self._back_off(attempt)
                attempt += 1
                self._save()

    async def wait(self, until: int | None, started_at: int, call: Mapping[str, Json] | None = None) -> None:
        """Store that the execution waits, and for which call if for one; return once that is durable. Raises
        `Refused`."""
        if self.status is None or self._adding is not None:
            await self.secure(started_at)
        await self.settle()
        if call is not None:
            self.keep(call_mark(call))
        # Never without a chunk: a mark of a call stands for the wait behind which it is the last that was stored.
        steps = self._last_steps() or LEFT
        await self._persist(lambda: self._store.set_waiting(self._id, until, steps))
        self.status = "waiting"

    async def mark_resumed(self) -> None:
        """Store that the execution goes on after what may have been a crash: one that causes crashes is known by it."""
        await self._persist(lambda: self._store.append_steps(self._id, RESUMED))
        self._marked = True

    def delegate(self) -> None:
        """Queue that another execution does its work from here on: a crash is not its own doing."""
        if not self._marked:
            return
        try:
            self._store.append_steps(self._id, LEFT).add_done_callback(_ignore)
            self._marked = False
        except StoreUnavailable:
            self._log.debug("execution %s is taken for what runs", self._id)

    async def _persist(self, write: Callable[[], Awaitable[None]]) -> None:
        """Repeat a write until the store takes it."""
        attempt = 0
        while True:
            try:
                return await asyncio.shield(write())
            except StoreUnavailable:
                await self._back_off(attempt)
                attempt += 1

    async def _back_off(self, attempt: int) -> None:
        if attempt == 0:
            self._log.warning("the store does not answer; execution %s waits for it", self._id)
        await self._clock.sleep(pause(attempt))

    def finish(self, finished: FinishedExecution) -> asyncio.Future[None]:
        """Queue the end, together with the acceptance when the store knows nothing yet."""
        try:
            if self.status is not None:
                future = self._store.finish_execution(finished)
            else:
                future = self._store.add_execution(self._new(finished.status), finished)
        except StoreUnavailable as exc:
            future = asyncio.get_running_loop().create_future()
            settle_error(future, exc)
        self.status = finished.status
        return future

    def leave(self) -> None:
        """Queue what another process needs to go on from here."""
        try:
            if self.status is None:
                self.accept("running")
            steps = self._last_steps()
            if steps is not None:
                self._store.append_steps(self._id, steps).add_done_callback(_ignore)
        except StoreUnavailable:
            self._log.warning("execution %s resumes from its last checkpoint", self._id)

    def release(self) -> None:
        """Nothing more comes of the execution: let go of its owner, so that both are freed at once. Until the cyclic
        collector runs, thousands of inputs would pile up."""
        self._new = _gone
        self._told = _unheard

    def take(self) -> bytes | None:
        """The node runs that no write holds yet, as one chunk."""
        self.effect_pending = False
        if not self._pending:
            return None
        steps = chunk(self._pending)
        self._pending = []
        self._marked = False
        return steps

    def _last_steps(self) -> bytes | None:
        """What to store when the execution rests in order: that was no crash."""
        steps = self.take()
        return LEFT if steps is None and self._marked else steps


def _gone(status: ExecutionStatus) -> NewExecution:
    raise StoreUnavailable(f"The execution is over; it cannot be stored as {status}.")


def _unheard(error: BaseException | None) -> None:
    """Nobody listens any more."""


def _ignore(future: asyncio.Future[None]) -> None:
    """The store's end of a write that later writes make up for."""
    if not future.cancelled():
        future.exception()
