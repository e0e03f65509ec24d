"""A data table of 100,000 rows on loopback: `python bench/ui_tables.py [--write]`. Needs what `bench/ui.py` needs.

Frames while its grid is scrolled, the time until rows are drawn, and how long the daemon takes for a page.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import harness
from ui_editor import VIEWPORT, Movement, measured, median

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    import httpx
    from playwright.sync_api import Browser, CDPSession, Page

CHROMIUM = os.environ.get("JACKFIELD_TEST_CHROMIUM", "/usr/bin/chromium")
FPS, JUMP_MS, TIMES = 55, 250, 2
ROWS = 100_000
PAGE = 200
"""Rows that the grid asks for at once."""
ROUNDS = 3
JUMPS = 21
ASKED = 21
SPEEDS = {"read, 3,000 pixels/s": 3_000, "skimmed, 20,000 pixels/s": 20_000, "flung, 100,000 pixels/s": 100_000}
SECONDS = 3
FLOOR = "floor: 9,000 plain rows that are all there, flung"
PLAIN = """() => {
  const grid = document.createElement('div');
  grid.setAttribute('role', 'grid');
  grid.style.cssText = 'position:absolute;inset:130px 0 0 250px;overflow:auto;contain:strict';
  const row = (at) => `<div style="height:34px;border-bottom:1px solid #ccc">row ${at}</div>`;
  const body = Array.from({length: 9000}, (_, at) => row(at));
  grid.innerHTML = body.join('');
  document.body.replaceChildren(grid);
  window.__drawn = () => true;
}"""
"""Rows that are all there, for what this browser scrolls at most."""
METER = """
window.__meter = (() => {
  let stamps = [], places = [], blank = 0, asked;
  const grid = () => document.querySelector('[role=grid]');
  const step = (now) => {
    stamps.push(now);
    places.push(grid()?.scrollTop);
    blank += window.__drawn() ? 0 : 1;
    asked = requestAnimationFrame(step);
  };
  return {
    start() { stamps = []; places = []; blank = 0; asked = requestAnimationFrame(step); },
    stop() {
      cancelAnimationFrame(asked);
      const moved = places.filter((place, at) => at > 0 && place !== places[at - 1]).length;
      const gaps = stamps.slice(1).map((stamp, at) => stamp - stamps[at]);
      return {frames: gaps.length, moved, ms: stamps.at(-1) - stamps[0], worst: Math.max(...gaps)};
    },
    blank() { return blank / Math.max(stamps.length, 1); },
  };
})();
window.__drawn = () => {
  const grid = document.querySelector('[role=grid]');
  const first = Math.floor(grid.scrollTop / 34), last = Math.ceil((grid.scrollTop + grid.clientHeight - 36) / 34);
  let filled = 0;
  for (const row of grid.querySelectorAll('[role=rowgroup] + [role=rowgroup] > [role=row]')) {
    const index = row.ariaRowIndex - 2;
    if (index < first || index >= last) continue;
    if (row.querySelector('[role=gridcell] > span[aria-hidden]')) return false;
    filled += 1;
  }
  return filled >= last - first;
};
"""
"""A row that is not read yet has bars in place of its cells. Looking for them is in the measured time."""
JUMP = """async (share) => {
  const grid = document.querySelector('[role=grid]');
  const before = performance.now();
  grid.scrollTop = share * (grid.scrollHeight - grid.clientHeight);
  do await new Promise(requestAnimationFrame); while (!window.__drawn());
  return performance.now() - before;
}"""


@dataclass(frozen=True, slots=True)
class Scrolled:
    """moves: by how fast; blank: of each, the share of frames with a row that was not read yet; jump, jump_worst: ms
    from a jump to anywhere until its rows are drawn; server: ms of the daemon's answer with one page, by which."""

    moves: dict[str, Movement]
    blank: dict[str, float]
    jump: float
    jump_worst: float
    server: dict[str, float]


def filled(api: httpx.Client) -> str:
    """The id of the table."""
    text = "item,count,sold,made\n" + "".join(
        f"kiln {at},{at * 7919 % ROWS},{'true' if at % 2 else 'false'},2026-01-{at % 28 + 1:02}\n" for at in range(ROWS)
    )
    answer = api.post(
        "/data-tables/csv", params={"name": "Readings"}, content=text.encode(), headers={"content-type": "text/csv"}
    )
    return str(answer.raise_for_status().json()["table"]["id"])


