"""The life of an execution in memory: every state, every event, and what moves it from one to the next.

An event that the table does not name for a state is a mistake of the engine. It is `UnknownEvent` in tests, a line in
the log at run time, and nothing else happens. Effects run after the state has changed, in the order in which they stand
here; `lifecycle.effects` says who does each of them. Only `LiveRun.move` changes a state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class RunState(StrEnum):
    """Where an execution stands."""

    READY = "ready"
    """Made, accepted, read from the store, or at the end of its wait: its place is chosen in the same moment."""
    ACCEPTING = "accepting"
    """It starts once the store has it."""
    SPILLED = "spilled"
    """There was no room; once the store has it, the backlog brings it back as another object."""
    QUEUED = "queued"
    """It waits in memory for a slot."""
    STARTING = "starting"
    """Its task is made; the event loop did not begin with it yet."""
    RUNNING = "running"
    """Its nodes run."""
    SUSPENDING = "suspending"
    """A node waits; that is being stored."""
    PARKING = "parking"
    """The node in flight is stopped, so that the execution leaves the memory with a child that waits for long."""
    SUSPENDED = "suspended"
    """The wait is stored; the task ends in the same moment."""
    WAITING = "waiting"
    """It stays in memory until its time."""
    CANCELLING = "cancelling"
    """Somebody cancelled it; its node is stopped."""
    EXPIRING = "expiring"
    """It ran too long; its node is stopped."""
    LEAVING = "leaving"
    """The daemon stops; the next process goes on with it."""
    REFUSING = "refusing"
    """The store does not take it, or the engine failed: it ends without an outcome."""
    FINISHING = "finishing"
    """Its outcome is known. The error workflow is started, and the last checkpoint is awaited."""
    STORING = "storing"
    """Its end is queued for the store."""
    UNSAVED = "unsaved"
    """The store did not take its end, which is tried again."""
    GONE = "gone"
    """It has left the memory."""


class RunEvent(StrEnum):
    """The events that move an execution."""

    ANNOUNCE = "announce"
    """The store is asked first."""
    SPILL = "spill"
    """Memory has no room for it."""
    QUEUE = "queue"
    """There is no free slot."""
    START = "start"
    """It has a slot, its own or its parent's."""
    HOLD = "hold"
    """It was read from the store, and its wait is not over."""
    ACCEPTED = "accepted"
    """The store has it."""
    REFUSED = "refused"
    """The store does not take it; `LiveRun.refusal` says why."""
    BEGIN = "begin"
    """Its task begins."""
    SUSPEND = "suspend"
    """A node waits for a time or a call."""
    WAIT_STORED = "wait stored"
    """The store has the wait."""
    PARK = "park"
    """A child waits for long."""
    DUE = "due"
    """Its wait is over."""
    FORGET = "forget"
    """The store alone keeps it from here on."""
    CANCEL = "cancel"
    """Somebody cancels it."""
    EXPIRE = "expire"
    """Its time limit is over."""
    LEAVE = "leave"
    """The daemon stops."""
    INTERRUPT = "interrupt"
    """Its task was stopped by somebody else, such as a closing event loop."""
    FAIL = "fail"
    """The engine cannot go on with it; `LiveRun.refusal` says why."""
    FINISH = "finish"
    """Its outcome is known."""
    END = "end"
    """Nothing is awaited any more before its end is stored."""
    OVER = "over"
    """Its task ends."""
    END_STORED = "end stored"
    """The store has its end."""
    END_KEPT = "end kept"
    """The store does not answer for its end, but it knows the execution."""
    END_LOST = "end lost"
    """Its end is not stored, and not tried again; `LiveRun.refusal` says why."""


class Effect(StrEnum):
    """The effects of a transition beside the change of the state; `RunEffects` says whose work each is."""

    COUNT = "count"
    """The queue counts it, until the store has answered."""
    WITHDRAW = "withdraw"
    """The queue has it no more."""
    ENTER = "enter"
    """It gets a slot, or a place in the queue."""
    ENTER_FIRST = "enter_first"
    """The same, before all others."""
    LAUNCH = "launch"
    """Its task is made."""
    STOP_TASK = "stop_task"
    """Its node is cancelled."""
    FREE_SLOT = "free_slot"
    """It has no task any more, and its slot is for others."""
    NEXT = "next"
    """Free slots are filled."""
    MARK_BACKLOG = "mark_backlog"
    """The store has an execution that is not in memory."""
    OFFER = "offer"
    """Any daemon may run it; whoever waits for it here hears of its end wherever that comes."""
    TELL_PARENT = "tell_parent"
    """The execution that waits for it hears that it waits."""
    HOLD = "hold"
    """A timer is set when its time is near, else it is forgotten."""
    REST = "rest"
    """The same, unless it goes on only from what is stored: then it is forgotten."""
    RELEASE = "release"
    """Its timer is stopped."""
    STORE_END = "store_end"
    """Its end is queued, and whoever waits hears of it."""
    KEEP_END = "keep_end"
    """Its end is kept, to be tried again."""
    CONFIRM = "confirm"
    """The caller who waits for the store hears that it has all."""
    REFUSE = "refuse"
    """The caller who waits gets `LiveRun.refusal`."""
    LOSE_END = "lose_end"
    """The caller who waits for the store gets `LiveRun.refusal`."""
    LEAVE = "leave"
    """The store gets what the next process needs, and whoever waits hears that it goes on then."""
    DESERT = "desert"
    """The caller who waits hears whether it goes on with the next process."""
    DROP = "drop"
    """It leaves the memory."""


