"""What is drawn again on a large canvas: counted, as times say little on a busy machine; `bench/ui.py` has them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

NODES = 300
FEWEST_MOVES = 8
COUNT = """
(() => {
  // React tells its developer tools of every commit; flag 1 of a fiber: its component was called.
  const drawn = window.__drawn = {nodes: {}, wires: {}};
  const one = (list, name) => { list[name] = (list[name] ?? 0) + 1; };
  const walk = (first) => {
    for (let fiber = first; fiber; fiber = fiber.sibling) {
      const {data, id} = fiber.memoizedProps ?? {};
      if ((fiber.flags & 1) && id && data?.shape) one(drawn.nodes, data.node.name);
      if ((fiber.flags & 1) && id && data?.wire) one(drawn.wires, id);
      if (fiber.child !== fiber.alternate?.child) walk(fiber.child);
    }
  };
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true, renderers: new Map(), checkDCE() {}, inject: () => 1,
    onCommitFiberUnmount() {}, onPostCommitFiberRoot() {}, onScheduleFiberRoot() {},
    onCommitFiberRoot: (_, root) => walk(root.current),
  };
})();
"""
PLACE = "document.querySelector('.react-flow__viewport').style.transform"


def document() -> dict[str, Any]:
    names = [f"N{at}" for at in range(NODES)]
    nodes = [
        {
            "id": name,
            "name": name,
            "type": f"n8n-nodes-base.{'noOp' if at else 'manualTrigger'}",
            "typeVersion": 1,
            "parameters": {},
            "position": [224 * (at % 20), 160 * (at // 20)],
        }
        for at, name in enumerate(names)
    ]
    wires = {one: {"main": [[{"node": other, "type": "main", "index": 0}]]} for one, other in pairwise(names)}
    return {"name": "Large", "nodes": nodes, "connections": wires, "settings": {"executionOrder": "v1"}}


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


@pytest.fixture
def canvas(make_context: Callable[..., BrowserContext], api: httpx.Client) -> Page:
    """The editor with three hundred nodes, all of them in sight."""
    saved = api.post("/workflows", json=document())
    page = make_context().new_page()
    page.add_init_script(COUNT)
    page.goto(f"/ui/workflows/{saved.json()['id']}")
    nodes = page.locator(".react-flow__node")
    poll(lambda: nodes.count() == NODES, "all nodes are on the canvas")
    settled(page)
    return page


def settled(page: Page) -> None:
    """Everything that was begun is drawn; the counts start anew."""
    page.wait_for_load_state("networkidle")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.evaluate("Object.assign(window.__drawn, {nodes: {}, wires: {}})")


def drawn(page: Page, what: str) -> dict[str, int]:
    found: dict[str, int] = page.evaluate(f"window.__drawn.{what}")
    return found


def closer(page: Page) -> None:
    """Near enough to read names; the middle of the canvas is in sight."""
    for _ in range(5):
        page.get_by_role("button", name="Zoom In").click()
    settled(page)


def places(page: Page, move: Callable[[int], None], times: int) -> list[str]:
    """Where the canvas was after each step of a movement."""
    found = []
    for step in range(times):
        move(step)
        found.append(str(page.evaluate(PLACE)))
    return found


def in_sight(page: Page) -> Locator:
    """A node in the middle of what is seen."""
    name = page.evaluate(
        "document.elementsFromPoint(640, 440).concat(...[...Array(40)].map((_, at) => "
        "document.elementsFromPoint(500 + at * 8, 440))).find((one) => one.closest('.react-flow__node'))"
        ".closest('.react-flow__node').dataset.name"
    )
    return page.locator(f".react-flow__node[data-name='{name}']")


def test_a_pan_draws_no_node_and_no_wire_again(canvas: Page) -> None:
    canvas.mouse.move(600, 350)
    canvas.mouse.down(button="middle")
    dragged = places(canvas, lambda step: canvas.mouse.move(600 + step * 5, 350 + step * 3), 12)
    canvas.mouse.up(button="middle")
    assert len(set(dragged)) >= FEWEST_MOVES
    turned = places(canvas, lambda step: canvas.mouse.wheel(8 if step % 2 else -4, 4), 12)
    assert len(set(turned)) >= FEWEST_MOVES
    assert drawn(canvas, "nodes") == {}
    # A wire below the pointer shows its tools, as it does without a movement.
    assert len(drawn(canvas, "wires")) <= 2


def test_what_comes_into_sight_is_drawn_once(canvas: Page) -> None:
    closer(canvas)
    before = set(canvas.evaluate("[...document.querySelectorAll('.react-flow__node')].map((it) => it.dataset.name)"))
    assert 0 < len(before) < NODES
    canvas.mouse.move(600, 350)
    canvas.mouse.down(button="middle")
    places(canvas, lambda step: canvas.mouse.move(600 - step * 20, 350 - step * 20), 15)
    canvas.mouse.up(button="middle")
    fresh = canvas.locator(".react-flow__node")
    poll(lambda: bool(set(drawn(canvas, "nodes")) - before), "others are in sight")
    assert fresh.count() < NODES
    assert not before & set(drawn(canvas, "nodes"))


def test_a_node_that_is_dragged_is_drawn_alone_with_its_wires(canvas: Page) -> None:
    closer(canvas)
    node = in_sight(canvas)
    name = node.get_attribute("data-name")
    box = node.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 6
    canvas.mouse.move(x, y)
    canvas.mouse.down()
    for step in range(12):
        canvas.mouse.move(x + step * 5, y + step * 5)
    canvas.mouse.up()
    moved = node.bounding_box()
    assert moved is not None
    assert moved["x"] > box["x"] + 20
    assert set(drawn(canvas, "nodes")) == {name}
    assert len(drawn(canvas, "wires")) <= 2
    settled(canvas)
    canvas.keyboard.press("Control+z")
    poll(lambda: (node.bounding_box() or moved)["x"] == box["x"], "it is back in its place")
    assert set(drawn(canvas, "nodes")) == {name}


def test_a_run_draws_every_node_once_and_once_more_where_it_was_running(canvas: Page, api: httpx.Client) -> None:
    canvas.get_by_role("button", name="Run", exact=True).click()
    canvas.get_by_role("status").get_by_text("Succeeded").wait_for()
    assert canvas.locator("[data-state=success]").count() == NODES
    times = drawn(canvas, "nodes")
    assert len(times) == NODES
    # A component and its ports count as two.
    assert sum(times.values()) <= 2 * 2 * NODES
    settled(canvas)
    canvas.mouse.click(640, 130)
    assert drawn(canvas, "nodes") == {}


def test_where_a_node_stands_follows_the_wheel_at_once(canvas: Page) -> None:
    closer(canvas)
    canvas.mouse.move(640, 400)
    for _ in range(4):
        canvas.mouse.wheel(9, 7)
    # React Flow may be behind the picture: what is clicked is what is seen all the same.
    node = in_sight(canvas)
    name = node.get_attribute("data-name")
    box = node.bounding_box()
    assert box is not None
    canvas.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + 8)
    canvas.get_by_role("dialog", name=f"Node {name}", exact=True).wait_for()


def test_what_is_dragged_past_the_pointer_does_not_light_up(canvas: Page) -> None:
    """From far away all is drawn already, and while the canvas is dragged nothing is looked for below the pointer."""
    canvas.mouse.move(600, 350)
    canvas.mouse.down(button="middle")
    over = []
    for step in range(12):
        canvas.mouse.move(600 - step * 40, 350 - step * 20)
        over.append(
            canvas.evaluate("document.querySelectorAll('.react-flow__node:hover, .react-flow__edge:hover').length")
        )
    assert canvas.locator(".react-flow__node").count() == NODES
    canvas.mouse.up(button="middle")
    # The first moves find out that it is a drag.
    assert over[3:] == [0] * 9
    node = in_sight(canvas)
    node.hover()
    assert canvas.evaluate("document.querySelectorAll('.react-flow__node:hover').length") == 1
    assert drawn(canvas, "nodes") == {}
