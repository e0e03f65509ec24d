"""How a workflow looks on the canvas: ports, names from any distance, pictures, wires that lead back, new nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest
from canvas import made, node, opened, wires

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import Page

LANGCHAIN = "@n8n/n8n-nodes-langchain."
LEAST = 6.0
"""Pixels of a name's letters on the screen, from as far as a large workflow is seen when it fits."""
MEETING = """(selector) => {
  const boxes = [...document.querySelectorAll(selector)].map((it) => [it.textContent, it.getBoundingClientRect()]);
  const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  return boxes.flatMap(([name, box], at) =>
    boxes.slice(at + 1).filter(([, other]) => meets(box, other)).map(([other]) => `${name} / ${other}`));
}"""
LETTERS = """() => {
  const zoom = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a;
  const names = [...document.querySelectorAll('.react-flow__node [class*=name]')];
  return {zoom, least: Math.min(...names.map((it) => parseFloat(getComputedStyle(it).fontSize) * zoom)),
    hidden: names.filter((it) => getComputedStyle(it).visibility !== 'visible').length, names: names.length};
}"""


@pytest.fixture
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def agent() -> dict[str, Any]:
    parts = {
        "Model": "lmChatOpenAi",
        "Memory": "memoryBufferWindow",
        "Calculator": "toolCalculator",
        "Parser": "outputParserStructured",
        "Store": "vectorStoreInMemory",
    }
    kinds = ["ai_languageModel", "ai_memory", "ai_tool", "ai_outputParser", "ai_tool"]
    nodes = [
        node("Start", "manualTrigger", 0),
        node("Agent", "agent", 224, type=f"{LANGCHAIN}agent", typeVersion=2, parameters={"hasOutputParser": True}),
        *(
            node(name, kind, 160 + 160 * at, 224, type=f"{LANGCHAIN}{kind}")
            for at, (name, kind) in enumerate(parts.items())
        ),
        node("Post", "slack", 640),
    ]
    next(one for one in nodes if one["name"] == "Store")["parameters"] = {"mode": "retrieve-as-tool"}
    own = {
        name: {kind: [[{"node": "Agent", "type": kind, "index": 0}]]} for name, kind in zip(parts, kinds, strict=True)
    }
    return {"name": "Agent", "nodes": nodes, "connections": {**wires("Start", "Agent", "Post"), **own}, "settings": {}}


def test_ports_of_parts_are_labelled_apart(page: Page, api: httpx.Client) -> None:
    opened(page, made(api, agent()))
    page.locator(".react-flow__edge").nth(6).wait_for(state="attached")
    assert page.locator(".react-flow__edge").count() == 7
    labels = page.locator("[class*=partLabel]")
    agents = page.locator("[data-name='Agent']").locator("[class*=partLabel]")
    assert agents.all_inner_texts() == ["Model", "Memory", "Tool", "Parser"]
    assert labels.count() == 5
    assert page.evaluate(MEETING, "[class*=partLabel]") == []
    assert page.evaluate(MEETING, ".react-flow__node") == []
    assert page.locator("[data-name='Model'] [class*=output]").count() == 0, "a part is the last on its way"


def test_a_service_has_its_logo(page: Page, api: httpx.Client) -> None:
    opened(page, made(api, agent()))
    logo = page.locator("[data-name='Post'] img")
    logo.wait_for()
    page.wait_for_function("(it) => it.complete && it.naturalWidth > 0", arg=logo.element_handle())
    assert logo.get_attribute("src") == "/ui/logos/slack.svg"


