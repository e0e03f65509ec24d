"""A working directory is chosen, by keyboard alone, where it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from shells import Sessions, poll, showing, type_into, with_shell

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    place = tmp_path_factory.mktemp("directories")
    for name in ("projects/site/deep", "projects/api", "music", ".secret/inner"):
        (place / "user" / name).mkdir(parents=True)
    found = with_shell(Daemon(place, env={"HOME": str(place / "user")}))
    Sessions(found).profile("one")
    yield found
    found.close()


def test_by_keyboard_in_a_new_session(page: Page, daemon: Daemon, axe: Callable[[Page], None]) -> None:
    home = daemon.directory / "user"
    page.goto("/ui/terminals?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Browse").press("Enter")
    picker = dialog.get_by_role("group", name="Browse")
    entries = picker.get_by_role("listitem")
    picker.get_by_role("button", name="projects").wait_for()
    assert entries.all_inner_texts() == ["music", "projects"]
    axe(page)
    page.keyboard.type("proj")
    poll(lambda: entries.all_inner_texts() == ["projects"], "the filter has worked")
    page.keyboard.press("Enter")
    picker.get_by_role("button", name="site").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    picker.get_by_role("button", name="deep").wait_for()
    page.keyboard.press("Backspace")
    picker.get_by_role("button", name="api").wait_for()
    page.keyboard.press("Escape")
    picker.wait_for(state="detached")
    assert dialog.get_by_label("Directory").input_value() == ""
    dialog.get_by_role("button", name="Browse").press("Enter")
    picker.get_by_label("Hidden ones").press("Space")
    picker.get_by_role("button", name=".secret").press("Enter")
    picker.get_by_role("button", name="inner").wait_for()
    picker.get_by_role("button", name="Use this directory").press("Enter")
    assert dialog.get_by_label("Directory").input_value() == str(home / ".secret")
    dialog.get_by_text("Shell", exact=True).click()
    dialog.get_by_role("button", name="Start").click()
    page.locator("[data-current] .xterm-rows").wait_for()
    type_into(page, "echo in-${PWD##*/}\n")
    showing(page, "in-.secret")


@pytest.mark.parametrize("path", ["/ui/chats?new", "/ui/profiles/one"])
def test_elsewhere_it_is_offered_too(page: Page, path: str) -> None:
    page.goto(path)
    page.get_by_role("button", name="Browse").first.click()
    page.get_by_role("group", name="Browse").get_by_role("button", name="music").wait_for()


def test_what_cannot_be_listed_is_told(page: Page, daemon: Daemon) -> None:
    page.goto("/ui/terminals?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Directory").fill("/usr")
    dialog.get_by_role("button", name="Browse").click()
    dialog.get_by_text("It cannot be listed").wait_for()
    dialog.get_by_role("button", name="Begin at the top").click()
    dialog.get_by_role("button", name="music").wait_for()


def test_another_user_types_the_path(make_context: Callable[..., BrowserContext], daemon: Daemon) -> None:
    page = make_context(stranger=True).new_page()
    page.goto("/ui/terminals?new")
    page.get_by_label("User name").fill(USERNAME)
    page.locator("input[autocomplete=current-password]").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("dialog").get_by_label("Directory").fill("/usr")
    assert page.get_by_role("button", name="Browse").count() == 0
