"""The canvas by hand: what is dragged, its menu, what others do to the same workflow, and who may only look."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from canvas import SMALL, asked, close_panel, counted, edges, made, node, nodes, opened, saved, wires
from samples import MARKUP, nothing_executed

from jackfield.testing.daemon import PASSWORD, Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page, Route

NOTE = f"## Title\nsome **bold** text\n- one\n[site](https://example.com) [bad](javascript:window.__xss=1) {MARKUP}"


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def named(page: Page, name: str) -> Locator:
    return page.locator(f'.react-flow__node[data-name="{name}"]')


def menu(page: Page) -> Locator:
    return page.get_by_test_id("canvas-menu")


def entry(page: Page, name: str) -> Locator:
    return menu(page).get_by_role("menuitem", name=re.compile(f"^{name}"))


def pane_menu(page: Page) -> None:
    page.locator(".react-flow__pane").click(button="right", position={"x": 700, "y": 90})
    menu(page).wait_for()


def stored(api: httpx.Client, workflow_id: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/workflows/{workflow_id}").json()
    return found


def held_back(page: Page, method: str, url: str) -> Callable[[], None]:
    """Requests wait until the returned function is called, which waits for the first of them."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == method:
            held.append(route)
        else:
            route.fallback()

    def release() -> None:
        poll(lambda: page.evaluate("1") and held, f"a {method} is on its way")
        for route in held:
            route.continue_()
        page.unroute(url, hold)

    page.route(url, hold)
    return release


def test_a_node_is_dragged_from_the_palette(page: Page, api: httpx.Client) -> None:
    opened(page, made(api, SMALL))
    page.get_by_role("button", name="Add a node", exact=True).click()
    page.get_by_label("Search nodes").fill("http request")
    page.locator("[data-kind=httpRequest]").drag_to(
        page.locator(".react-flow__pane"), target_position={"x": 300, "y": 480}
    )
    page.get_by_role("dialog", name="Node HTTP Request").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    counted(page, 4)
    dropped = named(page, "HTTP Request").bounding_box()
    pane = page.locator(".react-flow__pane").bounding_box()
    assert dropped is not None
    assert pane is not None
    assert abs(dropped["x"] + dropped["width"] / 2 - pane["x"] - 300) < 24
    assert abs(dropped["y"] + dropped["height"] / 2 - pane["y"] - 480) < 24


def test_a_wire_that_is_dropped_on_the_canvas_asks_for_a_node(page: Page, api: httpx.Client) -> None:
    workflow_id = made(api, SMALL)
    opened(page, workflow_id)
    handle = named(page, "Two").locator(".react-flow__handle.source")
    handle.hover()
    page.mouse.down()
    box = handle.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 120, box["y"] + 160, steps=5)
    page.mouse.up()
    page.get_by_label("Search nodes").fill("edit fields")
    page.keyboard.press("Enter")
    close_panel(page)
    counted(page, 3, edges)
    saved(page)
    assert stored(api, workflow_id)["connections"]["Two"]["main"][0][0]["node"] == "Edit Fields (Set)"


def test_a_field_is_dragged_into_a_parameter(page: Page, api: httpx.Client) -> None:
    row = {"id": "1", "name": "copy", "value": "", "type": "string"}
    document = {
        "name": "Drag",
        "nodes": [
            node("Start", "manualTrigger", 0),
            node("Set", "set", 224, typeVersion=3.4, parameters={"assignments": {"assignments": [row]}}),
        ],
        "connections": wires("Start", "Set"),
        "pinData": {"Start": [{"json": {"order": {"number": 7}}}]},
    }
    opened(page, made(api, document))
    named(page, "Set").dblclick()
    field = page.get_by_role("region", name="Input").get_by_text("number", exact=True).first
    field.drag_to(page.get_by_role("textbox", name="Value of copy"))
    expression = page.get_by_label("Value of copy, expression")
    expression.get_by_text("{{ $json.order.number }}").wait_for()
    page.get_by_role("region", name="Parameters").get_by_text("7", exact=True).wait_for()


def test_the_menu_of_a_node(page: Page, api: httpx.Client) -> None:
    workflow_id = made(api, SMALL)
    opened(page, workflow_id)
    named(page, "One").click(button="right")
    entry(page, "Run to here").click()
    page.get_by_role("status").get_by_text("Succeeded").wait_for()
    named(page, "One").get_by_label("Succeeded").wait_for()
    assert named(page, "Two").get_by_label("Succeeded").count() == 0
    run = api.get("/executions", params={"workflowId": workflow_id}).json()["data"][0]["id"]
    assert list(api.get(f"/executions/{run}").json()["nodes"]) == ["Start", "One"]

    named(page, "One").click(button="right")
    entry(page, "Rename").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Uno")
    page.keyboard.press("Enter")
    named(page, "Uno").wait_for()
    named(page, "Uno").click(button="right")
    entry(page, "Pin its last output").click()
    named(page, "Uno").get_by_label("Pinned data").wait_for()
    named(page, "Uno").click(button="right")
    entry(page, "Disable").click()
    named(page, "Uno").get_by_text("(disabled)").wait_for()
    named(page, "Two").click(button="right")
    entry(page, "Duplicate").click()
    counted(page, 4)
    named(page, "Two1").click(button="right")
    entry(page, "Delete").click()
    counted(page, 3)
    saved(page)
    found = stored(api, workflow_id)
    assert [one["name"] for one in found["nodes"]] == ["Start", "Uno", "Two"]
    assert found["nodes"][1]["disabled"] is True
    assert found["pinData"] == {"Uno": [{"json": {}}]}
    assert found["connections"]["Start"]["main"][0][0]["node"] == "Uno"


