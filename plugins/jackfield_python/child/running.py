"""One run: reads the request, runs the program, writes the answer."""

from __future__ import annotations

import ast
import gc
import io
import json
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any

from jackfield.api.scripting.frames import PIECE, WorkerPipe
from jackfield_python.child.data import Data, read
from jackfield_python.child.modules import builtins_for
from jackfield_python.child.results import NoJson, encoded, encoded_rows, plain

FILE = "<program>"
NAME = "program"
SHORT = 64
"""Elements of a list that is sent with the rest."""
COLLECTOR = 50_000, 10, 1_000
"""A program that makes long lists is not walked again and again while they grow."""
NO_MEMORY = b'{"error": {"kind": "memory", "message": "The program needs more memory than it may have.", "line": null}}'
NOTHING = "The program waits for something that never happens."


class ProgramOutput(io.TextIOBase):
    """Standard output and error of the program: the first lines, each cut to its length."""

    def __init__(self, most: int, longest: int) -> None:
        self.lines: list[str] = []
        self._most = most
        self._longest = longest
        self._open = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *whole, rest = (self._open + text).split("\n") if "\n" in text else ("", text)
        if "\n" in text:
            for line in whole:
                self._keep(line)
            self._open = rest[: self._longest]
        else:
            self._open = (self._open + text)[: self._longest]
        return len(text)

    def close_line(self) -> None:
        """Take the text that was printed without an end of line."""
        if self._open:
            self._keep(self._open)
            self._open = ""

    def _keep(self, line: str) -> None:
        if len(self.lines) < self._most:
            self.lines.append(line[: self._longest])
        elif len(self.lines) == self._most:
            self.lines.append("(more lines were left out)")


class ItemFailed(Exception):
    """The program failed on the item of this index."""

    def __init__(self, index: int, cause: BaseException) -> None:
        super().__init__()
        self.index = index
        self.cause = cause


class Reply:
    """Sends what a program gave, as it is written, and keeps count of it."""

    def __init__(self, pipe: WorkerPipe, most: int) -> None:
        """most: bytes in all."""
        self._pipe = pipe
        self._most = most
        self._size = 0
        self.rows = 0
        """Elements of a list that have been sent."""

    def give(self, text: bytes, count: int) -> None:
        """Some elements of the list. Raises `NoJson` for too many bytes."""
        self.count(text)
        self._pipe.send(text, count)
        self.rows += count

    def count(self, text: bytes) -> None:
        """Raises `NoJson` for too many bytes."""
        self._size += len(text)
        if self._size > self._most:
            raise NoJson(
                f"The program returned more than the {self._most >> 20} MiB of data that it may; let it return less, "
                "or raise scripts.python.max_result."
            )


def answer(run: int, limits: Mapping[str, Any]) -> None:
    """Read the request from the socket and write the answer to it."""
    pipe = WorkerPipe(run)
    try:
        last = _answer(pipe, limits)
    except MemoryError:
        last = NO_MEMORY
    except BaseException as exc:
        last = _failure(exc)
    pipe.send(last)


def _data(pipe: WorkerPipe) -> Data:
    """The collector has nothing to find in what was read, neither now nor while the program runs."""
    gc.disable()
    data = Data(read(pipe))
    gc.freeze()
    gc.enable()
    gc.set_threshold(*COLLECTOR)
    return data


def _answer(pipe: WorkerPipe, limits: Mapping[str, Any]) -> bytes:
    """The last frame of the answer; those of a long list are sent before."""
    printed = ProgramOutput(limits["logLines"], limits["logLength"])
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), printed, printed
    data = _data(pipe)
    reply = Reply(pipe, limits["result"])
    program = _program(data, data.request["source"], limits["modules"])
    value = _for_each(program, data, reply) if data.request["each"] else _given(program(), reply)
    printed.close_line()
    found = {
        "logs": printed.lines,
        "context": plain(data.context, "the node's context"),
        "static": plain(data.static, "the static data"),
        "custom": plain(data.custom, "the execution's custom data"),
    }
    rest = json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    last = b"".join([b"{", value, b",", rest[1:]])
    reply.count(last)
    return last


