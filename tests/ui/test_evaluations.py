"""Evaluations: defined, run, read and compared by somebody at the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from tests.plugins.evaluations.evaluation_world import EXACT, World, doubling

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

ROWS = [{"number": 1, "wanted": 2}, {"number": 2, "wanted": 5}]


@pytest.fixture(scope="module")
def world(daemon: Daemon) -> World:
    return World(daemon.admin(timeout=60))


def test_an_evaluation_is_made_run_and_its_runs_compared(page: Page, world: World, axe: Callable[[Page], None]) -> None:
    world.table("Questions", ROWS, number="number", wanted="number")
    workflow = world.doubling("Doubles")
    page.goto("/ui/evaluations")
    page.get_by_role("link", name="New evaluation").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("doubles")
    page.get_by_role("combobox", name="Data table").click()
    page.get_by_role("option", name="Questions").click()
    page.get_by_role("combobox", name="Workflow", exact=True).click()
    page.get_by_role("option", name="Doubles").click()
    page.get_by_role("textbox", name="Output", exact=True).fill("={{ $json.output.answer }}")
    page.get_by_role("textbox", name="Expected", exact=True).fill("={{ $json.row.wanted }}")
    axe(page)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="doubles").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("heading", name="Run 1 of doubles").wait_for()
    page.get_by_text("1 of 2 passed").wait_for()
    axe(page)
    page.get_by_role("row", name=re.compile("Below")).click()
    dialog = page.get_by_role("dialog", name="Row 2")
    dialog.get_by_text("exact").wait_for()
    axe(page)
    dialog.get_by_role("link", name="Open the execution").click()
    page.get_by_role("heading", name=re.compile("Doubles")).first.wait_for()

    changed = world.api.put(f"/workflows/{workflow}", json=doubling("Doubles", 2.5))
    assert changed.status_code == 200, changed.text
    world.run("doubles")
    page.goto("/ui/evaluations/doubles")
    page.get_by_role("figure", name="Score by run").or_(page.get_by_text("Score by run")).first.wait_for()
    axe(page)
    for name in ("run 1", "run 2"):
        page.get_by_role("checkbox", name=re.compile(name)).click()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Better: 1").wait_for()
    page.get_by_text("Worse: 1").wait_for()
    axe(page)


def test_a_phone_shows_it_without_scrolling_sideways(make_context: Callable[..., BrowserContext], world: World) -> None:
    table = world.table("Small", ROWS, number="number", wanted="number")
    world.evaluation(
        "small",
        tableId=table,
        target={"kind": "workflow", "workflowId": world.doubling("Small")},
        output="={{ $json.output.answer }}",
        expected="={{ $json.row.wanted }}",
        scorers=[EXACT],
    )
    run = world.run("small")
    page = make_context(viewport="phone").new_page()
    for path in ("", "/new", "/small", f"/small/runs/{run['id']}"):
        page.goto(f"/ui/evaluations{path}")
        page.get_by_role("heading", level=1).wait_for()
        poll(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} fits")
