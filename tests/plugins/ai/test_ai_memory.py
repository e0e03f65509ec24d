"""What an agent remembers, and for how long."""

from __future__ import annotations

from typing import Any

import orjson
from ai_lab import AiLab, flow, model, node
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.workflows import Document
from jackfield_ai.memory.window import _bounded
from jackfield_ai.settings import AiSettings


def talk(version: float = 1.3, **memory: Any) -> Document:
    main = node("Agent", "agent", {}, typeVersion=2)
    part = node("Memory", "memoryBufferWindow", memory, typeVersion=version)
    return flow(main, parts=[(model(), "ai_languageModel", "Agent"), (part, "ai_memory", "Agent")])


def roles(body: Any) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in body["messages"][1:]]


async def test_a_session_goes_on_after_a_restart(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    workflow = await lab.save(talk(contextWindowLength=1))
    lab.says = [{"text": text} for text in ("A1", "A2", "B1", "A3")]
    for session, text in (("a", "q1"), ("a", "q2"), ("b", "q3"), ("a", "q4")):
        outcome = await lab.ended(workflow, {"chatInput": text, "sessionId": session}, engine=lab.engine())
        assert outcome.status == "success", outcome.failure
    assert [roles(body) for body in lab.asked] == [
        [("user", "q1")],
        [("user", "q1"), ("assistant", "A1"), ("user", "q2")],
        [("user", "q3")],
        [("user", "q2"), ("assistant", "A2"), ("user", "q4")],
    ]
    stored = orjson.loads(await lab.store.static_data(str(workflow.id)) or b"{}")
    assert stored["node:Memory"]["sessions"]["a"] == [["user", "q4"], ["assistant", "A3"]]


async def test_a_key_of_its_own(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    workflow = await lab.save(talk(sessionIdType="customKey", sessionKey="={{ $json.who }}"))
    lab.says = [{"text": "1"}, {"text": "2"}]
    for _ in range(2):
        await lab.ended(workflow, {"chatInput": "q", "who": 7}, engine=lab.engine())
    assert len(roles(lab.asked[1])) == 3


async def test_a_session_needs_a_name(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    assert "found no sessionId" in await lab.failure(talk(), {"chatInput": "q"})
    assert "has no session key" in await lab.failure(talk(sessionIdType="customKey"), {"chatInput": "q"})


async def test_items_of_one_run_share_a_session(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [{"text": "1"}, {"text": "2"}]
    items = [{"chatInput": text, "sessionId": "s"} for text in ("a", "b")]
    await lab.items(talk(), *items)
    assert roles(lab.asked[1]) == [("user", "a"), ("assistant", "1"), ("user", "b")]


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=5), st.lists(st.tuples(st.just("user"), st.text(max_size=50)), max_size=5)
    ),
    st.integers(20, 2000),
)
def test_a_memory_stays_within_its_bytes(sessions: dict[str, Any], limit: int) -> None:
    made = {name: [list(row) for row in rows] for name, rows in sessions.items()}
    made["now"] = [["user", "x" * 30]]
    found = _bounded(made, "now", limit)
    assert "now" in found
    assert len(orjson.dumps(found)) <= limit or found == {"now": []}


async def test_the_settings_bound_a_session(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.context.tables = [*lab.context.tables, AiSettings(memory_messages=2)]
    workflow = await lab.save(talk(contextWindowLength=50))
    lab.says = [{"text": "1"}, {"text": "2"}, {"text": "3"}]
    for text in ("a", "b", "c"):
        await lab.ended(workflow, {"chatInput": text, "sessionId": "s"}, engine=lab.engine())
    assert roles(lab.asked[2]) == [("user", "b"), ("assistant", "2"), ("user", "c")]
