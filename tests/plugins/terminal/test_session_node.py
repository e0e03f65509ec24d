"""The node that drives an agent in a terminal, over real sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items
from jackfield.testing.node_runs import FakeNodeRun, items
from jackfield_terminal.hub import Hub
from jackfield_terminal.session_node import SessionNode

from .conftest import start
from .terminal_lab import TALKER

DEADLINE = 15.0


async def ran(hub: Hub, parameters: Mapping[str, Json], given: Items | None = None, **settings: Any) -> Items:
    kind = SessionNode(hub._context)
    run = FakeNodeRun(kind, lambda item: {**parameters, **item["json"]}, given or items({}), **settings)
    outputs: Any = await kind.execute(run)
    return list(outputs[0])


async def started(hub: Hub, script: str, **more: Json) -> str:
    [item] = await ran(hub, {"operation": "start", "profile": "one", "args": ["-c", script], **more})
    assert item["json"]["state"] == "running"
    return str(item["json"]["sessionId"])


async def shown(hub: Hub, session: str, text: str) -> None:
    """Until the screen has this text, wherever its lines are broken."""
    async with asyncio.timeout(DEADLINE):
        while True:
            [item] = await ran(hub, {"operation": "read", "sessionId": session})
            if text in str(item["json"]["screen"]).replace("\n", ""):
                return
            await asyncio.sleep(0.01)


async def test_start_wait_send_read_stop(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    session = await started(
        hub, f"pwd; {TALKER}", cols=70, rows=20, workingDirectory=str(tmp_path / "project"), record=True
    )
    assert (hub.find(session).cols, hub.find(session).rows) == (70, 20)
    await shown(hub, session, str(tmp_path / "project"))
    [item] = await ran(hub, {"operation": "wait", "sessionId": session, "quiet": 0.1})
    assert item["json"]["met"] is True
    assert str(tmp_path / "project") in item["json"]["screen"].replace("\n", "")
    await ran(hub, {"operation": "send", "sessionId": session, "text": "words", "keys": ["enter"]})
    await shown(hub, session, "answer b'words'")
    [item] = await ran(hub, {"operation": "read", "sessionId": session})
    assert set(item["json"]) == {"sessionId", "state", "exitCode", "screen", "title", "cursor"}
    [item] = await ran(hub, {"operation": "stop", "sessionId": session})
    assert item["json"] == {"sessionId": session, "state": "terminated", "exitCode": 129}
    assert hub.find(session).recorder.state == "complete"


async def test_what_a_workflow_starts_is_in_the_sandbox_of_callers_from_the_network(hub: Hub, tmp_path: Path) -> None:
    outside = Path.home() / f".{tmp_path.name}-from-a-workflow"
    session = await started(hub, f"touch {outside}; echo done; cat")
    await shown(hub, session, "done")
    assert hub.find(session).launch.profile.sandbox == "standard"
    assert not outside.exists()
    [item] = await ran(hub, {"operation": "stop", "sessionId": session})
    assert item["json"]["state"] == "terminated"


async def test_a_workflow_drives_nothing_without_that_sandbox(hub: Hub) -> None:
    session = (await start(hub, "echo there; cat")).id
    for parameters in ({"operation": "send", "text": "x"}, {"operation": "stop"}):
        with pytest.raises(NodeError, match=r"terminal\.network_sandbox"):
            await ran(hub, {**parameters, "sessionId": session})
    [item] = await ran(hub, {"operation": "wait", "sessionId": session, "quiet": 0.2})
    assert ("there" in item["json"]["screen"], hub.find(session).state) == (True, "running")


@pytest.mark.parametrize("operation", ["send", "wait", "read", "stop"])
async def test_a_shell_is_not_driven(hub: Hub, operation: str) -> None:
    session = await started(hub, "cat")
    hub.find(session).kind = "shell"
    with pytest.raises(NodeError, match="is a shell"):
        await ran(hub, {"operation": operation, "sessionId": session, "text": "x"})
    assert hub.find(session).state == "running"


async def test_each_item_has_its_session_and_keeps_its_pairing_and_files(hub: Hub) -> None:
    given = items({"args": ["-c", "echo a; cat"]}, {"args": ["-c", "exit 4"]})
    given[0]["binary"] = {"f": {"mimeType": "text/plain"}}
    made = await ran(hub, {"operation": "start", "profile": "one"}, given)
    assert [item["pairedItem"] for item in made] == [{"item": 0}, {"item": 1}]
    assert made[0]["binary"] == {"f": {"mimeType": "text/plain"}}
    sessions = items(*({"sessionId": item["json"]["sessionId"]} for item in made))
    waited = await ran(hub, {"operation": "wait", "waitFor": "exit", "timeout": 10}, sessions[1:])
    assert (waited[0]["json"]["exitCode"], waited[0]["json"]["met"]) == (4, True)


async def test_what_does_not_come_in_time_fails_unless_it_may(hub: Hub) -> None:
    session = await started(hub, "cat")
    parameters: dict[str, Json] = {"operation": "wait", "waitFor": "exit", "sessionId": session, "timeout": 0}
    with pytest.raises(NodeError, match="exit within 0 seconds"):
        await ran(hub, parameters)
    [item] = await ran(hub, {**parameters, "failOnTimeout": False})
    assert item["json"]["met"] is False


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"operation": "start"}, "profile is empty"),
        ({"operation": "send", "text": "x"}, "sessionId is empty"),
        ({"operation": "start", "profile": "unknown"}, "no profile unknown"),
        ({"operation": "read", "sessionId": "gone"}, "no terminal session gone"),
        ({"operation": "send", "sessionId": "gone", "keys": ["hyper"]}, "no key"),
        ({"operation": "wait", "sessionId": "gone"}, "no terminal session gone"),
        ({"operation": "stop", "sessionId": "gone"}, "no terminal session gone"),
    ],
)
async def test_failures_are_of_their_item(hub: Hub, parameters: dict[str, Json], told: str) -> None:
    with pytest.raises(NodeError, match=told) as caught:
        await ran(hub, parameters)
    assert caught.value.item == 0
    [item] = await ran(hub, parameters, on_error="continueRegularOutput")
    assert told.split()[-1] in item["json"]["error"]
