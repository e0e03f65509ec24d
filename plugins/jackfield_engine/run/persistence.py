"""The reports of one execution to the store, when, and in which form.

The acceptance stands before anything that has an effect outside the execution, and before a wait. The result of a node
with an effect stands before the next such node runs; then comes the end. So a run of nodes without effects that ends
quickly needs one write, or two when its acceptance was asked for first.

Input, node runs and failure are JSON, which `jackfield.api.history` reads. Between the chunks of node runs stand marks,
which tell crashes from stops.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import orjson

from jackfield.api.caller_secrets import Hidden, hidden_in, hidden_in_pinned, hide
from jackfield.api.engine import ExecutionRequest, Outcome
from jackfield.api.errors import Fenced, JackfieldError, StoreUnavailable
from jackfield.api.futures import outlived
from jackfield.api.history import NodeRecord
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.api.storage import (
    CallUpdate,
    ExecutionStatus,
    FinishedExecution,
    NewCall,
    NewExecution,
    Store,
    StoredExecution,
)
from jackfield_engine.run.handles import settle_error
from jackfield_engine.run.marks import CRASHED
from jackfield_engine.run.stored_form import (
    LEFT,
    LONG_INPUT,
    call_mark,
    encode_unusual,
    failure_json,
    new_execution,
    resumed_mark,
    stored_input,
    tells_of_call,
    too_much,
)
from jackfield_engine.shared.services import Services

_BY_HAND = frozenset({"manual", "test"})
T = TypeVar("T")
BACKOFF_S = (0.1, 0.2, 0.5, 1, 2, 5)


class ExecutionRefused(Exception):
    """The store did not take the execution, so that it must not go on."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


def pause(attempt: int) -> float:
    """Seconds to wait before the store is asked again."""
    return BACKOFF_S[min(attempt, len(BACKOFF_S) - 1)]


