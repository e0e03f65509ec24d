"""Messages of a megabyte and more are read on a thread, so that the daemon answers others meanwhile."""

from __future__ import annotations

import threading

import pytest

from jackfield.api.jsontext import LARGE, Json, loads
from jackfield_integrations.listening.node import json_or_text


async def test_a_large_message_is_read_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []

    def read(text: str) -> Json:
        threads.append(threading.current_thread().name)
        return loads(text)

    monkeypatch.setattr("jackfield_integrations.listening.node.loads", read)
    zeros = "[" + "0," * (LARGE // 2) + "0]"
    assert await json_or_text(zeros) == [0] * (LARGE // 2 + 1)
    assert threading.main_thread().name not in threads
    assert await json_or_text("x" * LARGE) == "x" * LARGE
    assert await json_or_text('{"a": 1}') == {"a": 1}
    assert len(threads) == 3
