"""The inbox of approvals on a phone: questions of workflows and permissions of agents, answered with a thumb."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from test_chats import talking

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

LARGE = 44
"""Pixels that a thumb needs (WCAG 2.5.5)."""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = talking(tmp_path_factory.mktemp("approvals"))
    yield found
    found.close()


def ask_by_agent(daemon: Daemon) -> str:
    """A session whose agent waits for a permission."""
    api = daemon.client(timeout=60)
    session = str(
        api.post("/api/agent-sessions", json={"profile_alias": "one"}).raise_for_status().json()["data"]["id"]
    )
    api.post(f"/api/agent-sessions/{session}/messages", json={"text": "ask"}).raise_for_status()
    poll(lambda: state(daemon, session) == "asking", "it asks", timeout=30)
    return session


def state(daemon: Daemon, session: str) -> str:
    return str(daemon.client().get(f"/api/agent-sessions/{session}").json()["data"]["state"])


def test_a_phone_answers_an_agent_and_a_workflow(
    daemon: Daemon, make_context: Callable[..., BrowserContext], axe: Callable[[Page], None]
) -> None:
    page = make_context(viewport="phone", has_touch=True).new_page()
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/ui/approvals")
    page.get_by_text("Nothing waits for you").wait_for()

    session = ask_by_agent(daemon)  # the open page hears of it
    card = page.get_by_role("article")
    card.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for button in card.get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= LARGE
        assert box["width"] >= 240
    axe(page)
    card.get_by_role("button").first.tap()
    page.get_by_text("Nothing waits for you").wait_for()
    poll(lambda: state(daemon, session) == "idle", "the agent goes on", timeout=30)

    fields = {"values": [{"fieldLabel": "Reason", "requiredField": True}]}
    wait = node("Ask", "wait", {"resume": "form", "formTitle": "Ship it?", "formFields": fields}, version=1.1)
    api = daemon.admin()
    daemon.live(chain("Asking", webhook("asking"), wait, set_fields("Done", done=True)), api)
    daemon.client().post("/webhook/asking", json={}).raise_for_status()
    card.get_by_role("heading", name="Ship it?").wait_for()
    card.get_by_label("Reason").fill("Because it works")
    card.get_by_role("button", name="Send").tap()
    page.get_by_text("Nothing waits for you").wait_for()
    ident = api.get("/executions").json()["data"][0]["id"]
    poll(lambda: api.get(f"/executions/{ident}").json()["status"] == "success", "the workflow goes on", timeout=20)
    assert "Because it works" in json.dumps(api.get(f"/executions/{ident}").json()["nodes"])


def test_the_menu_counts_what_is_open(daemon: Daemon, make_context: Callable[..., BrowserContext]) -> None:
    session = ask_by_agent(daemon)
    page = make_context().new_page()
    page.goto("/ui/executions")
    page.get_by_role("link", name=re.compile(r"^Approvals\s*1\s*open$")).click()
    page.get_by_role("article").get_by_role("link", name="chat").click()
    page.wait_for_url(f"**/ui/chats/{session}")
    daemon.client().delete(f"/api/agent-sessions/{session}").raise_for_status()
    page.get_by_role("link", name="Approvals", exact=True).wait_for()
