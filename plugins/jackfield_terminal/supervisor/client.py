"""The daemon's way to the supervisors of its persistent sessions: it starts one with a session, and finds it again
later.

`{config_dir}/terminals/<session>/holder.v1` is a supervisor's socket. Messages to a supervisor stay in its memory:
neither the agent's environment nor its output is ever on a disk.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import socket
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.files import private_directory
from jackfield.api.records import record
from jackfield_terminal.pty.processes import abandon
from jackfield_terminal.pty.spawning import DEFAULTED
from jackfield_terminal.supervisor.frames import (
    FAILED,
    HANDOVER,
    HELLO,
    SOCKET,
    START,
    VERSION,
    FrameError,
    Frames,
    number_of,
    object_frame,
)
from jackfield_terminal.supervisor.handover import Handover, handover_of

PROGRAM = Path(__file__).with_name("program.py")
STARTING = 10.0
"""Seconds within which a supervisor starts its agent."""
HANDING_OVER = 3.0
"""Seconds within which it hands over; a start of the daemon waits for so long."""
READ = 65536
DESCRIPTORS = 2
_CREDENTIALS = struct.Struct("3i")
_NULL = "/dev/null"


@record
class SupervisorStart:
    """The start that a supervisor is to make.

    `capacity`: bytes of output. `memo`: text for the next daemon. `lifetime`, `hang_up`, `kill`: seconds without a
    daemon, and of the agent's end then. `ptyprocess`: the directory that has the package which is to start the agent;
    empty: the supervisor does. `kill_file`: kills the processes that have left the session when `1` is written to it;
    empty: there is none.
    """

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    cols: int
    rows: int
    capacity: int
    memo: str
    lifetime: float
    hang_up: float
    kill: float
    ptyprocess: str = ""
    kill_file: str = ""

    def content(self) -> dict[str, object]:
        """Raises `ValueError` for what no program can be given."""
        named = ("cols", "rows", "capacity", "memo", "lifetime", "hang_up", "kill", "ptyprocess", "kill_file")
        return {
            **{name: getattr(self, name) for name in named},
            "argv": [_exact(each) for each in self.argv],
            "env": {_exact(name): _exact(value) for name, value in self.env.items()},
            "cwd": _exact(str(self.cwd)),
        }


def _exact(text: str) -> str:
    """Its bytes as characters: the supervisor need not have this process's encoding."""
    return os.fsencode(text).decode("latin-1")


@record
class Supervised:
    """A session that is handed over.

    `first_messages`: frames that came with the handover. `descriptors`: the ring's, then the terminal's while there is
    one. `child`: the supervisor's pid where it is a child of this process.
    """

    connection: socket.socket
    handover: Handover
    frames: Frames
    first_messages: Sequence[tuple[int, bytes]]
    descriptors: Sequence[int]
    child: int | None = None

    def close(self) -> None:
        """For those that nobody takes over."""
        self.connection.close()
        for descriptor in self.descriptors:
            os.close(descriptor)


def start_supervisor(directory: Path, start: SupervisorStart) -> Supervised:
    """Start a supervisor for a session in its directory, which is made. Blocks. Raises `OSError`, `ValueError` for what
    no program can be given."""
    if any("\0" in text for text in (*start.argv, *start.env, *start.env.values())):
        raise ValueError("embedded null character")
    try:
        first = object_frame(START, start.content())
    except FrameError:
        raise OSError(errno.E2BIG, os.strerror(errno.E2BIG)) from None
    private_directory(directory.parent)
    directory.mkdir(0o700)
    child: int | None = None
    try:
        ours, theirs = socket.socketpair()
        with theirs:
            child = _spawn(directory, theirs.fileno())
        ours.settimeout(STARTING)
        return _handed_over(ours, first, child)
    except BaseException:
        if child is not None:
            abandon(child)
        shutil.rmtree(directory, ignore_errors=True)
        raise


def _spawn(directory: Path, connection: int) -> int:
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", str(PROGRAM), str(directory)],
        {"PATH": os.defpath},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, connection, 0),
            (os.POSIX_SPAWN_OPEN, 1, _NULL, os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigmask=[],
        setsigdef=[number for number in DEFAULTED if number != signal.SIGPIPE],
    )


def reach_supervisor(directory: Path) -> Supervised:
    """Take over the session whose supervisor is in the directory. Blocks. Raises `ConnectionRefusedError` or
    `FileNotFoundError` when there is none any more, another `OSError` when it does not hand over."""
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(HANDING_OVER)
            # The path of a socket is short; that of a configuration directory need not be.
            connection.connect(f"/proc/self/fd/{opened}/{SOCKET}")
            _require_ours(connection)
        except BaseException:
            connection.close()
            raise
    finally:
        os.close(opened)
    return _handed_over(connection, object_frame(HELLO, {"version": VERSION}), None)


def _require_ours(connection: socket.socket) -> None:
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    if _CREDENTIALS.unpack(found)[1] != os.geteuid():
        raise PermissionError(errno.EPERM, "it belongs to another user")


def _handed_over(connection: socket.socket, first: bytes, child: int | None) -> Supervised:
    """Say the first word, and wait for the handover. Closes the connection when there is none."""
    descriptors: list[int] = []
    frames = Frames()
    try:
        connection.sendall(first)
        found: list[tuple[int, bytes]] = []
        while not found:
            data, received, _, _ = socket.recv_fds(connection, READ, DESCRIPTORS)
            descriptors += received
            if not data:
                raise OSError(errno.ECONNRESET, "it has ended")
            found = frames.feed(data)
        kind, content = found[0]
        if kind == FAILED:
            _fail(number_of(content))
        if kind != HANDOVER:
            raise FrameError("it is no handover")
        handover = handover_of(content)
        if len(descriptors) != 1 + handover.terminal:
            raise FrameError("descriptors are missing")
        connection.setblocking(False)
        return Supervised(connection, handover, frames, found[1:], descriptors, child)
    except BaseException as exc:
        connection.close()
        for descriptor in descriptors:
            os.close(descriptor)
        if isinstance(exc, FrameError):
            raise OSError(errno.EPROTO, f"it does not speak our language: {exc}") from None
        raise


def _fail(number: int) -> None:
    if number:
        raise OSError(number, os.strerror(number))
    raise ValueError("embedded null character")


def sweep(directory: Path) -> None:
    """Remove what a supervisor that has ended has left. Anything else stays. Raises `OSError`."""
    with contextlib.suppress(FileNotFoundError):
        (directory / SOCKET).unlink()
    directory.rmdir()
