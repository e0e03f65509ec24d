"""Workflows: the list, the canvas, running and watching, versions; what is hostile stays text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from canvas import (
    PASTE,
    SMALL,
    add_behind,
    asked,
    choose,
    close_panel,
    counted,
    edges,
    made,
    node,
    nodes,
    opened,
    saved,
    wires,
)

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

CORPUS = Path(__file__).resolve().parents[3] / "shared/corpus/workflows"
HOSTILE = '"><img src=x onerror=window.__xss=1>'


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def test_a_workflow_is_built_activated_called_and_watched(page: Page, daemon: Daemon, api: httpx.Client) -> None:
    page.goto("/ui/workflows")
    page.get_by_role("button", name="New workflow").first.click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Greeter")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Add the first node").click()
    page.get_by_label("Search nodes").fill("webhook")
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Path").fill("greet")
    choose(page, "Respond", "By a Respond to Webhook node")
    close_panel(page)
    add_behind(page, "Webhook", "set")
    page.get_by_role("button", name="Add a field").click()
    page.get_by_label("Name of field 1").fill("greeting")
    page.get_by_role("button", name="Expression for Value of greeting").click(force=True)
    page.get_by_label("Value of greeting, expression").fill("Hello {{ $json.body.name }}")
    close_panel(page)
    add_behind(page, "Edit Fields", "respond")
    close_panel(page)
    counted(page, 3)
    counted(page, 2, edges)
    page.get_by_role("switch", name=re.compile("Inactive")).click(force=True)
    page.get_by_role("switch", name="Active", exact=True).wait_for(state="attached")

    answer = httpx.post(f"{daemon.base_url}/webhook/greet", json={"name": "Ada"}, trust_env=False, timeout=10)
    assert answer.json() == {"greeting": "Hello Ada"}

    page.get_by_role("button", name="Test webhook").click()
    url = re.search(r"\S+/webhook-test/greet", page.get_by_role("dialog").inner_text())
    assert url
    page.get_by_role("button", name=re.compile("isten for a test call")).click()
    page.get_by_text("Waiting for a test call").wait_for()
    assert httpx.post(url.group(), json={"name": "Bo"}, trust_env=False, timeout=10).json() == {"greeting": "Hello Bo"}
    page.get_by_role("status").get_by_text("Succeeded").wait_for()
    poll(lambda: page.get_by_text("1 item", exact=True).count() == 2, "items on both wires")

    nodes(page).filter(has_text="Edit Fields").dblclick()
    page.get_by_role("region", name="Output").get_by_text("Hello Bo").wait_for()
    # Completion knows the fields of the last run, and the preview follows what is typed.
    editor = page.get_by_label("Value of greeting, expression")
    editor.fill("")
    editor.click()
    page.keyboard.type("{{ $json.bo")
    page.get_by_role("option", name=re.compile("body")).click()
    page.keyboard.type(".name")
    page.get_by_role("region", name="Parameters").get_by_text("Bo", exact=True).wait_for()


def test_what_fails_is_shown_at_its_node(page: Page, api: httpx.Client) -> None:
    failing = node("Stop", "stopAndError", 224, parameters={"errorMessage": "Out of clay"})
    document = {**SMALL, "nodes": [SMALL["nodes"][0], failing], "connections": wires("Start", "Stop")}
    opened(page, made(api, document))
    page.keyboard.press("Control+Enter")
    page.get_by_role("status").get_by_text("Failed").wait_for()
    nodes(page).filter(has_text="Stop").get_by_role("img", name=re.compile("Failed: .*Out of clay")).wait_for()


def test_undo_redo_and_keys(page: Page, api: httpx.Client) -> None:
    opened(page, made(api, SMALL))
    counted(page, 3)
    nodes(page).filter(has_text="Two").click()
    page.keyboard.press("Delete")
    counted(page, 2)
    counted(page, 1, edges)
    page.keyboard.press("Control+z")
    counted(page, 3)
    counted(page, 2, edges)
    page.keyboard.press("Control+y")
    counted(page, 2)
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+a")
    counted(page, 3, lambda shown: shown.locator(".react-flow__node.selected"))
    page.keyboard.press("Control+d")
    counted(page, 6)
    counted(page, 4, edges)
    page.get_by_role("link", name="All workflows").click()
    asked(page, "Leave without saving").get_by_role("button", name="Cancel").click()
    counted(page, 6)


def test_what_n8n_copies_is_pasted_and_unknown_keys_stay(page: Page, api: httpx.Client) -> None:
    document = {**SMALL, "tags": [{"id": "7", "name": "kiln"}], "somethingElse": {"deep": [1, None]}}
    document["nodes"] = [{**one, "extra": {"kept": True}} for one in SMALL["nodes"]]
    workflow_id = made(api, document)
    opened(page, workflow_id)
    fragment = {
        "nodes": [
            node("One", "noOp", 0),
            node("Set", "set", 224, parameters={"value": "={{ $('One').item.json.a }}"}, notesInFlow=True),
        ],
        "connections": wires("One", "Set"),
        "meta": {"instanceId": "0"},
    }
    page.evaluate(PASTE, json.dumps(fragment))
    counted(page, 5)
    counted(page, 3, edges)
    saved(page)
    stored = api.get(f"/workflows/{workflow_id}").json()
    assert [tag["name"] for tag in stored["tags"]] == ["kiln"]
    assert stored["somethingElse"] == document["somethingElse"]
    assert stored["nodes"][:3] == document["nodes"]
    names = [one["name"] for one in stored["nodes"]]
    assert names == ["Start", "One", "Two", "One1", "Set"]
    assert stored["nodes"][4]["parameters"] == {"value": "={{ $('One1').item.json.a }}"}
    assert stored["nodes"][4]["notesInFlow"] is True
    assert stored["connections"]["One1"]["main"][0][0]["node"] == "Set"


def test_a_conflict_is_told_and_nothing_is_lost(page: Page, api: httpx.Client) -> None:
    workflow_id = made(api, SMALL)
    opened(page, workflow_id)
    api.put(f"/workflows/{workflow_id}", json={**SMALL, "name": "Theirs"})
    page.get_by_label("Name of the workflow").fill("Mine")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("dialog", name="Somebody else saved this workflow").wait_for()
    page.get_by_role("button", name="Replace it with mine").click()
    page.get_by_role("button", name="Saved").wait_for()
    assert api.get(f"/workflows/{workflow_id}").json()["name"] == "Mine"

    page.get_by_role("button", name="More for this workflow").click()
    page.get_by_role("menuitem", name="Versions").click()
    page.get_by_role("button", name=re.compile("^Version 2")).click()
    page.get_by_text("before: Theirs").wait_for()
    page.get_by_role("button", name="Restore").click()
    asked(page, "Restore version 2").get_by_role("button", name="Restore").click()
    poll(lambda: api.get(f"/workflows/{workflow_id}").json()["name"] == "Theirs", "version 2 is back")


def test_pinned_data_takes_the_place_of_a_run(page: Page, api: httpx.Client) -> None:
    opened(page, made(api, SMALL))
    nodes(page).filter(has_text="One").dblclick()
    page.get_by_role("button", name="Write pinned data").click()
    page.get_by_label("Pinned data").fill('[{"glaze": "blue"}, {"glaze": "green"}]')
    page.get_by_role("button", name="Pin", exact=True).click()
    close_panel(page)
    nodes(page).filter(has_text="One").get_by_label("Pinned data").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("2 items", exact=True).wait_for()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of public workflows is not here")
def test_five_public_workflows_are_drawn_whole(page: Page) -> None:
    files = [CORPUS / f"{name}.json" for name in ("w002", "w001", "w050", "w120", "w186")]
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        page.goto("/ui/workflows?new=import")
        page.get_by_role("tab", name="From files").click()
        page.locator("input[type=file]").set_input_files(file)
        page.get_by_role("dialog").get_by_role("button", name="Import").click()
        nodes(page).first.wait_for()
        drawn = len(document["nodes"])
        assert drawn < 80, "all nodes of smaller documents are on the page at once"
        counted(page, drawn)


def test_hostile_names_and_texts_stay_text(page: Page, api: httpx.Client) -> None:
    document = {
        "name": HOSTILE,
        "nodes": [
            node(HOSTILE, "webhook", 0, parameters={"path": HOSTILE, "httpMethod": "POST"}, notes=HOSTILE),
            node('b"]{{constructor.constructor("window.__xss=1")()}}', "set", 224, parameters={"mode": HOSTILE}),
            node("Note", "stickyNote", 0, 200, parameters={"content": f"[x](javascript:window.__xss=1) {HOSTILE}"}),
            node("c", "set", 448, type=HOSTILE, credentials={HOSTILE: {"id": "1", "name": HOSTILE}}),
        ],
        "connections": {
            HOSTILE: {"main": [[{"node": "c", "type": "main", "index": 0}]]},
            "c": {'ai_"]x': [[{"node": HOSTILE, "type": 'ai_"]x', "index": 0}]]},
        },
        "pinData": {HOSTILE: [{"json": {HOSTILE: HOSTILE, "url": "javascript:window.__xss=1"}}]},
    }
    workflow_id = made(api, document)
    page.goto("/ui/workflows")
    page.get_by_role("link", name=HOSTILE).wait_for()
    opened(page, workflow_id)
    counted(page, 4)
    for name in (HOSTILE, "c"):
        page.locator(".react-flow__node-node").filter(has_text=name).first.dblclick()
        page.get_by_role("dialog").wait_for()
        for view in ("Table", "JSON", "Schema"):
            for pane in page.get_by_role("dialog").get_by_text(view, exact=True).all():
                pane.click()
        page.get_by_role("tab", name="Settings").click()
        close_panel(page)
    page.get_by_role("button", name="Test webhook").click()
    page.get_by_role("dialog").wait_for()
    assert page.evaluate("window.__xss") is None
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("a[href^='javascript']").count() == 0


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "desktop"), ("dark", "desktop"), ("light", "phone")])
def test_the_pages_are_accessible(
    make_context: Callable[..., BrowserContext],
    axe: Callable[[Page], None],
    api: httpx.Client,
    scheme: str,
    viewport: str,
) -> None:
    workflow_id = made(api, SMALL)
    page = make_context(scheme=scheme, viewport=viewport).new_page()
    page.goto("/ui/workflows")
    page.get_by_role("table").wait_for()
    axe(page)
    opened(page, workflow_id)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("status").get_by_text("Succeeded").wait_for()
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    target = nodes(page).filter(has_text="One")
    target.click() if viewport == "phone" else target.dblclick()
    page.get_by_role("dialog").get_by_text("Does nothing").or_(
        page.get_by_role("tab", name="Settings")
    ).first.wait_for()
    axe(page)
    close_panel(page)
    if viewport == "desktop":
        page.get_by_role("button", name="Add a node", exact=True).click()
        page.get_by_label("Search nodes").fill("http")
        axe(page)
