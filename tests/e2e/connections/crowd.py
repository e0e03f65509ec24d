"""Opens many connections that ask nothing, or too slowly, and tells when the last of them was closed. It is run as a
program of its own, so that it can be another user's: `crowd.py PORT COUNT silent|dripped [UID]`.

It writes one JSON line when it has tried all connections, and one when all are closed.
"""

from __future__ import annotations

import json
import os
import resource
import selectors
import socket
import sys
import time

HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"a" * 4000
DRIP = 0.5
LONGEST = 60.0


def main() -> None:
    port, count, dripped = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "dripped"
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if len(sys.argv) > 4:
        user = int(sys.argv[4])
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    selector = selectors.DefaultSelector()
    deadline = time.monotonic() + LONGEST
    opened = []
    while len(opened) < count and time.monotonic() < deadline:
        sock = socket.socket()
        try:
            sock.connect(("127.0.0.1", port))
        except OSError:  # nobody listens yet
            sock.close()
            time.sleep(0.005)
            continue
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_READ)
        opened.append(sock)
    begun = time.monotonic()
    say(opened=len(opened))
    place = 0
    while selector.get_map() and time.monotonic() < deadline:
        for key, _ in selector.select(DRIP):
            sock = key.fileobj
            try:
                over = not sock.recv(4096)
            except BlockingIOError:
                continue
            except OSError:
                over = True
            if over:
                selector.unregister(sock)
                sock.close()
        if dripped and time.monotonic() - begun > place * DRIP:
            for key in list(selector.get_map().values()):
                try:
                    key.fileobj.send(HEAD[place : place + 1])
                except OSError:
                    continue
            place += 1
    say(left=len(selector.get_map() or ()), seconds=round(time.monotonic() - begun, 2))


def say(**facts: float) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
