"""The terminal of a session, as the daemon has it."""

from __future__ import annotations

import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.records import record
from jackfield_terminal.pty.spawning import Spawner


@record
class Spawned:
    """master: of the terminal, non-blocking, not inherited by children; None: it is closed already."""

    pid: int
    master: int | None


def spawn(spawner: Spawner, argv: Sequence[str], env: Mapping[str, str], cwd: Path, cols: int, rows: int) -> Spawned:
    """Blocks for a few milliseconds; let a thread do it. Raises `OSError`, `ValueError`."""
    return Spawned(*spawner(argv, env, str(cwd), cols, rows))


def resize(master: int, cols: int, rows: int) -> None:
    """Tells the foreground process group as well (SIGWINCH), when the size has changed."""
    termios.tcsetwinsize(master, (rows, cols))
