"""The browser interface on loopback: `python bench/ui.py [--write]`. Needs Chromium (JACKFIELD_TEST_CHROMIUM),
Playwright and the built interface.

First load: bytes of JavaScript as they are sent, and the time until the dashboard can be used. Editor: frames while a
workflow of 300 nodes is moved. Terminal: a key's way to the screen and long tasks while the agent floods it.
"""

from __future__ import annotations

import argparse
import gzip
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import harness

import jackfield_ui
from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = os.environ.get("JACKFIELD_TEST_CHROMIUM", "/usr/bin/chromium")
STATIC = Path(jackfield_ui.__file__).parent / "static"
ROUNDS = 5
NODES = 300
FLOOD_SECONDS = 6
AGENT = """
id = "shell"
name = "Shell"
binary = "sh"
version_flag = "-c true"
[detect]
commands = ["sh -c true"]
[profile]
source_home = "{homes}/{{alias}}"
"""
LINE = "the quick brown fox jumps over the lazy dog 0123456789 \033[31mred\033[0m and \033[32mgreen\033[0m"
FLOOD = f"yes '{LINE}' | head -c 400000000"
LONG_TASKS = """
window.__long = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.__long.push(entry.duration);
}).observe({type: 'longtask', buffered: true});
"""
FRAMES = """() => new Promise((done) => {
  const gaps = []; let last = performance.now(); const end = last + 3000;
  const step = (now) => {
    gaps.push(now - last); last = now;
    if (now < end) requestAnimationFrame(step); else done(gaps);
  };
  requestAnimationFrame(step);
})"""


def first_load(page: Page, url: str) -> dict[str, float]:
    """Milliseconds and bytes of one load with an empty cache."""
    sizes: list[str] = []
    page.on("response", lambda answer: sizes.append(answer.url) if answer.url.endswith(".js") else None)
    page.goto(url)
    page.get_by_role("button", name="Account").wait_for()
    page.get_by_text("Cost today").wait_for()
    usable = page.evaluate("performance.now()")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    names = {Path(one.partition("?")[0]).name for one in sizes}
    sent = sum(len(gzip.compress(file.read_bytes(), 9)) for file in STATIC.rglob("*.js") if file.name in names)
    return {
        "usable_ms": usable,
        "paint_ms": paint,
        "gzip_bytes": sent,
        "blocked_ms": sum(page.evaluate("window.__long")),
    }


