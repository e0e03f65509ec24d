"""Script engines behind a port: expressions inside the daemon, Code nodes in killable worker processes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Protocol, runtime_checkable

from .extensions import ExtensionPoint
from .jsontext import Json
from .records import record
from .workflows import Items


class ScriptError(Exception):
    """A script failed.

    `kind`: syntax, runtime, timeout, memory, crash, busy. `line`: 1-based in the source, if known. `item`: index of the
    item on which one that runs for each item failed.
    """

    def __init__(
        self, message: str, *, kind: str = "runtime", line: int | None = None, item: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.line = line
        self.item = item


RHAI_REMEDY = (
    "Install the package rhai-python into the daemon's environment: from a clone with `pip install ./rhai-python`, "
    "which needs Rust, or from a wheel of Jackfield's release."
)
"""For people, wherever Rhai is missing."""
RECKONED = 16 * 2**20
"""Bytes beyond the base from which programs share them out. Those with a short input wait for no others."""


@record
class ScriptMemory:
    """How much a program may hold: `base` MiB, and `per_input` more for each MiB of JSON that it is given, up to
    `most`. `table`: of the settings. `base_key`: the one for `base`.
    """

    base: int
    per_input: float
    most: int
    table: str
    base_key: str

    def allowed(self, size: int) -> int:
        """Bytes, for that many bytes of JSON."""
        return min(self._grown(size), self._most())

    def beyond(self, size: int) -> int:
        """How many of these are more than the base; 0 where that is too little to be reckoned with."""
        more = self.allowed(size) - (self.base << 20)
        return more if more >= RECKONED else 0

    def error(self, size: int) -> ScriptError:
        """Of a program for which that is too little. It names the setting that allows more."""
        key = "max_memory" if self._grown(size) > self._most() else self.base_key
        return ScriptError(
            f"The program needs more memory than the {self.allowed(size) >> 20} MiB it may have; give the node fewer "
            f"items at a time, or raise {self.table}.{key}.",
            kind="memory",
        )

    def _grown(self, size: int) -> int:
        return (self.base << 20) + round(size * self.per_input)

    def _most(self) -> int:
        return max(self.base, self.most) << 20


@record
class ScriptData:
    """A script's view of its execution; plain JSON data, so that it can cross a process border.

    `nodes`: per node that ran: `{"runs": [{"outputs": [[item ...] ...], "params": {...}}], "output": k}`, only those
    that the source can name. `k` is the output that leads to the running node. By default, `first()`, `last()` and
    `all()` read from it. `known`: the names of all nodes of the workflow. `input`: items of input 0. `paired`: per node
    name, for each input item, its ancestor. It is `[output, item]` of that node's last run, `[output, item, run]` of an
    earlier one, or null.
    """

    input: Items
    nodes: Mapping[str, Json] = field(default_factory=dict)
    paired: Mapping[str, Sequence[Sequence[int] | None]] = field(default_factory=dict)
    workflow: Mapping[str, Json] = field(default_factory=dict)
    execution: Mapping[str, Json] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    node: Mapping[str, Json] = field(default_factory=dict)
    """name, id, version, parameters, context, runIndex and onError of the node that runs; previous node under
    `previous`."""
    timezone: str = "UTC"
    now_ms: int = 0
    known: Sequence[str] = ()
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Further variables of one evaluation, by their names with the `$`; expressions alone see them."""
    static: Mapping[str, Json] = field(default_factory=dict)
    """The workflow's memory across executions: `global`, and `node` for the running node's own."""

    @property
    def goes_on(self) -> bool:
        """Whether a program that runs once per item goes on with the others after one failed; see `failed_value`."""
        return self.node.get("onError") not in (None, "stopWorkflow")


@record
class ScriptResult:
    """`value`: what the source returned, as JSON.

    `logs`: lines that it printed, bounded. `context`: the node's context after it. `static`: the memory across
    executions after it, in the shape of `ScriptData.static`. `custom`: `$execution.customData` after it.
    """

    value: Json
    logs: Sequence[str] = ()
    context: Mapping[str, Json] = field(default_factory=dict)
    static: Mapping[str, Json] = field(default_factory=dict)
    custom: Mapping[str, Json] = field(default_factory=dict)


@record
class ExpressionError:
    """In place of a value: the expression's source is wrong or names what does not exist; the node fails with it."""

    message: str


def failed_value(message: str) -> Json:
    """Stands for an item on which a program failed that runs once per item."""
    return {"json": {"error": message}}


class ScriptEngine(Protocol):
    """One language. Limits (time, memory, output) are the engine's settings."""

    language: str
    """`javaScript`, `python`, `rhai`"""

    async def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        """Evaluate each expression source for each of these item indexes: per index, per source, its value.

        The items cross the border once. A run-time error (TypeError, ReferenceError ...) of an expression is undefined,
        given as None; a syntax error or a broken reference is an `ExpressionError`. Runs off the event loop. Raises
        `ScriptError` when the whole evaluation exceeds its limits.
        """

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        """Run a Code node in a worker process that is killed after `timeout` seconds. each: once per item. The value is
        a list, in which `failed_value` stands for an item that failed when `data.goes_on`. Raises `ScriptError`."""

    async def close(self) -> None: ...


@runtime_checkable
class ScopedScripts(Protocol):
    """An engine that also runs scripts which belong to no execution: those that make an agent's configuration, and the
    conditions of routes."""

    async def value(
        self, source: str, variables: Mapping[str, Json], *, name: str | None = None, timeout: float | None = None
    ) -> Json:
        """Run a whole script with these variables and give its value, as JSON.

        name: of the script, for errors; timeout: seconds, the engine's own limit unless given. The compiled form is
        kept by the source's hash. Raises `ScriptError`; `line` is known for most.
        """


_NAME = re.compile(r"[a-z_][a-z0-9_]*::[a-z_][a-z0-9_]*", re.ASCII)
MOST_ARGUMENTS = 8


@record
class RhaiFunction:
    """A function that a plugin gives to scripts in Rhai (`jackfield_rhai_functions`).

    `name`: `namespace::function`, in lower case, so that it is none of Rhai's own. The namespace is most often the
    plugin's name. `arity`: how many arguments it takes, 0 to 8. `call`: takes and gives plain JSON values (None, bool,
    int, float, str, list, dict with text keys). It is called on a thread and may block, as long as its script has time;
    what it raises fails the script, with its message. A script that runs out of time goes on without it, but the thread
    cannot be ended.

    Raises ValueError when the name is of another form, when there are too many arguments, or when `call` does not take
    them.
    """

    name: str
    arity: int
    call: Callable[..., Json]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is no name of a function; write it as namespace::function")
        if not 0 <= self.arity <= MOST_ARGUMENTS:
            raise ValueError(f"{self.name} may take 0 to {MOST_ARGUMENTS} arguments, not {self.arity}")
        try:
            inspect.signature(self.call).bind(*range(self.arity))
        except TypeError as exc:
            raise ValueError(f"{self.name} says that it takes {self.arity} arguments, but {exc}") from None


SCRIPT_ENGINES = ExtensionPoint("jackfield_script_engines", ScriptEngine, "language")
RHAI_FUNCTIONS = ExtensionPoint("jackfield_rhai_functions", RhaiFunction)
