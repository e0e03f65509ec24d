"""The work of a supervisor: read the terminal, serve one daemon at a time, and end when nobody comes back.

Single-threaded and without the daemon's libraries, since there is one for every persistent session.
"""

from __future__ import annotations

import base64
import contextlib
import os
import select
import sys
import time
from _socket import AF_UNIX, SOCK_STREAM, socket

from jackfield_terminal.pty.ptyprocess_spawning import spawn_with_ptyprocess
from jackfield_terminal.pty.spawning import Spawner, spawn_in_terminal
from jackfield_terminal.supervisor.agent import BUDGET, SupervisedAgent
from jackfield_terminal.supervisor.frames import (
    ACCOUNTED,
    DONE,
    FAILED,
    HANDOVER,
    HELLO,
    KEEP,
    OUTPUT,
    SOCKET,
    START,
    TAKEN,
    VERSION,
    FrameError,
    ended_frame,
    number_frame,
    number_of,
    object_frame,
    object_of,
)
from jackfield_terminal.supervisor.link import DaemonLink

RESTING = 0.005
"""Seconds of rest after each `BUDGET` of a flood without a daemon: some 10 MB/s of it."""
GREETING = 5.0
"""Seconds within which a peer says that it is a daemon."""
BACKLOG = 8
DESCRIPTORS = 65536
LONGEST = 2**30
"""Milliseconds that can be waited for at once."""


class ReceivedStart:
    """The content of `START`.

    `memo`: text for the next daemon. `lifetime`, `hang_up`, `kill`: seconds. `ptyprocess`: the directory that has the
    package which is to start the agent; empty: we do. `kill_file`: see `SupervisorStart`.
    """

    def __init__(self, found: dict[str, object]) -> None:
        self.argv = [_exact(each) for each in _list(found["argv"])]
        self.env = {_exact(name): _exact(value) for name, value in _object(found["env"]).items()}
        self.cwd = _exact(found["cwd"])
        self.size = (int(str(found["cols"])), int(str(found["rows"])))
        self.capacity = int(str(found["capacity"]))
        self.lifetime, self.hang_up, self.kill = (float(str(found[name])) for name in ("lifetime", "hang_up", "kill"))
        self.memo = str(found["memo"])
        self.ptyprocess = str(found.get("ptyprocess", ""))
        self.kill_file = str(found.get("kill_file", ""))


def _exact(text: object) -> bytes:
    """The bytes that the characters stand for."""
    return str(text).encode("latin-1")


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise FrameError("it is not a list")
    return value


def _object(value: object) -> dict[object, object]:
    if not isinstance(value, dict):
        raise FrameError("it is not an object")
    return value


