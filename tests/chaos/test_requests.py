"""Requests with two readings are refused, whole or in fragments, and nothing behind them is answered."""

from __future__ import annotations

import contextlib
import random
import re
import socket
from collections import Counter

import pytest

from jackfield.testing.daemon import HOST, Daemon
from jackfield.testing.documents import chain, set_fields, webhook

from ..e2e.conftest import StartDaemon
from .figures import Figures
from .requests_corpus import CASES, PATH, SECOND, Case

PIECES = 8
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
TIMEOUT = 20.0
HASTY = "[webhooks]\nbody_timeout = 1.0\n"
"""A body that does not arrive is refused soon."""


@pytest.mark.scenario("requests", 5000)
def test_requests(new_daemon: StartDaemon, figures: Figures, seed: int) -> None:
    chance = random.Random(seed)
    daemon = new_daemon(HASTY)
    name = PATH.removeprefix("/webhook/")
    daemon.live(chain(name, webhook(name, responseMode="lastNode"), set_fields("Set", read="={{ $json.body.n }}")))
    fragments = 0
    wrong: dict[str, str] = {}
    answers: Counter[int] = Counter()
    host = f"{HOST}:{daemon.port}".encode()
    whole = {case.name: (case.data + SECOND).replace(b"%HOST%", host) for case in CASES}
    tries = [(case, [whole[case.name]]) for case in CASES]
    while len(tries) < figures.count:
        case = chance.choice(CASES)
        tries.append((case, cut(whole[case.name], chance)))
    for case, pieces in tries:
        found = ask(daemon, pieces)
        fragments += len(pieces)
        statuses = [int(status) for status in STATUS.findall(found)]
        answers.update(status // 100 for status in statuses)
        if not right(case, statuses, found):
            wrong.setdefault(case.name, f"{statuses} for {pieces[:3]!r}")
    figures.unit = f"requests of {len(CASES)} kinds"
    refused = sum(case.read is None for case in CASES)
    figures.note(kinds_refused=refused, kinds_read=len(CASES) - refused, fragments=fragments, answers_5xx=answers[5],
                 read_otherwise=len(wrong))  # fmt: skip
    figures.violate({"read otherwise": [f"{name}: {what}" for name, what in wrong.items()]})
    log = daemon.output.read_text(errors="replace")
    figures.violate({"tracebacks": ["Traceback"] * log.count("Traceback")})
    assert daemon.running
    figures.check()


def cut(data: bytes, chance: random.Random) -> list[bytes]:
    """At random places."""
    places = sorted(chance.sample(range(1, len(data)), min(chance.randint(1, PIECES), len(data) - 1)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


def ask(daemon: Daemon, pieces: list[bytes]) -> bytes:
    """All that is answered until the daemon closes the connection."""
    found = b""
    with socket.create_connection((HOST, daemon.port), timeout=TIMEOUT) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):
            for piece in pieces:
                sock.sendall(piece)
        with contextlib.suppress(ConnectionResetError, TimeoutError):
            while piece := sock.recv(65536):
                found += piece
    return found


def right(case: Case, statuses: list[int], found: bytes) -> bool:
    if case.read is None:
        return len(statuses) == 1 and 400 <= statuses[0] < 600
    return statuses == [case.read, 200] and (case.read != 200 or b'"read":"1"' in found.replace(b" ", b""))
