"""`tox -e screenshots`: a picture of every page, light and dark, into `docs/screenshots`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

PLACE = os.environ.get("JACKFIELD_TEST_SCREENSHOTS", "")
PAGES = {"dashboard": "/"}
"""Name -> path; what the menu leads to is found by itself."""
MAX_BYTES = 400_000

pytestmark = pytest.mark.skipif(not PLACE, reason="`tox -e screenshots` makes the pictures")


def pages_of_the_menu(context: BrowserContext) -> dict[str, str]:
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Account").wait_for()
    found = page.locator("nav a[href^='/ui/']").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    page.close()
    return {re.sub(r"[^a-z0-9]+", "-", path.removeprefix("/ui/").lower()).strip("-"): path for path in found}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures(make_context: Callable[..., BrowserContext], daemon: Daemon, scheme: str) -> None:
    context = make_context(scheme=scheme)
    Path(PLACE).mkdir(parents=True, exist_ok=True)
    for name, path in {**PAGES, **pages_of_the_menu(context)}.items():
        page = context.new_page()
        page.goto(path)
        page.get_by_role("button", name="Account").wait_for()
        page.wait_for_load_state("load")
        picture = Path(PLACE) / f"{name}-{scheme}.png"
        page.screenshot(path=picture, animations="disabled")
        assert picture.stat().st_size < MAX_BYTES
        page.close()
