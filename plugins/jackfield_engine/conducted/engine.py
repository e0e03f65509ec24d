"""The engine of the port `ConductedEngines`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.context import PluginContext
from jackfield.api.engine import ConductedEngine, Conductor, ExecutionRequest, SegmentEnd
from jackfield.api.errors import Conflict
from jackfield_engine.conducted.loading import SegmentLoading
from jackfield_engine.conducted.parts import ConductedBacklog, ConductedOffers, ConductedScheduler, ConductedWaits
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.lifecycle.subworkflows import is_child
from jackfield_engine.run.handles import Handle
from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.run.state import RunEvent
from jackfield_engine.settings import ExecutionsSettings

if TYPE_CHECKING:
    from pydantic import BaseModel

ModelT = TypeVar("ModelT", bound="BaseModel")


class ConductedContext:
    """The plugin's context, with settings by which only short waits stay in memory."""

    def __init__(self, context: PluginContext, wait_in_memory: float) -> None:
        """wait_in_memory: seconds."""
        self._context = context
        self._waits = {"wait_in_memory": wait_in_memory, "poll_interval": wait_in_memory}

    def settings(self, model: type[ModelT]) -> ModelT:
        """See `PluginContext`."""
        found = self._context.settings(model)
        if isinstance(found, ExecutionsSettings):
            return cast("ModelT", found.model_copy(update=self._waits))
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._context, name)


class EmbeddedConductedEngine(EmbeddedEngine):
    """`ConductedEngine`"""

    def __init__(self, context: PluginContext, conductor: Conductor) -> None:
        super().__init__(context)
        self._conductor = conductor

    # -- its parts

    @cached_property
    def _scheduler(self) -> ConductedScheduler:
        return ConductedScheduler(self.services.settings, self.services.takes, self._conductor.wanted)

    @cached_property
    def _backlog(self) -> ConductedBacklog:
        return ConductedBacklog(self.services, self.live, self._scheduler, self._recovery, self._offers)

    @cached_property
    def _offers(self) -> ConductedOffers:
        return ConductedOffers(self.services, self.live, self._recovery, self._conductor.wanted)

    @cached_property
    def _waiting(self) -> ConductedWaits:
        return ConductedWaits(self.services, self.live, self._recovery)

    @cached_property
    def _loading(self) -> SegmentLoading:
        return SegmentLoading(self.services, self.live, self._recovery)

    # -- the port

    @property
    def daemon(self) -> str:
        return self.services.lease.daemon

    @property
    def slots(self) -> int:
        return self.services.settings.concurrency

    def takes(self) -> bool:
        return self.services.takes() and not self._draining

    def is_conducted(self, execution_id: str) -> bool:
        return not is_child(execution_id)

    async def run_segment(self, execution_id: str, patience: float) -> SegmentEnd:
        while True:
            if (run := self.live.runs.get(execution_id)) is not None:
                self._scheduler.order(run)
            else:
                if not self.takes():
                    raise Conflict("This daemon takes no executions now.")
                if (rests := await self._loading.own(execution_id, patience)) is not None:
                    return rests
                if (run := await self._loading.load(execution_id)) is not None:
                    self._enter(run)
            if run is not None:
                await self.live.gone(execution_id)
                break
            await self.services.clock.sleep(self.services.settings.claim_interval)
        end = await self._loading.end(execution_id)
        if end is None:
            raise Conflict("The execution was left open here.")
        return end

    def _enter(self, run: LiveRun) -> None:
        self._scheduler.order(run)
        if run.wait is not None:
            run.move(RunEvent.HOLD)
        else:
            self._scheduler.enter_claimed(run)

    # -- beginning

    def begin(
        self, request: ExecutionRequest, execution_id: str, within: bool = False, now: int | None = None
    ) -> Handle:
        """The conductor must find it in the store, so that it is stored before it begins, also when somebody waits for
        its end."""
        if within:
            return super().begin(request, execution_id, within, now)
        run = self._make(execution_id, request, now or self.services.clock.now_ms())
        run.handle.stream = request.stream
        if request.durability == "finish":
            run.handle.waiters += 1
        self._begin_accepted(run)
        return run.handle

    def _fits(self, size: int) -> bool:
        return self._scheduler.fits(size)


class EmbeddedConductedEngines:
    """`ConductedEngines`"""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def make(self, conductor: Conductor, wait_in_memory: float) -> ConductedEngine:
        context = cast("PluginContext", ConductedContext(self._context, wait_in_memory))
        return EmbeddedConductedEngine(context, conductor)
