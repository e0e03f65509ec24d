"""One request of the node, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopback import Loopback, reply
from node_fakes import Bench

Make = Callable[..., Bench]


async def sent(bench: Bench, parameters: dict[str, Any], version: float | None = 4.2, **extra: Any) -> Any:
    (rows,) = await bench.json("httpRequest", version, parameters, **extra)
    return rows


def redirecting(server: Loopback, target: str, status: str = "302 Found") -> None:
    server.answer = lambda seen: (
        reply("", status, location=target) if seen.target == "/" else reply({"at": seen.target})
    )