class Transition(NamedTuple):
    """Where an event leads, and what it does on the way."""

    state: RunState
    effects: tuple[Effect, ...] = ()


class UnknownEvent(Exception):
    """The table has no such event in this state."""

    def __init__(self, execution_id: str, state: RunState, event: RunEvent) -> None:
        super().__init__(f"execution {execution_id}: the event '{event}' is unknown in the state '{state}'")


S, E, F = RunState, RunEvent, Effect
ENDING = frozenset({S.CANCELLING, S.EXPIRING})
"""It ends before its nodes have; its children are cancelled with it."""

_GONE_LEFT = Transition(S.GONE, (F.FREE_SLOT, F.LEAVE, F.DROP, F.NEXT))
_GONE_REFUSED = Transition(S.GONE, (F.FREE_SLOT, F.REFUSE, F.DROP, F.NEXT))


def _to(state: RunState, *effects: Effect) -> Transition:
    return Transition(state, effects)


def _stays(state: RunState, *events: RunEvent) -> dict[RunEvent, Transition]:
    """Events that come too late, or tell nothing new."""
    return dict.fromkeys(events, Transition(state))


def _stops(*effects: Effect) -> dict[RunEvent, Transition]:
    """The transitions that end an execution that has a task, from outside. `effects`: what stops the task."""
    return {
        E.CANCEL: _to(S.CANCELLING, *effects),
        E.LEAVE: _to(S.LEAVING, *effects),
        E.REFUSED: _to(S.REFUSING, *effects),
        E.FAIL: _to(S.REFUSING),
        E.INTERRUPT: _to(S.LEAVING),
    }


def _stopping(state: RunState) -> dict[RunEvent, Transition]:
    """An execution that is on its way to an end takes no other."""
    late = (E.BEGIN, E.ACCEPTED, E.REFUSED, E.CANCEL, E.EXPIRE, E.LEAVE, E.PARK)
    return {**_stays(state, *late), E.FAIL: _to(S.REFUSING), E.INTERRUPT: _to(S.LEAVING)}


