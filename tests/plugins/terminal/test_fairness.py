"""Sessions that nobody watches, and agents that do not read: others do not wait for them."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest

from jackfield.api.errors import Conflict
from jackfield.testing.context import FakeContext
from jackfield_terminal import findings
from jackfield_terminal.driving.conversation import Conversation
from jackfield_terminal.driving.driver import Driver
from jackfield_terminal.hub import Hub
from jackfield_terminal.session.session import RESTING, UNWATCHED
from jackfield_terminal.settings import TerminalSettings

from .conftest import FakeProfiles, attach, start


@pytest.fixture
def settings() -> TerminalSettings:
    return TerminalSettings(hang_up_grace=0.2, kill_grace=0.5, input_timeout=0.3)


async def test_a_flood_that_nobody_watches_leaves_time_to_others(hub: Hub) -> None:
    session = await start(hub, "exec yes")
    while session.log.end < UNWATCHED:
        await asyncio.sleep(0.01)
    begun, before = time.monotonic(), session.log.end
    await asyncio.sleep(0.3)
    turns = (time.monotonic() - begun) / RESTING + 2
    assert before < session.log.end <= before + turns * (UNWATCHED * 2)
    client = attach(hub, session)  # and goes on when somebody does
    await client.until(lambda: len(client.output) > 4_000_000)
    assert not client.messages("resync")


async def test_after_one_wait_an_agent_that_does_not_read_is_not_waited_for(hub: Hub) -> None:
    session = await start(hub, "stty raw -echo; printf ready; exec sleep 1000")
    client = attach(hub, session)
    await client.printed(b"ready")
    with pytest.raises(Conflict):
        await session.write(b"x" * 200_000)
    begun = time.monotonic()
    for _ in range(100):
        with pytest.raises(Conflict):
            await session.write(b"x" * 200_000)
    assert time.monotonic() - begun < 10, "one wait each would be 30 s"


async def test_it_is_again_once_it_has_read(hub: Hub) -> None:
    session = await start(
        hub, "stty raw -echo; printf ready; trap 'exec cat >/dev/null' USR1; while :; do sleep .05; done"
    )
    client = attach(hub, session)
    await client.printed(b"ready")
    with pytest.raises(Conflict):
        await session.write(b"x" * 200_000)
    session.signal(10)
    async with asyncio.timeout(15):
        while True:
            try:
                await session.write(b"x")
                break
            except Conflict:
                await asyncio.sleep(0.02)
    await session.write(b"x" * 200_000)


async def test_a_message_that_was_not_taken_is_not_in_the_conversation(hub: Hub) -> None:
    session = await start(hub, "stty raw -echo; printf ready; exec sleep 1000")
    client = attach(hub, session)
    await client.printed(b"ready")
    conversation: Conversation = Driver(session, FakeContext(hub.recordings._directory.parent)).conversation
    before = [(message.role, message.content) for message in await conversation.messages()]
    with pytest.raises(Conflict) as refused:
        await conversation.say("x" * 200_000)
    assert refused.value.code == "AGENT_BUSY"
    assert [(message.role, message.content) for message in await conversation.messages()] == before


@pytest.mark.parametrize(("sandbox", "level", "named"), [("strict", "WARNING", "one"), ("off", "INFO", "sandbox here")])
async def test_a_sandbox_that_does_not_work_is_named_after_the_start(
    sandbox: str,
    level: str,
    named: str,
    profiles: FakeProfiles,
    hub: Hub,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("jackfield_terminal.sandbox.bubblewrap.problem_of_sandbox", lambda _: "bubblewrap says: no.")
    profiles.sandbox = sandbox  # type: ignore[assignment]
    with caplog.at_level(logging.INFO):
        await findings.try_sandbox(hub._context)
    [record] = [found for found in caplog.records if "bubblewrap says: no." in found.getMessage()]
    assert record.levelname == level
    assert named in record.getMessage()


async def test_nothing_is_said_of_one_that_works(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("jackfield_terminal.sandbox.bubblewrap.problem_of_sandbox", lambda _: None)
    with caplog.at_level(logging.INFO):
        await findings.try_sandbox(hub._context)
    assert not caplog.records
