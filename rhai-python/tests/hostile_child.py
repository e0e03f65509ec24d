"""A process that evaluates hostile scripts for its parent, which kills it when it hangs and sees when it crashes."""

import sys
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import rhai

# Seconds, beyond the deadline of the script: machines are shared, so these look for scripts without an end.
GRACE = 2.0
MEMORY_MB = 400


class HostError(Exception):
    pass


@dataclass(frozen=True)
class Outcome:
    """What became of a script: `kind` of the error, and what about that is wrong, if anything is."""

    kind: str
    wrong: str | None = None
    seconds: float = 0.0
    memory_mb: int = 0


def serve(connection: Connection, settings: dict[str, Any]) -> None:
    """Answers pairs of "compile" or "eval" and a script with an Outcome, until the parent is gone."""
    engine = make_engine(settings)
    while True:
        try:
            operation, script = connection.recv()
        except EOFError:
            return
        connection.send(outcome(engine, operation, script))


def make_engine(settings: dict[str, Any]) -> rhai.Engine:
    def host(value: object) -> object:
        return value

    def raises() -> None:
        raise HostError

    engine = rhai.Engine(**settings, on_print=len, on_debug=lambda *_: None)
    engine.register_fn("host", host)
    engine.register_fn("raises", raises)
    return engine


def outcome(engine: rhai.Engine, operation: str, script: str) -> Outcome:
    started = time.monotonic()
    kind, wrong = "value", None
    try:
        result = engine.compile(script) if operation == "compile" else engine.eval(script)
        wrong = too_large(result, engine)
    except (rhai.RhaiError, HostError) as error:
        kind = getattr(error, "kind", "HostError")
        wrong = str(error) if kind == "ErrorInternal" else None
    except BaseException as error:
        kind, wrong = type(error).__name__, repr(error)
    seconds, memory = time.monotonic() - started, peak_memory()
    if seconds > engine.limits["timeout"] + GRACE:
        wrong = f"took {seconds:.2f} s"
    if memory > MEMORY_MB:
        wrong = f"took {memory} MB"
    return Outcome(kind, wrong, seconds, memory)


def too_large(result: object, engine: rhai.Engine) -> str | None:
    items, characters = sizes(result)
    limits = engine.limits
    if items > limits["max_array_size"] + limits["max_map_size"] or characters > 4 * limits["max_string_size"]:
        return f"{items} items, {characters} characters"
    return None


def sizes(value: object) -> tuple[int, int]:
    """Items and characters in a value."""
    if isinstance(value, str | bytes):
        return 0, len(value)
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 0, 0
    inner = [sizes(item) for item in value]
    return len(value) + sum(items for items, _ in inner), sum(size for _, size in inner)


def peak_memory() -> int:
    """Megabytes, 0 where the system does not say."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)
