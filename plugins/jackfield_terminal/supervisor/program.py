"""The supervisor of one session: a program that keeps the agent and its terminal while daemons come and go.

Run by path with `python -I -S`, in its own session. Its argument is the session's directory; standard input is the
socket of the daemon that starts it. Nothing secret stands in its arguments or its environment.
"""

from __future__ import annotations

import sys
import types


def as_package() -> None:
    """Make the rooms of the plugin importable without its `__init__`, which belongs to the daemon."""
    package = types.ModuleType("jackfield_terminal")
    package.__path__ = [__file__.rpartition("/")[0].rpartition("/")[0]]
    sys.modules["jackfield_terminal"] = package


if __name__ == "__main__":
    as_package()
    from jackfield_terminal.supervisor.loop import run

    run(sys.argv[1])