def _given(value: object, reply: Reply) -> bytes:
    """The value for the last frame; of a long list, which is sent, its length. Raises `NoJson`."""
    if not isinstance(value, list | tuple) or len(value) <= SHORT:
        return b'"value":' + encoded(value)
    for text, count in encoded_rows(value):
        reply.give(text, count)
    return b'"rows":%d' % reply.rows


def _program(data: Data, source: str, modules: list[str]) -> Callable[[], Any]:
    """A call of it runs the program on the current item. The names are parameters of a function whose body the program
    is, so that it may return, and assign to them. Raises SyntaxError."""
    scope: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins_for(modules)}
    exec(_compiled(source, list(data.names())), scope)  # noqa: S102 - in a process that can do nothing
    function = scope.pop(NAME)

    def call() -> Any:
        made = function(**data.names())
        return _awaited(made) if hasattr(made, "send") and hasattr(made, "cr_await") else made

    return call


def _compiled(source: str, names: list[str]) -> CodeType:
    body = ast.parse(source, FILE)
    waits = any(isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith) for node in ast.walk(body))
    kind = ast.AsyncFunctionDef if waits else ast.FunctionDef
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    function = kind(name=NAME, args=arguments, body=body.body or [ast.Pass()], decorator_list=[])
    if sys.version_info >= (3, 12):
        function.type_params = []
    module = ast.fix_missing_locations(ast.Module(body=[function], type_ignores=[]))
    return compile(module, FILE, "exec", dont_inherit=True)


def _awaited(coroutine: Any) -> Any:  # a coroutine, whose result may be anything
    try:
        coroutine.send(None)
    except StopIteration as exc:
        return exc.value
    raise RuntimeError(NOTHING)


def _for_each(program: Callable[[], Any], data: Data, reply: Reply) -> bytes:
    """As `_given`, of what the program returned for each item; of what stands for a failed one when the node goes on.
    Raises `ItemFailed`."""
    goes_on = (data.request["node"].get("onError") or "stopWorkflow") != "stopWorkflow"
    values: list[bytes] = []
    size = 0
    for index in range(len(data.input)):
        data.index = index
        try:
            value = encoded(program())
        except MemoryError:
            raise
        except BaseException as exc:
            if not goes_on:
                raise ItemFailed(index, exc) from None
            line = _line(exc)
            value = encoded({"json": {"error": _message(exc) + (f" (line {line})" if line else "")}})
        values.append(value)
        size += len(value)
        if size >= PIECE:
            reply.give(_list(values), len(values))
            values, size = [], 0
    if not reply.rows:
        return b'"value":' + _list(values)
    if values:
        reply.give(_list(values), len(values))
    return b'"rows":%d' % reply.rows


def _list(values: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(values) + b"]"


def _failure(error: BaseException) -> bytes:
    item = None
    if isinstance(error, ItemFailed):
        item, error = error.index, error.cause
    kind = "syntax" if isinstance(error, SyntaxError) and error.filename == FILE else "runtime"
    found = {"kind": kind, "message": _message(error), "line": _line(error), "item": item}
    return json.dumps({"error": found}).encode("utf-8", "replace")


def _message(error: BaseException) -> str:
    """As Python would show it; of an exception that programs raise themselves the text alone."""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        if isinstance(error, KeyError) and error.args:
            text = f"There is no key {error.args[0]!r}"
        name = type(error).__name__
    except BaseException:  # the program's own class of exception may fail in any way
        return "The program failed without a message."
    if isinstance(error, NoJson) or type(error) in (Exception, ImportError, LookupError, PermissionError):
        return text[:5000] or name
    return f"{name}: {text}"[:5000] if text else name


def _line(error: BaseException) -> int | None:
    """The last line of the program that led to the error."""
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return error.lineno
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == FILE:
            found = line
    return found
