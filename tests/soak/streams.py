"""Agents that print a stream whose sum they know, and clients that sum up what they get."""

from __future__ import annotations

import re
import selectors
import shlex
import sys
import time
import zlib
from collections.abc import Sequence

from jackfield.testing.websocket import BINARY, RawWebSocket

_AGENT = """
import os,sys,time,zlib
size,rate=int(sys.argv[1]),float(sys.argv[2])
os.system("stty raw -echo"); os.write(1,b"READY"); os.read(0,1)
sent=total=0; number=0; begun=time.monotonic()
while sent<size:
    piece=b"".join(b"%012d %s\\n"%(number+i,b"abcdefghijklmnopqrstuvwxyz"*4) for i in range(400))
    number+=400; total=zlib.crc32(piece,total); sent+=len(piece)
    while piece: piece=piece[os.write(1,piece):]
    ahead=begun+sent/rate-time.monotonic()
    if ahead>0: time.sleep(ahead)
os.write(1,b"<SENT %d %08x>"%(sent,total)); os.read(0,1)
"""
END = re.compile(rb"<SENT (\d+) ([0-9a-f]{8})>")
_LONGEST = 64


def printing(size: int, rate: float) -> str:
    """A shell command: once a key has come, so many numbered bytes, at most so many in a second; then their sum."""
    return f"exec {sys.executable} -IS -c {shlex.quote(_AGENT)} {size} {rate}"


class Summing:
    """A client that reads without an end."""

    def __init__(self, socket: RawWebSocket) -> None:
        self.ws = socket
        self.texts: list[bytes] = []
        self.received = 0
        self.announced: tuple[int, int] | None = None
        """What the agent says that it has sent, and its sum."""
        self.longest_pause = 0.0
        self._at = time.monotonic()
        self._sum = 0
        self._tail = b""
        """Bytes that may belong to the agent's last word, not summed up yet."""
        self._opened = False
        self.ws.socket.setblocking(False)

    @property
    def is_exact(self) -> bool:
        return self.announced == (self.received, self._sum)

    def take(self) -> None:
        """What is there. Raises ConnectionError."""
        if not self.ws._more():
            raise ConnectionError("the daemon has closed the connection")
        now = time.monotonic()
        self.longest_pause, self._at = max(self.longest_pause, now - self._at), now
        while (found := self.ws._parsed()) is not None:
            if found.opcode == BINARY:
                self._payload(found.payload)
            elif found.opcode == 1:
                self.texts.append(found.payload)

    def restart_clock(self) -> None:
        self.longest_pause, self._at = 0.0, time.monotonic()

    def _payload(self, data: bytes) -> None:
        data = self._tail + data
        if not self._opened:
            _, ready, data = data.partition(b"READY")
            self._opened = bool(ready)
        end = END.search(data[-4 * _LONGEST :])
        if end is not None:
            self.announced = (int(end[1]), int(end[2], 16))
            data, self._tail = data[: data.rindex(b"<SENT ")], b""
        else:
            data, self._tail = data[:-_LONGEST], data[-_LONGEST:]
        self._sum = zlib.crc32(data, self._sum)
        self.received += len(data)


def read_all(clients: Sequence[Summing], seconds: float) -> None:
    """Until each has the agent's last word, or the time is over."""
    deadline = time.monotonic() + seconds
    waiting = {client for client in clients if client.announced is None}
    with selectors.DefaultSelector() as selector:
        for client in waiting:
            selector.register(client.ws.socket, selectors.EVENT_READ, client)
        while waiting and time.monotonic() < deadline:
            for key, _ in selector.select(0.5):
                key.data.take()
                if key.data.announced is not None:
                    waiting.discard(key.data)
                    selector.unregister(key.data.ws.socket)
