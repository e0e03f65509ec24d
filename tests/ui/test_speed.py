"""What the first page loads. Times are measured by `bench/ui.py`."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import jackfield_ui

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

STATIC = Path(jackfield_ui.__file__).parent / "static"
BUDGET = 300 * 1024
LAZY = ("uplot", "xterm", "codemirror", "xyflow")


def test_the_dashboard_loads_little_script(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(Path(urlsplit(request.url).path).name))
    page.goto("/")
    page.get_by_text("Cost today").wait_for()
    page.wait_for_load_state("networkidle")
    scripts = [file for file in STATIC.rglob("*.js") if file.name in asked]
    assert scripts
    assert sum(len(gzip.compress(file.read_bytes(), 9)) for file in scripts) <= BUDGET
    assert not [file.name for file in scripts if any(name in file.name.lower() for name in LAZY)]


def test_figures_are_asked_for_while_the_interface_is_on_its_way(page: Page) -> None:
    held: list[Route] = []
    page.route("**/assets/library-*.js", lambda route: held.append(route))
    with page.expect_request("**/api/usage?*"):
        page.goto("/", wait_until="commit")
    assert held
    assert page.locator("#root > *").count() == 0
    for route in held:
        route.continue_()
    page.get_by_text("Cost today").wait_for()
