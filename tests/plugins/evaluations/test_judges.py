"""Judges: a chat model is asked in an execution of its own, and its tokens count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.evaluations.evaluation_world import World

from jackfield.testing.daemon import Daemon
from jackfield.testing.vendor import Seen, VendorDouble

SETTINGS = """
[evaluations]
look_interval = 0.05

[nodes.http]
allowed_networks = ["127.0.0.0/8"]
"""


def completion(score: Any) -> dict[str, Any]:
    text = json.dumps({"score": score, "reason": "It is as it should be."})
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "judge-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42},
    }


@pytest.fixture
def vendor() -> Iterator[VendorDouble]:
    with VendorDouble() as double:
        yield double


def test_a_chat_model_scores_with_a_reason(tmp_path: Path, vendor: VendorDouble) -> None:
    asked: list[str] = []

    def answered(seen: Seen) -> Any:
        asked.append(json.dumps(seen.body))
        return 200, completion(4)

    vendor.answers["/v1/chat/completions"] = answered
    daemon = Daemon(tmp_path, settings=SETTINGS)
    try:
        world = World(daemon.start().admin(timeout=60))
        values = {"apiKey": "sk-test-of-a-judge", "url": f"{vendor.url}/v1"}
        credential = world.post("/credentials", {"name": "judge", "kind": "openAiApi", "values": values})["id"]
        model = {
            "nodeType": "@n8n/n8n-nodes-langchain.lmChatOpenAi",
            "typeVersion": 1.2,
            "parameters": {"model": {"__rl": True, "mode": "id", "value": "judge-1"}},
            "credentials": {"openAiApi": credential},
        }
        judge = {"kind": "judge", "name": "j", "instructions": "Is it right?", "lowest": 1, "highest": 5}
        table = world.table("judged", [{"number": 2}], number="number")
        target = {"kind": "workflow", "workflowId": world.doubling("judged")}
        world.evaluation("judged", tableId=table, target=target, scorers=[{**judge, "model": model}])
        run = world.run("judged")
        (row,) = world.rows(run["id"])
        assert row["problem"] == ""
        (score,) = row["scores"]
        assert (score["score"], score["reason"]) == (0.75, "It is as it should be.")
        assert (row["tokensIn"], row["tokensOut"], row["unpriced"]) == (30, 12, ["judge-1"])
        assert world.get(f"/executions/{score['executionId']}")["status"] == "success"
        assert "Is it right?" in asked[0]
        assert "sk-test-of-a-judge" not in json.dumps(world.get(f"/evaluation-runs/{run['id']}/rows"))
    finally:
        daemon.close()