def loads(browser: Browser, daemon: Daemon) -> dict[str, float]:
    found = []
    for _ in range(ROUNDS):
        context = browser.new_context()
        context.add_init_script(LONG_TASKS)
        found.append(first_load(context.new_page(), daemon.base_url))
        context.close()
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def panning(browser: Browser, daemon: Daemon) -> dict[str, float]:
    """Frames while the canvas is dragged about."""
    nodes = [
        {"id": f"n{number}", "name": f"Node {number}", "type": "jackfield.noOp", "parameters": {},
         "position": [240 * (number % 20), 120 * (number // 20)]}
        for number in range(NODES)
    ]  # fmt: skip
    wires = {f"Node {number}": {"main": [[{"node": f"Node {number + 1}", "type": "main", "index": 0}]]}
             for number in range(NODES - 1)}  # fmt: skip
    saved = daemon.admin().post(
        "/workflows", json={"name": "Many", "nodes": nodes, "connections": wires, "settings": {}}
    )
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{daemon.base_url}/ui/workflows/{saved.json()['id']}")
    canvas = page.locator(".react-flow__pane")
    canvas.wait_for()
    page.locator(".react-flow__node").first.wait_for()
    box = canvas.bounding_box()
    if box is None:
        raise SystemExit("the canvas has no place on the page")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 40
    page.evaluate(f"window.__gaps = ({FRAMES})()")
    for step in range(60):
        page.mouse.wheel(14 if step % 20 < 10 else -14, 9 if step % 30 < 15 else -9)
        if step == 0:
            page.mouse.move(x, y)
    gaps = [gap for gap in page.evaluate("window.__gaps") if gap > 0]
    page.close()
    return {"frames_per_second": 1000 / statistics.mean(gaps), "slowest_frame_ms": max(gaps)}


def flooded(browser: Browser, daemon: Daemon) -> dict[str, float]:
    """What a user feels while an agent prints as fast as it can."""
    api = daemon.client()
    api.post("/api/profiles", json={"agent_id": "shell", "alias": "flood", "provider_id": "self", "model": "none"})
    body = {"profile_alias": "flood", "args": ["-c", FLOOD], "cols": 120, "rows": 40}
    session = api.post("/api/terminal/sessions", json=body).json()["data"]["session_id"]
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(LONG_TASKS)
    page.goto(f"{daemon.base_url}/ui/terminals/{session}")
    page.locator(".xterm-screen").first.wait_for()
    page.evaluate("window.__long.length = 0")
    waits = [page.evaluate(ECHO) for _ in range(FLOOD_SECONDS * 4)]
    long = page.evaluate("window.__long")
    page.close()
    api.delete(f"/api/terminal/sessions/{session}")
    return {"input_ms": statistics.median(waits), "input_slowest_ms": max(waits), "long_tasks": len(long),
            "longest_task_ms": max(long, default=0.0)}  # fmt: skip


ECHO = """() => new Promise((done) => {
  const before = performance.now();
  setTimeout(() => requestAnimationFrame(() => done(performance.now() - before - 250)), 250);
})"""
"""How much later than asked for the page can act: what a key has to wait."""


def report(found: Mapping[str, Mapping[str, float]]) -> tuple[str, bool]:
    """The section of docs/benchmarks.md, and whether all goals are met."""
    load, editor, terminal = found["first load"], found["editor"], found["terminal"]
    kib, usable, frames, waits = (
        load["gzip_bytes"] / 1024, load["usable_ms"], editor["frames_per_second"], terminal["input_ms"]
    )  # fmt: skip
    rows = [
        ("First load, JavaScript, gzip", f"{kib:.0f} KiB", "300 KiB", kib <= 300),
        ("First load, first contentful paint", f"{load['paint_ms']:.0f} ms", "", True),
        ("First load, dashboard shows its figures", f"{usable:.0f} ms", "1,000 ms", usable <= 1_000),
        (f"Editor, {NODES} nodes, panning", f"{frames:.0f} frames/s", "50", frames >= 50),
        ("Editor, slowest frame", f"{editor['slowest_frame_ms']:.0f} ms", "", True),
        ("Terminal, flooded: a click waits, median", f"{waits:.0f} ms", "100 ms", waits <= 100),
        ("Terminal, flooded: a click waits, longest", f"{terminal['input_slowest_ms']:.0f} ms", "", True),
        ("Terminal, flooded: longest task", f"{terminal['longest_task_ms']:.0f} ms", "", True),
    ]
    where = harness.environment("playwright")
    text = "\n".join([
        f"`python bench/ui.py` — Chromium without a graphics card, daemon beside it, {ROUNDS} loads. {where}.", "",
        harness.table(("", "measured", "goal", ""), [
            (what, value, goal, harness.verdict(ok) if goal else "") for what, value, goal, ok in rows
        ]),
    ])  # fmt: skip
    return text, all(ok for *_, ok in rows)


def main() -> None:
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="put the result into docs/benchmarks.md")
    given = options.parse_args()
    work: dict[str, Callable[[Browser, Daemon], dict[str, float]]] = {
        "first load": loads, "editor": panning, "terminal": flooded,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        daemon = Daemon(Path(place))
        agents = daemon.config_dir / "agents.d"
        agents.mkdir()
        (agents / "shell.toml").write_text(AGENT.format(homes=Path(place) / "homes"))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            daemon.start()
            found = {name: measure(browser, daemon) for name, measure in work.items()}
        finally:
            browser.close()
            daemon.close()
    text, ok = report(found)
    harness.publish("ui", text, write=given.write)
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