class RunPersistence:
    """The writes of one execution. status: what the store has or is about to have; None: it does not know the
    execution."""

    def __init__(
        self,
        execution_id: str,
        request: ExecutionRequest,
        created_at: int,
        services: Services,
        added: Callable[[BaseException | None], None],
    ) -> None:
        """created_at: Unix ms. added: told that the store has the execution, or why not."""
        self.status: ExecutionStatus | None = None
        self.created_at = created_at
        self.started_at: int | None = None
        """When its first node ran; Unix ms."""
        body = b"" if request.call is None else request.call.body
        self.size = len(body if request.encoded is None else request.encoded)
        """Bytes of the input; until it is encoded, about that many of a call's, whose body may stand in its items
        alone."""
        self._encoded = request.encoded
        """The items as they came, until the store has taken them. A long list is not kept with the request."""
        self._input: bytes | None = None
        """Encoded, until the store gets it."""
        self.hidden: Hidden = request.hidden or ()
        """The proofs of callers, such as passwords: the store never has them."""
        if request.hidden is None and tells_of_call(request.items):
            self.hidden = hidden_in(request.items, request.workflow.nodes)
        if request.use_pin_data and request.workflow.pin_data:
            self.hidden += hidden_in_pinned(request.workflow)
        self._call: NewCall | None = None
        """As the store gets it, with the input."""
        self._id = execution_id
        is_long = len(request.encoded or b"") >= LONG_INPUT
        self.request = replace(request, encoded=None) if is_long else request
        """As the execution keeps it: the JSON of a long input is the store's alone."""
        self._store: Store = services.store
        self._clock = services.clock
        self._log: logging.Logger = services.context.log
        self._most = services.settings.max_data
        self._unsaved_for = services.settings.unsaved_for
        self._data = 0
        """Bytes of the results so far."""
        self.listener: Callable[[BaseException | None], None] | None = added
        """None once nothing more comes of the execution: it lets go of its owner, so that both are freed at once. Until
        the cyclic collector runs, thousands of inputs would pile up."""
        self._pending: list[bytes] = []
        self.effect_pending = False
        """Whether a node run with an effect waits to be stored."""
        self.taken_over = False
        """Whether an earlier process left it open, and none of its nodes has begun in this one."""
        self._begun = services.begun
        self._lease = services.lease
        self.life = services.lease.life
        """In which it is this daemon's."""
        self.kept = False
        """Whether it waits and is this daemon's meanwhile."""
        self._marked = False
        """Whether a mark is the last that the store was given."""
        self._adding: asyncio.Future[None] | None = None
        self.checkpointing: asyncio.Future[None] | None = None
        """The checkpoint under way."""
        self._checkpoint_steps = b""
        self._checkpoint_number = 0
        self._next_number = 0
        """Of the next chunk: a store keeps one per number, so that a write may be repeated."""

    def restore(self, stored: StoredExecution, *, earlier: bool) -> None:
        """The store has the execution already. earlier: an earlier process may have run it."""
        self.taken_over = earlier
        self.status = stored.row.status
        self.kept = self.status == "waiting"
        self.started_at = stored.row.started_at
        self.size = len(stored.input)
        self._next_number = stored.next_chunk

    def _number(self) -> int:
        """Of a chunk that is about to be stored. One that never comes to the store leaves a gap."""
        number = self._next_number
        self._next_number += 1
        return number

    def measure(self) -> int:
        """Encode the input, as the acceptance needs it; its bytes."""
        if self._input is None:
            self._input, self._call = stored_input(self.request, self._encoded, self.hidden)
            self.size = len(self._input)
        return self.size

    def accept(self, status: ExecutionStatus) -> asyncio.Future[None]:
        """Queue the acceptance of an execution that this daemon has. Raises `StoreUnavailable`."""
        return self._accept(status, self.life.id)

    def spill(self) -> asyncio.Future[None]:
        """Queue the acceptance of one that any daemon may have. Raises `StoreUnavailable`."""
        return self._accept("queued", None)

    def _accept(self, status: ExecutionStatus, owner: str | None) -> asyncio.Future[None]:
        future = self._store.add_execution(self._new(status, owner))
        self._encoded = None
        self.status = status
        self._adding = future
        future.add_done_callback(self._added)
        return future

    def _since(self) -> int:
        return self.started_at or self.created_at

    def _new(self, status: ExecutionStatus, owner: str | None) -> NewExecution:
        self.measure()
        data, self._input = self._input or b"", None
        call, self._call = self._call, None
        return new_execution(self.request, self._id, data, call, status, self.created_at, self.started_at, owner)

    def _added(self, future: asyncio.Future[None]) -> None:
        error = StoreUnavailable() if future.cancelled() else future.exception()
        if error is not None:
            self._refused(error)
        if self.listener is not None:
            self.listener(error)

    def _refused(self, error: BaseException) -> None:
        """Find out what a write has come to, which nobody makes again."""
        if isinstance(error, Fenced):
            self._lease.suspect(self.life)
        elif isinstance(error, StoreUnavailable):
            self._lease.doubt()

    def _told(self, future: asyncio.Future[None]) -> None:
        """The store's end of a write that later writes make up for."""
        if not future.cancelled() and (error := future.exception()) is not None and isinstance(error, Fenced):
            self._lease.suspect(self.life)

    def show_running(self) -> None:
        """Queue what the store lacks to know that the execution runs. Raises `StoreUnavailable`."""
        if self.status is None:
            self.accept("running")
        elif self.status in ("queued", "waiting"):
            try:
                self._store.set_running(self._id, self._since(), self.life.id).add_done_callback(self._told)
                self.status = "running"
            except StoreUnavailable:
                self._log.debug("execution %s is not shown as running", self._id)

    def keep(self, record: NodeRecord, *, effect: bool = False, counted: bool = False) -> None:
        """A node run, to be stored with the next write. counted: its results are more for the execution. Raises
        `NodeError` when they are not JSON, or more than it may have; then nothing is kept."""
        try:
            data = orjson.dumps(record)
        except TypeError:
            data = encode_unusual(record)
        self.keep_encoded(data, len(data) if counted else 0, effect=effect)

    def keep_encoded(self, data: bytes, size: int, *, effect: bool) -> None:
        """As `keep`, for a record that is JSON already. size: bytes that it counts."""
        if size:
            if self._data + size > self._most:
                raise NodeError(too_much(self._most))
            self._data += size
        self._pending.append(data)
        self.effect_pending = self.effect_pending or effect

    def checkpoint(self) -> None:
        """Queue what was kept, as a node had an effect. There is at most one under way, because an effect waits for the
        one before."""
        self.show_running()
        self._checkpoint_steps = self.take() or b"[]"
        self._checkpoint_number = self._number()
        self._save()

    def _save(self) -> None:
        try:
            self.checkpointing = self._store.append_steps(
                self._id, self._checkpoint_steps, self._checkpoint_number, self.life.id
            )
        except StoreUnavailable as exc:
            self.checkpointing = asyncio.get_running_loop().create_future()
            settle_error(self.checkpointing, exc)

    async def secure(self) -> bool:
        """Return once everything so far is durable; whether that took a wait. One that the store has as queued is shown
        to run with its first checkpoint, or when a node takes its time. A separate write would keep the checkpoint
        waiting. Raises `ExecutionRefused` when the execution is not accepted."""
        try:
            if self.status != "queued":
                self.show_running()
            waits = self._adding is not None
            if self._adding is not None:
                await outlived(self._adding)
                self._adding = None
        except JackfieldError as exc:
            raise ExecutionRefused(exc) from None
        if self.checkpointing is not None:
            waits = True
            await self.settle()
        return waits

    async def settle(self) -> None:
        """Wait for the checkpoint under way; while the store does not answer, try again. Raises `ExecutionRefused` when
        another daemon has the execution."""
        attempt = 0
        while (future := self.checkpointing) is not None:
            try:
                await outlived(future)
                self.checkpointing = None
            except Fenced as exc:
                self.checkpointing = None
                raise self._fenced(exc) from None
            except StoreUnavailable:
                await self._back_off(attempt)
                attempt += 1
                self._save()

    def _fenced(self, error: Fenced) -> ExecutionRefused:
        self._lease.suspect(self.life)
        return ExecutionRefused(error)

    async def end_wait(self) -> None:
        """Go on after a wait that a call may have ended at another daemon. Raises `ExecutionRefused` when it has."""
        if self.status != "waiting":
            return
        number = self._number()
        if not await self._persist(lambda: self._store.end_wait(self._id, LEFT, number, self.life.id)):
            raise ExecutionRefused(Fenced())
        self.status = "running"

    async def wait(self, until: int | None, call: Mapping[str, Json] | None = None, *, keep: bool = False) -> None:
        """Store that the execution waits, and for which call if for one; return once that is durable. keep: it stays
        this daemon's meanwhile. Raises `ExecutionRefused`."""
        if self.status is None or self._adding is not None:
            await self.secure()
        self.show_running()
        await self.settle()
        if call is not None:
            self._pending.append(call_mark(call))
        # Never without a chunk: a mark of a call stands for the wait behind which it is the last that was stored.
        steps, number = self._last_steps() or LEFT, self._number()
        owner = self.life.id
        keeper = owner if keep else None
        await self._persist(lambda: self._store.set_waiting(self._id, until, steps, number, owner, keeper))
        self.status = "waiting"
        self.kept = keep

    async def mark_resumed(self) -> None:
        """Store that a node is about to begin after what may have been a crash, and note that it begins. An execution
        that causes crashes is known by both."""
        mark, number = resumed_mark(self._begun.life, self._lease.daemon), self._number()
        await self._persist(lambda: self._store.append_steps(self._id, mark, number, self.life.id))
        self._marked = True
        self.taken_over = False
        self._begun.note(self._id)

    def delegate(self) -> None:
        """Queue that another execution does its work from here on: a crash is not its own doing."""
        if self.status == "queued":
            self.show_running()
        if not self._marked:
            return
        try:
            self._store.append_steps(self._id, LEFT, self._number(), self.life.id).add_done_callback(self._told)
            self._marked = False
        except StoreUnavailable:
            self._log.debug("execution %s is taken for what runs", self._id)

    async def _persist(self, write: Callable[[], Awaitable[T]]) -> T:
        """Repeat a write until the store takes it. Raises `ExecutionRefused` when another daemon has the execution."""
        attempt = 0
        while True:
            try:
                return await asyncio.shield(write())
            except Fenced as exc:
                raise self._fenced(exc) from None
            except StoreUnavailable:
                await self._back_off(attempt)
                attempt += 1

    async def _back_off(self, attempt: int) -> None:
        if attempt == 0:
            self._log.warning("the store does not answer; execution %s waits for it", self._id)
        await self._clock.sleep(pause(attempt))

    def finish(
        self, outcome: Outcome, call: CallUpdate | None, now: int
    ) -> tuple[FinishedExecution, asyncio.Future[None]]:
        """Queue the end, together with the acceptance when the store knows nothing yet. now: Unix ms."""
        finished = FinishedExecution(
            id=self._id,
            status=outcome.status,
            finished_at=now,
            started_at=self._since(),
            steps=self.take(),
            error=None if outcome.failure is None else self._kept(failure_json(outcome.failure)),
            call=call,
            forget_at=None if self._is_kept(outcome) else now + round(self._unsaved_for * 1000),
            number=self._number(),
            owner=self.life.id,
        )
        try:
            if self.status is not None:
                future = self._store.finish_execution(finished)
            else:
                future = self._store.add_execution(self._new(finished.status, self.life.id), finished)
        except StoreUnavailable as exc:
            future = asyncio.get_running_loop().create_future()
            settle_error(future, exc)
        self.status = finished.status
        return finished, future

    def _is_kept(self, outcome: Outcome) -> bool:
        """By n8n's rule: `saveManualExecutions` decides on runs by hand, the other two settings on the rest. Every
        execution is stored until it is over, so that it survives a crash."""
        settings = self.request.workflow.settings.raw
        if self.request.mode in _BY_HAND:
            return settings.get("saveManualExecutions") is not False
        name = "saveDataSuccessExecution" if outcome.status == "success" else "saveDataErrorExecution"
        return settings.get(name) != "none"

    def leave(self) -> None:
        """Queue what another process needs to go on from here."""
        try:
            if self.status is None:
                self.accept("running")
            if self.taken_over:
                self.leave_unbegun()
            elif (steps := self._last_steps()) is not None:
                self._append(steps)
        except StoreUnavailable:
            self._log.warning("execution %s resumes from its last checkpoint", self._id)

    def leave_unbegun(self) -> None:
        """Queue that nothing has begun of what was taken over: the store has all of it, and the crash before stays
        one."""
        if self.taken_over:
            self._append(CRASHED)

    def _append(self, steps: bytes) -> None:
        """Raises `StoreUnavailable`."""
        self._store.append_steps(self._id, steps, self._number(), self.life.id).add_done_callback(_ignore)

    def take(self) -> bytes | None:
        """The node runs that no write holds yet, as one chunk."""
        self.effect_pending = False
        if not self._pending:
            return None
        steps = b"[" + b",".join(self._pending) + b"]"
        self._pending = []
        self._marked = False
        return self._kept(steps)

    def _kept(self, data: bytes) -> bytes:
        return hide(data, self.hidden) if self.hidden else data

    def _last_steps(self) -> bytes | None:
        """The chunk to store when the execution rests in order: that was no crash."""
        steps = self.take()
        return LEFT if steps is None and self._marked else steps


def _ignore(future: asyncio.Future[None]) -> None:
    """The store's end of a write that later writes make up for."""
    if not future.cancelled():
        future.exception()
