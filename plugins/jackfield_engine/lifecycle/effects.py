"""What the transitions of `run_state` do: in the scheduler, the store, the timers, and for whoever waits."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.api.errors import StoreUnavailable
from jackfield_engine.lifecycle.backlog import Backlog
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.lifecycle.subworkflows import Children
from jackfield_engine.lifecycle.unsaved import Unsaved
from jackfield_engine.lifecycle.waiting import Waiting
from jackfield_engine.run.execution import Run
from jackfield_engine.run.handles import settle, settle_error
from jackfield_engine.run.state import Effect, RunEvent, Table, table

RESUMES = "The daemon is stopping; the execution goes on after its restart."
NEVER_BEGAN = "The daemon stopped before the execution began; send it again."


class RunEffects:
    """One method per `Effect`, of the same name."""

    def __init__(
        self,
        live: LiveRuns,
        scheduler: Scheduler,
        waiting: Waiting,
        unsaved: Unsaved,
        backlog: Backlog,
        children: Children,
        fill: Callable[[], None],
    ) -> None:
        """fill: gives free slots to those that wait for them."""
        self._live = live
        self._scheduler = scheduler
        self._waiting = waiting
        self._unsaved = unsaved
        self._backlog = backlog
        self._children = children
        self._fill = fill

    def table(self) -> Table[Run]:
        return table({effect: getattr(self, effect) for effect in Effect})

    # -- slots and the queue

    def count(self, run: Run) -> None:
        self._scheduler.announce(run)

    def withdraw(self, run: Run) -> None:
        self._scheduler.withdraw(run)

    def enter(self, run: Run) -> None:
        if run.within:
            run.move(RunEvent.START)
        else:
            self._scheduler.enter(run)

    def enter_first(self, run: Run) -> None:
        self._scheduler.enter(run, first=True)

    def launch(self, run: Run) -> None:
        run.launch()

    def stop_task(self, run: Run) -> None:
        run.stop_task()

    def free_slot(self, run: Run) -> None:
        run.forget_task()
        self._scheduler.leave(run)

    def next(self, _: Run) -> None:
        self._fill()

    def mark_backlog(self, _: Run) -> None:
        self._backlog.mark()

    # -- waits

    def tell_parent(self, run: Run) -> None:
        self._children.parked(run)

    def hold(self, run: Run) -> None:
        if not self._waiting.hold(run):
            run.move(RunEvent.FORGET)

    def rest(self, run: Run) -> None:
        if run.wait is None or run.wait.parked or run.wait.for_call:
            run.move(RunEvent.FORGET)
        else:
            self.hold(run)

    def release(self, run: Run) -> None:
        self._waiting.release(run)

    # -- the end

    def store_end(self, run: Run) -> None:
        run.store_end()

    def keep_end(self, run: Run) -> None:
        self._unsaved.keep(run)

    def confirm(self, run: Run) -> None:
        settle(run.handle.accepted, None)
        settle(run.handle.stored, None)

    def lose_end(self, run: Run) -> None:
        error = run.refusal or StoreUnavailable()
        settle_error(run.handle.accepted, error)
        settle_error(run.handle.stored, error)

    def refuse(self, run: Run) -> None:
        run.handle.refuse(run.refusal or StoreUnavailable())

    def leave(self, run: Run) -> None:
        run.disk.leave()
        run.handle.refuse(StoreUnavailable(RESUMES))

    def desert(self, run: Run) -> None:
        run.handle.refuse(StoreUnavailable(NEVER_BEGAN if run.disk.status is None else RESUMES))

    def drop(self, run: Run) -> None:
        self._live.drop(run)
