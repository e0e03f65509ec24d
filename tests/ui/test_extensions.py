"""What a stranger's package brings to the browser: a page in the navigation, the icon of its node, a control."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from canvas import made, node, nodes, opened, saved

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import Page

KILNS = Path(__file__).resolve().parents[2] / "examples/plugins/kilns"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """With the package as pip would have installed it; pip itself is tried in `tests/strangers`."""
    place = tmp_path_factory.mktemp("kilns")
    told = place / "jackfield_kilns-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: jackfield-kilns\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[jackfield]\nkilns = jackfield_kilns:KilnsPlugin\n")
    (place / "jackfield_kilns").symlink_to(KILNS / "jackfield_kilns")
    found = Daemon(place / "daemon", env={"PYTHONPATH": str(place)}).start()
    yield found
    found.close()


def test_a_page_an_icon_and_a_control(page: Page, daemon: Daemon, axe: Callable[[Page], None]) -> None:
    api = daemon.admin()
    kiln = {**node("Kiln", "kiln", 0), "type": "jackfield.kiln"}
    workflow_id = made(api, {"name": "Firing", "nodes": [kiln], "connections": {}})
    page.goto("/")
    page.get_by_role("navigation").get_by_role("link", name="Kilns", exact=True).click()
    page.get_by_role("heading", name="Kilns").wait_for()
    page.get_by_text("1 workflows may use a kiln.").wait_for()
    axe(page)
    page.get_by_role("button", name="Show the workflows").click()
    page.wait_for_url("**/ui/workflows")
    opened(page, workflow_id)
    icon = page.locator(".react-flow__node img[src$='/kilns/oven.svg']")
    poll(lambda: icon.evaluate("it => it.naturalWidth") > 0, "the icon is drawn")
    nodes(page).first.dblclick()
    slider = page.get_by_role("slider", name="Heat")
    slider.wait_for()
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("910 °C").wait_for()
    page.keyboard.press("Escape")
    saved(page)
    assert api.get(f"/workflows/{workflow_id}").json()["nodes"][0]["parameters"] == {"heat": 910}
    page.goto("/ui/x/kilns/nothing")
    page.get_by_text("“kilns” has no page “nothing”.").wait_for()
