"""`telemetry/aggregates.json`: the sums of all time, for tools that read files. We never read them back: what is asked
is always counted. A file that we cannot read is somebody's, or damaged: it is named and left alone."""

from __future__ import annotations

from pathlib import Path

import msgspec

from jackfield.api.clock import iso
from jackfield.api.errors import JackfieldError
from jackfield.api.files import read_private, write_private
from jackfield_telemetry.reports.summary import UsageSummary, aggregates_view, cost_view, tokens_view

VERSION = 1


class _Head(msgspec.Struct):
    version: int
    total_sessions: int


class AggregatesFile:
    """The file `aggregates.json`: sums of sessions. All of it blocks; let a thread do it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def problem(self) -> str | None:
        """One sentence when the file is not one of ours."""
        try:
            content = read_private(self._path)
            if content is None:
                return None
            # All of it: what a type does not ask for is skipped unseen.
            msgspec.convert(msgspec.json.decode(content), _Head)
        except (JackfieldError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as exc:
            why = str(exc).rstrip(".")
            return f"{self._path}: {why}; it is left as it is and not used. Remove it, and it is made again."
        return None

    def write(self, summary: UsageSummary, now_ms: int) -> None:
        """Raises `ConfigurationError`."""
        if self.problem() is not None:
            return
        content = {
            "version": VERSION,
            "generated_at": iso(now_ms),
            "total_sessions": len(summary.total.sessions),
            "total_runtime_secs": summary.total.runtime_ms // 1000,
            "total_tokens": tokens_view(summary.total.tokens),
            "total_cost": cost_view(summary.total.cost),
            **aggregates_view(summary),
        }
        write_private(self._path, msgspec.json.encode(content) + b"\n")
