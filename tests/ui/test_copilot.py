"""The copilot beside the canvas: a draft's changes, an agent that is spoken to, a failure that is handed to it."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from canvas import SMALL, counted, made, node, nodes, opened, saved, wires

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

AGENT = Path(__file__).resolve().parents[1] / "plugins/agent_sessions/acp_agent.py"
MANIFEST = """
id = "talker"
name = "Talker"
binary = "talker"
mcp = ["http"]
[detect]
commands = ["talker --version"]
[profile]
source_home = "HOMES/{alias}"
script = "talker.rhai"
[protocol]
name = "acp"
"""
SCRIPT = "#{ files: #{}, env: #{}, args: [] }"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    place = tmp_path_factory.mktemp("copilot")
    program = place / "bin/talker"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {AGENT} "$@"\n')
    program.chmod(0o755)
    (place / "home").mkdir()
    env = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(place / "home")}
    found = Daemon(place, settings="[agent_sessions]\nleave_grace = 0.2\n", env=env)
    (found.config_dir / "agents.d").mkdir()
    (found.config_dir / "agents.d/talker.toml").write_text(MANIFEST.replace("HOMES", str(place / "homes")))
    (found.config_dir / "scripts").mkdir()
    (found.config_dir / "scripts/talker.rhai").write_text(SCRIPT)
    found.start()
    body = {"agent_id": "talker", "alias": "one", "provider_id": "self", "model": "m"}
    assert found.client().post("/api/profiles", json=body).status_code == 200
    yield found
    found.close()


@pytest.fixture
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def drafted(api: httpx.Client) -> tuple[str, str]:
    """A workflow and its draft, in which Two is changed, and Check comes between One and Two."""
    workflow = made(api, SMALL)
    document: dict[str, Any] = copy.deepcopy(SMALL)
    document["nodes"][2]["notes"] = "Looked at"
    document["nodes"].append(node("Check", "noOp", 336, 192))
    document["connections"] = wires("Start", "One", "Check", "Two")
    body = {"workflowId": workflow, "document": document, "title": "Check first"}
    answer = api.post("/drafts", json=body)
    assert answer.status_code == httpx.codes.CREATED, answer.text
    return workflow, answer.json()["id"]


def named(page: Page, name: str) -> Locator:
    return page.locator(f".react-flow__node[data-name='{name}']")


def review(page: Page, workflow: str) -> Locator:
    opened(page, workflow)
    page.get_by_role("button", name="Copilot, 1 draft waits").click()
    panel = page.get_by_role("region", name="Copilot")
    panel.get_by_role("button", name="Check first").first.click()
    panel.get_by_text("3 changes to decide on").wait_for()
    return panel


def test_a_draft_is_decided_change_by_change(page: Page, api: httpx.Client, axe: Callable[[Page], None]) -> None:
    workflow, draft = drafted(api)
    panel = review(page, workflow)
    counted(page, 4)
    named(page, "Check").locator("[data-mark='added']").first.wait_for()
    named(page, "Two").locator("[data-mark='changed']").first.wait_for()
    panel.get_by_text("Looked at").wait_for()
    axe(page)

    panel.get_by_role("button", name="Accept: Check").click()
    panel.get_by_text("2 changes to decide on").wait_for()
    page.get_by_role("button", name="Undo").first.click()
    panel.get_by_text("3 changes to decide on").wait_for()
    panel.get_by_role("button", name="Reject: Two").click()
    panel.get_by_role("button", name="Accept all").click()
    panel.get_by_text("There is nothing to decide on.").wait_for()
    assert len(api.get(f"/workflows/{workflow}").json()["nodes"]) == 3, "nothing is saved by itself"

    saved(page)
    stored = api.get(f"/workflows/{workflow}").json()
    assert [one["name"] for one in stored["nodes"]] == ["Start", "One", "Two", "Check"]
    assert "notes" not in stored["nodes"][2]
    poll(lambda: api.get(f"/drafts/{draft}").json()["changeCount"] == 0, "the draft loses what was rejected")


def test_a_run_is_allowed_with_its_input_in_sight(page: Page, api: httpx.Client) -> None:
    workflow, draft = drafted(api)
    body = {"input": [{"json": {"given": "Three loaves"}}]}
    asked = api.post(f"/drafts/{draft}/runs", json=body).raise_for_status().json()
    review(page, workflow)
    question = page.get_by_role("alert", name="Permission to run the draft")
    question.get_by_text("Input", exact=True).first.click()
    question.get_by_text("Three loaves").wait_for()
    question.get_by_role("button", name="Run it once").click()
    question.wait_for(state="detached")
    assert api.get(f"/drafts/{draft}/runs/{asked['id']}").json()["state"] == "running"


def test_it_is_a_sheet_on_a_phone(
    make_context: Callable[..., BrowserContext], api: httpx.Client, axe: Callable[[Page], None]
) -> None:
    workflow, _ = drafted(api)
    page = make_context(viewport="phone", scheme="dark").new_page()
    panel = review(page, workflow)
    place, canvas = panel.bounding_box(), page.locator(".react-flow").bounding_box()
    assert place
    assert canvas
    assert place["width"] == pytest.approx(390, abs=2)
    assert place["y"] >= canvas["y"] + canvas["height"] - 2
    axe(page)
    panel.get_by_role("button", name="Accept all").click()
    panel.get_by_text("There is nothing to decide on.").wait_for()
    counted(page, 4)


def test_an_agent_is_handed_a_failure(page: Page, api: httpx.Client) -> None:
    stop = node("Stop", "stopAndError", 224, parameters={"errorMessage": "No bread today."})
    document = {**SMALL, "name": "Stops", "nodes": [SMALL["nodes"][0], stop], "connections": wires("Start", "Stop")}
    workflow = made(api, document)
    failed = api.post(f"/workflows/{workflow}/execute").json()
    page.goto(f"/ui/executions/{failed['id']}")
    page.get_by_role("link", name="Fix with an agent").click()
    panel = page.get_by_role("region", name="Copilot")
    panel.get_by_text("No bread today.").wait_for()
    page.locator("[data-name='Stop'] [data-state='failed']").wait_for()
    panel.get_by_role("button", name="Fix this failure").click()
    panel.get_by_role("list", name="Messages").wait_for()
    panel.get_by_text("Ready").wait_for()
    assert len(nodes(page).all()) == 2
