"""*Settings, Source control*: what differs from the branch, how, a push, and a pull with a choice."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from samples import chain, hook, nothing_executed

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("git") / "flows.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(found)], check=True)
    return found


@pytest.fixture(scope="module")
def daemon(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(tmp_path_factory.mktemp("daemon"), settings=f'[git]\nurl = "file://{repository}"\n')
    try:
        yield made.start()
    finally:
        made.close()


def test_a_workflow_is_compared_and_pushed(page: Page, daemon: Daemon, repository: Path) -> None:
    saved = daemon.admin().post("/workflows", json=chain("Invoices <b>", hook("invoices")))
    assert saved.status_code == 201, saved.text
    page.goto("/ui/settings/source-control")
    row = page.get_by_role("row").filter(has_text="Invoices <b>")
    row.get_by_text("Changed here").wait_for()
    row.get_by_role("button", name="Compare").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text('+  "name": "Invoices <b>"').wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    page.get_by_role("button", name="Push", exact=True).click()
    dialog.get_by_label("Message").fill("Invoices from the browser")
    dialog.get_by_role("button", name="Push", exact=True).click()
    page.get_by_text("Nothing differs").wait_for()
    logged = subprocess.run(
        ["git", "log", "--format=%s", "main"], cwd=repository, capture_output=True, text=True, check=True
    )
    assert logged.stdout == "Invoices from the browser\n"
    nothing_executed(page)


def test_a_protected_branch_gets_no_push(page: Page) -> None:
    change = {"path": "workflows/0192.json", "title": "Daily", "side": "here", "gone": False}
    told = {"branch": "main", "commit": None, "base": None, "readOnly": False, "protected": True, "changes": [change]}
    page.route("**/api/v1/git", lambda route: route.fulfill(json=told))
    page.goto("/ui/settings/source-control")
    page.get_by_text("The branch is protected").wait_for()
    assert page.get_by_role("button", name="Push", exact=True).is_disabled()
