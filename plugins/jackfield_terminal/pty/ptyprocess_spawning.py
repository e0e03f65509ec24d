"""Starting a program in a pseudo-terminal with the package `ptyprocess` (`terminal.spawner`), under the same terms as
`spawning`.

It forks, and Python runs in the child until the exec: an exception there would go on in a second daemon. So whatever
could raise one is looked at before.

The daemon and the supervisor of a session use this module; it imports what is light.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Mapping, Sequence

from jackfield_terminal.pty.spawning import DEFAULTED, IN_DIRECTORY


def spawn_with_ptyprocess(
    argv: Sequence[str] | Sequence[bytes],
    env: Mapping[str, str] | Mapping[bytes, bytes],
    cwd: str | bytes,
    cols: int,
    rows: int,
) -> tuple[int, int]:
    """As `spawn_in_terminal`."""
    try:
        from ptyprocess import PtyProcess  # an extra; a path to it is added by the supervisor just before
    except ImportError:
        raise OSError(errno.ENOENT, "ptyprocess is not installed") from None
    words = [os.fsencode(word) for word in (cwd, *argv)]
    variables = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
    _require_possible(words, variables)
    failed = 0
    try:
        started = PtyProcess.spawn(
            ["/bin/sh", "-c", IN_DIRECTORY, *words], env=variables, preexec_fn=_as_new, dimensions=(rows, cols)
        )
    except OSError as exc:
        failed = exc.errno or errno.EIO
        _forget(exc)
    if failed:
        raise OSError(failed, os.strerror(failed))
    master = os.dup(started.fd)  # which children do not inherit, as they do what fork gives
    started.closed = True  # or else the object would kill the agent with itself
    started.fileobj.close()
    os.set_blocking(master, False)
    return started.pid, master


def _require_possible(words: Sequence[bytes], env: Mapping[bytes, bytes]) -> None:
    """Raises `ValueError` for what no program can be given."""
    if any(b"\0" in text for text in (*words, *env, *env.values())):
        raise ValueError("embedded null byte")
    if any(not name or b"=" in name for name in env):
        raise ValueError("illegal environment variable name")


def _as_new() -> None:
    """In the child: no signal is ignored or blocked."""
    for number in DEFAULTED:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _forget(error: OSError) -> None:
    """Let go of the object of a program that could not be executed, which reaps it: the error's frames hold it."""
    trace = error.__traceback__ and error.__traceback__.tb_next
    while trace is not None:
        trace.tb_frame.clear()
        trace = trace.tb_next
