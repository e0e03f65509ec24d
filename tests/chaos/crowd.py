"""Opens many connections that ask nothing, send or read too slowly, and tells when the last of them was closed. It is
run as a program of its own, so that it can be another user's: `crowd.py PORT COUNT KIND [UID]`.

KIND is `silent`, `dripped` (a head, byte by byte), `bodies` (a body, byte by byte) or `unread` (answers that nobody
takes). It writes one JSON line when it has tried all connections, and one when all are closed.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import socket
import sys
import time

HOST = b"Host: 127.0.0.1:%d\r\n"
POST = b"POST /webhook/slow HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
LARGE = b"GET /docs HTTP/1.1\r\n" + HOST + b"\r\n"
AT_ONCE = {"silent": b"", "dripped": b"", "bodies": POST, "unread": LARGE * 2}
DRIPPED = {
    "dripped": b"GET /health HTTP/1.1\r\n" + HOST + b"X-Slow: " + b"a" * 4000,
    "bodies": b'{"text": "' + b"a" * 3990,
}
BUFFER = 4096
DRIP = 0.5
SLICES = 10
"""Groups of connections whose bytes come one group after the other."""
LONGEST = 90.0


def main() -> None:
    port, count, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if len(sys.argv) > 4:
        user = int(sys.argv[4])
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    deadline = time.monotonic() + LONGEST
    opened = connected(port, count, AT_ONCE[kind].replace(b"%d", b"%d" % port), deadline)
    begun = time.monotonic()
    say(opened=len(opened))
    slow = DRIPPED.get(kind, b"").replace(b"%d", b"%d" % port)
    left = unread(opened, deadline) if kind == "unread" else dripped(opened, slow, begun, deadline)
    say(left=left, seconds=round(time.monotonic() - begun, 2))


def connected(port: int, count: int, sent: bytes, deadline: float) -> list[socket.socket]:
    """Connections on each of which this was sent."""
    opened: list[socket.socket] = []
    while len(opened) < count and time.monotonic() < deadline:
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        try:
            sock.connect(("127.0.0.1", port))
            sock.sendall(sent)
        except OSError:  # nobody listens yet
            sock.close()
            time.sleep(0.005)
            continue
        sock.setblocking(False)
        opened.append(sock)
    return opened


def dripped(opened: list[socket.socket], slow: bytes, begun: float, deadline: float) -> int:
    """Send byte by byte until all are closed; how many are not."""
    selector = selectors.DefaultSelector()
    for sock in opened:
        selector.register(sock, selectors.EVENT_READ)
    turn = 0
    while selector.get_map() and time.monotonic() < deadline:
        for key, _ in selector.select(DRIP / SLICES):
            sock = key.fileobj
            try:
                over = not sock.recv(BUFFER)
            except BlockingIOError:
                continue
            except OSError:
                over = True
            if over:
                selector.unregister(sock)
                sock.close()
        place, part = divmod(turn, SLICES)
        if place < len(slow) and time.monotonic() - begun > turn * DRIP / SLICES:
            for sock in opened[part::SLICES]:
                with contextlib.suppress(OSError):
                    sock.send(slow[place : place + 1])
            turn += 1
    return len(selector.get_map() or ())


def unread(opened: list[socket.socket], deadline: float) -> int:
    """Read nothing; a daemon that cuts off does not tell, so that it has to be asked how many are left."""
    time.sleep(max(0.0, deadline - time.monotonic()))
    return len(opened)


def say(**facts: float) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
