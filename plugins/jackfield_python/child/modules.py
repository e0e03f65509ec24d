"""The modules that programs may import: loaded before any of them runs, because a confined process opens no files."""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import sys
import types
import zoneinfo
from collections.abc import Mapping, Sequence
from typing import Any

BEHIND = (
    "_strptime", "encodings.ascii", "encodings.base64_codec", "encodings.cp1250", "encodings.cp1251",
    "encodings.cp1252", "encodings.cp437", "encodings.cp850", "encodings.hex_codec", "encodings.idna",
    "encodings.iso8859_1", "encodings.iso8859_15", "encodings.iso8859_2", "encodings.latin_1", "encodings.punycode",
    "encodings.raw_unicode_escape", "encodings.rot_13", "encodings.unicode_escape", "encodings.utf_16",
    "encodings.utf_16_be", "encodings.utf_16_le", "encodings.utf_32", "encodings.utf_8_sig", "traceback", "stringprep",
)  # fmt: skip
"""The modules that other modules load only when a function of theirs is called."""
IMPLICIT = frozenset({"_strptime", "copyreg", "warnings"})
"""The modules that the interpreter itself imports on behalf of a program that never named them."""
REFUSED = {
    "open": "A Code node has no files; read and write them with nodes before and behind it.",
    "input": "A Code node has no terminal.",
    "breakpoint": "A Code node has no debugger.",
    "help": "A Code node has no terminal.",
    "exit": "A Code node ends with return.",
    "quit": "A Code node ends with return.",
}


@functools.cache
def zones() -> Mapping[str, object]:
    """Every time zone, kept so that `ZoneInfo(name)` finds it in its cache."""
    found: dict[str, object] = {}
    for name in zoneinfo.available_timezones():
        with contextlib.suppress(ValueError, OSError, KeyError):
            found[name] = zoneinfo.ZoneInfo(name)
    return found


def preload(names: Sequence[str]) -> None:
    """Modules that do not exist in this interpreter are left out."""
    for name in (*names, *BEHIND):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    zones()
    "x".encode("idna")


def known_zone(name: str) -> str:
    """The zone's name, or UTC: the C library would take the name of any file."""
    return name if name in zones() else "UTC"


def builtins_for(allowed: Sequence[str]) -> dict[str, Any]:  # Any: builtins are of every type
    """Python's own names, with an `import` that knows the allowed modules alone."""
    found: dict[str, Any] = dict(vars(builtins))
    for name, message in REFUSED.items():
        found[name] = _refusing(message)
    found["__import__"] = _importer(frozenset(allowed) | IMPLICIT)
    return found


def _refusing(message: str) -> Any:  # a function that takes anything
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(message)

    return refuse


def _importer(allowed: frozenset[str]) -> Any:  # `__import__`, whose type is Python's
    real = builtins.__import__

    def guarded(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        wanted = [name] if not fromlist else [name, *(f"{name}.{part}" for part in fromlist)]
        if level or not any(_is_allowed(one, allowed) for one in wanted):
            known = ", ".join(sorted(allowed - IMPLICIT))
            raise ImportError(
                f"The module {name} is not available in Code nodes. Available are: {known}. "
                "The setting scripts.python.modules can name others of the standard library."
            )
        if name not in sys.modules:
            raise ImportError(f"The module {name} is not available in this Python.")
        return real(name, globals, locals, tuple(fromlist or ()), 0)

    return guarded


def _is_allowed(name: str, allowed: frozenset[str]) -> bool:
    """The module itself or one below an allowed one."""
    parts = name.split(".")
    return any(".".join(parts[:count]) in allowed for count in range(1, len(parts) + 1))
