"""The editor's node panel: on screens of usual sizes, and the forms of nodes in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from canvas import SMALL, add_behind, close_panel, made, node, nodes, opened, saved, wires

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

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
    cut = panel.evaluate(
        "panel => [...panel.children].filter((it) => it.getBoundingClientRect().bottom > innerHeight + 1)"
    )
    assert cut == []
    assert panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth && panel.scrollHeight <= panel.clientHeight")
    assert panel.get_by_role("link", name="Help for No Operation").get_attribute("href") == "/ui/help/nodes/noOp"
    head["close"].click()
    panel.wait_for(state="detached")


def test_the_focus_goes_back_to_the_node(page: Page, daemon: Daemon) -> None:
    opened(page, made(daemon.admin(), SMALL))
    one = nodes(page).filter(has_text="One")
    one.focus()
    for close in ("Escape", "Close the node"):
        page.keyboard.press("Enter")
        panel = page.get_by_role("dialog", name="Node One")
        panel.wait_for()
        if close == "Escape":
            page.keyboard.press(close)
        else:
            panel.get_by_role("button", name=close).click()
        panel.wait_for(state="detached")
        page.wait_for_function("document.activeElement?.getAttribute('data-name') === 'One'")


RICH: dict[str, Any] = {
    "name": "Rich",
    "nodes": [
        node("Start", "manualTrigger", 0),
        node("Call", "httpRequest", 224, typeVersion=4.2, parameters={"url": "", "options": {"timeout": 5000}}),
        node("Check", "if", 448, typeVersion=2.2),
    ],
    "connections": wires("Start", "Call", "Check"),
}


def panel_of(page: Page, name: str) -> Locator:
    nodes(page).filter(has_text=name).first.dblclick()
    panel = page.get_by_role("dialog", name=f"Node {name}")
    panel.wait_for()
    return panel


@pytest.mark.firefox
def test_two_braces_make_an_expression_and_the_typing_goes_on(page: Page, daemon: Daemon) -> None:
    ident = made(daemon.admin(), RICH)
    opened(page, ident)
    panel = panel_of(page, "Call")
    page.wait_for_load_state("networkidle")  # the editor is fetched
    panel.get_by_role("textbox", name="URL").click()
    page.keyboard.type("http://127.0.0.1/{{ $json.path")
    editor = panel.get_by_role("textbox", name="URL, expression")
    poll(lambda: editor.inner_text() == "http://127.0.0.1/{{ $json.path}}", "all that was typed is there, and closed")
    page.keyboard.type(" }}")
    close_panel(page)
    saved(page)
    stored = daemon.admin().get(f"/workflows/{ident}").json()["nodes"][1]["parameters"]
    assert stored == {"url": "=http://127.0.0.1/{{ $json.path }}", "options": {"timeout": 5000}}


PINNED: dict[str, Any] = {
    **RICH,
    "name": "Pinned",
    "pinData": {"Start": [{"json": {"person": {"name": " Ada "}}}, {"json": {"person": {"name": "Grace"}}}]},
}


@pytest.mark.firefox
def test_an_expression_is_completed_by_type_and_written_in_the_large_editor(
    page: Page, daemon: Daemon, axe: Callable[[Page], None]
) -> None:
    ident = made(daemon.admin(), PINNED)
    opened(page, ident)
    panel = panel_of(page, "Call")
    page.wait_for_load_state("networkidle")  # the editor is fetched
    panel.get_by_role("textbox", name="URL").click()
    page.keyboard.type("{{ $json.person.")
    page.get_by_role("option", name="name", exact=False).first.wait_for()
    page.keyboard.type("name.tr")
    page.get_by_role("option", name="trim()").wait_for()
    page.get_by_text("Takes away white space at both ends.").wait_for()
    page.get_by_role("option", name="trim()").click()
    panel.get_by_text("Ada", exact=True).last.wait_for()
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog", name="URL: expression")
    editor = dialog.get_by_role("textbox", name="URL, large editor")
    poll(lambda: editor.evaluate("it => it === document.activeElement"), "the focus is in the large editor")
    result = dialog.get_by_role("region", name="Result")
    result.get_by_text("Ada").wait_for()
    axe(page)
    page.keyboard.press("Alt+PageDown")
    result.get_by_text("Grace").wait_for()
    page.keyboard.type(".")
    result.get_by_text("is not valid JavaScript").wait_for()
    underlined = dialog.locator(".cm-lintRange-error")
    poll(lambda: underlined.all_inner_texts() == ["."], "the mistake is underlined")
    page.keyboard.press("Escape")  # the list of methods
    page.keyboard.press("Backspace")
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    small = panel.get_by_role("textbox", name="URL, expression")
    poll(lambda: small.evaluate("it => it === document.activeElement"), "the focus is back")
    assert small.inner_text() == "{{ $json.person.name.trim()}}"
    assert page.get_by_text("Failed", exact=True).count() == 0, "Ctrl+Enter has not run the workflow"
    close_panel(page)
    saved(page)
    stored = daemon.admin().get(f"/workflows/{ident}").json()["nodes"][1]["parameters"]
    assert stored["url"] == "={{ $json.person.name.trim()}}"


def test_a_new_if_is_strict(page: Page, daemon: Daemon) -> None:
    ident = made(daemon.admin(), SMALL)
    opened(page, ident)
    add_behind(page, "Two", "if")
    page.get_by_role("dialog").get_by_role("textbox", name="Compared with 1").fill("x")
    close_panel(page)
    saved(page)
    condition = daemon.admin().get(f"/workflows/{ident}").json()["nodes"][3]["parameters"]["conditions"]
    assert condition["options"]["typeValidation"] == "strict"
    assert condition["conditions"][0]["rightValue"] == "x"


def test_a_node_that_is_only_looked_at_stays_as_it_is(page: Page, daemon: Daemon) -> None:
    ident = made(daemon.admin(), RICH)
    opened(page, ident)
    for name in ("Call", "Check"):
        panel = panel_of(page, name)
        panel.get_by_role("tab", name="Settings").wait_for()
        for _ in range(30):
            page.keyboard.press("Tab")
        close_panel(page)
    page.get_by_role("button", name="Saved").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_form_is_accessible(
    make_context: Callable[..., BrowserContext], axe: Callable[[Page], None], daemon: Daemon, scheme: str
) -> None:
    page = make_context(scheme=scheme).new_page()
    opened(page, made(daemon.admin(), RICH))
    for name, button in (("Call", "Add option"), ("Check", "Add a condition")):
        panel = panel_of(page, name)
        panel.get_by_role("button", name=button).first.click()
        axe(page)
        if name == "Call":
            page.keyboard.press("Escape")
        close_panel(page)
