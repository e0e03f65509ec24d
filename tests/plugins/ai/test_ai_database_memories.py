"""Memories in databases: real servers, and the rows that n8n 2.41 (LangChain.js) writes and reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import pytest
from ai_lab import AiLab, flow, model, node
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.ai import Message
from jackfield.api.databases import DatabaseConnections
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Document
from jackfield_ai.memory.redis import RedisMemory
from jackfield_ai.memory.stored_messages import message_of, stored_data, stored_type

HUMAN = {"content": "q0", "additional_kwargs": {}, "response_metadata": {}}
AI = {"content": "a0", "tool_calls": [], "invalid_tool_calls": [], "additional_kwargs": {}, "response_metadata": {}}
CALLING = {**AI, "content": "", "tool_calls": [{"name": "t", "args": {}, "id": "1"}]}
"""What LangChain.js 1.2 gives for HumanMessage('q0') and AIMessage('a0'), and of an answer that only calls a tool."""


def talk(kind: str, credential: str, version: float, **memory: Any) -> Document:
    main = node("Agent", "agent", {}, typeVersion=2)
    part = node("The Memory", kind, memory, typeVersion=version, credentials={credential: {"id": credential}})
    return flow(main, parts=[(model(), "ai_languageModel", "Agent"), (part, "ai_memory", "Agent")])


def heard(lab: AiLab) -> list[list[str]]:
    """Per request, what the model was told of the conversation."""
    return [[message["content"] for message in body["messages"][1:]] for body in lab.asked]


async def said(lab: AiLab, document: Document, *texts: str, session: Any = "s") -> None:
    for text in texts:
        lab.says.append({"text": text.upper()})
        await lab.items(document, {"chatInput": text, "sessionId": session})


async def test_a_conversation_in_redis_stays_when_it_cannot_be_replaced(lab: AiLab, redis: Mapping[str, str]) -> None:
    connections = lab.context.port(DatabaseConnections)
    memory = RedisMemory(connections, redis, "kept", (10, 10), 60)
    await memory.add([Message("user", "q"), Message("assistant", "a")])
    async with connections.redis(redis) as database:
        await database.command("CONFIG", "SET", "maxmemory", 1)  # it may delete, and not write
        with pytest.raises(NodeError):
            await memory.replace([Message("user", "other")])
        await database.command("CONFIG", "SET", "maxmemory", 0)
        assert [message.text for message in await memory.history()] == ["q", "a"]
        await memory.replace([Message("user", "other")])
        assert [message.text for message in await memory.history()] == ["other"]
        ttl = await database.command("TTL", "kept")
    assert isinstance(ttl, int)
    assert 0 < ttl <= 60


async def test_a_table_of_n8n_goes_on(lab: AiLab, postgres: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("postgres", postgres)
    async with lab.context.port(DatabaseConnections).postgres(postgres) as database:
        await database.query("CREATE SCHEMA IF NOT EXISTS chats")
        await database.query(
            "CREATE TABLE chats.mine (id SERIAL PRIMARY KEY, session_id VARCHAR(255) NOT NULL, message JSONB NOT NULL)"
        )
        for kind, data in (("human", HUMAN), ("ai", CALLING), ("tool", {"content": "x"}), ("ai", AI)):
            row = orjson.dumps({**data, "type": kind}).decode()
            await database.query("INSERT INTO chats.mine (session_id, message) VALUES (%s, %s::jsonb)", ["s", row])
        await said(lab, talk("memoryPostgresChat", "postgres", 1.3, tableName="chats.mine"), "q1", "q2")
        assert heard(lab) == [["q0", "a0", "q1"], ["q0", "a0", "q1", "Q1", "q2"]]
        rows = await database.query("SELECT session_id, message FROM chats.mine ORDER BY id OFFSET 4")
    assert [(row[0], row[1]) for row in rows[:2]] == [
        ("s", {**HUMAN, "content": "q1", "type": "human"}),
        ("s", {**AI, "content": "Q1", "type": "ai"}),
    ]


async def test_a_table_is_made_and_its_window_moves(lab: AiLab, postgres: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("postgres", postgres)
    document = talk("memoryPostgresChat", "postgres", 1.4, tableName="New_Table", contextWindowLength=1)
    await said(lab, document, "a", "b\0", "\\u0000")
    await said(lab, document, "d", session="other")
    assert heard(lab) == [["a"], ["a", "A", "b\0"], ["b", "B", "\\u0000"], ["d"]]
    async with lab.context.port(DatabaseConnections).postgres(postgres) as database:
        keys = await database.query("SELECT DISTINCT session_id FROM new_table ORDER BY 1")
    assert [row[0] for row in keys] == ["other__The_Memory", "s__The_Memory"]


async def test_old_versions_see_all(lab: AiLab, postgres: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("postgres", postgres)
    document = talk("memoryPostgresChat", "postgres", 1, tableName="old", contextWindowLength=1)
    await said(lab, document, "a", "b", "c")
    assert heard(lab)[-1] == ["a", "A", "b", "B", "c"]


@pytest.mark.parametrize("name", ["x; DROP TABLE y", 'a"b', "a.b.c", "1a", "a-b"])
async def test_a_name_that_is_none_is_refused(lab: AiLab, postgres: Mapping[str, str], name: str) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("postgres", postgres)
    document = talk("memoryPostgresChat", "postgres", 1.3, tableName=name)
    assert "tableName" in await lab.failure(document, {"chatInput": "q", "sessionId": "s"})


async def test_a_list_of_n8n_goes_on(lab: AiLab, redis: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("redis", redis)
    rows = [orjson.dumps({"type": kind, "data": data}) for kind, data in (("human", HUMAN), ("ai", AI))]
    async with lab.context.port(DatabaseConnections).redis(redis) as database:
        await database.command("LPUSH", "s", *rows)
        await said(lab, talk("memoryRedisChat", "redis", 1.5, sessionTTL=100), "q1", "q2")
        assert heard(lab) == [["q0", "a0", "q1"], ["q0", "a0", "q1", "Q1", "q2"]]
        kept = await database.command("LRANGE", "s", 0, 1)
        assert isinstance(kept, list)
        assert [orjson.loads(row) for row in kept] == [
            {"type": "ai", "data": {**AI, "content": "Q2"}},
            {"type": "human", "data": {**HUMAN, "content": "q2"}},
        ]
        left = await database.command("TTL", "s")
        assert isinstance(left, int)
        assert 90 < left <= 100
        await database.command("FLUSHDB")


@pytest.mark.parametrize(
    ("version", "parameters", "key"),
    [
        (1, {}, "chat_history"),
        (1, {"sessionKey": "mine"}, "mine"),
        (1.1, {}, "s"),
        (1.1, {"sessionKey": "={{ $json.who }}"}, "w"),
        (1.2, {"sessionIdType": "customKey", "sessionKey": "={{ $json.who }}"}, "w"),
        (1.6, {}, "s__The_Memory"),
        (1.6, {"sessionIdType": "customKey", "sessionKey": "k"}, "k"),
    ],
)
async def test_each_version_has_its_keys(
    lab: AiLab, redis: Mapping[str, str], version: float, parameters: dict[str, Any], key: str
) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("redis", redis)
    lab.says = [{"text": "A"}]
    await lab.items(
        talk("memoryRedisChat", "redis", version, **parameters), {"chatInput": "q", "sessionId": "s", "who": "w"}
    )
    async with lab.context.port(DatabaseConnections).redis(redis) as database:
        assert await database.command("KEYS", "*") == [key]
        await database.command("FLUSHDB")


async def test_a_document_of_n8n_goes_on(lab: AiLab, mongo: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("mongoDb", mongo)
    rows = [{"type": "human", "data": HUMAN}, {"type": "ai", "data": AI}]
    async with lab.context.port(DatabaseConnections).mongo(mongo) as database:
        await database.command(
            "shared", {"insert": "n8n_chat_histories", "documents": [{"sessionId": "s", "messages": rows}]}
        )
        await said(lab, talk("memoryMongoDbChat", "mongoDb", 1, contextWindowLength=1), "q1", "q2")
        assert heard(lab) == [["q0", "a0", "q1"], ["q1", "Q1", "q2"]]
        answer: Any = await database.command("shared", {"find": "n8n_chat_histories", "filter": {"sessionId": "s"}})
    kept = answer["cursor"]["firstBatch"]
    assert len(kept) == 1
    assert kept[0]["messages"][2:4] == [
        {"type": "human", "data": {**HUMAN, "content": "q1"}},
        {"type": "ai", "data": {**AI, "content": "Q1"}},
    ]


async def test_a_memory_of_mongodb_needs_a_database(lab: AiLab, mongo: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("mongoDb", {**mongo, "database": ""})
    failed = await lab.failure(talk("memoryMongoDbChat", "mongoDb", 1.1), {"chatInput": "q", "sessionId": "s"})
    assert "databaseName" in failed


async def test_a_server_that_may_not_be_reached(lab: AiLab) -> None:
    pytest.importorskip("psycopg")
    await lab.credential("openAiApi")
    await lab.sealed("postgres", {"host": "127.0.0.2", "password": "correct-horse-battery"})
    failed = await lab.failure(talk("memoryPostgresChat", "postgres", 1.3), {"chatInput": "q", "sessionId": "s"})
    assert "integrations.allowed_hosts" in failed


@given(st.sampled_from(["user", "assistant"]), st.text(min_size=1))
def test_messages_come_back(role: Any, text: str) -> None:
    message = Message(role, text)
    assert message_of(stored_type(message), stored_data(message)) == message


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_rows_of_others_raise_nothing(value: Any) -> None:
    assert message_of("human", value) is None or isinstance(value, dict)
    found = message_of("human", {"content": [{"type": "text", "text": "a"}, value, {"type": "text", "text": "b"}]})
    assert found is not None
    assert found.text.startswith("a")
