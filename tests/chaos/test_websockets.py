"""WebSocket conversations right and wrong, in one piece and in many: each ends as RFC 6455 has it."""

from __future__ import annotations

import contextlib
import random

import pytest

from jackfield.testing.websocket import CLOSE, RawWebSocket, WebSocketFrame

from .echo import echo_server
from .figures import Figures
from .test_requests import cut
from .websocket_corpus import CASES, NORMAL, Case

SMALL = 70_000
"""Bytes; what is larger is sent in one piece."""


@pytest.mark.scenario("websocket", 2000)
def test_conversations(figures: Figures, seed: int) -> None:
    chance = random.Random(seed)
    tries = [(case, [first(case)]) for case in CASES]
    small = [case for case in CASES if 1 < len(first(case)) < SMALL]
    while len(tries) < figures.count:
        case = chance.choice(small)
        tries.append((case, cut(first(case), chance)))
    wrong: dict[str, str] = {}
    with echo_server("plain") as port:
        for case, pieces in tries[: figures.count]:
            if found := told(port, case, pieces):
                wrong.setdefault(case.name, found)
    figures.unit = f"conversations of {len(CASES)} kinds"
    figures.note(fragments=sum(len(pieces) for _, pieces in tries), ended_otherwise=len(wrong))
    figures.violate({"ended otherwise": [f"{name}: {what}" for name, what in wrong.items()]})
    figures.check()


def first(case: Case) -> bytes:
    """What is sent before the answers are awaited; a normal close comes behind them."""
    return case.sent.removesuffix(NORMAL) or case.sent


def told(port: int, case: Case, pieces: list[bytes]) -> str:
    """What is wrong; "" for nothing."""
    with RawWebSocket(port, "/") as client:
        found: list[WebSocketFrame] = []
        try:
            with contextlib.suppress(ConnectionError):
                for piece in pieces:
                    client.raw(piece)
            while len(said_of(found)) < len(case.said) and (piece := client.receive()) is not None:
                found.append(piece)
            with contextlib.suppress(ConnectionError):
                client.raw(case.sent.removeprefix(first(case)))
            while (piece := client.receive()) is not None:
                found.append(piece)
        except TimeoutError:
            return f"nothing more after {len(found)} frames"
    if not found or found[-1].opcode != CLOSE or found[-1].code != case.code:
        return f"{[(piece.opcode, piece.code) for piece in found[-1:]]}"
    came = tuple(said_of(found[:-1]))
    # What is wrong may be noticed before the answer to what came earlier is sent.
    expected = case.said if case.code == 1000 else case.said[: len(came)]
    return "" if came == expected else f"{[(code, data[:20]) for code, data in came]}"


def said_of(frames: list[WebSocketFrame]) -> list[tuple[int, bytes]]:
    """Messages put together, and control frames."""
    found: list[tuple[int, bytes]] = []
    opcode, data = 0, b""
    for piece in frames:
        if piece.opcode >= CLOSE:
            found.append((piece.opcode, piece.payload))
            continue
        opcode, data = piece.opcode or opcode, data + piece.payload
        if piece.fin:
            found.append((opcode, data))
            data = b""
    return found
