"""The log formats that the plugin knows."""

from __future__ import annotations

from jackfield_telemetry.readers.aider import AiderReader
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader
from jackfield_telemetry.readers.gemini import GeminiCliReader
from jackfield_telemetry.readers.opencode import OpenCodeReader
from jackfield_telemetry.readers.qwen import QwenReader

READERS = (ClaudeReader(), CodexReader(), OpenCodeReader(), GeminiCliReader(), QwenReader(), AiderReader())
