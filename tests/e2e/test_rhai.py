"""A Code node in Rhai, in a running daemon."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jackfield.testing.daemon import Daemon

pytest.importorskip("rhai", reason="rhai-python is not installed")

SOURCE = """
    print(`${items.len} items`);
    items.map(|item| #{ json: #{ digest: json::encode(item.json), total: item.json.a + item.json.b } })
"""


def run(daemon: Daemon, source: str) -> dict[str, object]:
    start = {"name": "Start", "type": "n8n-nodes-base.manualTrigger", "parameters": {}}
    code = {"name": "Code", "type": "n8n-nodes-base.code", "parameters": {"language": "rhai", "rhaiCode": source}}
    document = {
        "name": "Rhai",
        "nodes": [start, code],
        "connections": {"Start": {"main": [[{"node": "Code", "type": "main", "index": 0}]]}},
    }
    items = [{"json": {"a": 1, "b": 2}}, {"json": {"a": 40, "b": 2}}]
    answer = daemon.admin().post("/workflows/run", json={"workflow": document, "inputData": items})
    found: dict[str, object] = answer.json()
    return found


def test_items_are_made_in_rhai(daemon: Daemon) -> None:
    found = run(daemon, SOURCE)
    data = found["data"]
    assert isinstance(data, list)
    assert [item["json"] for item in data] == [
        {"digest": '{"a":1,"b":2}', "total": 3},
        {"digest": '{"a":40,"b":2}', "total": 42},
    ]


def test_a_loop_without_end_fails_the_run_and_not_the_daemon(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon("[executions]\nscript_timeout = 1\n[scripts.rhai]\ncode_operations = 10000000000\n")
    assert "longer than it may" in str(run(daemon, "loop {}")["error"])
    assert daemon.running