def test_the_menus_by_keyboard(page: Page, api: httpx.Client) -> None:
    opened(page, made(api, SMALL))
    named(page, "One").focus()
    page.keyboard.press("Shift+F10")
    menu(page).wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    menu(page).wait_for(state="detached")
    poll(lambda: named(page, "One").evaluate("node => node === document.activeElement"), "the node has the focus again")
    page.keyboard.press("ContextMenu")
    entry(page, "Open").click()
    page.get_by_role("dialog", name="Node One").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")


def test_the_menu_of_the_canvas_and_the_clipboard(
    make_context: Callable[..., BrowserContext], api: httpx.Client
) -> None:
    page = make_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    opened(page, made(api, SMALL))
    named(page, "Two").click()
    page.keyboard.press("Control+x")
    counted(page, 2)
    pane_menu(page)
    entry(page, "Paste").click()
    counted(page, 3)
    pane_menu(page)
    entry(page, "Add a note").click()
    counted(page, 4)
    pane_menu(page)
    entry(page, "Select all").click()
    counted(page, 4, lambda shown: shown.locator(".react-flow__node.selected"))
    page.keyboard.press("Delete")
    counted(page, 0)
    page.keyboard.press("Control+z")
    counted(page, 4)
    counted(page, 1, edges)
    pane_menu(page)
    entry(page, "Add a node").click()
    page.get_by_label("Search nodes").wait_for()


def test_nodes_are_connected_by_keys_alone(page: Page, api: httpx.Client) -> None:
    workflow_id = made(api, {**SMALL, "connections": {}})
    opened(page, workflow_id)
    named(page, "Start").focus()
    page.keyboard.press("Shift+F10")
    menu = page.get_by_role("menu")
    menu.wait_for()
    told = menu.aria_snapshot()
    for name in ("Open", "Rename", "Connect…", "Duplicate", "Delete"):
        assert f'menuitem "{name}' in told
    entry(page, "Connect…").press("Enter")
    target = page.get_by_role("dialog", name="Connect “Start”").get_by_label("To", exact=True)
    target.focus()
    page.keyboard.type("Two")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Connect", exact=True).press("Enter")
    counted(page, 1, edges)
    saved(page)
    wire = {"node": "Two", "type": "main", "index": 0}
    assert stored(api, workflow_id)["connections"] == {"Start": {"main": [[wire]]}}


def test_a_note_is_markdown_and_text_all_the_same(page: Page, api: httpx.Client) -> None:
    note = node("Note", "stickyNote", 0, parameters={"content": NOTE, "color": 4, "width": 320, "height": 240})
    workflow_id = made(api, {"name": "Noted", "nodes": [note], "connections": {}})
    opened(page, workflow_id)
    shown = page.get_by_role("group", name="Sticky note")
    shown.locator("strong").get_by_text("bold", exact=True).wait_for()
    assert shown.get_by_role("link").evaluate_all("links => links.map((link) => link.href)") == ["https://example.com/"]
    assert MARKUP in shown.inner_text()
    assert "bad" in shown.inner_text()  # of the link to a script, its text alone
    nothing_executed(page)
    shown.click(button="right", position={"x": 20, "y": 20})
    entry(page, "Violet note").click()
    shown.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Text of the note").fill("# Done")
    page.keyboard.press("Escape")
    shown.get_by_text("Done", exact=True).wait_for()
    saved(page)
    assert stored(api, workflow_id)["nodes"][0]["parameters"] == {
        "content": "# Done", "color": 6, "width": 320, "height": 240,
    }  # fmt: skip


def test_saving_and_running_twice_at_once_is_done_once(page: Page, api: httpx.Client) -> None:
    workflow_id = made(api, SMALL)
    opened(page, workflow_id)
    first = held_back(page, "PUT", "**/api/v1/workflows/*")
    page.get_by_label("Name of the workflow").fill("Once")
    page.keyboard.press("Control+s")
    page.keyboard.press("Control+s")
    first()
    page.get_by_role("button", name="Saved").wait_for()
    assert page.get_by_role("dialog").count() == 0
    assert stored(api, workflow_id)["version"] == 2
    first = held_back(page, "POST", "**/execute-async*")
    for _ in range(3):
        page.keyboard.press("Control+Enter")
    first()
    page.get_by_role("status").get_by_text("Succeeded").wait_for()
    assert api.get("/executions", params={"workflowId": workflow_id}).json()["total"] == 1


