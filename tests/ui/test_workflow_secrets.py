"""Secrets of nodes in the editor: they are not there, and saving keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from canvas import add_behind, close_panel, counted, node, nodes, opened, saved, wires

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEY = "the-planted-key-of-the-editor"
AUTH = {"headerName": "X-Key", "headerValue": KEY}
PARAMETERS = {"path": "guarded", "httpMethod": "POST", "authentication": "headerAuth", "authConfig": AUTH}
GUARDED = {
    "name": "Guarded",
    "nodes": [node("Hook", "webhook", 0, parameters=PARAMETERS, typeVersion=2), node("End", "noOp", 224)],
    "connections": wires("Hook", "End"),
}


def called(daemon: Daemon, key: str) -> int:
    """The status of a call with this key."""
    url = f"{daemon.base_url}/webhook/guarded"
    return httpx.post(url, json={}, headers={"X-Key": key}, trust_env=False, timeout=20).status_code


def test_a_save_in_the_editor_keeps_the_secret_that_it_never_saw(page: Page, daemon: Daemon) -> None:
    ident = daemon.live(GUARDED)
    seen: list[str] = []
    page.on("response", lambda answer: seen.append(answer.text()) if f"/workflows/{ident}" in answer.url else None)
    opened(page, ident)
    nodes(page).filter(has_text="Hook").dblclick()
    panel = page.get_by_role("dialog", name="Node Hook")
    panel.get_by_text("***").or_(panel.locator("[value='***']")).first.wait_for()
    name = panel.get_by_role("textbox", name="Name of the node")
    name.fill("Front door")
    name.press("Enter")
    close_panel(page)
    add_behind(page, "End", "no operation")
    close_panel(page)
    counted(page, 3)
    saved(page)
    assert seen
    assert not [text for text in [*seen, page.content()] if KEY in text]
    assert [called(daemon, key) for key in (KEY, "***", "")] == [200, 401, 401]
