"""Requests with two readings are refused, whole or in fragments, and nothing behind them is answered."""

from __future__ import annotations

import contextlib
import random
import re
import socket
from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from jackfield.testing.daemon import HOST
from jackfield.testing.documents import chain, set_fields, webhook

from ..e2e.conftest import StartDaemon
from ..e2e.test_proxies import Lab, lab
from .figures import Figures
from .requests_corpus import CASES, PATH, SECOND, Case

__all__ = ["lab"]

PIECES = 8
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
MOST_LINES = 10
"""Of the log, about requests that were refused, and much fewer than there are of these."""
TIMEOUT = 20.0
HASTY = "[webhooks]\nbody_timeout = 1.0\n"
"""A body that does not arrive is refused soon."""


@dataclass(frozen=True)
class Front:
    """A port that takes requests. path: what answers `BODY` with 200, as seen by whoever reads a body. lenient: it may
    go on behind a request whose end is beyond doubt."""

    port: int
    path: str = PATH
    reads: bool = True
    lenient: bool = False


@pytest.mark.scenario("requests", 5000)
@pytest.mark.parametrize("server", ["hypercorn", "uvicorn"])
def test_requests(new_daemon: StartDaemon, figures: Figures, seed: int, server: str) -> None:
    daemon = new_daemon(f'[server]\nname = "{server}"\n{HASTY}')
    name = PATH.removeprefix("/webhook/")
    daemon.live(chain(name, webhook(name, responseMode="lastNode"), set_fields("Set", read="={{ $json.body.n }}")))
    figures.scenario = f"requests, {server}"
    judge(Front(daemon.port, lenient=server != "hypercorn"), figures, seed)
    log = daemon.output.read_text(errors="replace")
    figures.violate({"tracebacks": ["Traceback"] * log.count("Traceback")})
    figures.violate({"lines of the log": [line for line in log.splitlines() if "Invalid HTTP" in line][MOST_LINES:]})
    assert daemon.running
    figures.check()


@pytest.mark.scenario("requests", 5000)
def test_requests_to_a_proxy(lab: Lab, figures: Figures, seed: int) -> None:
    lab.profile("corpus")
    lab.data(lab.api.post("/api/proxy/corpus/start"))
    assert lab.ask("corpus").status_code == 200
    port = urlsplit(lab.environment("corpus")["ANTHROPIC_BASE_URL"]).port or 0
    figures.scenario = "requests, a proxy's port"
    judge(Front(port, "/v1/messages", reads=False, lenient=True), figures, seed)
    assert lab.ask("corpus").status_code == 200
    log = lab.daemon.output.read_text(errors="replace")
    figures.violate({"tracebacks": ["Traceback"] * log.count("Traceback")})
    figures.check()


def judge(front: Front, figures: Figures, seed: int) -> None:
    """Send all cases whole, then as many as there is count for in fragments."""
    chance = random.Random(seed)
    fragments = 0
    wrong: dict[str, str] = {}
    answers: Counter[int] = Counter()
    host = f"{HOST}:{front.port}".encode()
    sent = {case.name: (case.data + SECOND).replace(PATH.encode(), front.path.encode()) for case in CASES}
    whole = {name: data.replace(b"%HOST%", host) for name, data in sent.items()}
    tries = [(case, [whole[case.name]]) for case in CASES]
    while len(tries) < figures.count:
        case = chance.choice(CASES)
        tries.append((case, cut(whole[case.name], chance)))
    for case, pieces in tries:
        found = ask(front.port, pieces)
        fragments += len(pieces)
        statuses = [int(status) for status in STATUS.findall(found)]
        answers.update(status // 100 for status in statuses)
        if not right(front, case, statuses, found):
            wrong.setdefault(case.name, f"{statuses} for {pieces[:3]!r}")
    figures.unit = f"requests of {len(CASES)} kinds"
    refused = sum(case.read is None for case in CASES)
    figures.note(kinds_refused=refused, kinds_read=len(CASES) - refused, fragments=fragments, answers_5xx=answers[5],
                 read_otherwise=len(wrong))  # fmt: skip
    figures.violate({"read otherwise": [f"{name}: {what}" for name, what in wrong.items()]})


def cut(data: bytes, chance: random.Random) -> list[bytes]:
    """At random places."""
    places = sorted(chance.sample(range(1, len(data)), min(chance.randint(1, PIECES), len(data) - 1)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


def ask(port: int, pieces: list[bytes]) -> bytes:
    """All that is answered until the other end closes the connection."""
    found = b""
    with socket.create_connection((HOST, port), timeout=TIMEOUT) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):
            for piece in pieces:
                sock.sendall(piece)
        with contextlib.suppress(ConnectionResetError, TimeoutError):
            while piece := sock.recv(65536):
                found += piece
    return found


def right(front: Front, case: Case, statuses: list[int], found: bytes) -> bool:
    refused = len(statuses) == 1 and 400 <= statuses[0] < 600
    if front.lenient and (refused or (case.framed and len(statuses) == 2)):
        return True
    if case.read is None:
        return refused
    if not front.reads:
        return len(statuses) == 2
    return statuses == [case.read, 200] and (case.read != 200 or b'"read":"1"' in found.replace(b" ", b""))
