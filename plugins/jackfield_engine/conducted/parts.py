"""Parts of the engine that begin nothing by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakSet

from jackfield_engine.lifecycle.backlog import Backlog
from jackfield_engine.lifecycle.offers import Offers
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.lifecycle.subworkflows import is_child
from jackfield_engine.lifecycle.waiting import Waiting

if TYPE_CHECKING:
    from jackfield_engine.lifecycle.live_runs import LiveRuns
    from jackfield_engine.lifecycle.recovery import Recovery
    from jackfield_engine.run.handles import Handle
    from jackfield_engine.run.live_run import LiveRun
    from jackfield_engine.settings import ExecutionsSettings
    from jackfield_engine.shared.services import Services


class ConductedScheduler(Scheduler):
    """Gives slots to ordered executions, and to children, which somebody holds a slot for."""

    def __init__(self, settings: ExecutionsSettings, takes: Callable[[], bool], wanted: Callable[[str], None]) -> None:
        """wanted: told of each that waits here for its order."""
        super().__init__(settings, takes)
        self._wanted = wanted
        self._ordered: WeakSet[LiveRun] = WeakSet()

    def order(self, run: LiveRun) -> None:
        """From now on it may have a slot, as long as it is in memory."""
        self._ordered.add(run)
        self.next()

    def free(self) -> bool:
        """Nothing begins before its order."""
        return False

    def enter(self, run: LiveRun) -> None:
        self._queue(run)
        if self._may_begin(run):
            self.next()
        else:
            self._wanted(run.id)

    def enter_claimed(self, run: LiveRun) -> None:
        self.enter(run)

    def surplus(self) -> list[LiveRun]:
        return [run for run in super().surplus() if not self._may_begin(run)]

    def _following(self, waited_only: bool) -> LiveRun | None:
        may = (run for run in self.queue if self._may_begin(run))
        return next((run for run in may if run.handle.waiters or not waited_only), None)

    def _may_begin(self, run: LiveRun) -> bool:
        return run in self._ordered or is_child(run.id)


class ConductedBacklog(Backlog):
    """Brings into memory what a call has made this daemon's, and claims nothing."""

    def _wanted(self) -> int:
        return 0


class ConductedOffers(Offers):
    """Parts that have no room here are for the daemon that gets the order."""

    def __init__(self, services: Services, live: LiveRuns, recovery: Recovery, wanted: Callable[[str], None]) -> None:
        super().__init__(services, live, recovery)
        self._wanted = wanted

    def offer(self, handle: Handle) -> None:
        super().offer(handle)
        self._wanted(handle.id)


class ConductedWaits(Waiting):
    """Holds short waits, and looks for none that are due."""

    def start(self) -> None:
        """Somebody else has the timers."""
