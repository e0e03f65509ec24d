"""A daemon below `ulimit -v`, under load with large bodies: 503 with the limit's name, good answers, and no crash."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from .conftest import StartDaemon

MIB = 1 << 20
ALLOWED = 450 * MIB
"""Bytes. The daemon starts with some 220 MiB of addresses."""
ECHO = {
    "name": "Echo",
    "nodes": [
        {
            "name": "Webhook",
            "type": "n8n-nodes-base.webhook",
            "typeVersion": 2,
            "position": [0, 0],
            "parameters": {"path": "echo", "httpMethod": "POST", "responseMode": "lastNode"},
        },
        {"name": "Set", "type": "n8n-nodes-base.set", "typeVersion": 3, "position": [0, 0], "parameters": {}},
    ],
    "connections": {"Webhook": {"main": [[{"node": "Set", "type": "main", "index": 0}]]}},
}
BODIES = [
    json.dumps([{"a": 1}] * 1_000).encode(),
    json.dumps([{"a": 1}] * 100_000).encode(),
    json.dumps([{"a": 1}] * 700_000).encode(),
    json.dumps({"text": "x" * 14_000_000}).encode(),
]


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="prlimit sets the limit")
def test_large_bodies_under_a_small_limit(new_daemon: StartDaemon) -> None:
    daemon = new_daemon(prefix=["prlimit", f"--as={ALLOWED}"])
    daemon.live(ECHO)

    def call(number: int) -> tuple[int, str]:
        with httpx.Client(trust_env=False, timeout=60) as client:
            kind = {"Content-Type": "application/json"}
            answer = client.post(f"{daemon.base_url}/webhook/echo", content=BODIES[number % len(BODIES)], headers=kind)
        if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            assert "450 MiB" in answer.json()["message"]
        return answer.status_code, answer.json().get("code", "") if answer.status_code != httpx.codes.OK else ""

    with ThreadPoolExecutor(4) as pool:
        found = Counter(pool.map(call, range(16)))
    assert daemon.running, daemon.tail()
    assert set(found) <= {(200, ""), (503, "MEMORY_SHORT")}
    assert found[503, "MEMORY_SHORT"] >= 4, "the largest never fit"
    assert call(0) == (200, ""), "it has recovered"