class Supervisor:
    """One session. taken: the offset up to which the daemon has the output."""

    def __init__(self, start: ReceivedStart, agent: SupervisedAgent, listener: socket, link: DaemonLink) -> None:
        self._start = start
        self._agent = agent
        self._listener = listener
        self._link: DaemonLink | None = link
        self._kept = b"{}"
        self._accounted = False
        self._taken = 0
        self._told: int | None = None
        """The offset that the daemon got last and has not answered yet."""
        self._end_told = False
        self._deadline: float | None = None
        """When nobody is waited for any more: a peer's greeting, or a daemon."""
        self._away_until: float | None = None
        """Until when a daemon is waited for, while a peer has yet to say that it is one."""
        self._finished = False
        self._greet(link)

    def run(self) -> None:
        while not self._finished:
            self._turn()

    def _turn(self) -> None:
        agent, link = self._agent, self._link
        poll = select.poll()
        taken = self._taken if link is not None and link.greeted else agent.ring.end
        if agent.master is not None and agent.wants(taken):
            poll.register(agent.master, select.POLLIN)
        if agent.exit_code is None:
            poll.register(agent.watch, select.POLLIN)
        if link is None:
            poll.register(self._listener, select.POLLIN)
        else:
            poll.register(link.descriptor, link.interest)
        ready = dict(poll.poll(self._patience()))
        if agent.master in ready and agent.read() >= BUDGET and (link is None or not link.greeted):
            time.sleep(RESTING)  # nobody waits for this output
        if agent.exit_code is None and agent.watch in ready:
            agent.reap()
        elif agent.drained_in() == 0:
            agent.drain()
        if link is None:
            if self._listener.fileno() in ready:
                self._accept()
        elif link.descriptor in ready:
            self._hear(link)
        self._tell()
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._no_more()

    def _patience(self) -> int | None:
        """Milliseconds."""
        waits = [] if self._deadline is None else [self._deadline - time.monotonic()]
        draining = self._agent.drained_in()
        if draining is not None:
            waits.append(draining)
        return min(LONGEST, max(0, int(min(waits) * 1000)) + 1) if waits else None

    # -- daemons

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            descriptor, _ = self._listener._accept()  # type: ignore[attr-defined]  # as `socket.socket` does
            link = DaemonLink(socket(AF_UNIX, SOCK_STREAM, 0, descriptor))
            if not link.is_ours():
                link.close()
                return
            self._link = link
            # The time without a daemon goes on: whoever only connects does not prolong it.
            self._away_until, self._deadline = self._deadline, time.monotonic() + GREETING

    def _hear(self, link: DaemonLink) -> None:
        try:
            frames = link.receive()
            for kind, content in frames or ():
                self._obey(link, kind, content)
        except FrameError:
            frames = None
        if frames is None:
            self._part()
        else:
            link.flush()

    def _obey(self, link: DaemonLink, kind: int, content: bytes) -> None:
        if not link.greeted:
            if kind != HELLO or object_of(content).get("version") != VERSION:
                raise FrameError("it is no daemon of our version")
            self._greet(link)
        elif kind == TAKEN:
            self._taken = min(max(self._taken, number_of(content)), self._agent.ring.end)
            self._told = None
        elif kind == KEEP:
            self._kept = content
        elif kind == ACCOUNTED:
            self._accounted = True
        elif kind == DONE:
            self._finished = True

    def _greet(self, link: DaemonLink) -> None:
        """Hand the session over."""
        agent = self._agent
        link.greeted = True
        self._deadline = None
        # Nothing is overwritten before the daemon has read all that there is.
        self._taken, self._told, self._end_told = agent.ring.start, agent.ring.end, False
        cols, rows = agent.current_size
        handover = {
            "version": VERSION,
            "pid": agent.pid,
            "holder": os.getpid(),
            "cols": cols,
            "rows": rows,
            "ring": agent.ring.size,
            "start": agent.ring.start,
            "end": agent.ring.end,
            "before": base64.b64encode(agent.ring.before).decode("ascii"),
            "terminal": agent.master is not None,
            "accounted": self._accounted,
            "memo": self._start.memo,
            "kept": base64.b64encode(self._kept).decode("ascii"),
        }
        descriptors = [agent.ring.descriptor]
        if agent.master is not None:
            descriptors.append(agent.master)
        link.send_with(object_frame(HANDOVER, handover), descriptors)

    def _tell(self) -> None:
        """One notice at a time: the next one has the output that comes meanwhile."""
        link, agent = self._link, self._agent
        if link is None or not link.greeted or self._end_told:
            return
        if agent.over and agent.exit_code is not None:
            self._end_told = True
            link.send(ended_frame(agent.ring.end, agent.exit_code))
        elif self._told is None and agent.ring.end > self._taken:
            self._told = agent.ring.end
            link.send(number_frame(OUTPUT, agent.ring.end))

    def _part(self) -> None:
        """The daemon has gone, or the peer was none."""
        link, self._link = self._link, None
        if link is None:
            return
        link.close()
        self._deadline = time.monotonic() + self._start.lifetime if link.greeted else self._away_until

    def _no_more(self) -> None:
        if self._link is not None:
            self._part()
        else:
            self._finished = True

    # -- the end

    def close(self, directory: str) -> None:
        """First of all nobody finds it any more."""
        self._listener.close()
        with contextlib.suppress(OSError):
            os.unlink(SOCKET)  # noqa: PTH108 - pathlib is not light
        with contextlib.suppress(OSError):
            os.rmdir(directory)  # noqa: PTH106 - pathlib is not loaded here
        if self._agent.exit_code is None:
            self._agent.end(self._start.hang_up, self._start.kill)
            self._kill_rest()

    def _kill_rest(self) -> None:
        """The processes that have left the session."""
        if self._start.kill_file:
            with contextlib.suppress(OSError), open(self._start.kill_file, "w") as file:  # noqa: PTH123 - pathlib is not light
                file.write("1")


def run(directory: str) -> None:
    """Blocks until the session is over."""
    os.closerange(3, DESCRIPTORS)  # what somebody has left open for the daemon is not for one who outlives it
    link = DaemonLink(socket(AF_UNIX, SOCK_STREAM, 0, os.dup(0)))
    os.set_inheritable(link.descriptor, False)
    os.dup2(1, 0, inheritable=True)  # 1 is /dev/null: the agent must not have the socket
    os.chdir(directory)
    start = _first(link)
    if start is None:
        return
    listener = socket(AF_UNIX, SOCK_STREAM)
    try:
        listener.bind(SOCKET)
        os.chmod(SOCKET, 0o600)  # noqa: PTH101 - pathlib is not loaded here
        listener.listen(BACKLOG)
        listener.setblocking(False)
        agent = SupervisedAgent(
            start.argv, start.env, start.cwd, start.size, start.capacity, _spawner(start.ptyprocess)
        )
    except (OSError, ValueError) as exc:
        link.send(number_frame(FAILED, (exc.errno or 0) if isinstance(exc, OSError) else 0))
        with contextlib.suppress(OSError):
            os.unlink(SOCKET)  # noqa: PTH108 - pathlib is not loaded here
        sys.exit(1)
    start.env, start.argv = {}, []
    supervisor = Supervisor(start, agent, listener, link)
    supervisor.run()
    supervisor.close(directory)


def _spawner(ptyprocess: str) -> Spawner:
    if not ptyprocess:
        return spawn_in_terminal
    sys.path.append(ptyprocess)
    return spawn_with_ptyprocess


def _first(link: DaemonLink) -> ReceivedStart | None:
    """The first message of the daemon that started us; None when it has gone."""
    while True:
        select.select([link.descriptor], [], [])
        frames = link.receive()
        if frames is None:
            return None
        for kind, content in frames:
            if kind != START:
                raise FrameError("a supervisor is told to start first")
            return ReceivedStart(object_of(content))
