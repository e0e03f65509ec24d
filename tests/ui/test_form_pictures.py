"""`tox -e form-pictures`: pictures of the forms of the node types that real workflows use most, at three sizes."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from canvas import made, nodes, opened
from test_screenshots import settled

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

PLACE = os.environ.get("JACKFIELD_TEST_FORM_PICTURES", "")
CORPUS = Path(os.environ.get("JACKFIELD_TEST_CORPUS", "")) / "workflows"
MOST = 60
SIZES = ((1920, 1080), (1280, 800), (390, 844))
DRAWN = {"n8n-nodes-base.stickyNote"}
"""What has no panel."""
WHOLE = """[role=dialog][data-node-panel] { height: auto !important; max-height: none !important }
[data-pane], [data-node-panel] > div { overflow: visible !important; max-height: none !important }
[data-pane], [data-node-panel] > div { height: auto !important }
"""

pytestmark = pytest.mark.skipif(not PLACE or not CORPUS.is_dir(), reason="`tox -e form-pictures` makes the pictures")


def documents() -> Iterator[dict[str, Any]]:
    for file in sorted(CORPUS.glob("*.json")):
        yield from json.loads(file.read_text(encoding="utf-8")).get("nodes", [])


def most_used() -> Mapping[str, dict[str, Any]]:
    """Type -> the node of the corpus that says most about itself."""
    counts: Counter[str] = Counter()
    richest: dict[str, dict[str, Any]] = {}
    for node in documents():
        kind = node["type"]
        counts[kind] += 1
        if kind not in richest or len(json.dumps(node.get("parameters"))) > len(
            json.dumps(richest[kind]["parameters"])
        ):
            richest[kind] = {"parameters": {}, **node}
    found = [kind for kind, _ in counts.most_common(MOST + len(DRAWN)) if kind not in DRAWN]
    return {kind: richest[kind] for kind in found[:MOST]}


def complained(axe: Callable[[Page], None], page: Page, kind: str) -> list[str]:
    try:
        axe(page)
    except AssertionError as exc:
        return [f"{kind}: {exc}"]
    return []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_pictures_of_forms(
    make_context: Callable[..., BrowserContext], daemon: Daemon, axe: Callable[[Page], None], size: tuple[int, int]
) -> None:
    width, height = size
    page = make_context(bypass_csp=True).new_page()
    page.set_viewport_size({"width": width, "height": height})
    Path(PLACE).mkdir(parents=True, exist_ok=True)
    complaints: list[str] = []
    for number, (kind, node) in enumerate(most_used().items()):
        document = {"name": kind, "nodes": [{**node, "name": "It", "position": [0, 0]}], "connections": {}}
        opened(page, made(daemon.admin(), document))
        shown = nodes(page).first
        shown.click() if width < 500 else shown.dblclick()
        panel = page.get_by_role("dialog", name="Node It")
        panel.get_by_role("tab", name="Settings").wait_for()
        settled(page)
        file = f"{number:02}-{re.sub(r'[^A-Za-z0-9]+', '-', kind)}-{width}.png"
        assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth"), kind
        page.screenshot(path=Path(PLACE) / file, animations="disabled")
        page.add_style_tag(content=WHOLE)
        page.set_viewport_size({"width": width, "height": 2400})
        page.screenshot(path=Path(PLACE) / f"whole-{file}", animations="disabled")
        page.set_viewport_size({"width": width, "height": height})
        complaints += complained(axe, page, kind)
    assert complaints == []
