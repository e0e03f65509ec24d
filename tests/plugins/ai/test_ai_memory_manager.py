"""Nodes of the flow that read and change memories: in static data and in real databases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ai_lab import AiLab, flow, node

from jackfield.api.workflows import Document

MEMORIES = {
    "window": ("memoryBufferWindow", "", 1.3),
    "postgres": ("memoryPostgresChat", "postgres", 1.3),
    "redis": ("memoryRedisChat", "redis", 1.5),
    "mongo": ("memoryMongoDbChat", "mongoDb", 1),
}
NEW = [{"type": "system", "message": "S"}, {"type": "user", "message": "U"}, {"type": "ai", "message": "A"}]


@pytest.fixture(params=MEMORIES)
async def memory(request: pytest.FixtureRequest, lab: AiLab) -> dict[str, Any]:
    kind, credential, version = MEMORIES[request.param]
    if credential:
        values: Mapping[str, str] = request.getfixturevalue(request.param)
        await lab.sealed(credential, values)
    key = {"sessionIdType": "customKey", "sessionKey": f"k{abs(hash(request.node.name))}"}
    return node(
        "Memory", kind, key, typeVersion=version, credentials={credential: {"id": credential}} if credential else {}
    )


def managing(memory: dict[str, Any], *steps: dict[str, Any], version: float = 1.1) -> Document:
    nodes = [
        node(f"Step {place}", "memoryManager", step, typeVersion=version) if "reader" not in step
        else node("Reader", "memoryChatRetriever", {"simplifyOutput": step["reader"]}, typeVersion=1)
        for place, step in enumerate(steps)
    ]  # fmt: skip
    return flow(*nodes, parts=[(memory, "ai_memory", one["name"]) for one in nodes])


def inserted(mode: str = "insert", *rows: Any) -> dict[str, Any]:
    return {"mode": "insert", "insertMode": mode, "messages": {"messageValues": list(rows or NEW)}}


async def ran(lab: AiLab, document: Document) -> list[Any]:
    workflow = await lab.save(document)
    outcome = await lab.ended(workflow, {"x": 1})
    assert outcome.status == "success", outcome.failure
    return [item["json"] for item in outcome.items]


async def test_messages_are_inserted_deleted_and_read(lab: AiLab, memory: dict[str, Any]) -> None:
    more = inserted("insert", {"type": "user", "message": "U2"})
    delete = {"mode": "delete", "lastMessagesCount": 2}
    load = {"mode": "load", "options": {"groupMessages": False}}
    assert await ran(lab, managing(memory, inserted("override"), more, load)) == [
        {"system": "S", "human": "U", "ai": "A"},
        {"human": "U2"},
    ]
    found = await lab.items(managing(memory, inserted("override"), more, delete, {"mode": "load"}), {"x": 1})
    assert found == [{"messages": [{"system": "S", "human": "U"}], "messagesCount": 1}]


async def test_all_are_deleted_or_replaced(lab: AiLab, memory: dict[str, Any]) -> None:
    wiped = managing(memory, inserted(), {"mode": "delete", "deleteMode": "all"}, {"mode": "load"})
    assert await lab.items(wiped, {"x": 1}) == [{"messages": [], "messagesCount": 0}]
    replaced = managing(memory, inserted(), inserted("override", {"type": "ai", "message": "B"}), {"reader": True})
    assert await lab.items(replaced, {"x": 1}) == [{"ai": "B"}]


async def test_messages_as_they_are(lab: AiLab, memory: dict[str, Any]) -> None:
    found = await lab.items(managing(memory, inserted("override"), {"reader": False}), {"x": 1})
    assert [row["id"][-1] for row in found] == ["SystemMessage", "HumanMessage", "AIMessage"]
    assert found[1]["kwargs"]["content"] == "U"


async def test_what_a_change_gives(lab: AiLab) -> None:
    memory = node("Memory", "memoryBufferWindow", {"sessionIdType": "customKey", "sessionKey": "k"}, typeVersion=1.3)
    assert await lab.items(managing(memory, inserted()), {"x": 1}) == [{"success": True}]
    first = await lab.items(managing(memory, inserted("override"), version=1), {"x": 1})
    assert [row["kwargs"]["content"] for row in first] == ["S", "U", "A"]


async def test_a_manager_needs_a_memory(lab: AiLab) -> None:
    main = node("Manager", "memoryManager", {}, typeVersion=1.1)
    assert "memory" in await lab.failure(flow(main), {"x": 1})
