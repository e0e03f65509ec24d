"""The log formats that the plugin knows."""

from __future__ import annotations

from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader
from jackfield_telemetry.readers.opencode import OpenCodeReader

READERS = (ClaudeReader(), CodexReader(), OpenCodeReader())
