"""Four tasks that somebody does who has read nothing: whatever he uses is found by its role and its label."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from canvas import node, wires
from chat_model import serving_model
from seeding import CONFIG, Seeded

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

LANGCHAIN = "@n8n/n8n-nodes-langchain."
HELPER: dict[str, Any] = {
    "name": "Helper",
    "nodes": [
        node("Chat", "", 0, type=f"{LANGCHAIN}chatTrigger", typeVersion=1.1, webhookId="helper"),
        node("Agent", "", 224, type=f"{LANGCHAIN}agent", typeVersion=1.7),
        node("Model", "", 160, 224, type=f"{LANGCHAIN}lmChatOpenAi", typeVersion=1.2,
             credentials={"openAiApi": {"id": "of another n8n", "name": "OpenAI"}}),
        node("Calculator", "", 420, 224, type=f"{LANGCHAIN}toolCalculator"),
    ],
    "connections": {
        **wires("Chat", "Agent"),
        "Model": {"ai_languageModel": [[{"node": "Agent", "type": "ai_languageModel", "index": 0}]]},
        "Calculator": {"ai_tool": [[{"node": "Agent", "type": "ai_tool", "index": 0}]]},
    },
    "pinData": {},
    "meta": {"templateCredsSetupCompleted": True, "instanceId": "0"},
}  # fmt: skip
SET, RESPOND = "Edit Fields (Set)", "Respond to Webhook"


class Shop(BaseHTTPRequestHandler):
    """Says what it was asked to keep."""

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"kept": given}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/orders"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with serving_model() as url:
        yield url


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    """A daemon that has been in use: a profile with a proxy, requests that it has routed."""
    settings = '[telemetry]\nwatch = false\n[nodes.http]\nallowed_hosts = ["127.0.0.1"]\n'
    found = Seeded(tmp_path_factory.mktemp("used"), settings=settings)
    try:
        found.profile("work", proxy=CONFIG)
        yield found
    finally:
        found.close()


@pytest.fixture(scope="module")
def daemon(seed: Seeded) -> Daemon:
    return seed.daemon


def added(page: Page, search: str, choice: str, behind: str = "") -> Locator:
    """The panel of a new node. behind: the node whose sign is pressed."""
    page.get_by_role("button", name=f"Add a node after {behind}" if behind else "Add the first node").first.click()
    palette = page.get_by_role("region", name="Add a node")
    palette.get_by_role("textbox", name="Search nodes").fill(search)
    palette.get_by_role("button", name=choice).first.click()
    return page.get_by_role("dialog")


def chosen(page: Page, within: Locator, label: str, option: str) -> None:
    within.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def closed(page: Page) -> None:
    page.get_by_role("dialog").get_by_role("button", name="Close the node").click()
    page.get_by_role("dialog").wait_for(state="detached")


@pytest.mark.firefox
def test_a_workflow_from_call_to_answer(page: Page, daemon: Daemon, shop: str) -> None:
    page.goto("/ui/")
    page.get_by_role("link", name="Workflows", exact=True).click()
    page.get_by_role("button", name="New workflow").first.click()
    page.get_by_role("dialog").get_by_role("textbox", name="Name").fill("Orders")
    page.get_by_role("dialog").get_by_role("button", name="Create").click()

    panel = added(page, "webhook", "Webhook Starts")
    panel.get_by_role("textbox", name="Path").fill("orders")
    chosen(page, panel, "Respond", "By a Respond to Webhook node")
    closed(page)

    panel = added(page, "edit fields", "Edit Fields", behind="Webhook")
    panel.get_by_role("button", name="Add a field").click()
    panel.get_by_role("textbox", name="Name of field 1").fill("total")
    chosen(page, panel, "Type of field 1", "Number")
    panel.get_by_role("textbox", name="Value of total").press_sequentially("{{ $json.body.total }}")
    closed(page)

    panel = added(page, "if", "IF", behind=SET)
    panel.get_by_role("textbox", name="Value 1").fill("{{ $json.total }}")
    chosen(page, panel, "Type of condition 1", "Number")
    chosen(page, panel, "Comparison of condition 1", "is greater than")
    panel.get_by_role("textbox", name="Compared with 1").fill("100")
    closed(page)

    panel = added(page, "http", "HTTP Request", behind="IF")
    chosen(page, panel, "Method", "POST")
    panel.get_by_role("textbox", name="URL").fill(shop)
    panel.get_by_role("switch", name="Send body").click()
    fields = panel.get_by_role("group", name="Body fields")
    fields.get_by_role("button", name="Add field").click()
    fields.get_by_role("textbox", name="Name").fill("total")
    fields.get_by_role("textbox", name="Value").fill("{{ $json.total }}")
    closed(page)
    added(page, "respond", RESPOND, behind="HTTP Request")
    closed(page)

    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Saved").wait_for()
    page.get_by_role("switch", name="Inactive").click()
    page.get_by_role("switch", name="Active").wait_for()
    answer = daemon.client().post("/webhook/orders", json={"total": 120})
    assert (answer.status_code, answer.json()) == (httpx.codes.OK, {"kept": {"total": 120}})


@pytest.fixture
def failing(seed: Seeded) -> str:
    """The name of a workflow that has failed by the data of a call."""
    name, admin = "Stock", seed.daemon.admin()
    pieces = {"id": "1", "name": "pieces", "type": "number", "value": "={{ $json.body.pieces }}"}
    hook = node("Call", "webhook", 0, typeVersion=2, webhookId="stock",
                parameters={"path": "stock", "httpMethod": "POST", "responseMode": "onReceived"})  # fmt: skip
    count = node("Count", "set", 224, typeVersion=3.4, parameters={"assignments": {"assignments": [pieces]}})
    seed.daemon.live({"name": name, "nodes": [hook, count], "connections": wires("Call", "Count")}, admin)
    assert seed.api.post("/webhook/stock", json={"pieces": "12 boxes"}).is_success
    poll(lambda: admin.get("/executions", params={"status": "failed"}).json()["data"], "the execution has failed")
    return name


@pytest.mark.firefox
def test_a_run_that_failed_yesterday_is_mended(page: Page, failing: str) -> None:
    page.clock.set_system_time(datetime.now(UTC) + timedelta(days=1))
    page.goto("/ui/")
    page.get_by_role("link", name="Executions", exact=True).click()
    page.get_by_role("button", name=re.compile("^Failed")).click()
    rows = page.get_by_role("table", name="Executions")
    rows.get_by_role("row", name=re.compile("yesterday")).get_by_role("link", name=failing).click()
    page.get_by_text("This node failed").wait_for()
    page.get_by_role("link", name="Open with its data").click()
    page.get_by_role("group", name="Node Count").dblclick()
    panel = page.get_by_role("dialog", name="Node Count")
    chosen(page, panel, "Type of field 1", "Text")
    panel.get_by_role("button", name="Run", exact=True).click()
    panel.get_by_role("region", name="Output").get_by_text("12 boxes").wait_for()
    closed(page)
    page.get_by_role("group", name="Node Count").get_by_label("Succeeded").wait_for()
    page.get_by_role("button", name="Saved").wait_for()


@pytest.mark.firefox
def test_a_workflow_of_n8n_is_imported_and_talked_to(page: Page, model: str, tmp_path: Path) -> None:
    exported = tmp_path / "Helper.json"
    exported.write_text(json.dumps(HELPER))
    page.goto("/ui/")
    page.get_by_role("link", name="Workflows", exact=True).click()
    page.get_by_role("button", name="New workflow").first.click()
    page.get_by_role("dialog").get_by_role("tab", name="From files").click()
    with page.expect_file_chooser() as choosing:
        page.get_by_role("dialog").get_by_role("button", name="Files").click()
    choosing.value.set_files(exported)
    page.get_by_role("dialog").get_by_role("button", name="Import").click()
    page.get_by_role("group", name="Node Model").dblclick()
    panel = page.get_by_role("dialog", name="Node Model")
    panel.get_by_role("button", name="New credential: OpenAI").click()
    credential = page.get_by_role("dialog", name="New credential: OpenAI")
    credential.get_by_role("textbox", name="API key").fill("key")
    credential.get_by_role("textbox", name="Base URL").fill(model)
    credential.get_by_role("button", name="Create").click()
    credential.wait_for(state="detached")
    panel.get_by_role("button", name="Close the node").click()
    page.get_by_role("button", name="Chat", exact=True).click()
    chat = page.get_by_role("region", name="Chat with the workflow")
    chat.get_by_role("textbox", name="Message").fill("What is six times seven?")
    chat.get_by_role("button", name="Send").click()
    chat.get_by_text("It is 42, answer 1.").wait_for()
    chat.get_by_text("Used").first.click()
    chat.get_by_text("6 * 7").wait_for()


@pytest.mark.firefox
def test_the_rule_that_routed_a_request_is_found(page: Page, seed: Seeded) -> None:
    assert seed.ask("work", model="claude-haiku-4-5").is_success
    page.goto("/ui/")
    page.get_by_role("link", name="Proxies", exact=True).click()
    page.get_by_role("link", name="work", exact=True).click()
    page.get_by_role("tab", name="Requests").click()
    row = page.get_by_role("table", name="Requests").get_by_role("row", name=re.compile("claude-haiku-4-5"))
    assert "the rule small" in row.first.inner_text()
