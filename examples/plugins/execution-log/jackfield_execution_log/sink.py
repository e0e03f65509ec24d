"""The sink."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Sequence
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.files import append_private
from jackfield.api.jsontext import dumps
from jackfield.api.records import as_dict
from jackfield.api.telemetry import (
    ExecutionEnded,
    ExecutionStarted,
    ProxiedRequest,
    RunEnded,
    RunUsage,
    TelemetryRecord,
    TelemetrySink,
    Tokens,
)
from jackfield_execution_log.settings import ExecutionLogSettings


class JsonLines:
    """Appends to a file that only its owner may read."""

    name = "execution_log"
    takes: Collection[type] = (ExecutionStarted, ExecutionEnded, RunEnded, ProxiedRequest)

    def __init__(self, path: Path) -> None:
        self.path = path

    async def take(self, batch: Sequence[TelemetryRecord]) -> None:
        """Files block, so a thread writes."""
        await asyncio.to_thread(self._append, b"".join(dumps(line_of(record)) + b"\n" for record in batch))

    async def close(self) -> None:
        """Nothing is open between two batches."""

    def _append(self, lines: bytes) -> None:
        with os.fdopen(append_private(self.path), "ab") as file:
            file.write(lines)


def line_of(record: TelemetryRecord) -> dict[str, object]:
    """The record's kind and fields; its usage as figures."""
    line: dict[str, object] = {"type": type(record).__name__, **as_dict(record)}
    if isinstance(record, ExecutionEnded):
        line["duration_ms"] = record.duration_ms
    if isinstance(record, RunEnded):
        line |= {"usage": None, "cost": None} if record.usage is None else _usage(record.usage)
    if isinstance(record, ProxiedRequest) and record.tokens is not None:
        line["tokens"] = _tokens(record.tokens)
    return line


def _usage(usage: RunUsage) -> dict[str, object]:
    return {"usage": _tokens(usage.tokens), "cost": usage.cost.total}


def _tokens(tokens: Tokens) -> dict[str, object]:
    return {"input": tokens.input, "output": tokens.output, "total": tokens.total}


def sinks(context: PluginContext) -> Sequence[TelemetrySink]:
    given = context.settings(ExecutionLogSettings).path
    return [JsonLines(Path(given) if given else context.service.config_dir / "execution-log.jsonl")]
