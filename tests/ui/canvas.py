"""The canvas in tests: documents that are small, and the hands that work on them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import httpx

from jackfield.testing.daemon import poll

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
}"""


def node(name: str, kind: str, x: int, y: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "id": f"id-{name}",
        "name": name,
        "type": f"n8n-nodes-base.{kind}",
        "typeVersion": 1,
        "position": [x, y],
        "parameters": {},
        **more,
    }


def wires(*names: str) -> dict[str, Any]:
    return {one: {"main": [[{"node": other, "type": "main", "index": 0}]]} for one, other in pairwise(names)}


SMALL: dict[str, Any] = {
    "name": "Small",
    "nodes": [node("Start", "manualTrigger", 0), node("One", "noOp", 224), node("Two", "noOp", 448)],
    "connections": wires("Start", "One", "Two"),
    "settings": {"executionOrder": "v1"},
}


def made(api: httpx.Client, document: dict[str, Any]) -> str:
    answer = api.post("/workflows", json=document)
    assert answer.status_code == httpx.codes.CREATED, answer.text
    return str(answer.json()["id"])


def opened(page: Page, workflow_id: str) -> None:
    page.goto(f"/ui/workflows/{workflow_id}")
    page.locator(".react-flow__node").first.wait_for()


def nodes(page: Page) -> Locator:
    return page.locator(".react-flow__node")


def counted(page: Page, expected: int, what: Callable[[Page], Locator] = nodes) -> None:
    poll(lambda: what(page).count() == expected, f"{expected} of them on the canvas")


def edges(page: Page) -> Locator:
    return page.locator(".react-flow__edge")


def add_behind(page: Page, name: str, search: str) -> None:
    page.get_by_role("button", name=f"Add a node after {name}").click()
    page.get_by_label("Search nodes").fill(search)
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()


def close_panel(page: Page) -> None:
    page.get_by_role("button", name="Close the node").click()
    page.get_by_role("dialog").wait_for(state="detached")


def saved(page: Page) -> None:
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="Saved").wait_for()


def asked(page: Page, title: str) -> Locator:
    return page.locator("[role=dialog], [role=alertdialog]").filter(has_text=title).last


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("dialog").get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
