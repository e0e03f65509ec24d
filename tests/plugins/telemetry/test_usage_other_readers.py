"""Logs of Gemini CLI, Qwen Code and Aider, as these write them (0.61, 0.15 and 0.86)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.telemetry import Bookmark, LogFile, Tokens, UsageEntry, UsageReader
from jackfield_telemetry.readers.aider import AiderReader
from jackfield_telemetry.readers.gemini import GeminiCliReader
from jackfield_telemetry.readers.qwen import QwenReader

TIME = "2026-11-28T14:32:29.345Z"
MS = 1_795_876_349_345


START = Bookmark()


def lines(*objects: Any) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


def told(reader: UsageReader, path: Path, start: Bookmark = START) -> tuple[list[UsageEntry], Bookmark]:
    entries, end = [], start
    for reading in reader.read(LogFile(path, str(path)), start):
        entries += reading.entries
        end = reading.bookmark
    return entries, end


def qwen(number: int, given: int, output: int, total: int, cached: int = 0) -> Any:
    event = {
        "event.name": "qwen-code.api_response", "response_id": f"chatcmpl-{number}", "model": "m",
        "input_token_count": given, "output_token_count": output, "cached_content_token_count": cached,
        "total_token_count": total,
    }  # fmt: skip
    payload = {"uiEvent": event}
    return {"uuid": f"u{number}", "sessionId": "s", "timestamp": TIME, "cwd": "/w", "systemPayload": payload}


def test_qwen(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "-w" / "chats" / "s.jsonl"
    path.parent.mkdir(parents=True)
    assistant = {"type": "assistant", "usageMetadata": {"promptTokenCount": 1300}, "timestamp": TIME, "uuid": "x"}
    path.write_text(lines(qwen(1, 1300, 50, 1350, 300), assistant, qwen(2, 10, 5, 22)) + '{"half": ')
    reader = QwenReader()
    assert [file.path for file in reader.files(tmp_path)] == [path]
    (first, second), end = told(reader, path)
    assert first == UsageEntry(
        "qwen", "chatcmpl-1", "s", MS, "m", Tokens(1000, 50, 0, 300), f"s@{MS}", project="/w"
    )  # fmt: skip
    assert second.tokens == Tokens(10, 12)  # reasoning is beside the output
    path.write_text(lines(qwen(1, 1300, 50, 1350, 300), assistant, qwen(2, 10, 5, 22), qwen(3, 7, 1, 8)))
    assert [entry.answer for entry in told(reader, path, end)[0]] == ["chatcmpl-3"]


def gemini(id: str, **more: Any) -> Any:
    return {"id": id, "timestamp": TIME, "type": "gemini", "content": "It is.", "model": "g", **more}


def test_gemini(tmp_path: Path) -> None:
    path = tmp_path / "tmp" / "w" / "chats" / "session-2026-11-28T14-32-abc.jsonl"
    path.parent.mkdir(parents=True)
    used = {"input": 1300, "output": 30, "cached": 300, "thoughts": 20, "tool": 5, "total": 1355}
    start = {"sessionId": "abc", "projectHash": "h", "startTime": TIME}
    path.write_text(
        lines(start, {"id": "1", "type": "user", "content": "tokens"}, gemini("2"), gemini("2", tokens=used))
    )
    reader = GeminiCliReader()
    assert [file.path for file in reader.files(tmp_path)] == [path]
    (entry,), end = told(reader, path)
    assert entry == UsageEntry("gemini", "2", "abc", MS, "g", Tokens(1005, 50, 0, 300))
    with path.open("a") as file:
        file.write(lines(gemini("3", tokens=used)))
    assert [(one.answer, one.session_id) for one in told(reader, path, end)[0]] == [("3", "abc")]
    old = path.with_suffix(".json")
    old.write_text(json.dumps({"sessionId": "old", "messages": [gemini("4", tokens=used), gemini("5")]}))
    assert [(one.answer, one.session_id) for one in told(reader, old)[0]] == [("4", "old")]


def test_aider(tmp_path: Path) -> None:
    path = tmp_path / "usage" / "acme%2Fbig.jsonl"
    path.parent.mkdir(parents=True)
    sent = {"main_model": "openai/REDACTED", "prompt_tokens": 1000, "completion_tokens": 50, "cost": 0}
    path.write_text(
        lines(
            {"event": "cli session", "properties": {}, "time": 1},
            {"event": "message_send", "properties": sent, "time": 2},
        )
    )
    reader = AiderReader()
    (entry,), end = told(reader, path)
    assert (entry.model, entry.tokens, entry.time_ms) == ("acme/big", Tokens(1000, 50), 2999)
    assert told(reader, path, end)[0] == []


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        (QwenReader(), "s.jsonl"),
        (GeminiCliReader(), "s.jsonl"),
        (GeminiCliReader(), "s.json"),
        (AiderReader(), "m.jsonl"),
    ],
)
@given(content=st.binary(max_size=300), number=st.integers(-(2**70), 2**70))
def test_damage_stops_no_reader(
    reader: UsageReader, name: str, content: bytes, number: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("log") / name
    used = {"prompt_tokens": number, "completion_tokens": 1}
    wrong: list[Any] = [
        qwen(1, number, 1, 2), gemini("1", tokens={"input": number}), gemini("1", tokens=[]), {"sessionId": number},
        {"event": "message_send", "properties": used, "time": number},
    ]  # fmt: skip
    path.write_bytes(content + b"\n" + lines(*wrong).encode() + content)
    for entry in told(reader, path)[0]:
        assert 0 <= entry.tokens.total <= 2**53
