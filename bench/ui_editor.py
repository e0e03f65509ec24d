"""Frames and main-thread time while the canvas of the editor is moved, beside floors of the same browser."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

NODES = 300
FEW = 3
ROUNDS = 3
MOVES = 120
CLOSER = 5
"""Clicks on "Zoom in" until names are read: about a third of the nodes is in sight then."""
VIEWPORT: Any = {"width": 1280, "height": 800}
METER = """
window.__meter = (() => {
  let stamps = [], places = [], asked;
  const step = (now) => {
    stamps.push(now);
    places.push(document.querySelector('.react-flow__viewport, #plain')?.style.transform);
    asked = requestAnimationFrame(step);
  };
  return {
    start() { stamps = []; places = []; asked = requestAnimationFrame(step); },
    stop() {
      cancelAnimationFrame(asked);
      const moved = places.filter((place, at) => at > 0 && place !== places[at - 1]).length;
      const gaps = stamps.slice(1).map((stamp, at) => stamp - stamps[at]);
      return {frames: gaps.length, moved, ms: stamps.at(-1) - stamps[0], worst: Math.max(...gaps)};
    },
  };
})();
"""
PLAIN = (
    """<body style="margin:0;overflow:hidden"><div id="plain" style="position:absolute;transform-origin:0 0"></div>"""
)
PLAIN_MOVES = """({count, zoom}) => {
  const plain = document.getElementById('plain');
  for (let at = 0; at < count; at += 1) {
    const box = document.createElement('div');
    box.textContent = `Node ${at}`;
    box.style.cssText = `position:absolute;left:${224 * (at % 20)}px;top:${160 * Math.floor(at / 20)}px;width:96px;`
      + 'height:96px;border:2px solid #888;border-radius:12px;background:#fff';
    plain.append(box);
  }
  let x = 0, y = 0, last;
  const go = (dx, dy) => {
    x += dx; y += dy;
    plain.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`;
  };
  go(0, 0);
  addEventListener('mousedown', (event) => { last = [event.clientX, event.clientY]; });
  addEventListener('mouseup', () => { last = undefined; });
  addEventListener('mousemove', ({clientX, clientY}) => {
    if (!last) return;
    go(clientX - last[0], clientY - last[1]);
    last = [clientX, clientY];
  });
  addEventListener('wheel', ({deltaX, deltaY}) => go(-deltaX, -deltaY), {passive: true});
}"""


@dataclass(frozen=True, slots=True)
class Movement:
    """fps: frames in a second of movement; moved: share of them in which the canvas had another place; work: ms of the
    main thread for each of these; script, layout: ms of it; worst: the longest time between two frames, ms."""

    fps: float
    moved: float
    work: float
    script: float
    layout: float
    worst: float


def document(count: int) -> dict[str, object]:
    """A workflow of this many nodes in a chain, in rows of twenty."""
    nodes = [
        {"id": f"n{at}", "name": f"Node {at}", "type": "n8n-nodes-base.noOp", "typeVersion": 1, "parameters": {},
         "position": [224 * (at % 20), 160 * (at // 20)]}
        for at in range(count)
    ]  # fmt: skip
    wires = {
        f"Node {at}": {"main": [[{"node": f"Node {at + 1}", "type": "main", "index": 0}]]} for at in range(count - 1)
    }
    return {"name": f"{count} nodes", "nodes": nodes, "connections": wires, "settings": {}}


def dragged(page: Page, _cdp: CDPSession) -> None:
    """The middle button, to and fro, one move at a time."""
    page.mouse.move(500, 350)
    page.mouse.down(button="middle")
    for step in range(MOVES):
        way = abs((step * 2 / 60) % 2 - 1)
        page.mouse.move(500 + 300 * way, 350 + 150 * way)
    page.mouse.up(button="middle")


def wheeled(_page: Page, cdp: CDPSession) -> None:
    """The wheel, to and fro, as fast as the browser turns it."""
    for way in (1, -1, 1, -1):
        where = {"x": 500, "y": 350, "xDistance": 500 * way, "yDistance": 250 * way, "speed": 800}
        cdp.send("Input.synthesizeScrollGesture", {**where, "gestureSourceType": "mouse", "preventFling": True})


def spent(cdp: CDPSession) -> dict[str, float]:
    """Seconds of the main thread, by what they went into."""
    return {one["name"]: one["value"] for one in cdp.send("Performance.getMetrics")["metrics"]}


def measured(page: Page, cdp: CDPSession, move: Callable[[Page, CDPSession], None]) -> Movement:
    page.evaluate("window.__meter.start()")
    before = spent(cdp)
    move(page, cdp)
    after = spent(cdp)
    seen = page.evaluate("window.__meter.stop()")
    each = {name: (after[name] - before[name]) * 1_000 / max(seen["moved"], 1) for name in after}
    return Movement(
        fps=seen["frames"] / seen["ms"] * 1_000, moved=seen["moved"] / max(seen["frames"], 1), worst=seen["worst"],
        work=each["TaskDuration"], script=each["ScriptDuration"],
        layout=each["LayoutDuration"] + each["RecalcStyleDuration"],
    )  # fmt: skip


def median(rounds: list[Movement]) -> Movement:
    """Of several movements, each figure by itself."""
    fields = ("fps", "moved", "work", "script", "layout", "worst")
    return Movement(**{name: statistics.median(getattr(one, name) for one in rounds) for name in fields})


def panning(browser: Browser, daemon: Daemon) -> dict[str, Movement]:
    """What is moved, and how, to what was seen."""
    page = browser.new_page(viewport=VIEWPORT)
    page.add_init_script(METER)
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    api = daemon.admin()
    address = {
        count: f"{daemon.base_url}/ui/workflows/{api.post('/workflows', json=document(count)).json()['id']}"
        for count in (FEW, NODES)
    }
    found: dict[str, list[Movement]] = {}

    def both(what: str) -> None:
        for how, move in (("dragged", dragged), ("wheel", wheeled)):
            found.setdefault(f"{what}, {how}", []).append(measured(page, cdp, move))

    def plain(zoom: float) -> None:
        page.goto("about:blank")
        page.set_content(PLAIN)
        page.evaluate(PLAIN_MOVES, {"count": NODES, "zoom": zoom})

    def editor(count: int, closer: int = 0) -> None:
        page.goto(address[count])
        page.locator(".react-flow__node").first.wait_for()
        for _ in range(closer):
            page.get_by_role("button", name="Zoom In").click()
        page.wait_for_timeout(1_000)  # what opening has begun is not of the movement

    for _ in range(ROUNDS):
        plain(0.21)
        both(f"floor: {NODES} plain boxes, all in sight")
        plain(0.53)
        both(f"floor: {NODES} plain boxes, a third in sight")
        editor(FEW)
        both(f"editor, {FEW} nodes")
        editor(NODES)
        both(f"editor, {NODES} nodes, all in sight")
        editor(NODES, CLOSER)
        both(f"editor, {NODES} nodes, a third in sight")
    page.close()
    return {what: median(rounds) for what, rounds in found.items()}
