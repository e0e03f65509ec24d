"""Logs as the agents write them, and a ledger to import them into."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.telemetry import Tokens, UsageReader
from jackfield_telemetry.importing.imports import ImportEffort, ImportResult, run_import
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.ledger import merging
from jackfield_telemetry.ledger.database import Ledger
from jackfield_telemetry.prices.price_list import PriceTable
from jackfield_telemetry.reports.queries import Key, Pricing, Slice, UsageFilter, slices

START = "2026-01-31T12:00:00.000Z"


def claude_line(
    message_id: str | None,
    request_id: str | None,
    counts: tuple[int, int, int, int] = (100, 10, 0, 0),
    **more: Any,  # Any: whatever the line shall have beside
) -> bytes:
    """counts: input, output, cache writes, cache reads."""
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    usage = dict(zip(names, counts, strict=True)) | more.pop("usage", {})
    message = {"type": "message", "role": "assistant", "model": more.pop("model", "m-one"), "usage": usage}
    line = {"type": "assistant", "timestamp": START, "sessionId": "s1", "message": message, **more}
    if message_id is not None:
        message["id"] = message_id
    if request_id is not None:
        line["requestId"] = request_id
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"


def codex_line(kind: str, payload: Mapping[str, object], second: int) -> bytes:
    moment = f"2026-01-31T12:{second // 60:02d}:{second % 60:02d}.000Z"
    return json.dumps({"timestamp": moment, "type": kind, "payload": payload}, separators=(",", ":")).encode() + b"\n"


def codex_count(total: tuple[int, int, int], last: tuple[int, int, int] | None, second: int) -> bytes:
    """total, last: input with the cached part, cached, output."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    info: dict[str, object] = {"total_token_usage": dict(zip(names, total, strict=True))}
    if last is not None:
        info["last_token_usage"] = dict(zip(names, last, strict=True))
    return codex_line("event_msg", {"type": "token_count", "info": info}, second)


class Books:
    """A ledger of its own."""

    def __init__(self, directory: Path) -> None:
        self.ledger = Ledger(directory / "telemetry" / "ledger.db")

    def take(self, reader: UsageReader, directory: Path, **whose: str) -> ImportResult:
        (done,) = run_import(self.ledger, [LogSource(reader, directory, **whose)], ImportEffort())
        return done

    def slices(self, prices: Mapping[str, Mapping[str, object]] | None = None, by: Sequence[Key] = ()) -> list[Slice]:
        pricing = Pricing(PriceTable(prices or {}))
        return self.ledger.read(lambda connection: list(slices(connection, UsageFilter(), pricing, by)))

    @property
    def tokens(self) -> Tokens:
        total = Tokens()
        for one in self.slices():
            total = total.plus(one.tokens)
        return total


def store_each_alone(patch: pytest.MonkeyPatch) -> None:
    """Not so many rows together that the few of a test would all take the way of those that are left over."""
    patch.setattr(merging, "_TOGETHER", 1)
    patch.setattr(merging, "_PUT", merging.put_statement(1))
    patch.setattr(merging, "_PUT_PLAIN", merging.plain_statements(1))
