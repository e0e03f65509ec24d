"""The editor's node panel on screens of usual sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from canvas import SMALL, made, nodes, opened

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIZES = ((1920, 1080), (1280, 800), (1280, 720), (390, 844))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_head_of_the_node_panel_is_on_the_screen(page: Page, daemon: Daemon, size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    opened(page, made(daemon.admin(), SMALL))
    nodes(page).filter(has_text="One").dblclick()
    panel = page.get_by_role("dialog", name="Node One")
    panel.wait_for()
    head = {
        "name": panel.get_by_role("textbox", name="Name of the node"),
        "run": panel.get_by_role("button", name="Run", exact=True),
        "close": panel.get_by_role("button", name="Close the node"),
        "panel": panel,
    }
    boxes = {what: locator.bounding_box() for what, locator in head.items()}
    for what, box in boxes.items():
        assert box is not None, what
        assert 0 <= box["x"] <= width - box["width"], (what, box)
        assert 0 <= box["y"] <= height - box["height"], (what, box)
    head["close"].click()
    panel.wait_for(state="detached")
