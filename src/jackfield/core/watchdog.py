"""Who holds the event loop: a thread asks it from time to time, and looks at its stack when no answer comes."""

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

from .line_limit import LineLimit

log = logging.getLogger("jackfield.watchdog")
INTERVAL = 1.0
"""Seconds between two questions."""
STOPPED = 1.0
"""Seconds beyond the threshold after which the whole process, and not the loop alone, stood still."""
MOST_FRAMES = 15
IDLE = frozenset({"selectors", "asyncio.runners", "asyncio.base_events", "asyncio.events"})
"""Modules whose code stands on top of the stack when the loop waits or is about to."""


@record
class BlockingCode:
    """What held the loop. node: `the node 'A' of type b in the execution c`, empty when it was none. stack: the
    innermost frame first."""

    plugin: str
    node: str
    stack: str

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
        """threshold: in seconds. plugin_of: the plugin to which a module belongs, or an empty text. blocked: called on
        the watchdog's thread, with the seconds once that is over."""
        self._threshold = threshold
        self._plugin_of = plugin_of
        self._blocked = blocked
        self._lines = LineLimit(clock)
        self._over = threading.Event()

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """In the loop's thread."""
        arguments = (loop, threading.get_ident())
        threading.Thread(target=self._watch, args=arguments, name="watchdog", daemon=True).start()

    def stop(self) -> None:
        self._over.set()

    def _watch(self, loop: asyncio.AbstractEventLoop, ident: int) -> None:
        while not self._over.wait(INTERVAL):
            answered = threading.Event()
            asked = time.monotonic()
            try:
                loop.call_soon_threadsafe(answered.set)
            except RuntimeError:  # the loop is closed
                return
            if answered.wait(self._threshold) or time.monotonic() - asked > self._threshold + STOPPED:
                continue
            frame = sys._current_frames().get(ident)
            holder = None if frame is None else blocking_code(frame, self._plugin_of)
            del frame
            if holder is None:
                continue
            self._tell(holder)
            while not (answered.wait(INTERVAL) or self._over.is_set()):
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
        at = at.f_back
    return BlockingCode(plugin, node, " < ".join(shown))


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _node_of(frame: FrameType) -> tuple[str, str] | None:
    """What runs, and the module of its type, when the frame is the `execute` of a node type."""
    code = frame.f_code
    if code.co_name != "execute" or code.co_argcount != 2:
        return None
    kind, run = (frame.f_locals.get(name) for name in code.co_varnames[:2])
    node = getattr(run, "node", None)
    if not isinstance(node, Node):
        return None
    execution = getattr(getattr(run, "execution", None), "id", "")
    return f"the node {node.name!r} of type {node.kind} in the execution {execution}", type(kind).__module__
