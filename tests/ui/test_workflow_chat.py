"""A chat with a workflow beside its canvas: a model server of ours, an agent with a tool, in chunks and at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from canvas import made, node, opened, wires
from chat_model import serving_model

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page

LANGCHAIN = "@n8n/n8n-nodes-langchain."


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with serving_model() as url:
        yield url


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """As one that listens beyond loopback: no test chats for strangers."""
    settings = '[nodes.http]\nallowed_hosts = ["127.0.0.1"]\n[ai]\nchat_test_enabled = false\n'
    found = Daemon(tmp_path_factory.mktemp("daemon"), settings=settings).start()
    yield found
    found.close()


@pytest.fixture
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def document(api: httpx.Client, model: str, mode: str) -> dict[str, Any]:
    values = {"apiKey": "key", "url": model}
    kept = api.post("/credentials", json={"name": f"Model {mode}", "kind": "openAiApi", "values": values})
    assert kept.status_code == httpx.codes.CREATED, kept.text
    credential = {"openAiApi": {"id": kept.json()["id"], "name": f"Model {mode}"}}
    parts = {"Model": "ai_languageModel", "Calculator": "ai_tool", "Memory": "ai_memory"}
    nodes = [
        node(
            "Chat",
            "chatTrigger",
            0,
            type=f"{LANGCHAIN}chatTrigger",
            typeVersion=1.4,
            webhookId=f"chat-{mode}",
            parameters={"initialMessages": "Hello!\nAsk me.", "options": {"responseMode": mode}},
        ),
        node("Agent", "agent", 224, type=f"{LANGCHAIN}agent", typeVersion=3),
        node("Model", "lmChatOpenAi", 160, 224, type=f"{LANGCHAIN}lmChatOpenAi", credentials=credential),
        node("Memory", "memoryBufferWindow", 320, 224, type=f"{LANGCHAIN}memoryBufferWindow", typeVersion=1.3),
        node("Calculator", "toolCalculator", 480, 224, type=f"{LANGCHAIN}toolCalculator"),
    ]
    own = {name: {kind: [[{"node": "Agent", "type": kind, "index": 0}]]} for name, kind in parts.items()}
    return {"name": f"Chat {mode}", "nodes": nodes, "connections": {**wires("Chat", "Agent"), **own}, "settings": {}}


@pytest.mark.parametrize("mode", ["lastNode", "streaming"])
def test_an_agent_is_talked_to_beside_its_canvas(page: Page, api: httpx.Client, model: str, mode: str) -> None:
    opened(page, made(api, document(api, model, mode)))
    page.get_by_role("button", name="Chat", exact=True).click()
    panel = page.get_by_role("region", name="Chat with the workflow")
    panel.get_by_text("Ask me.").wait_for()
    box = panel.get_by_role("textbox", name="Message")
    for turn, said in enumerate(("What is six times seven?", "And again?"), 1):
        box.fill(said)
        box.press("Enter")
        panel.get_by_text(f"It is 42, answer {turn}.").wait_for()
    panel.get_by_text("Used").first.click()
    panel.get_by_text("6 * 7").wait_for()
    page.locator("[data-name='Agent'] [data-state='success']").wait_for()
    panel.get_by_role("button", name="Close the chat").click()
    panel.wait_for(state="hidden")
    page.get_by_role("button", name="Chat", exact=True).click()
    panel.get_by_text("It is 42, answer 2.").wait_for()
    panel.get_by_role("button", name="New session").click()
    assert panel.get_by_text("It is 42").count() == 0
    box.fill("Once more?")
    box.press("Enter")
    panel.get_by_text("It is 42, answer 1.").wait_for()


def test_a_failure_is_told(page: Page, api: httpx.Client, model: str) -> None:
    broken = document(api, model, "responseNode")
    opened(page, made(api, broken))
    page.get_by_role("button", name="Chat", exact=True).click()
    panel = page.get_by_role("region", name="Chat with the workflow")
    panel.get_by_role("textbox", name="Message").fill("Hi")
    panel.get_by_role("button", name="Send").click()
    panel.locator("[data-failed]").wait_for()


def test_the_reason_of_a_failure_is_told_to_who_runs_it(page: Page, api: httpx.Client) -> None:
    trigger = node("Chat", "chatTrigger", 0, type=f"{LANGCHAIN}chatTrigger", typeVersion=1.1, webhookId="stops")
    stop = node("Stop", "stopAndError", 224, parameters={"errorMessage": "No bread today."})
    between = wires("Chat", "Stop")
    opened(page, made(api, {"name": "Stops", "nodes": [trigger, stop], "connections": between, "settings": {}}))
    page.get_by_role("button", name="Chat", exact=True).click()
    panel = page.get_by_role("region", name="Chat with the workflow")
    panel.get_by_role("textbox", name="Message").fill("Hi")
    panel.get_by_role("button", name="Send").click()
    panel.get_by_text("Stop: No bread today.").wait_for()
    assert page.get_by_text("Waiting for a test call").count() == 0
    panel.get_by_role("link", name="Open the execution").click()
    page.get_by_text("No bread today.").first.wait_for()


def test_it_is_this_workflow_that_answers(page: Page, api: httpx.Client) -> None:
    def saying(name: str) -> str:
        trigger = node("Chat", "chatTrigger", 0, type=f"{LANGCHAIN}chatTrigger", typeVersion=1.1, webhookId="twice")
        text = json.dumps({"output": f"This is {name}."})
        says = node("Say", "set", 224, typeVersion=3.4, parameters={"mode": "raw", "jsonOutput": text})
        return made(api, {"name": name, "nodes": [trigger, says], "connections": wires("Chat", "Say"), "settings": {}})

    for name, workflow in [(name, saying(name)) for name in ("One", "Two")]:
        opened(page, workflow)
        page.get_by_role("button", name="Chat", exact=True).click()
        panel = page.get_by_role("region", name="Chat with the workflow")
        panel.get_by_role("textbox", name="Message").fill("Hi")
        panel.get_by_role("button", name="Send").click()
        panel.get_by_text(f"This is {name}.").wait_for()


def test_a_chat_with_a_login_asks_for_it_in_the_panel(page: Page, api: httpx.Client) -> None:
    values = {"user": "guest", "password": "right"}
    kept = api.post("/credentials", json={"name": "Guests", "kind": "httpBasicAuth", "values": values}).json()
    trigger = node(
        "Chat",
        "chatTrigger",
        0,
        type=f"{LANGCHAIN}chatTrigger",
        typeVersion=1.1,
        webhookId="guarded",
        parameters={"public": True, "authentication": "basicAuth"},
        credentials={"httpBasicAuth": {"id": kept["id"], "name": "Guests"}},
    )
    says = node("Say", "set", 224, typeVersion=3.4, parameters={"mode": "raw", "jsonOutput": '{"output": "Come in."}'})
    nodes, between = [trigger, says], wires("Chat", "Say")
    opened(page, made(api, {"name": "Guarded", "nodes": nodes, "connections": between, "settings": {}}))
    page.get_by_role("button", name="Chat", exact=True).click()
    panel = page.get_by_role("region", name="Chat with the workflow")
    box = panel.get_by_role("textbox", name="Message")
    box.fill("Hi")
    box.press("Enter")
    panel.get_by_text("needs a user name and a password").wait_for()
    panel.get_by_label("User name").fill("guest")
    panel.get_by_label("Password", exact=True).fill("right")
    box.fill("Hi again")
    box.press("Enter")
    panel.get_by_text("Come in.").wait_for()


def test_an_address_leads_to_no_other_place(page: Page, api: httpx.Client) -> None:
    trigger = node("Chat", "chatTrigger", 0, type=f"{LANGCHAIN}chatTrigger", webhookId="../api/v1/workflows")
    opened(page, made(api, {"name": "Odd", "nodes": [trigger], "connections": {}, "settings": {}}))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("button", name="Chat", exact=True).click()
    panel = page.get_by_role("region", name="Chat with the workflow")
    panel.get_by_role("textbox", name="Message").fill("Hi")
    panel.get_by_role("button", name="Send").click()
    panel.get_by_text("has no address").wait_for()
    assert not [one for one in asked if one.endswith("/api/v1/workflows")]
