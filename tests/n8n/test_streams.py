"""Answers in chunks beside n8n's own node: the same lines, but for their times, from a webhook and from a chat."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node, webhook

from . import installing

SCRIPT = Path(__file__).with_name("streams.js")
SECONDS = 60
ITEMS = [{"json": {"a": "é", "n": 1.5}}, {"json": {"b": [1, None]}}]
CASES: dict[str, dict[str, Any]] = {
    "text": {"respondWith": "text", "responseBody": "hello"},
    "expression": {"respondWith": "text", "responseBody": "={{ $json.a }}!"},
    "json": {"respondWith": "json", "responseBody": '{"a": 1}'},
    "all": {"respondWith": "allIncomingItems"},
    "first": {"respondWith": "firstIncomingItem"},
    "nothing": {"respondWith": "noData"},
}
Lines: TypeAlias = list[str]


def untimed(chunks: list[dict[str, Any]]) -> Lines:
    """As they are written, with a time that says nothing."""
    found: Lines = []
    for chunk in chunks:
        assert isinstance(chunk["metadata"]["timestamp"], int)
        chunk["metadata"]["timestamp"] = 0
        found.append(json.dumps(chunk))
    return found


def theirs() -> list[Lines]:
    given = json.dumps({"cases": list(CASES.values()), "items": ITEMS}).encode()
    command = [installing.node(), str(SCRIPT)]
    done = subprocess.run(
        command, cwd=installing.directory(), input=given, capture_output=True, timeout=SECONDS, check=True
    )
    return [untimed(chunks) for chunks in json.loads(done.stdout.splitlines()[-1])]


def ours(daemon: Daemon, address: str, body: object) -> Lines:
    answer = daemon.client().post(address, json=body)
    assert answer.status_code == 200
    found = [json.loads(line) for line in answer.text.splitlines()]
    return untimed([chunk for chunk in found if chunk["type"] != "keepalive"])


def test_the_lines_are_n8ns(tmp_path: Path) -> None:
    try:
        expected = dict(zip(CASES, theirs(), strict=True))
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    source = {"jsCode": f"return {json.dumps(ITEMS)}"}
    daemon = Daemon(tmp_path).start()
    try:
        for name, parameters in CASES.items():
            say = {**node("Say", "respondToWebhook", parameters, version=1.5), "id": "r"}
            items = node("Items", "code", source, version=2)
            hook = webhook(name, responseMode="streaming")
            daemon.live(chain("W", hook, items, say))
            given: dict[str, Any] = {"public": True, "options": {"responseMode": "streaming"}}
            talk = {**node("Chat", "langchain.chatTrigger", given, version=1.3), "webhookId": name}
            daemon.live(chain("C", talk, items, say))
            assert ours(daemon, f"/webhook/{name}", {}) == expected[name], name
            assert ours(daemon, f"/chat/{name}", {"chatInput": "x"}) == expected[name], name
    finally:
        daemon.close()
