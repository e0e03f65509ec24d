"""Agent sessions in the browser: messages as they come, permissions, an interruption, an end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import nothing_executed
from shells import HOSTILE

from jackfield.testing.daemon import Daemon

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; `tox -e ui` has it").expect
if TYPE_CHECKING:
    from playwright.sync_api import Page

AGENT = Path(__file__).resolve().parents[1] / "plugins/agent_sessions/acp_agent.py"
MANIFEST = """
id = "talker"
name = "Talker"
binary = "talker"
[detect]
commands = ["talker --version"]
[protocol]
name = "acp"
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = talking(tmp_path_factory.mktemp("chats"))
    yield found
    found.close()


def talking(place: Path) -> Daemon:
    """A daemon with an agent that is spoken to, and a profile of it, `one`."""
    program = place / "bin/talker"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {AGENT} "$@"\n')
    program.chmod(0o755)
    (place / "home").mkdir()
    env = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(place / "home")}
    found = Daemon(place, settings="[agent_sessions]\nleave_grace = 0.2\n", env=env)
    (found.config_dir / "agents.d").mkdir()
    (found.config_dir / "agents.d/talker.toml").write_text(MANIFEST)
    found.start()
    body = {"agent_id": "talker", "alias": "one", "provider_id": "self", "model": "m"}
    assert found.client().post("/api/profiles", json=body).status_code == 200
    return found


def say(page: Page, text: str) -> None:
    """Enter sends nothing, and keeps the text, as long as the agent is at work."""
    page.get_by_label("Message", exact=True).fill(text)
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    page.get_by_label("Message", exact=True).press("Enter")


def test_a_chat_from_the_empty_list_to_its_end(page: Page, axe: Callable[[Page], None]) -> None:
    page.goto("/ui/chats")
    page.get_by_text("No chat", exact=True).wait_for()
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Chat with one").wait_for()
    messages = page.get_by_role("list", name="Messages")

    say(page, "Hel|lo there")
    messages.get_by_text("Hello there", exact=True).wait_for()
    page.get_by_text("Ready").wait_for()

    say(page, "ask")
    asked = page.get_by_role("region", name="Permission for edit")
    asked.get_by_role("button", name="No").wait_for()
    axe(page)
    asked.get_by_role("button", name="No").click()
    asked.get_by_text("Answered: No").wait_for()
    messages.get_by_text("no", exact=True).wait_for()

    say(page, "wait")
    page.get_by_role("button", name="Interrupt").click()
    messages.get_by_text("Interrupted").wait_for()

    page.reload()
    messages.get_by_text("Hello there", exact=True).wait_for()
    asked.get_by_text("Answered: No").wait_for()
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("button", name="End the chat").click()
    messages.get_by_text("The agent has ended").wait_for()
    page.get_by_label("Message", exact=True).wait_for(state="hidden")


def test_what_an_agent_says_is_text(page: Page, daemon: Daemon) -> None:
    made = daemon.client(timeout=60).post("/api/agent-sessions", json={"profile_alias": "one"}).json()["data"]
    page.goto(f"/ui/chats/{made['id']}")
    say(page, HOSTILE.replace("|", ""))
    page.get_by_text("Ready").wait_for()
    page.get_by_role("list", name="Messages").get_by_text(HOSTILE.replace("|", "")[:20]).last.wait_for()
    nothing_executed(page)


def test_a_chat_that_is_not_there(page: Page) -> None:
    page.goto("/ui/chats/nowhere")
    page.get_by_text("There is no agent session nowhere").wait_for()
