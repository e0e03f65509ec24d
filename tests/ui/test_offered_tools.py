"""A workflow becomes a tool in its settings, and a profile leaves it out and takes others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from shells import Sessions, poll, with_shell

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node, set_fields

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = with_shell(Daemon(tmp_path_factory.mktemp("offers")))
    yield found
    found.close()


def offered(daemon: Daemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.admin().get("/mcp/offered-tools").raise_for_status().json()["data"]
    return found


def test_a_workflow_is_offered_and_a_profile_chooses(daemon: Daemon, page: Page) -> None:
    pytest.importorskip("mcp")
    start = node("Call", "executeWorkflowTrigger", {"inputSource": "passthrough"}, version=1.1)
    ident = daemon.live(chain("Totals", start, set_fields("Set", a="1")))
    page.goto(f"/ui/workflows/{ident}")
    page.get_by_role("button", name="More for this workflow").click()
    page.get_by_role("menuitem", name="Settings").click()
    dialog = page.get_by_role("dialog", name="Workflow settings")
    dialog.get_by_role("switch", name="Offer as a tool").click(force=True)
    dialog.get_by_label("Name of the tool").fill("sum up")
    dialog.get_by_role("button", name="Apply").click()
    dialog.get_by_text("Use 1 to 40 letters").wait_for()
    dialog.get_by_label("Name of the tool").fill("sum_up")
    dialog.get_by_label("Description of the tool").fill("Sums.")
    dialog.get_by_role("button", name="Apply").click()
    dialog.wait_for(state="hidden")
    page.get_by_role("button", name="Save", exact=True).click()
    poll(lambda: [one["description"] for one in offered(daemon)] == ["Sums."], "the workflow is offered")

    Sessions(daemon).profile("worker")
    page.goto("/ui/profiles/worker?tab=tools")
    page.get_by_role("checkbox", name="sum_up").click(force=True)
    page.get_by_role("combobox", name="Tools of the daemon").click()
    page.get_by_role("option", name="list_workflows").click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Save", exact=True).click()
    chosen = {"tools": ["list_workflows"], "offered": True, "without": ["sum_up"]}
    poll(
        lambda: daemon.client().get("/api/profiles/worker").json()["data"]["daemon_tools"] == chosen,
        "the profile has what was chosen",
    )
