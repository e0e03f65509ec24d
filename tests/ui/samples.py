"""Workflow documents and hostile texts for the tests of pages."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

MARKUP = '"><img src=x onerror=window.__xss=1>'
TEMPLATE = '{{constructor.constructor("window.__xss=1")()}}'
LINK = "javascript:window.__xss=1"
HOSTILE = (MARKUP, TEMPLATE, LINK)


def node(name: str, kind: str, place: int, **parameters: object) -> dict[str, object]:
    return {
        "id": f"node-{place}",
        "name": name,
        "type": f"jackfield.{kind}",
        "position": [200 * place, 0],
        "parameters": parameters,
    }


def chain(name: str, *nodes: Mapping[str, object]) -> dict[str, object]:
    """A workflow whose nodes are wired one after the other."""
    wires = {
        str(before["name"]): {"main": [[{"node": after["name"], "type": "main", "index": 0}]]}
        for before, after in pairwise(nodes)
    }
    return {"name": name, "nodes": list(nodes), "connections": wires}


def hook(path: str, method: str = "POST", name: str = "Hook", **parameters: object) -> dict[str, object]:
    return node(name, "webhook", 0, path=path, httpMethod=method, **parameters)


def code(name: str, place: int, text: str) -> dict[str, object]:
    return node(name, "code", place, jsCode=text)


def nothing_executed(page: Page) -> None:
    assert page.evaluate("window.__xss === undefined")
    assert page.locator("img[src=x]").count() == 0


def shows_as_text(page: Page, *paths: str) -> None:
    """Each page shows `MARKUP`, as text or in a field, and nothing of it runs."""
    for path in paths:
        page.goto(path)
        page.get_by_text("onerror").or_(page.locator("input[value*=onerror]")).first.wait_for()
        nothing_executed(page)


def fits(page: Page) -> None:
    """Nothing makes the page wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def confirmed(page: Page, action: str) -> None:
    """Say yes to the question that is asked."""
    page.locator("[role=dialog], [role=alertdialog]").get_by_role("button", name=action, exact=True).click()
