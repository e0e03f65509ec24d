"""The effects of the transitions of `run.state`: in the scheduler, the store, the timers, and for whoever waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from jackfield.api.errors import StoreUnavailable
from jackfield_engine.lifecycle.backlog import Backlog
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.offers import Offers
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.lifecycle.subworkflows import Children
from jackfield_engine.lifecycle.unsaved import Unsaved
from jackfield_engine.lifecycle.waiting import Waiting
from jackfield_engine.run.handles import settle_error
from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.run.state import Effect, RunEvent, TransitionTable, table

RESUMES = "The daemon is stopping; the execution goes on after its restart."
NEVER_BEGAN = "The daemon stopped before the execution began; send it again."


class RunEffects:
    """Does each `Effect`."""

    def __init__(
        self,
        live: LiveRuns,
        scheduler: Scheduler,
        waiting: Waiting,
        unsaved: Unsaved,
        backlog: Backlog,
        offers: Offers,
        children: Children,
        fill: Callable[[LiveRun], None],
    ) -> None:
        """fill: gives free slots to those that wait for them."""
        self._live = live
        self._scheduler = scheduler
        self._waiting = waiting
        self._unsaved = unsaved
        self._backlog = backlog
        self._offers = offers
        self._children = children
        self._fill = fill

    def table(self) -> TransitionTable[LiveRun]:
        return table(self.effects())

    def effects(self) -> Mapping[Effect, Callable[[LiveRun], object]]:
        return {
            Effect.COUNT: self._scheduler.announce,
            Effect.WITHDRAW: self._scheduler.withdraw,
            Effect.ENTER: self._enter,
            Effect.ENTER_FIRST: self._scheduler.enter_first,
            Effect.LAUNCH: LiveRun.launch,
            Effect.STOP_TASK: LiveRun.stop_task,
            Effect.FREE_SLOT: self._scheduler.leave,
            Effect.NEXT: self._fill,
            Effect.MARK_BACKLOG: lambda _: self._backlog.mark(),
            Effect.OFFER: lambda run: self._offers.offer(run.handle),
            Effect.TELL_PARENT: self._children.parked,
            Effect.HOLD: self._hold,
            Effect.REST: self._rest,
            Effect.RELEASE: self._waiting.release,
            Effect.STORE_END: LiveRun.store_end,
            Effect.KEEP_END: self._unsaved.keep,
            Effect.CONFIRM: LiveRun.confirm,
            Effect.REFUSE: _refuse,
            Effect.LOSE_END: _lose_end,
            Effect.LEAVE: _leave,
            Effect.DESERT: _desert,
            Effect.DROP: self._live.drop,
        }

    def _enter(self, run: LiveRun) -> None:
        if run.within:
            run.move(RunEvent.START)
        else:
            self._scheduler.enter(run)

    def _hold(self, run: LiveRun) -> None:
        if not self._waiting.hold(run):
            if run.disk.kept:
                self._backlog.hand_back(run.id)
            run.move(RunEvent.FORGET)

    def _rest(self, run: LiveRun) -> None:
        if run.wait is None or run.wait.parked or run.wait.for_call:
            run.move(RunEvent.FORGET)
        else:
            self._hold(run)


def _refuse(run: LiveRun) -> None:
    run.handle.refuse(run.refusal or StoreUnavailable())


def _lose_end(run: LiveRun) -> None:
    error = run.refusal or StoreUnavailable()
    settle_error(run.handle.accepted, error)
    settle_error(run.handle.stored, error)


def _leave(run: LiveRun) -> None:
    run.leave()
    run.handle.refuse(StoreUnavailable(RESUMES))


def _desert(run: LiveRun) -> None:
    with suppress(StoreUnavailable):
        run.disk.leave_unbegun()
    run.handle.refuse(StoreUnavailable(NEVER_BEGAN if run.disk.status is None else RESUMES))
