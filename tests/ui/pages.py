"""Every page of a daemon that `seeding.py` has filled, and when a page is read and drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from seeding import Seeded

from jackfield.testing.daemon import poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

READ = """document.querySelector('h1, .xterm-screen, .react-flow__pane') !== null
  && ![...document.querySelectorAll('.mantine-Skeleton-root, .mantine-Loader-root')].some((it) => it.checkVisibility())
"""
STILL = "document.getAnimations().every((one) => one.playState !== 'running')"


def pages_of_one_thing(seed: Seeded) -> Mapping[str, str]:
    """Name -> path."""
    admin = seed.daemon.admin()

    def first(path: str, **query: str) -> str:
        return quote(str(admin.get(path, params=query).json()["data"][0]["id"]))

    return {
        "workflow": f"/ui/workflows/{first('/workflows', search='Orders')}",
        "execution": f"/ui/executions/{first('/executions', status='failed')}",
        "webhook": f"/ui/webhooks/{first('/webhooks')}",
        "agent": "/ui/agents/coder",
        "profile": "/ui/profiles/work",
        "profile-new": "/ui/profiles?new",
        "terminal": f"/ui/terminals/{seed.data(seed.api.get('/api/terminal/sessions'))[0]['id']}",
        "proxy": "/ui/proxies/work",
        "proxy-requests": "/ui/proxies/work?tab=requests",
    }


def pages_of_the_menu(context: BrowserContext) -> dict[str, str]:
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Account").wait_for()
    found = page.locator("nav a[href^='/ui/']").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    page.close()
    return {re.sub(r"[^a-z0-9]+", "-", path.removeprefix("/ui/").lower()).strip("-"): path for path in found}


def settled(page: Page) -> None:
    """Everything has been read and drawn."""
    page.get_by_role("button", name="Account").wait_for()
    page.wait_for_load_state("load")
    poll(lambda: drawn(page), f"{page.url} is drawn", timeout=60)


def drawn(page: Page) -> bool:
    """Twice in a row: what was read first may lead to more that is read."""
    for _ in range(2):
        if not (page.evaluate(READ) and page.evaluate(STILL)):
            return False
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))")
    return bool(page.evaluate(READ))