TRANSITIONS: Mapping[RunState, Mapping[RunEvent, Transition]] = {
    S.READY: {
        E.ANNOUNCE: _to(S.ACCEPTING, F.COUNT),
        E.SPILL: _to(S.SPILLED, F.MARK_BACKLOG),
        E.QUEUE: _to(S.QUEUED),
        E.START: _to(S.STARTING, F.LAUNCH),
        E.HOLD: _to(S.WAITING, F.HOLD),
    },
    S.ACCEPTING: {
        E.ACCEPTED: _to(S.READY, F.WITHDRAW, F.ENTER),
        E.REFUSED: _to(S.GONE, F.WITHDRAW, F.REFUSE, F.DROP, F.NEXT),
        E.CANCEL: _to(S.STORING, F.WITHDRAW, F.STORE_END),
        E.LEAVE: _to(S.LEAVING, F.WITHDRAW),
    },
    S.SPILLED: {
        E.ACCEPTED: _to(S.GONE, F.MARK_BACKLOG, F.OFFER, F.NEXT),
        E.REFUSED: _to(S.GONE, F.REFUSE, F.MARK_BACKLOG, F.NEXT),
    },
    S.QUEUED: {
        E.START: _to(S.STARTING, F.LAUNCH),
        E.ACCEPTED: _to(S.QUEUED),
        E.REFUSED: _to(S.GONE, F.WITHDRAW, F.REFUSE, F.DROP, F.NEXT),
        E.CANCEL: _to(S.STORING, F.WITHDRAW, F.STORE_END),
        E.LEAVE: _to(S.GONE, F.WITHDRAW, F.DESERT, F.DROP),
        E.FORGET: _to(S.GONE, F.WITHDRAW, F.DROP),
    },
    S.STARTING: {**_stops(), **_stays(S.STARTING, E.ACCEPTED), E.BEGIN: _to(S.RUNNING)},
    S.RUNNING: {
        **_stops(F.STOP_TASK),
        **_stays(S.RUNNING, E.ACCEPTED),
        E.EXPIRE: _to(S.EXPIRING, F.STOP_TASK),
        E.PARK: _to(S.PARKING, F.STOP_TASK),
        E.SUSPEND: _to(S.SUSPENDING),
        E.FINISH: _to(S.FINISHING),
    },
    S.SUSPENDING: {
        **_stops(F.STOP_TASK),
        **_stays(S.SUSPENDING, E.ACCEPTED, E.PARK),
        E.EXPIRE: _to(S.EXPIRING, F.STOP_TASK),
        E.WAIT_STORED: _to(S.SUSPENDED),
        E.FINISH: _to(S.FINISHING),
    },
    S.PARKING: {
        **_stops(F.STOP_TASK),
        **_stays(S.PARKING, E.ACCEPTED, E.PARK),
        E.EXPIRE: _to(S.EXPIRING, F.STOP_TASK),
        E.SUSPEND: _to(S.SUSPENDING),
        E.FINISH: _to(S.FINISHING),
    },
    S.SUSPENDED: {
        **_stays(S.SUSPENDED, E.ACCEPTED),
        E.OVER: _to(S.WAITING, F.FREE_SLOT, F.TELL_PARENT, F.REST, F.NEXT),
        E.FAIL: _to(S.REFUSING),
        E.INTERRUPT: _to(S.SUSPENDED),
    },
    S.WAITING: {
        **_stays(S.WAITING, E.ACCEPTED),
        E.DUE: _to(S.READY, F.RELEASE, F.ENTER_FIRST),
        E.FORGET: _to(S.GONE, F.RELEASE, F.DROP),
        E.CANCEL: _to(S.STORING, F.RELEASE, F.STORE_END),
        E.LEAVE: _to(S.GONE, F.RELEASE, F.DESERT, F.DROP),
    },
    S.CANCELLING: {**_stopping(S.CANCELLING), E.FINISH: _to(S.FINISHING)},
    S.EXPIRING: {**_stopping(S.EXPIRING), E.FINISH: _to(S.FINISHING)},
    S.LEAVING: {
        **_stopping(S.LEAVING),
        # A node that would not be stopped may still ask for a wait, which the next process must find.
        **_stays(S.LEAVING, E.SUSPEND, E.WAIT_STORED),
        E.OVER: _GONE_LEFT,
    },
    S.REFUSING: {**_stopping(S.REFUSING), E.INTERRUPT: _to(S.REFUSING), E.OVER: _GONE_REFUSED},
    S.FINISHING: {
        **_stays(S.FINISHING, E.ACCEPTED, E.REFUSED, E.CANCEL, E.PARK),
        E.LEAVE: _to(S.LEAVING, F.STOP_TASK),
        E.INTERRUPT: _to(S.LEAVING),
        E.FAIL: _to(S.REFUSING),
        E.END: _to(S.STORING, F.STORE_END),
    },
    S.STORING: {
        **_stays(S.STORING, E.ACCEPTED, E.REFUSED, E.LEAVE, E.INTERRUPT),
        E.OVER: _to(S.STORING, F.FREE_SLOT, F.NEXT),
        E.FAIL: _to(S.REFUSING),
        E.END_STORED: _to(S.GONE, F.CONFIRM, F.DROP),
        E.END_KEPT: _to(S.UNSAVED, F.KEEP_END),
        E.END_LOST: _to(S.GONE, F.LOSE_END, F.DROP),
    },
    S.UNSAVED: {
        **_stays(S.UNSAVED, E.ACCEPTED, E.REFUSED, E.LEAVE),
        E.END_STORED: _to(S.GONE, F.CONFIRM, F.DROP),
        E.END_LOST: _to(S.GONE, F.LOSE_END, F.DROP),
    },
    S.GONE: _stays(S.GONE, E.END_STORED, E.END_LOST),
}

TransitionTable = dict[tuple[RunState, RunEvent], tuple[RunState, tuple[Callable[[T], object], ...]]]


def table(effects: Mapping[Effect, Callable[[T], object]]) -> TransitionTable[T]:
    """The transitions with what they do, for one lookup per event. Raises KeyError when an effect is missing."""
    return {
        (state, event): (found.state, tuple(effects[effect] for effect in found.effects))
        for state, events in TRANSITIONS.items()
        for event, found in events.items()
    }
