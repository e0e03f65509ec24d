"""How long an editor takes until it can be used, and the JavaScript heap while pages are opened and left."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui_editor import VIEWPORT, document

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

OPENED = 100
"""Nodes of the workflow that is opened."""
LOADS = 5
ROUNDS = 50
WARM = 10
"""Rounds until everything that is loaded once, and kept, has been."""
AREAS = ("Workflows", "Executions", "Webhooks", "Agents", "Proxies", "Usage", "Settings", "Dashboard")
USABLE = """async ({nodes, wires}) => {
  const all = (what) => [...document.querySelectorAll(what)];
  const seen = (node) => getComputedStyle(node).visibility === 'visible';
  const reached = (node) => {
    const {left, top, width, height} = node.getBoundingClientRect();
    return node.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  const ready = () => {
    const drawn = all('.react-flow__node');
    return drawn.length === nodes && all('.react-flow__edge').length === wires && drawn.every(seen)
      && reached(drawn[0]);
  };
  while (!ready()) await new Promise(requestAnimationFrame);
  return performance.now();
}"""
"""When all nodes and wires are drawn and the pointer reaches the first, in ms since the navigation began."""


@dataclass(frozen=True, slots=True)
class Heap:
    """MB of JavaScript heap after the collector: when all pages have been seen some times, and at the end."""

    warm: float
    end: float


def readiness(browser: Browser, daemon: Daemon) -> float:
    """Median of the time until an editor can be used, in ms; the browser's cache is empty each time."""
    saved = daemon.admin().post("/workflows", json=document(OPENED)).json()
    found = []
    for _ in range(LOADS + 1):
        context = browser.new_context(viewport=VIEWPORT)
        page = context.new_page()
        page.goto(f"{daemon.base_url}/ui/workflows/{saved['id']}", wait_until="commit")
        found.append(float(page.evaluate(USABLE, {"nodes": OPENED, "wires": OPENED - 1})))
        context.close()
    return statistics.median(found[1:])


def kept(cdp: CDPSession) -> float:
    """MB that the collector leaves."""
    cdp.send("HeapProfiler.collectGarbage")
    return float(cdp.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def visited(page: Page, name: str) -> None:
    """All pages once, an editor among them, as somebody goes through them who never loads anew."""
    for area in AREAS:
        page.get_by_role("navigation", name="Main").get_by_role("link", name=area, exact=True).click()
        page.get_by_role("heading", name=area, exact=True).wait_for()
        if area == "Workflows":
            page.get_by_role("link", name=name, exact=True).first.click()
            page.locator(".react-flow__node").first.wait_for()


def rounds(browser: Browser, daemon: Daemon) -> Heap:
    daemon.admin().post("/workflows", json={**document(20), "name": "Opened and left"})
    page = browser.new_page(viewport=VIEWPORT)
    cdp = page.context.new_cdp_session(page)
    page.goto(daemon.base_url)
    warm = 0.0
    for done in range(1, ROUNDS + 1):
        visited(page, "Opened and left")
        if done == WARM:
            warm = kept(cdp)
    found = Heap(warm, kept(cdp))
    page.close()
    return found
