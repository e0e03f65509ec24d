"""Projects: made and filled by an administrator, and what those see who are in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pytest
from canvas import asked
from samples import confirmed, fits
from test_settings import log_in

from jackfield.testing.daemon import PASSWORD, Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    """Two people, and three workflows in the shared project."""
    admin = daemon.admin()
    for name in ("ann", "ben"):
        body = {"username": name, "password": PASSWORD, "role": "member"}
        admin.post("/users", json=body).raise_for_status()
    begin = {"name": "Begin", "type": "n8n-nodes-base.manualTrigger", "position": [0, 0], "parameters": {}}
    for name in ("Glaze", "Kiln", "Clay"):
        body = {"name": name, "nodes": [begin], "connections": {}, "settings": {}}
        admin.post("/workflows", json=body).raise_for_status()
    return admin


def project_of(api: httpx.Client, workflow: str) -> str:
    found = api.get("/workflows", params={"search": workflow}).json()["data"][0]
    return str(api.get(f"/placements/workflow/{found['id']}").json()["projectId"])


def names(api: httpx.Client) -> dict[str, str]:
    return {str(one["name"]): str(one["id"]) for one in api.get("/projects").json()["data"]}


def test_a_team_gets_members_and_workflows(page: Page, api: httpx.Client, axe: Callable[[Page], None]) -> None:
    page.goto("/ui/workflows")
    page.get_by_role("link", name="Kiln").wait_for()
    assert page.get_by_role("combobox", name="Project").count() == 0, "nobody uses projects yet"

    page.goto("/ui/settings/projects?new")
    asked(page, "New project").get_by_label("Name").fill("Pottery")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Pottery").wait_for()
    for name, role in (("ann", "Editor"), ("ben", "Viewer")):
        page.get_by_role("button", name="Add a member").click()
        dialog = asked(page, "Add a member")
        dialog.get_by_label("User name").fill(name)
        page.keyboard.press("Tab")
        dialog.get_by_role("combobox", name="Role").click()
        page.get_by_role("option", name=re.compile(role)).click()
        dialog.get_by_role("button", name="Add", exact=True).click()
        page.get_by_role("row", name=re.compile(name)).wait_for()
    axe(page)
    pottery = names(api)["Pottery"]
    members = {one["username"]: one["role"] for one in api.get(f"/projects/{pottery}/members").json()["data"]}
    assert (members["ann"], members["ben"]) == ("project:editor", "project:viewer")

    page.get_by_role("link", name="Workflows").click()
    for name in ("Glaze", "Kiln"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_role("button", name="Move to a project").click()
    dialog = asked(page, "Move 2 workflows")
    dialog.get_by_role("combobox", name="Project").click()
    page.get_by_role("option", name="Pottery").click()
    dialog.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("row", name=re.compile("Kiln")).get_by_text("Pottery").wait_for()
    assert [project_of(api, name) for name in ("Glaze", "Kiln", "Clay")] == [pottery, pottery, "jackfield"]

    page.get_by_role("button", name="Actions for “Clay”").click()
    page.get_by_role("menuitem", name="Share").click()
    dialog = asked(page, "Share “Clay”")
    dialog.get_by_role("combobox", name="Shared with").click()
    page.get_by_role("option", name="Pottery").click()
    dialog.get_by_role("heading").click()
    dialog.get_by_role("button", name="Share", exact=True).click()
    page.get_by_text("Shared with Pottery").wait_for(state="attached")

    page.get_by_role("combobox", name="Project").click()
    page.get_by_role("option", name="Shared").click()
    page.get_by_role("link", name="Kiln").wait_for(state="detached")
    page.get_by_role("link", name="Clay").wait_for()
    page.reload()
    page.get_by_role("link", name="Clay").wait_for()
    assert page.get_by_role("link", name="Kiln").count() == 0, "the choice outlives the page"


def test_executions_and_shells_tell_their_project(
    page: Page, api: httpx.Client, daemon: Daemon, axe: Callable[[Page], None]
) -> None:
    for name in ("Kiln", "Clay"):
        found = api.get("/workflows", params={"search": name}).json()["data"][0]
        api.post(f"/workflows/{found['id']}/execute-async").raise_for_status()
    page.goto("/ui/executions")
    page.get_by_role("row", name=re.compile("Kiln")).get_by_text("Pottery").wait_for()
    page.get_by_role("row", name=re.compile("Clay")).get_by_text("Shared", exact=True).wait_for()
    page.get_by_role("combobox", name="Project").click()
    page.get_by_role("option", name="Shared").click()
    page.get_by_role("link", name="Kiln").wait_for(state="detached")
    page.get_by_role("link", name="Clay").wait_for()
    shell = f"{daemon.base_url}/api/terminal/shell"
    for project in (names(api)["Pottery"], "jackfield"):
        api.post(shell, json={}, headers={"X-Jackfield-Project": project}).raise_for_status()
    page.goto("/ui/terminals")
    page.get_by_role("row", name=re.compile("Shell")).get_by_text("Shared", exact=True).wait_for()
    assert page.get_by_role("link", name="Shell").count() == 1, "the other one is of another project"
    page.get_by_role("combobox", name="Project").click()
    page.get_by_role("option", name="All projects").click()
    page.get_by_role("row", name=re.compile("Shell")).get_by_text("Pottery").wait_for()
    axe(page)


def test_buttons_follow_the_role_in_the_project(make_context: Callable[..., BrowserContext], api: httpx.Client) -> None:
    for name, writes in (("ann", True), ("ben", False)):
        page = make_context(stranger=True).new_page()
        page.goto("/ui/workflows")
        log_in(page, name, PASSWORD)
        page.get_by_role("row", name=re.compile("Kiln")).get_by_text("Pottery").wait_for()
        assert page.get_by_role("switch", name="“Kiln” is active").count() == int(writes), name
        page.get_by_role("button", name="Actions for “Kiln”").click()
        page.get_by_role("menuitem", name="Duplicate").wait_for()
        assert page.get_by_role("menuitem", name="Delete").count() == int(writes), name
        assert page.get_by_role("menuitem", name="Share").count() == 0, "neither of them is its administrator"
        page.keyboard.press("Escape")
        page.goto("/ui/settings/projects")
        page.get_by_role("link", name="Pottery").click()
        page.get_by_role("row", name=re.compile("ben")).wait_for()
        assert page.get_by_role("button", name="Add a member").count() == 0, name


def test_a_new_thing_is_made_in_the_chosen_project(page: Page, api: httpx.Client) -> None:
    pottery = names(api)["Pottery"]
    page.goto(f"/ui/settings/projects/{pottery}")
    page.get_by_role("button", name="Show only this project").click()
    page.get_by_role("link", name="Kiln").wait_for()
    page.goto("/ui/settings/variables?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("oven")
    dialog.get_by_role("button", name="Create").click()
    page.get_by_role("row", name=re.compile("oven")).get_by_text("Pottery").wait_for()
    found = api.get("/variables").json()["data"]
    placed = api.get(f"/placements/variable/{found[0]['id']}").json()
    assert placed["projectId"] == pottery


def test_a_project_is_deleted_on_a_phone(make_context: Callable[..., BrowserContext], api: httpx.Client) -> None:
    pottery = names(api)["Pottery"]
    page = make_context(viewport="phone").new_page()
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/ui/settings/projects")
    page.get_by_role("link", name="Pottery").wait_for()
    fits(page)
    page.get_by_role("link", name="Pottery").click()
    page.get_by_text("It contains 2 workflows, 1 variable.").wait_for()
    fits(page)
    page.get_by_role("button", name="Actions for Pottery").click()
    page.get_by_role("menuitem", name="Delete").click()
    dialog = asked(page, "Delete the project “Pottery”")
    dialog.get_by_role("combobox", name="Move everything to").click()
    page.get_by_role("option", name="Shared").click()
    dialog.get_by_label("Type “Pottery”").fill("Pottery")
    confirmed(page, "Delete")
    poll(lambda: "Pottery" not in names(api), "the project is gone")
    assert api.get(f"/projects/{pottery}").status_code == httpx.codes.NOT_FOUND
    assert project_of(api, "Kiln") == "jackfield"
