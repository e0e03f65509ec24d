"""Secrets of the environment, in the memory that `/proc/PID/environ` shows as long as the process lives."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping


def hide(names: Iterable[str], environment: Mapping[str, str]) -> None:
    """As `wipe`, for a value that a library of this process reads itself.

    The library finds the value in another place of the memory, and children inherit it from there.
    """
    for place, name in _places(names, environment):
        os.environ[name] = environment[name]  # the system's `setenv` copies it, but for what it has copied before
        if [(place, name)] != [*_places([name], environment)]:
            _overwrite(place)


def wipe(names: Iterable[str], environment: Mapping[str, str]) -> None:
    """Overwrite the values with `*`, where the system put them and where a child process would inherit them from;
    `os.environ` still has them. Before they are taken out of it: then nobody finds them any more."""
    for place, _ in _places(names, environment):
        _overwrite(place)


def _places(names: Iterable[str], environment: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Addresses of the values in memory, and their names."""
    given = [name for name in names if environment.get(name)]
    if not given:
        return
    import ctypes  # loaded by daemons alone that have such a variable

    find = ctypes.CDLL(None).getenv
    find.argtypes, find.restype = [ctypes.c_char_p], ctypes.c_void_p
    for name in given:
        if place := find(name.encode()):
            yield place, name


def _overwrite(place: int) -> None:
    import ctypes  # as above

    ctypes.memset(place, ord("*"), len(ctypes.string_at(place)))
