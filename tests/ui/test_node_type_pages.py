"""The help about node types: the list with its search, and the page of a node from the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from canvas import SMALL, made, nodes, opened

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_node_type_is_found_and_read(page: Page, daemon: Daemon) -> None:
    opened(page, made(daemon.admin(), SMALL))
    page.goto(f"{daemon.base_url}/ui/help/nodes")
    page.get_by_role("link", name="Slack", exact=True).wait_for()
    assert page.get_by_role("link", name="Zep", exact=True).count() == 0
    page.get_by_label("Show nodes that cannot run here").check(force=True)
    page.get_by_role("link", name="Zep", exact=True).wait_for()
    page.get_by_label("Search node types").fill("removes fields of items")
    page.get_by_role("link", name="Slack", exact=True).wait_for(state="detached")
    page.get_by_role("link", name="Edit Fields (Set)").click()
    page.get_by_role("heading", name="Edit Fields (Set)").wait_for()
    assert page.get_by_role("cell", name="includeOtherFields", exact=True).count() == 1
    assert page.get_by_text('"n8n-nodes-base.set"').count() == 1
    page.get_by_role("link", name="More about such nodes").click()
    page.wait_for_url("**/ui/help/workflows#nodes")


def test_the_help_of_a_node_in_the_editor_is_its_page(page: Page, daemon: Daemon) -> None:
    opened(page, made(daemon.admin(), SMALL))
    nodes(page).filter(has_text="One").dblclick()
    panel = page.get_by_role("dialog", name="Node One")
    with page.context.expect_page() as told:
        panel.get_by_role("link", name="Help for No Operation").click()
    told.value.get_by_role("heading", name="Example").wait_for()


def test_a_type_that_nobody_has_is_told(page: Page, daemon: Daemon) -> None:
    opened(page, made(daemon.admin(), SMALL))
    page.goto(f"{daemon.base_url}/ui/help/nodes/there.is_none")
    page.get_by_text("There is no page with this name.").wait_for()
