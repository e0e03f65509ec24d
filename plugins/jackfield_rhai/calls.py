"""Calls of functions that plugins give.

A thread beside the script's makes each call. So one that hangs holds neither the script beyond its deadline nor the
pool of scripts.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Event, Lock, Thread, local

from jackfield.api.extensions import Given
from jackfield.api.jsontext import Json
from jackfield.api.scripts import RhaiFunction, ScriptError
from jackfield_rhai.results import as_json

TOO_LONG = "The script ran longer than it may."
CANCELLED = "The script was ended while it waited for a function."


class _Call:
    """One call; done: it has ended, or nobody waits for its end any more."""

    def __init__(self, given: Given[RhaiFunction], arguments: list[Json]) -> None:
        self.given = given
        self.arguments = arguments
        self.done = Event()
        self.ended = False
        self.value: object = None
        self.error: BaseException | None = None


class FunctionCalls:
    """The threads, and the deadlines of the scripts. most_hung: calls that may go on after their script has given up.
    Beyond that no function of a plugin is called until one of them ends."""

    def __init__(self, most_hung: int) -> None:
        self._most_hung = most_hung
        self._lock = Lock()
        self._idle: list[SimpleQueue[_Call]] = []
        self._running: set[_Call] = set()
        self._hung = 0
        self._script = local()

    @contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        """The deadline of the script that this thread runs inside, on the monotonic clock."""
        self._script.deadline = deadline
        try:
            yield
        finally:
            del self._script.deadline

    def bound(self, given: Given[RhaiFunction]) -> Callable[..., object]:
        """The function as Rhai calls it, with just as many arguments."""

        def called(*arguments: object) -> object:
            return self._called(given, arguments)

        only = inspect.Parameter.POSITIONAL_ONLY
        parameters = [inspect.Parameter(f"argument{number}", only) for number in range(given.value.arity)]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return called

    def cancel(self) -> None:
        """Scripts wait for no function any more."""
        with self._lock:
            for call in self._running:
                call.done.set()

    def _called(self, given: Given[RhaiFunction], arguments: tuple[object, ...]) -> object:
        """Raises `ScriptError`."""
        try:
            call = _Call(given, [as_json(argument) for argument in arguments])
        except (ValueError, TypeError) as exc:
            raise ScriptError(f"{_named(given)} cannot be given its arguments: {exc}.") from None
        self._hand_over(call)
        call.done.wait(max(0.0, self._script.deadline - time.monotonic()))
        with self._lock:
            self._running.discard(call)
            if not call.ended:
                self._hung += 1
                if call.done.is_set():
                    raise ScriptError(CANCELLED, kind="busy")
                raise ScriptError(f"{TOO_LONG} {_named(given)} has not ended.", kind="timeout")
        if call.error is not None:
            raise ScriptError(f"{_named(given)} failed: {type(call.error).__name__}: {call.error}") from None
        try:
            return as_json(call.value)
        except (ValueError, TypeError) as exc:
            raise ScriptError(f"{_named(given)} gave no plain JSON value: {exc}.") from None

    def _hand_over(self, call: _Call) -> None:
        with self._lock:
            if self._hung >= self._most_hung:
                raise ScriptError(
                    f"{_named(call.given)} is not called: {self._hung} calls of plugins' functions hang.", kind="busy"
                )
            self._running.add(call)
            queue = self._idle.pop() if self._idle else None
        if queue is None:
            queue = SimpleQueue()
            try:
                Thread(target=self._serve, args=(queue,), name="rhai-function", daemon=True).start()
            except RuntimeError:
                with self._lock:
                    self._running.discard(call)
                raise ScriptError("No thread can be started for the function.", kind="busy") from None
        queue.put(call)

    def _serve(self, queue: SimpleQueue[_Call]) -> None:
        """On its own thread. It ends with a call that has hung, since another has taken its place."""
        while True:
            call = queue.get()
            try:
                call.value = call.given.value.call(*call.arguments)
            except BaseException as exc:  # of a stranger; SystemExit would end the thread without a word
                call.error = exc
            with self._lock:
                if call not in self._running:
                    self._hung -= 1
                    return
                call.ended = True
                self._idle.append(queue)
                call.done.set()


def _named(given: Given[RhaiFunction]) -> str:
    return f"The function {given.value.name} of the plugin {given.plugin}"