def test_names_are_read_from_far_away(page: Page, api: httpx.Client) -> None:
    names = [f"Read the list {at}" for at in range(60)]
    nodes = [node(name, "noOp", 224 * (at % 12), 192 * (at // 12)) for at, name in enumerate(names)]
    nodes.append(node("Far", "noOp", 6000, 2400))
    opened(page, made(api, {"name": "Wide", "nodes": nodes, "connections": wires(*names), "settings": {}}))
    page.wait_for_function("document.querySelector('[data-far]')")
    seen = page.evaluate(LETTERS)
    assert seen["zoom"] < 0.25
    assert (seen["hidden"], seen["names"]) == (0, 61)
    assert seen["least"] >= LEAST * min(1, seen["zoom"] / 0.2)
    page.locator("[data-name='Far']").hover()
    letters = page.locator("[data-name='Far'] [class*=name]").evaluate(
        "(it) => parseFloat(getComputedStyle(it).fontSize)"
    )
    assert letters * seen["zoom"] >= 12


def test_notes_lie_behind_nodes_in_the_overview(page: Page, api: httpx.Client) -> None:
    nodes = [node(f"N{at}", "noOp", 224 * at) for at in range(8)]
    nodes.insert(4, node("Note", "stickyNote", -50, -50, parameters={"width": 2000, "height": 400}))
    opened(page, made(api, {"name": "Notes", "nodes": nodes, "connections": {}, "settings": {}}))
    order = page.locator(".react-flow__minimap-node").evaluate_all("(all) => all.map((it) => it.getAttribute('width'))")
    assert order[0] == "2000"
    assert len(order) == 9


def test_a_wire_that_leads_back_goes_around(page: Page, api: httpx.Client) -> None:
    nodes = [node("Loop", "splitInBatches", 0, typeVersion=3), node("Work", "noOp", 224)]
    back = {"Loop": {"main": [[], [{"node": "Work", "type": "main", "index": 0}]]}, **wires("Work", "Loop")}
    opened(page, made(api, {"name": "Loop", "nodes": nodes, "connections": back, "settings": {}}))
    wire = page.get_by_label("Wire from Work to Loop")
    wire.wait_for(state="attached")
    assert wire.evaluate("(it) => it.getBBox().height") > 100


def test_a_node_that_is_added_follows_the_selected_one(page: Page, api: httpx.Client) -> None:
    workflow = made(
        api, {"name": "Two", "nodes": [node("Start", "manualTrigger", 0)], "connections": {}, "settings": {}}
    )
    opened(page, workflow)
    page.locator("[data-name='Start']").click()
    page.get_by_role("button", name="Add a node", exact=True).click()
    page.get_by_role("textbox", name="Search nodes").fill("No Operation")
    page.keyboard.press("Enter")
    page.get_by_label("Wire from Start to").wait_for(state="attached")
    assert page.evaluate(MEETING, ".react-flow__node") == []


def test_the_list_of_nodes_has_those_that_run_and_others_behind_a_switch(page: Page, api: httpx.Client) -> None:
    opened(
        page,
        made(api, {"name": "One", "nodes": [node("Start", "manualTrigger", 0)], "connections": {}, "settings": {}}),
    )
    page.get_by_role("button", name="Add a node", exact=True).click()
    palette = page.get_by_role("region", name="Add a node")
    palette.get_by_text("Code", exact=True).first.wait_for()
    assert palette.get_by_text("Cannot run:").count() == 0
    found = palette.get_by_text("The matching nodes cannot run here.")
    listed = api.get("/node-types", params={"schemas": "false", "unavailable": "true"}).json()["data"]
    for absent in (one["displayName"] for one in listed if not one["available"]):
        palette.get_by_role("textbox", name="Search nodes").fill(absent)
        if found.is_visible():
            break
    found.wait_for()
    palette.get_by_role("switch", name="Show nodes that cannot run here").check()
    palette.get_by_text("Cannot run:").wait_for()


def test_what_was_chosen_before_comes_first_in_the_search(page: Page) -> None:
    page.goto("/ui/")
    page.get_by_role("button", name="Account").wait_for()
    for _ in range(2):
        page.keyboard.press("Control+k")
        page.get_by_role("textbox", name="Search").fill("plug")
        page.keyboard.press("Enter")
        page.wait_for_url("**/ui/plugins")
        page.get_by_role("dialog").wait_for(state="detached")
    page.keyboard.press("Control+k")
    page.get_by_role("textbox", name="Search").wait_for()
    assert page.get_by_role("dialog").get_by_role("button").first.inner_text().startswith("Plugins")


def test_a_workflow_is_opened_with_the_data_of_an_execution(page: Page, api: httpx.Client) -> None:
    begins = node(
        "Start", "code", 0, parameters={"jsCode": "return [{json: {at: Date.now(), round: 1}}]"}, typeVersion=2
    )
    nodes = [node("Begin", "manualTrigger", 0), {**begins, "position": [224, 0]}, node("End", "noOp", 448)]
    document = {"name": "Old", "nodes": nodes, "connections": wires("Begin", "Start", "End"), "settings": {}}
    workflow = made(api, document)
    run = api.post(f"/workflows/{workflow}/execute-async").json()["executionId"]
    poll(lambda: api.get(f"/executions/{run}").json()["status"] == "success", "it has run")
    page.goto(f"/ui/executions/{run}")
    page.get_by_role("link", name="Open with its data").click()
    page.locator("[data-name='End'] [data-state='success']").wait_for()
    page.locator("[data-name='Begin']").get_by_label("Pinned data").wait_for()
    page.get_by_text("Pinned the data of Begin.").wait_for()
    assert page.url.endswith(f"/ui/workflows/{workflow}")


def test_data_of_an_execution_is_of_its_workflow_and_of_what_gave_some(page: Page, api: httpx.Client) -> None:
    nodes = [
        node("Begin", "manualTrigger", 0),
        node("Empty", "code", 224, parameters={"jsCode": "return []"}, typeVersion=2),
    ]
    document = {"name": "Some", "nodes": nodes, "connections": wires("Begin", "Empty"), "settings": {}}
    workflow, other = made(api, document), made(api, {**document, "name": "Other"})
    run = api.post(f"/workflows/{workflow}/execute-async").json()["executionId"]
    poll(lambda: api.get(f"/executions/{run}").json()["status"] == "success", "it has run")
    page.goto(f"/ui/workflows/{other}?execution={run}")
    page.get_by_text("It belongs to another workflow.").wait_for()
    assert page.get_by_label("Pinned data").count() == 0
    assert api.put(f"/workflows/{workflow}", json={**document, "connections": {}}).is_success
    page.goto(f"/ui/workflows/{workflow}?execution={run}")
    page.get_by_text("Pinned the data of Begin.").wait_for()
