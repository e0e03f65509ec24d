"""Moving in from n8n: files, a try without changes, the report, and what is there then."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECRET = "secret-of-the-page-that-moves-in"


def _workflow(ident: str, name: str, kind: str, **parameters: Any) -> dict[str, Any]:
    node = {"id": "a", "name": "First", "type": f"n8n-nodes-base.{kind}", "typeVersion": 1, "position": [0, 0]}
    return {"id": ident, "name": name, "nodes": [{**node, "parameters": parameters}], "connections": {}}


def test_n8n_moves_in(page: Page, daemon: Daemon, tmp_path: Path) -> None:
    api = daemon.admin()
    before = api.get("/workflows").json()["total"]
    workflows, credentials = tmp_path / "workflows.json", tmp_path / "credentials.json"
    called = _workflow("CalledWorkflow01", "Called by the mover", "executeWorkflowTrigger")
    odd = _workflow("OddWorkflow00001", "Odd mover", "noSuchNodeOfAnybody")
    workflows.write_text(json.dumps([
        {**_workflow("Calling000000001", "Calling mover", "executeWorkflow", workflowId=called["id"]), "active": True},
        called, odd,
    ]))  # fmt: skip
    values = {"name": "X-Key", "value": SECRET}
    credentials.write_text(
        json.dumps([{"id": "Cred000000000001", "name": "Mover", "type": "httpHeaderAuth", "data": values}])
    )
    page.goto("/ui/workflows/import")
    page.locator("input[type=file]").set_input_files([workflows, credentials])
    page.get_by_role("button", name="Try without changes").click()
    report = page.get_by_role("region", name="Report")
    report.get_by_text("This would happen").wait_for()
    assert report.get_by_role("row", name="Calling mover").is_visible()
    assert api.get("/workflows").json()["total"] == before
    page.get_by_role("button", name="Import", exact=True).click()
    report.get_by_text("Everything is here").wait_for()
    assert report.get_by_role("row", name="Odd mover").get_by_text("Cannot run", exact=True).is_visible()
    assert report.get_by_role("row", name="Called by the mover").get_by_text("Runs", exact=True).is_visible()
    assert SECRET not in page.content()
    assert api.get("/workflows").json()["total"] == before + 3
    assert "Mover" in [row["name"] for row in api.get("/credentials").json()["data"]]
    report.get_by_role("link", name="Odd mover").click()
    page.get_by_text("Odd mover").first.wait_for()


def test_what_is_no_export_is_said(page: Page, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"nodes": [')
    page.goto("/ui/workflows/import")
    page.locator("input[type=file]").set_input_files(broken)
    page.get_by_role("button", name="Import", exact=True).click()
    report = page.get_by_role("region", name="Report")
    report.get_by_text("Not everything is here").wait_for()
    assert report.get_by_text("broken.json").is_visible()


def test_workflows_of_a_folder_are_found_again(page: Page, daemon: Daemon) -> None:
    api = daemon.admin()
    for number, folder in enumerate(("Sales", "Support")):
        given = _workflow(f"Folder0000000{number:03}", f"Filed under {folder}", "manualTrigger")
        body = {**given, "parentFolder": {"name": folder}}
        assert api.post("/import", json=body, params={"source": "folders"}).status_code == 200
    page.goto("/ui/workflows")
    page.get_by_role("link", name="Filed under Support").wait_for()
    page.get_by_role("navigation", name="Folders").get_by_role("link", name=re.compile("^Sales")).click()
    page.get_by_role("link", name="Filed under Support").wait_for(state="detached")
    assert page.get_by_role("link", name="Filed under Sales").is_visible()
