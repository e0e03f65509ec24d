"""Driving an agent over HTTP: screen, input, waiting, and the conversation (after coder/agentapi)."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import pytest

from jackfield_terminal.driving import conversation, event_stream
from jackfield_terminal.hub import Hub

from .conftest import DEADLINE, start
from .terminal_lab import TALKER, Api, PatternEngine


@pytest.fixture
def api(hub: Hub) -> Api:
    return Api(hub)


@pytest.fixture
def engine(hub: Hub) -> PatternEngine:
    made = PatternEngine()
    hub._context.ports["jackfield_script_engines"]["javaScript"] = made  # type: ignore[attr-defined]
    return made


@pytest.fixture
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "QUIET", 0.1)
    monkeypatch.setattr(event_stream, "QUIET", 0.1)
    monkeypatch.setattr(event_stream, "LOOK", 0.02)


def at(session: Any, rest: str) -> str:
    return f"/sessions/{session.id}/{rest}"


async def idle(api: Api, session: Any) -> str:
    found = await api.ask("GET", at(session, "wait?for=idle&quiet=0.1"))
    assert found["met"]
    return str(found["screen"]["text"])


# -- sessions


async def test_a_session_over_http(hub: Hub, api: Api) -> None:
    made = await api.ask(
        "POST", "/sessions", json={"profile_alias": "one", "args": ["-c", "cat"], "cols": 100.0, "rows": 30}
    )
    assert made["ws_url"] == f"/ws/terminal/{made['session_id']}"
    shown = await api.ask("GET", f"/sessions/{made['session_id']}")
    assert (shown["state"], shown["cols"], shown["rows"], shown["client_count"]) == ("running", 100, 30, 0)
    assert "exit_code" not in shown
    assert "recording" not in shown
    assert await api.ask("GET", "/sessions") == [shown]
    await api.ask("DELETE", f"/sessions/{made['session_id']}")
    assert (await api.ask("GET", f"/sessions/{made['session_id']}"))["exit_code"] == 129
    await api.ask("POST", "/cleanup")
    assert await api.ask("GET", "/sessions") == []


@pytest.mark.parametrize(
    "body",
    [{}, {"profile_alias": 1}, {"profile_alias": "one", "cols": 0}, {"profile_alias": "one", "rows": "24"},
     {"profile_alias": "one", "record": "yes"}, {"profile_alias": "one", "x": 1}],
)  # fmt: skip
async def test_a_bad_body_names_its_field(api: Api, body: dict[str, object]) -> None:
    found = await api.ask("POST", "/sessions", 400, json=body)
    assert found["code"] == "VALIDATION_ERROR"
    assert found["details"]


@pytest.mark.parametrize(
    ("method", "rest"),
    [("GET", "screen"), ("POST", "input"), ("GET", "wait"), ("POST", "message"), ("GET", "messages"),
     ("GET", "status"), ("GET", "events"), ("POST", "record"), ("DELETE", "record"), ("GET", "recording")],
)  # fmt: skip
async def test_an_unknown_session_is_not_found(api: Api, method: str, rest: str) -> None:
    body = {"content": "x"} if rest == "message" else {}
    await api.ask(method, f"/sessions/nothing/{rest}", 404, json=body)


# -- screen, input, wait


async def test_input_is_text_then_data_then_keys(hub: Hub, api: Api) -> None:
    session = await start(hub, TALKER)
    await idle(api, session)
    data = base64.b64encode(b"b\x04").decode()
    found = await api.ask("POST", at(session, "input"), json={"text": "aé", "data": data, "keys": ["c", "enter"]})
    assert found == {"bytes": 7}
    assert "answer b'a/xc3/xa9b/x04c'" in await idle(api, session)


@pytest.mark.parametrize(
    ("body", "field"),
    [({"data": "***"}, "data"), ({"keys": ["hyper-x"]}, "keys"), ({"text": 1}, "text"), ({"more": 1}, "more")],
)
async def test_input_that_is_none(hub: Hub, api: Api, body: dict[str, object], field: str) -> None:
    session = await start(hub, "cat")
    assert field in (await api.ask("POST", at(session, "input"), 400, json=body))["details"]


async def test_input_after_the_end(hub: Hub, api: Api) -> None:
    session = await start(hub, "exit 3")
    assert (await api.ask("GET", at(session, "wait?for=exit")))["exit_code"] == 3
    assert (await api.ask("POST", at(session, "input"), 409, json={"text": "x"}))["code"] == "SESSION_ENDED"


async def test_the_screen_as_json_and_as_text(hub: Hub, api: Api) -> None:
    session = await start(hub, r"printf 'one\n\033]2;title\007two'; cat", size=(30, 4))
    await idle(api, session)
    found = await api.ask("GET", at(session, "screen"))
    assert found["lines"] == ["one", "two", "", ""]
    assert found["cursor"] == {"row": 1, "col": 3, "visible": True}
    assert (found["title"], found["cols"], found["rows"], found["alternate"]) == ("title", 30, 4, False)
    plain = await api.raw("GET", at(session, "screen"), headers={"Accept": "text/plain"})
    assert plain.content_type.startswith("text/plain")
    assert await plain.get_data() == b"one\ntwo\n"


async def test_waiting_for_a_pattern(hub: Hub, api: Api, engine: PatternEngine) -> None:
    session = await start(hub, "read a; echo ready $((6*7)); cat")
    waiting = asyncio.ensure_future(
        api.ask("GET", at(session, "wait"), query_string={"for": "regex", "pattern": r"^ready \d+$"})
    )
    await hub.type(session, b"\n")
    found = await waiting
    assert found["met"]
    assert found["state"] == "running"
    assert "ready 42" in found["screen"]["text"]
    late = await api.ask("POST", at(session, "wait?for=regex&pattern=never&timeout=0.05"))
    assert not late["met"]


async def test_a_pattern_that_is_none_or_too_slow(hub: Hub, api: Api, engine: PatternEngine) -> None:
    session = await start(hub, "cat")
    for pattern in ("", "("):
        query = {"for": "regex", "pattern": pattern}
        assert "pattern" in (await api.ask("GET", at(session, "wait"), 400, query_string=query))["details"]
    engine.fails = True
    found = await api.ask("GET", at(session, "wait?for=regex&pattern=x"), 400)
    assert "too slow" in found["error"]


async def test_a_pattern_without_the_plugin_that_tests_it(hub: Hub, api: Api) -> None:
    session = await start(hub, "cat")
    assert "jackfield_javascript" in (await api.ask("GET", at(session, "wait?for=regex&pattern=x"), 500))["error"]


@pytest.mark.parametrize("query", ["for=ever", "timeout=601", "timeout=x", "quiet=0", "other=1"])
async def test_a_bad_wait(hub: Hub, api: Api, query: str) -> None:
    session = await start(hub, "cat")
    await api.ask("GET", at(session, f"wait?{query}"), 400)


# -- the conversation


@pytest.mark.usefixtures("brisk")
async def test_a_conversation(hub: Hub, api: Api, engine: PatternEngine) -> None:
    session = await start(hub, TALKER)
    assert (await api.ask("GET", at(session, "wait?for=regex&pattern=hello")))["met"]
    await idle(api, session)
    told = {"agent_type": "sh", "transport": "pty", "judged_by": "quiet"}
    assert await api.ask("GET", at(session, "status")) == {"status": "stable", **told}
    said = await api.ask("POST", at(session, "message"), json={"content": "first words"})
    assert said == {"ok": True, "judged_by": "quiet", "status": "running"}
    await idle(api, session)
    await api.ask("POST", at(session, "message"), json={"content": "second", "type": "user"})
    await idle(api, session)
    found = (await api.ask("GET", at(session, "messages")))["messages"]
    assert [entry["role"] for entry in found] == ["agent", "user", "agent", "user", "agent"]
    assert [entry["id"] for entry in found] == [0, 1, 2, 3, 4]
    assert found[0]["content"].startswith("hello")
    assert found[2]["content"].startswith("answer b'first words'")
    assert found[4]["content"].startswith("answer b'second'")
    assert "first" not in found[4]["content"]


@pytest.mark.usefixtures("brisk")
async def test_a_paste_cannot_be_left_from_inside(hub: Hub, api: Api) -> None:
    session = await start(hub, TALKER.replace('"paste" in sys.argv', "True"))
    await idle(api, session)
    await api.ask("POST", at(session, "message"), json={"content": "a\x1b[201~b\x1b[20\x1b[201~1~c"})
    assert "answer b'/x1b[200~a[201~b[20[201~1~c/x1b[201~'" in (await idle(api, session)).replace("\n", "")


@pytest.mark.usefixtures("brisk")
async def test_raw_messages_are_keystrokes(hub: Hub, api: Api) -> None:
    session = await start(hub, TALKER)
    await idle(api, session)
    await api.ask("POST", at(session, "message"), json={"content": "k\r", "type": "raw"})
    assert "answer b'k'" in await idle(api, session)
    assert all(entry["role"] == "agent" for entry in (await api.ask("GET", at(session, "messages")))["messages"])


@pytest.mark.usefixtures("brisk")
async def test_messages_that_cannot_be_said(hub: Hub, api: Api) -> None:
    busy = await start(hub, "i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done")
    assert (await api.ask("POST", at(busy, "message"), 409, json={"content": "x"}))["code"] == "AGENT_BUSY"
    assert (await api.ask("GET", at(busy, "status")))["status"] == "running"
    assert "content" in (await api.ask("POST", at(busy, "message"), 400, json={"content": " \n"}))["details"]
    over = await start(hub, "exit 0")
    await api.ask("GET", at(over, "wait?for=exit"))
    assert (await api.ask("POST", at(over, "message"), 409, json={"content": "x"}))["code"] == "SESSION_ENDED"
    assert (await api.ask("GET", at(over, "status")))["status"] == "stable"


async def frames(api: Api, session: Any) -> list[tuple[str, Any]]:
    """The whole stream of a session that ends."""
    answer = await api.raw("GET", at(session, "events"))
    assert answer.content_type.startswith("text/event-stream")
    text = (await answer.get_data()).decode()
    found = []
    for frame in text.split("\n\n")[:-1]:
        event, data = frame.split("\n")
        found.append((event.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


@pytest.mark.usefixtures("brisk")
async def test_events_tell_every_change_and_the_last_screen(hub: Hub, api: Api) -> None:
    session = await start(hub, "echo begun; read a; printf 'the-end'")
    following = asyncio.ensure_future(frames(api, session))
    await idle(api, session)
    await hub.type(session, b"\n")
    found = await asyncio.wait_for(following, DEADLINE)
    kinds = {kind for kind, _ in found}
    assert kinds == {"message_update", "status_change", "screen"}
    assert [data for kind, data in found if kind == "screen"][-1]["screen"].endswith("the-end")
    assert [data["status"] for kind, data in found if kind == "status_change"][-1] == "stable"
    assert [data for kind, data in found if kind == "message_update"][-1]["content"].endswith("the-end")


@pytest.mark.usefixtures("brisk")
async def test_a_blinking_cursor_is_no_work(hub: Hub, api: Api) -> None:
    session = await start(hub, r"while :; do printf '\033[?25l\033[?25h'; sleep 0.01; done")
    stream = event_stream.event_stream(hub.driver(session.id), hub)
    async with asyncio.timeout(DEADLINE):
        while b'"stable"' not in await anext(stream):
            pass
    hub.closing = True
    assert [frame async for frame in stream] == []
    hub.closing = False


async def test_a_quiet_stream_shows_that_it_lives(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LOOK", 0.01)
    monkeypatch.setattr(event_stream, "BEAT", 0.03)
    session = await start(hub, "cat")
    async with asyncio.timeout(DEADLINE):
        async for frame in event_stream.event_stream(hub.driver(session.id), hub):
            if frame == b": alive\n\n":
                return
    raise AssertionError("no sign of life")