def answers(api: httpx.Client, table: str) -> dict[str, float]:
    """Median milliseconds, connection kept, of a page by what is asked for."""

    def asked(query: Mapping[str, str | int]) -> httpx.Response:
        return api.get(f"/data-tables/{table}/rows", params={"limit": PAGE, **query}).raise_for_status()

    def took(query: Mapping[str, str | int]) -> float:
        return statistics.median(asked(query).elapsed.total_seconds() * 1_000 for _ in range(ASKED))

    last, middle = ROWS - PAGE, ROWS // 2
    marks = {at: str(asked({"offset": at - PAGE}).json()["after"]) for at in (middle, last)}
    order = {"sortBy": "count", "order": "desc"}
    return {
        "first page": took({"offset": 0}),
        "page in the middle, by its place": took({"offset": middle}),
        "page in the middle, behind the one before": took({"after": marks[middle]}),
        "last page, by its place": took({"offset": last}),
        "last page, behind the one before": took({"after": marks[last]}),
        "first page, sorted by a column": took({"offset": 0, **order}),
        "page in the middle, sorted by a column": took({"offset": middle, **order}),
        "last page, sorted by a column": took({"offset": last, **order}),
    }


def scrolling(browser: Browser, daemon: Daemon) -> Scrolled:
    api = daemon.admin(timeout=120)
    table = filled(api)
    page = browser.new_page(viewport=VIEWPORT)
    page.add_init_script(METER)
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    moves: dict[str, list[Movement]] = {}
    blank: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        page.goto("about:blank")
        page.evaluate(PLAIN)
        moves.setdefault(FLOOR, []).append(measured(page, cdp, turned(max(SPEEDS.values()))))
        blank.setdefault(FLOOR, []).append(0)
        for what, speed in SPEEDS.items():
            opened(page, f"{daemon.base_url}/ui/data-tables/{table}")
            moves.setdefault(what, []).append(measured(page, cdp, turned(speed)))
            blank.setdefault(what, []).append(page.evaluate("window.__meter.blank()"))
    opened(page, f"{daemon.base_url}/ui/data-tables/{table}")
    # Each to where nothing was read yet: the golden section spreads them.
    jumps = [float(page.evaluate(JUMP, (at * 0.618034) % 1)) for at in range(1, JUMPS + 1)]
    page.close()
    return Scrolled(
        {what: median(rounds) for what, rounds in moves.items()},
        {what: statistics.median(shares) for what, shares in blank.items()},
        statistics.median(jumps), max(jumps), answers(api, table),
    )  # fmt: skip


def opened(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("grid").wait_for()
    poll(lambda: page.evaluate("window.__drawn()") or None, "the first rows are drawn")
    page.wait_for_timeout(500)  # what opening has begun is not of the movement


def turned(speed: int) -> Callable[[Page, CDPSession], None]:
    """The wheel at this speed for some seconds, down from where it is."""

    def turn(_page: Page, cdp: CDPSession) -> None:
        where = {"x": 500, "y": 500, "yDistance": -speed * SECONDS, "speed": speed}
        cdp.send("Input.synthesizeScrollGesture", {**where, "gestureSourceType": "mouse", "preventFling": True})

    return turn


def judged(found: Scrolled) -> list[tuple[str, str, str, bool]]:
    """What was measured, the figure, the goal, and whether it is met."""
    slowest = min(move.fps for how, move in found.moves.items() if how != FLOOR)
    first, last = found.server["first page"], found.server["last page, by its place"]
    return [
        ("The slowest scrolling", f"{slowest:.0f} frames/s", f"{FPS}", slowest >= FPS),
        ("A jump to anywhere until its rows are drawn, median", f"{found.jump:.0f} ms", "", True),
        ("The same, longest", f"{found.jump_worst:.0f} ms", f"{JUMP_MS} ms", found.jump_worst <= JUMP_MS),
        *((f"The daemon's answer, {page}", f"{took:.1f} ms", "", True) for page, took in found.server.items()),
        ("The last page beside the first", f"{last / first:.1f} times", f"{TIMES} times", last <= TIMES * first),
    ]


def report(found: Scrolled) -> tuple[str, bool]:
    """The section of docs/benchmarks.md, and whether all goals are met."""
    rows = judged(found)
    head = (
        f"`python bench/ui_tables.py` — {ROWS:,} rows, {PAGE} a page, medians of {ROUNDS} movements of {SECONDS} s, of "
        f"{JUMPS} jumps and of {ASKED} answers. {harness.environment('playwright')}."
    )
    goals = [(what, value, goal, harness.verdict(ok) if goal else "") for what, value, goal, ok in rows]
    header = ("", "frames/s", "main thread ms", "script ms", "longest frame ms", "frames with a row not read yet")
    frames = [
        (what, f"{move.fps:.0f}", f"{move.work:.1f}", f"{move.script:.1f}", f"{move.worst:.0f}",
         f"{found.blank[what]:.0%}")
        for what, move in found.moves.items()
    ]  # fmt: skip
    tables = harness.table(("", "measured", "goal", ""), goals), harness.table(header, frames)
    return "\n\n".join([head, *tables]), all(ok for *_, ok in rows)


def main() -> None:
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        daemon = Daemon(Path(place))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        try:
            daemon.start()
            text, ok = report(scrolling(browser, daemon))
        finally:
            browser.close()
            daemon.close()
    harness.publish("ui-tables", text, write=given.write)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
