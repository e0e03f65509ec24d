"""Code of strangers' presets, on threads that are bounded in number and time.

A thread cannot be ended from outside. One that hangs keeps its slot, and when all slots of a preset hang, its calls are
refused after the time limit. Other presets go on. The threads are daemons, so that none keeps the process alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

from jackfield.api.context import PluginContext
from jackfield_webhooks.settings import WebhookSettings

T = TypeVar("T")


class OutOfTime(Exception):
    """The preset's code did not end in time, or found no slot in that time."""


class PresetFailed(Exception):
    """The preset's code raised what is no Exception."""


class PresetThreads:
    """Part of the plugin: one per daemon."""

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(WebhookSettings)
        self.seconds = settings.preset_timeout
        self._threads = settings.preset_threads
        self._slots: dict[str, asyncio.Semaphore] = {}

    async def run(self, preset: str, work: Callable[[], T]) -> T:
        """Return the result of `work`, or raise its error. Raises `OutOfTime`."""
        slots = self._slots.setdefault(preset, asyncio.Semaphore(self._threads))
        try:
            async with asyncio.timeout(self.seconds):
                await slots.acquire()
                outcome = await _on_thread(f"webhook preset {preset}", work, slots.release)
        except TimeoutError:
            raise OutOfTime from None
        return outcome()


async def _on_thread(name: str, work: Callable[[], T], over: Callable[[], None]) -> Callable[[], T]:
    """How the work ended: a function that returns its result or raises its error.

    `over`: called on the event loop when the thread is at its end, however long after its caller gave up.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Callable[[], T]] = loop.create_future()

    def finish(outcome: Callable[[], T]) -> None:
        over()
        if not done.done():
            done.set_result(outcome)

    def target() -> None:
        outcome = _outcome(work)
        with contextlib.suppress(RuntimeError):  # the loop is closed: the daemon has stopped
            loop.call_soon_threadsafe(finish, outcome)

    try:
        threading.Thread(target=target, name=name, daemon=True).start()
    except BaseException:
        over()
        raise
    return await done


def _outcome(work: Callable[[], T]) -> Callable[[], T]:
    error: Exception
    try:
        result = work()
    except Exception as exc:
        error = exc
    except BaseException as exc:  # SystemExit would end the thread alone, and nobody would hear of it
        error = PresetFailed(type(exc).__name__)
    else:
        return lambda: result

    def fail() -> T:
        raise error

    return fail
