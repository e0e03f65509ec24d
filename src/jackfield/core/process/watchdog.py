"""The holder of the event loop: a thread looks at its stack from time to time, and asks it when it finds it at work.

Three things make a held loop. The same callback is there when the threshold is over. The loop has not answered, and its
thread has had the processor for most of the threshold. A thread may wait instead, for a file, for the interpreter's
lock, or for its turn on a busy machine. The log names it after `WAITING` seconds.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from jackfield.api.clock import Clock
from jackfield.api.records import record
from jackfield.api.workflows import Node

from ..line_limit import LineLimit

log = logging.getLogger("jackfield.watchdog")
SHORTEST, LONGEST = 0.05, 1.0
"""Seconds between two looks; as long as the threshold, within these."""
WAITING = 0.5
"""Seconds, at least, after which the log also names a thread that does not use the processor."""
AT_WORK = 0.8
"""The share of the threshold that the thread has to have had of the processor."""
STOPPED = 1.0
"""Seconds beyond the threshold after which the whole process, and not the loop alone, stood still."""
MOST_FRAMES = 15
IDLE = frozenset({"selectors", "asyncio.runners", "asyncio.base_events", "asyncio.events"})
"""Modules whose code stands on top of the stack when the loop waits or is about to."""

IMPORTING = "importlib._bootstrap"
"""The module whose code imports others."""


@record
class BlockingCode:
    """The code that held the loop.

    `node`: `the node 'A' of type b in the execution c`, empty when it was none. `stack`: the innermost frame first.
    `loading`: whether a module was being imported, which happens once.
    """

    plugin: str
    node: str
    stack: str
    loading: bool = False

    @property
    def place(self) -> str:
        """The innermost frame."""
        return self.stack.partition(" < ")[0]


class Watchdog:
    """Tells `blocked` about what blocks the loop for longer than the threshold."""

    def __init__(
        self,
        threshold: float,
        plugin_of: Callable[[str], str],
        blocked: Callable[[BlockingCode, float], None],
        clock: Clock,
    ) -> None:
        """`threshold`: in seconds.

        `plugin_of`: the plugin to which a module belongs, or an empty text. `blocked`: called on the watchdog's thread,
        with the seconds once that is over.
        """
        self._threshold = threshold
        self._plugin_of = plugin_of
        self._blocked = blocked
        self._lines = LineLimit(clock)
        self._over = threading.Event()
        self._interval = min(max(threshold, SHORTEST), LONGEST)
        self._waiting = max(threshold, WAITING)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """In the loop's thread."""
        arguments = (loop, threading.get_ident())
        threading.Thread(target=self._watch, args=arguments, name="watchdog", daemon=True).start()

    def stop(self) -> None:
        self._over.set()

    def _watch(self, loop: asyncio.AbstractEventLoop, ident: int) -> None:
        used = _processor_time(ident)
        while not self._over.wait(self._interval):
            frame = sys._current_frames().get(ident)
            if frame is None or _module(frame) in IDLE:
                continue
            callback = _callback(frame)
            del frame
            answered = threading.Event()
            asked, before = time.monotonic(), used()
            try:
                loop.call_soon_threadsafe(answered.set)
            except RuntimeError:  # the loop is closed
                return
            last = asked
            while not answered.wait(self._threshold) and time.monotonic() - asked < self._waiting:
                if used() - before >= AT_WORK * self._threshold:
                    break
                last = time.monotonic()
            if time.monotonic() - last > self._threshold + STOPPED and used() - before < self._threshold:
                continue
            frame = sys._current_frames().get(ident)
            same = frame is not None and _callback(frame) is callback
            holder = blocking_code(frame, self._plugin_of) if frame is not None and same else None
            del frame, callback
            if holder is None or answered.is_set():
                continue
            self._tell(holder)
            while not (answered.wait(LONGEST) or self._over.is_set()):
                pass
            self._blocked(holder, time.monotonic() - asked)

    def _tell(self, holder: BlockingCode) -> None:
        if (added := self._lines.added(holder.plugin)) is None:
            return
        whose = f"the plugin {holder.plugin}" if holder.plugin else "Jackfield itself"
        log.warning(
            "The event loop is held for more than %g ms by %s%s; nothing else is served meanwhile. It stands at %s.%s",
            self._threshold * 1000,
            whose,
            f", {holder.node}" if holder.node else "",
            holder.stack,
            added,
        )


def blocking_code(frame: FrameType, plugin_of: Callable[[str], str]) -> BlockingCode | None:
    """None when the loop is not held: its thread waits for work, or for the processor."""
    if _module(frame) in IDLE:
        return None
    plugin = node = ""
    loading = False
    shown: list[str] = []
    at: FrameType | None = frame
    while at is not None:
        code = at.f_code
        if len(shown) < MOST_FRAMES:
            shown.append(f"{code.co_filename}:{at.f_lineno} {code.co_name}")
        if not node and (found := _node_of(at)) is not None:
            node, place = found
            plugin = plugin_of(place) or plugin
        plugin = plugin or plugin_of(_module(at))
        loading = loading or _module(at) == IMPORTING
        at = at.f_back
    return BlockingCode(plugin, node, " < ".join(shown), loading)


def _callback(frame: FrameType) -> FrameType:
    """The outermost frame of what the loop runs now: each callback, and each coroutine, has its own one.

    The loop goes on meanwhile: a frame that it has left has none above it any more.
    """
    while (above := frame.f_back) is not None and _module(above) not in IDLE:
        frame = above
    return frame


def _processor_time(ident: int) -> Callable[[], float]:
    """Seconds that the thread has had of the processor; where no system call tells, those of the wall."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(ident)
    return lambda: time.clock_gettime(clock)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _node_of(frame: FrameType) -> tuple[str, str] | None:
    """The running node, and the module of its type, when the frame is the `execute` of a node type."""
    code = frame.f_code
    if code.co_name != "execute" or code.co_argcount != 2:
        return None
    kind, run = (frame.f_locals.get(name) for name in code.co_varnames[:2])
    node = getattr(run, "node", None)
    if not isinstance(node, Node):
        return None
    execution = getattr(getattr(run, "execution", None), "id", "")
    return f"the node {node.name!r} of type {node.kind} in the execution {execution}", type(kind).__module__