def test_what_others_do_to_the_workflow_is_told(page: Page, api: httpx.Client) -> None:
    hook = node("Hook", "webhook", 448, parameters={"path": "theirs"}, typeVersion=2)
    document = {**SMALL, "nodes": [*SMALL["nodes"], hook]}
    workflow_id = made(api, document)
    opened(page, workflow_id)
    page.get_by_text("Connected").first.wait_for()
    api.put(f"/workflows/{workflow_id}", json={**document, "name": "Theirs"})
    page.get_by_role("button", name="Load it").click()
    poll(lambda: page.get_by_label("Name of the workflow").input_value() == "Theirs", "the other one is loaded")
    api.post(f"/workflows/{workflow_id}/activate").raise_for_status()
    page.get_by_role("switch", name="Active", exact=True).wait_for(state="attached")
    page.get_by_label("Name of the workflow").fill("Kept")
    api.delete(f"/workflows/{workflow_id}")
    page.get_by_role("button", name="Save it as a new one").click()
    page.wait_for_url(lambda url: workflow_id not in url)
    poll(lambda: page.get_by_label("Name of the workflow").input_value() == "Kept", "it lives on")
    assert page.get_by_role("alertdialog").count() == 0


def test_a_credential_is_made_where_it_is_needed(page: Page, api: httpx.Client) -> None:
    chat = node("Chat", "slack", 0, typeVersion=2.2)
    workflow_id = made(api, {"name": "Chat", "nodes": [chat, node("Quiet", "noOp", 224)], "connections": {}})
    opened(page, workflow_id)
    named(page, "Chat").dblclick()
    page.get_by_role("button", name=re.compile("^New credential: ")).click()
    dialog = asked(page, "New credential")
    dialog.get_by_label("Name").fill("Ours")
    dialog.locator("input[type=password]").first.fill("xoxb-secret")
    dialog.get_by_role("button", name="Create").click()
    dialog.wait_for(state="detached")
    poll(
        lambda: (
            page.get_by_role("dialog").get_by_role("combobox", name=re.compile("^Credential: ")).input_value() == "Ours"
        ),
        "the new credential is chosen",
    )
    close_panel(page)
    saved(page)
    (found,) = stored(api, workflow_id)["nodes"][0]["credentials"].items()
    assert (found[0], found[1]["name"]) == ("slackApi", "Ours")
    named(page, "Quiet").dblclick()
    page.get_by_role("dialog", name="Node Quiet").get_by_role("tab", name="Settings").wait_for()
    assert page.get_by_text("Credential: ").count() == 0


def test_a_viewer_looks_and_changes_nothing(make_context: Callable[..., BrowserContext], api: httpx.Client) -> None:
    api.post("/users", json={"username": "looker", "password": PASSWORD, "role": "viewer"})
    calling = node("Call", "httpRequest", 224, typeVersion=4.2, parameters={"url": "={{ $json.url }}"})
    calling["credentials"] = {"httpHeaderAuth": {"id": "x", "name": "Theirs"}}
    document = {"name": "Looked at", "nodes": [SMALL["nodes"][0], calling], "connections": wires("Start", "Call")}
    workflow_id = made(api, document)
    page = make_context(stranger=True).new_page()
    refused: list[str] = []
    page.goto(f"/ui/workflows/{workflow_id}")
    page.get_by_label("User name").fill("looker")
    page.locator("input[autocomplete=current-password]").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    nodes(page).first.wait_for()
    page.on("response", lambda answer: refused.append(answer.url) if answer.status == httpx.codes.FORBIDDEN else None)
    for name in ("Run", "Save", "Saved", "Add a node", "Undo"):
        assert page.get_by_role("button", name=name, exact=True).count() == 0
    assert page.get_by_role("switch").is_disabled()
    named(page, "Call").click(button="right")
    assert menu(page).get_by_role("menuitem").count() == 2, "to open and to copy"
    entry(page, "Open").click()
    dialog = page.get_by_role("dialog", name="Node Call")
    dialog.get_by_label("Credential: httpHeaderAuth").wait_for()
    assert dialog.get_by_label("Name of the node").get_attribute("readonly") is not None
    assert dialog.get_by_role("button", name=re.compile("^(Run|Expression|Pin|Write|New)")).count() == 0
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    named(page, "Call").dblclick()
    dialog.wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    for key in ("Delete", "Control+s", "Control+Enter", "n", "d"):
        page.keyboard.press(key)
    counted(page, 2)
    for place in ("workflows", "executions", "webhooks", ""):
        page.goto(f"/ui/{place}")
        page.get_by_role("heading", level=1).wait_for()
        page.wait_for_load_state("networkidle")
    assert page.get_by_role("region", name="First steps").count() == 0
    assert refused == []
    assert stored(api, workflow_id)["version"] == 1
