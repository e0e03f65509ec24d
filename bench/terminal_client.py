"""A WebSocket client that costs next to nothing: raw sockets, so that the servers are what is measured."""

from __future__ import annotations

import base64
import json
import os
import selectors
import socket
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

READ = 1 << 20
DEADLINE = 120.0


@dataclass(frozen=True, slots=True)
class Peer:
    """How one server is spoken to. path: of the WebSocket for the name of a shell; typed: a keystroke as a payload, and
    whether it is text; hello: what a client says first."""

    name: str
    port: int
    path: Callable[[str], str]
    typed: Callable[[str], tuple[bytes, bool]]
    hello: tuple[bytes, bool] | None = None
    protocol: str | None = None


def plain(text: str) -> tuple[bytes, bool]:
    return text.encode(), False


def terminado(text: str) -> tuple[bytes, bool]:
    return json.dumps(["stdin", text]).encode(), True


def ttyd(text: str) -> tuple[bytes, bool]:
    return b"0" + text.encode(), False


TTYD_HELLO = (json.dumps({"AuthToken": "", "columns": 80, "rows": 24}).encode(), False)


class Client:
    """One connection; what it has received is only counted, and its end kept."""

    def __init__(self, peer: Peer, shell: str) -> None:
        self._peer = peer
        self.socket = socket.create_connection(("127.0.0.1", peer.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {peer.path(shell)} HTTP/1.1",
            f"Host: 127.0.0.1:{peer.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            *([f"Sec-WebSocket-Protocol: {peer.protocol}"] if peer.protocol else []),
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.tail = b""
        self.received = 0
        self.until(b"\r\n\r\n")
        if peer.hello:
            self._send(*peer.hello)

    def type(self, text: str) -> None:
        self._send(*self._peer.typed(text))

    def _send(self, data: bytes, text: bool) -> None:
        mask = os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
        self.socket.sendall(bytes([0x81 if text else 0x82]) + size + mask + masked)

    def take(self, buffer: bytearray) -> None:
        count = self.socket.recv_into(buffer)
        if count == 0:
            raise ConnectionError(f"{self._peer.name} closed the connection")
        self.received += count
        # Framing and escapes may stand inside of a marker's line, not inside of the marker.
        self.tail = (self.tail + bytes(buffer[max(0, count - 400) : count]))[-400:]

    def until(self, marker: bytes) -> None:
        buffer = bytearray(READ)
        self.socket.settimeout(DEADLINE)
        while marker not in self.tail:
            self.take(buffer)


def attach(peer: Peer, shell: str, count: int) -> list[Client]:
    """Clients of one shell that have all seen it answer."""
    clients = [Client(peer, shell) for _ in range(count)]
    clients[0].type("stty -echo; PS1=; echo RE''ADY\n")
    for client in clients if peer.protocol is None else clients[:1]:
        client.until(b"READY")
    for client in clients[1:] if peer.protocol is not None else []:
        client.type("stty -echo; PS1=; echo RE''ADY\n")
        client.until(b"READY")
    return clients


def throughput(peer: Peer, shell: str, count: int, path: str, size: int) -> float:
    """MB per second of the shell's output that every one of so many clients gets."""
    clients = attach(peer, shell, count)
    command = f"cat {path}; echo THE-$((1+1))-END\n"
    buffer = bytearray(READ)
    begun = time.perf_counter()
    # A server with a process for each client runs the command in each of them.
    for client in clients if peer.protocol is not None else clients[:1]:
        client.type(command)
    waiting = set(clients)
    with selectors.DefaultSelector() as selector:
        for client in clients:
            selector.register(client.socket, selectors.EVENT_READ, client)
        while waiting:
            for key, _ in selector.select(DEADLINE):
                client = key.data
                client.take(buffer)
                if b"THE-2-END" in client.tail:
                    waiting.discard(client)
    elapsed = time.perf_counter() - begun
    short = [client.received for client in clients if client.received < size]
    if short:
        raise AssertionError(f"{peer.name} has lost output: {short} of {size} bytes")
    for client in clients:
        client.socket.close()
    return size / elapsed / 1e6


def echo(peer: Peer, shell: str, samples: int) -> tuple[float, float]:
    """p50 and p99 of the time from a keystroke to its echo, in microseconds. The kernel's terminal echoes."""
    client = Client(peer, shell)
    client.type("stty echo; PS1=; echo RE''ADY; cat >/dev/null\n")
    client.until(b"READY")
    buffer = bytearray(READ)
    time.sleep(0.2)
    client.socket.setblocking(False)
    while True:
        try:
            client.take(buffer)
        except BlockingIOError:
            break
    client.socket.settimeout(DEADLINE)
    found = []
    for place in range(samples):
        before = client.received
        begun = time.perf_counter()
        client.type("abcdefghij"[place % 10])
        while client.received == before:
            client.take(buffer)
        found.append((time.perf_counter() - begun) * 1e6)
        time.sleep(0.003)
    client.socket.close()
    found.sort()
    return statistics.median(found), found[int(len(found) * 0.99)]
