"""Secrets of the environment, in the memory that `/proc/PID/environ` shows as long as the process lives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def wipe(names: Iterable[str], environment: Mapping[str, str]) -> None:
    """Overwrite the values with `*`, where the system put them and where a child process would inherit them from;
    `os.environ` still has them. Before they are taken out of it: then nobody finds them any more."""
    given = [name for name in names if environment.get(name)]
    if not given:
        return
    import ctypes  # loaded by daemons alone that have such a variable

    find = ctypes.CDLL(None).getenv
    find.argtypes, find.restype = [ctypes.c_char_p], ctypes.c_void_p
    for name in given:
        place = find(name.encode())
        if place:
            ctypes.memset(place, ord("*"), len(ctypes.string_at(place)))
