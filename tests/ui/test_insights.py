"""The insights page says what the API says, and the time that a workflow saves is set in its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; `tox -e ui` has it").expect


def document() -> dict[str, object]:
    hook = {"path": "counted", "httpMethod": "GET", "responseMode": "lastNode"}
    code = {"language": "javaScript", "jsCode": "if ($json.query.bad) throw new Error('bad'); return $input.all();"}
    nodes = [
        {"id": "1", "name": "Hook", "type": "webhook", "typeVersion": 1, "position": [0, 0], "parameters": hook},
        {"id": "2", "name": "Work", "type": "code", "typeVersion": 2, "position": [200, 0], "parameters": code},
    ]
    wires = {"Hook": {"main": [[{"node": "Work", "type": "main", "index": 0}]]}}
    return {"name": "Counted", "nodes": nodes, "connections": wires, "settings": {"timeSavedPerExecution": 30}}


def test_the_page_sums_up_what_has_ended(
    daemon: Daemon, make_context: Callable[..., BrowserContext], axe: Callable[[Page], None]
) -> None:
    api = daemon.admin()
    workflow = daemon.live(document(), api)
    for query in ("", "", "?bad=1"):
        daemon.client().get(f"/webhook/counted{query}")
    sums = api.get("/insights", params={"period": "week"}).json()["sums"]
    page = make_context().new_page()
    page.goto("/ui/insights")
    page.get_by_role("heading", name="Insights", level=1).wait_for()
    expect(page.get_by_role("group", name="Executions", exact=True)).to_contain_text(str(sums["total"]))
    expect(page.get_by_role("group", name="Failed", exact=True)).to_contain_text(str(sums["failed"]))
    expect(page.get_by_role("group", name="Time saved", exact=True)).to_contain_text("1 h")
    row = page.get_by_role("table", name="Most failures").get_by_role("row", name="Counted")
    expect(row).to_contain_text("33.3%")
    expect(page.get_by_role("table", name="Slowest nodes").get_by_role("row", name="Work Counted")).to_be_visible()
    axe(page)
    page.get_by_role("combobox", name="Period").click()
    page.get_by_role("option", name="Last year").click()
    expect(page.get_by_text("Executions by week")).to_be_visible()
    page.get_by_role("table", name="By workflow").get_by_role("link", name="Counted").click()
    page.wait_for_url(f"**/ui/workflows/{workflow}**")
