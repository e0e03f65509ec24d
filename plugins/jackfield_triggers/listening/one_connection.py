"""One connection of a node: its events become executions, one after the other, and are settled behind them."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial

from jackfield.api.binary import BinaryStore
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import Engine, Execution, ExecutionRequest
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeCatalog, NodeError
from jackfield.api.records import replace
from jackfield.api.storage import Delivery
from jackfield.api.triggers.listening import EventFiles, Heard, ListeningNode, ListenRun, Settled, listening_node
from jackfield.api.workflows import Node
from jackfield_triggers.access import NodeCredentials
from jackfield_triggers.leadership import Leadership
from jackfield_triggers.live_nodes import LiveNode
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.starting import started
from jackfield_triggers.static_memory import Remembered, of_node, remember, remembered
from jackfield_triggers.store_waits import answered

_HOUR_MS = 3_600_000
_LONGEST_KEY = 200


class OneConnection:
    """Of one node, from its opening to its end."""

    def __init__(self, context: PluginContext, settings: TriggerSettings, wanted: LiveNode) -> None:
        self._context = context
        self._settings = settings
        self._wanted = wanted
        self._slots = asyncio.Semaphore(settings.listen_prefetch)
        self._ending: set[asyncio.Task[None]] = set()
        self._memory = Remembered(wanted.workflow_id, of_node(wanted.node.name), None, {})

    async def served(self, opening: asyncio.Semaphore, told: Callable[[int | None], Awaitable[None]]) -> None:
        """Until the service ends it, or cancelled.

        `opening`: taken while it is opened. `told`: `None` with the opening, and Unix ms with each event that has
        started an execution. Raises `NodeError`, `JackfieldError`, TimeoutError, and whatever the node raises.
        """
        self._memory = await remembered(self._context, self._wanted.workflow_id, of_node(self._wanted.node.name))
        run = run_of(self._context, self._settings, self._wanted, self._memory.own)
        connection = node_of(self._context, self._wanted.node).listen(run)
        async with contextlib.AsyncExitStack() as stack:
            async with opening, asyncio.timeout(self._settings.subscribe_timeout):
                events = await connection.__aenter__()
            stack.push_async_exit(self._closing(connection))
            await told(None)
            try:
                await self._heard_all(events, told)
            finally:
                await self._ended()

    def _closing(self, connection: contextlib.AbstractAsyncContextManager[object]) -> Callable[..., Awaitable[None]]:
        async def close(*failure: object) -> None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._settings.listen_close):
                    await connection.__aexit__(*failure)  # type: ignore[arg-type]  # as an exit stack gives it

        return close

    async def _heard_all(self, events: AsyncIterator[Heard], told: Callable[[int | None], Awaitable[None]]) -> None:
        async for heard in events:
            work = asyncio.ensure_future(self._heard(heard))
            try:
                now = await asyncio.shield(work)
            except asyncio.CancelledError:  # the service also hears of an event that is being stored
                done, _ = await asyncio.wait({work}, timeout=self._settings.listen_close)
                if not done:
                    work.cancel()
                await asyncio.gather(work, return_exceptions=True)
                raise
            if now is not None:
                await told(now)

    async def _ended(self) -> None:
        """An event that waits for the end of its execution has a while left."""
        if self._ending:
            _, left = await asyncio.wait(self._ending, timeout=self._settings.listen_close)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _heard(self, heard: Heard) -> int | None:
        """Unix ms when it has started an execution."""
        await self._slots.acquire()
        free = True
        try:
            execution = await self._stored(heard)
            if not heard.until_end or execution is None:
                await _settled(heard, "stored")
            else:
                free = False
                self._follow(heard, execution)
        except BaseException:
            await _settled(heard, "left")
            raise
        finally:
            if free:
                self._slots.release()
        if execution is None:
            return None
        now = self._context.clock.now_ms()
        self._context.store.count_calls(self._wanted.id, 1, now).add_done_callback(_counted)
        return now

    def _follow(self, heard: Heard, execution: Execution) -> None:
        async def ended() -> None:
            became: Settled = "left"
            try:
                outcome = await asyncio.shield(execution.finished)
                became = "success" if outcome.status == "success" else "failed"
            finally:
                self._slots.release()
                await _settled(heard, became)

        task = asyncio.ensure_future(ended())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        task.add_done_callback(_counted)

    async def _stored(self, heard: Heard) -> Execution | None:
        """None: it starts nothing, as with one that came before. The store is waited for, and the service with it."""
        return await answered(self._context.clock, partial(self._start, heard))

    async def _start(self, heard: Heard) -> Execution | None:
        if self._context.port(Leadership).lapsed:
            raise NodeError("The lease of this daemon has run out; another daemon may hold the connection.")
        own = None if heard.state is None else _copy(heard.state)
        if not heard.items:
            if own is not None and own != self._memory.own:
                if not await remember(self._context, self._memory, own, self._settings.poll_state):
                    raise NodeError("Somebody else has changed what the trigger remembers.")
                self._keep(own)
            return None
        workflow = await self._context.port(WorkflowReader).load(self._wanted.workflow_id)
        node = workflow.nodes.get(self._wanted.node.name)
        if node is None or node.disabled:
            raise NotFound
        ident = heard.files.id if heard.files is not None else new_id()
        if own is None:
            return await self._keyed(
                ExecutionRequest(workflow, "trigger", node.name, list(heard.items), id=ident), heard.key
            )
        execution = await started(
            self._context, workflow, node, ident, heard.items, self._memory, own, self._settings.poll_state
        )
        if execution is None:
            raise NodeError("Somebody else has changed what the trigger remembers.")
        self._keep(own)
        return execution

    def _keep(self, own: dict[str, Json]) -> None:
        """Where executions have changed the rest of the static data meanwhile, the next start reads it again."""
        memory = self._memory
        self._memory = Remembered(memory.workflow_id, memory.section, memory.change(own).data, own)

    async def _keyed(self, request: ExecutionRequest, key: str) -> Execution | None:
        if key:
            until = self._context.clock.now_ms() + round(self._settings.remember_hours * _HOUR_MS)
            short = key if len(key) <= _LONGEST_KEY else hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
            request = replace(request, delivery=Delivery(self._wanted.id, short, until))
        execution = self._context.port(Engine).submit(request)
        try:
            await asyncio.shield(execution.accepted)
        except Conflict as exc:
            if "key" not in (exc.details or {}):
                raise
            return None
        return execution


def connection_of(wanted: LiveNode) -> str:
    """Another one wants another connection; what the node remembers is kept by its name."""
    return wanted.fingerprint(wanted.node.name)


def node_of(context: PluginContext, node: Node) -> ListeningNode:
    """Raises `NodeError`."""
    found = listening_node(context.port(NodeCatalog).find(node.kind))
    if found is None:
        raise NodeError(f"The node type {node.type} listens to nothing; its plugin may be missing.")
    return found


def run_of(
    context: PluginContext,
    settings: TriggerSettings,
    wanted: LiveNode,
    own: Mapping[str, Json],
    *,
    test: bool = False,
) -> ListenRun:
    def files() -> EventFiles:
        ident = new_id()
        return EventFiles(ident, context.port(BinaryStore).files(ident))

    return ListenRun(
        node=wanted.node,
        ident=wanted.id,
        timezone=wanted.timezone,
        credentials=NodeCredentials(context, wanted.node, wanted.workflow_id),
        state=_copy(own),
        files=files,
        log=context.log,
        now=context.clock.now_ms(),
        prefetch=1 if test else settings.listen_prefetch,
        test=test,
    )


async def _settled(heard: Heard, became: Settled) -> None:
    if heard.settle is not None:
        await heard.settle(became)


def _copy(state: Mapping[str, Json]) -> dict[str, Json]:
    return loads(dumps(dict(state)))  # type: ignore[return-value]  # an object


def _counted(counted: asyncio.Future[None]) -> None:
    """A count that is lost costs nothing but the count; an event that cannot be settled comes again."""
    if not counted.cancelled():
        counted.exception()
