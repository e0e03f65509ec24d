"""A WebSocket client that can do everything wrong: frames as they are, over a plain socket. Source: RFC 6455."""

from __future__ import annotations

import base64
import os
import socket
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from jackfield.api.records import record

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
TIMEOUT = 20.0


@record
class WebSocketFrame:
    fin: bool
    reserved: int
    opcode: int
    payload: bytes

    @property
    def code(self) -> int:
        """Of a close frame; 1005 when it has none."""
        return int.from_bytes(self.payload[:2], "big") if len(self.payload) >= 2 else 1005


def frame(
    opcode: int, payload: bytes = b"", *, fin: bool = True, reserved: int = 0, mask: bytes | None = b"\x11\x22\x33\x44"
) -> bytes:
    """The bytes of one frame, masked unless `mask` is None."""
    size, masked = len(payload), 0x80 if mask is not None else 0
    head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
    if size < 126:
        head += bytes([masked | size])
    elif size < 1 << 16:
        head += bytes([masked | 126]) + size.to_bytes(2, "big")
    else:
        head += bytes([masked | 127]) + size.to_bytes(8, "big")
    return head + payload if mask is None else head + mask + masking(payload, mask)


def masking(payload: bytes, mask: bytes) -> bytes:
    key = int.from_bytes((mask * (len(payload) // 4 + 1))[: len(payload)], "big")
    return (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")


class RawWebSocket:
    """Connected and upgraded. Raises OSError when the handshake is refused. `head` is the server's answer to it."""

    def __init__(self, port: int, path: str, headers: Sequence[str] = (), *, receive_buffer: int = 0) -> None:
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            "Sec-WebSocket-Version: 13",
            *headers,
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self._read = b""
        while b"\r\n\r\n" not in self._read:
            if not self._more():
                raise ConnectionError("the server has closed the connection")
        self.head, _, self._read = self._read.partition(b"\r\n\r\n")
        if not self.head.startswith(b"HTTP/1.1 101"):
            raise ConnectionError(self.head.decode("latin-1"))

    def _more(self) -> bool:
        found = self.socket.recv(1 << 18)
        self._read += found
        return bool(found)

    def send(self, opcode: int, payload: bytes = b"", *, fin: bool = True, reserved: int = 0) -> None:
        self.socket.sendall(frame(opcode, payload, fin=fin, reserved=reserved, mask=os.urandom(4)))

    def raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> WebSocketFrame | None:
        """The next frame; None when the connection has ended. Raises TimeoutError."""
        while True:
            found = self._parsed()
            if found is not None:
                return found
            try:
                if not self._more():
                    return None
            except ConnectionError:
                return None

    def _parsed(self) -> WebSocketFrame | None:
        data = self._read
        if len(data) < 2:
            return None
        size, start = data[1] & 0x7F, 2
        if size >= 126:
            start = 4 if size == 126 else 10
            if len(data) < start:
                return None
            size = int.from_bytes(data[2:start], "big")
        if len(data) < start + size:
            return None
        self._read = data[start + size :]
        return WebSocketFrame(data[0] >= 0x80, data[0] >> 4 & 7, data[0] & 15, data[start : start + size])

    def find(self, opcode: int) -> WebSocketFrame:
        """The next frame of this kind, whatever comes before it. Raises AssertionError when the connection ends."""
        while (found := self.receive()) is not None:
            if found.opcode == opcode:
                return found
        raise AssertionError(f"the connection has ended without a frame of kind {opcode}")

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
