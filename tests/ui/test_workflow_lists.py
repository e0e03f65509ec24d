"""Where a user keeps workflows: an example becomes one in a folder, gets settings, and is found again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from canvas import asked

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_an_example_is_taken_set_up_filed_and_found(page: Page, daemon: Daemon) -> None:
    api = daemon.admin()
    page.goto("/ui/workflows")
    page.get_by_role("button", name="Folders and tags").click()
    page.get_by_role("menuitem", name="New folder").click()
    page.get_by_role("textbox", name="Name").fill("Kilns")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("navigation", name="Folders").get_by_role("link", name=re.compile("^Kilns")).click()
    page.get_by_text("This folder is empty").wait_for()

    page.get_by_role("button", name="New workflow").first.click()
    page.get_by_role("tab", name="From an example").click()
    page.get_by_label("Search examples").fill("orders morning")
    page.get_by_role("button", name=re.compile("^Keep large orders in a table")).click()
    page.get_by_text("Every weekday at 08:00 (UTC)").wait_for()
    saved = page.url.rsplit("/", 1)[1]
    assert api.get(f"/workflows/{saved}/folder").json()["folderId"]

    page.get_by_role("button", name="More for this workflow").click()
    page.get_by_role("menuitem", name="Settings").click()
    page.get_by_role("combobox", name="Tags").fill("pottery")
    page.keyboard.press("Enter")
    page.get_by_role("combobox", name="Time zone").fill("Europe/Lisbon")
    page.get_by_role("option", name="Europe/Lisbon").click()
    page.get_by_role("switch", name="Manual and test executions").click(force=True)
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("Every weekday at 08:00 (Europe/Lisbon)").wait_for()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Saved").wait_for()
    stored = api.get(f"/workflows/{saved}").json()
    assert [tag["name"] for tag in stored["tags"]] == ["pottery"]
    assert stored["settings"] == {
        "executionOrder": "v1",
        "timezone": "Europe/Lisbon",
        "saveManualExecutions": False,
    }

    page.goto("/ui/workflows")
    for words in ("pottery", "dataTable", "to do"):  # a tag, a node's type, a note
        page.get_by_label("Search workflows").fill(words)
        page.get_by_role("table").get_by_role("link", name="Keep large orders in a table").wait_for()
    page.get_by_role("button", name="Why “Keep large orders in a table” is not active").click()
    page.get_by_text("It can be active.").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Actions for the folder “Kilns”").click()
    page.get_by_role("menuitem", name="Delete").click()
    asked(page, "Delete the folder “Kilns”").get_by_role("button", name="Delete").click()
    poll(lambda: api.get(f"/workflows/{saved}/folder").json() == {"folderId": None}, "the workflow moved up")


def test_many_workflows_get_and_lose_tags_at_once(page: Page, daemon: Daemon) -> None:
    api = daemon.admin()
    old, other = (api.post("/tags", json={"name": name}).json()["id"] for name in ("glaze", "clay"))
    bodies = [{"name": f"Firing {name}", "nodes": [], "connections": {}, "settings": {}} for name in ("A", "B", "C")]
    ids = [api.post("/workflows", json=one).json()["id"] for one in bodies]
    for ident in ids[:2]:
        api.put(f"/workflows/{ident}/tags", json=[{"id": old}, {"id": other}])
    page.goto("/ui/workflows")
    page.get_by_label("Search workflows").fill("Firing")
    for name in ("Firing A", "Firing C"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_text("2 selected").wait_for()
    page.get_by_role("button", name="Tags", exact=True).click()
    dialog = asked(page, "Tags of 2 workflows")
    dialog.get_by_role("combobox", name="Add").fill("kiln")
    page.keyboard.press("Enter")
    dialog.get_by_role("combobox", name="Remove").fill("glaze")
    page.get_by_role("option", name="glaze").click()
    page.keyboard.press("Escape")
    dialog.get_by_role("button", name="Apply").click()
    page.get_by_text("Tags changed: 2 workflows.").wait_for()
    names = [sorted(tag["name"] for tag in api.get(f"/workflows/{ident}/tags").json()["data"]) for ident in ids]
    assert names == [["clay", "kiln"], ["clay", "glaze"], ["kiln"]]
    page.get_by_text("2 selected").wait_for(state="detached")


def test_a_workflow_that_cannot_be_tagged_is_named(page: Page, daemon: Daemon) -> None:
    api = daemon.admin()
    body = {"nodes": [], "connections": {}, "settings": {}}
    stays, goes = (api.post("/workflows", json={"name": f"Glazing {name}", **body}).json()["id"] for name in "AB")
    page.goto("/ui/workflows")
    page.get_by_label("Search workflows").fill("Glazing")
    for name in ("Glazing A", "Glazing B"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_role("button", name="Tags", exact=True).click()
    dialog = asked(page, "Tags of 2 workflows")
    dialog.get_by_role("combobox", name="Add").fill("late")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    api.delete(f"/workflows/{goes}")
    dialog.get_by_role("button", name="Apply").click()
    report = asked(page, "Tags not changed: 1 workflow")
    report.get_by_role("list", name="Not done").get_by_text("There is no workflow with this id.").wait_for()
    assert [tag["name"] for tag in api.get(f"/workflows/{stays}/tags").json()["data"]] == ["late"]
