"""Community packages in the browser: added, updated and removed by an administrator, after a question each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jackfield.testing.daemon import Daemon

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plugins/community_nodes"))

from npm_double import PACKAGES, NpmDouble, doubles

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def npm() -> Iterator[NpmDouble]:
    with doubles() as (found, _, _):
        yield found


@pytest.fixture(scope="module")
def daemon(npm: NpmDouble, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = f'[community_nodes]\nregistry = "{npm.url}"\nsandbox = "permissions"\n'
    found = Daemon(tmp_path_factory.mktemp("community"), settings=settings).start()
    yield found
    found.close()


def test_a_package_is_added_updated_and_removed(page: Page, npm: NpmDouble, axe: Callable[[Page], None]) -> None:
    page.goto("/ui/plugins")
    page.get_by_role("link", name="Community nodes").click()
    page.get_by_role("button", name="Add a package").click()
    page.get_by_label("Package", exact=True).fill("n8n-nodes-acme")
    page.get_by_role("button", name="Continue").click()
    asked = page.get_by_role("dialog", name="Add the package “n8n-nodes-acme”?")
    asked.get_by_role("button", name="Cancel").click()
    page.get_by_text("No community packages").wait_for()
    page.get_by_role("button", name="Add a package").click()
    page.get_by_label("Package", exact=True).fill("n8n-nodes-acme@1.2.0")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("dialog", name="Add the package “n8n-nodes-acme@1.2.0”?").get_by_role("button", name="Add").click()
    table = page.get_by_role("table", name="Community packages")
    row = table.get_by_role("row").filter(has_text="n8n-nodes-acme")
    for text in ("1.2.0", "Acme orders", "is a trigger"):
        row.get_by_text(text).first.wait_for()
    axe(page)
    npm.publish_directory(PACKAGES / "n8n-nodes-acme", version="1.3.0")
    row.get_by_role("button", name="Update n8n-nodes-acme").click()
    page.get_by_role("dialog").get_by_role("button", name="Update").click()
    row.get_by_text("1.3.0").first.wait_for()
    row.get_by_role("button", name="Remove n8n-nodes-acme").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    page.get_by_text("No community packages").wait_for()


def test_a_name_that_is_refused_says_why(page: Page) -> None:
    page.goto("/ui/plugins/community?new")
    page.get_by_label("Package", exact=True).fill("left-helper")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("dialog").get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("is no package of nodes").wait_for()
