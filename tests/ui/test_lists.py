"""Long lists: drawn in parts, filtered, and sorted on a phone too; dialogs give the focus back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from samples import fits
from shells import Sessions, with_shell

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

Make = Callable[..., "BrowserContext"]
PROFILES = 130


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = with_shell(Daemon(tmp_path_factory.mktemp("lists")))
    sessions = Sessions(found)
    for number in range(PROFILES):
        sessions.profile(f"p{number:03}", model=f"model-{PROFILES - number:03}")
    yield found
    found.close()


def opened(make_context: Make, path: str, **how: str) -> Page:
    page = make_context(**how).new_page()
    page.goto(path)
    page.get_by_role("link", name="p000", exact=True).wait_for()
    return page


def first(page: Page) -> str:
    return page.locator("tbody tr").first.get_by_role("link").first.inner_text()


def test_a_long_list_is_drawn_where_it_is_seen_and_filtered(make_context: Make, axe: Callable[[Page], None]) -> None:
    page = opened(make_context, "/ui/profiles")
    assert page.locator("tbody tr").count() < PROFILES / 2
    page.locator("tbody tr[tabindex='0']").focus()
    page.keyboard.press("End")
    last = page.get_by_role("link", name=f"p{PROFILES - 1:03}", exact=True)
    last.wait_for()
    page.wait_for_function("document.activeElement.textContent.includes('p129')")
    page.wait_for_function("scrollY > 1000")
    page.keyboard.press("Home")
    page.wait_for_function("document.activeElement.textContent.includes('p000')")
    field = page.get_by_role("textbox", name="Filter: Profiles")
    field.fill("P12")
    page.get_by_text("10 of 130").wait_for()
    assert first(page) == "p120"
    axe(page)
    field.fill("nothing like it")
    page.get_by_text("Nothing here has this in it.").wait_for()


def test_cards_are_sorted_too(make_context: Make, axe: Callable[[Page], None]) -> None:
    page = opened(make_context, "/ui/profiles", viewport="phone")
    order = page.get_by_role("combobox", name="Sort by")
    order.select_option("Profile, descending")
    page.wait_for_function("document.querySelector('tbody tr a').textContent === 'p129'")
    order.select_option("Model, descending")
    page.wait_for_function("document.querySelector('tbody tr a').textContent === 'p000'")
    fits(page)
    axe(page)
    # What is not seen takes no focus.
    hidden = "[...document.querySelectorAll('thead button')].filter((it) => it.checkVisibility()).length"
    assert page.evaluate(hidden) == 0


def test_dialogs_give_the_focus_back(make_context: Make) -> None:
    page = opened(make_context, "/ui/profiles")
    for button in (
        page.get_by_role("button", name="New profile"),
        page.get_by_role("button", name="Keyboard shortcuts"),
    ):
        button.focus()
        page.keyboard.press("Enter")
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")
        page.wait_for_function("(button) => document.activeElement === button", arg=button.element_handle())
    actions = page.get_by_role("button", name="Actions for p000")
    actions.focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Delete…").click()
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    page.wait_for_function("(button) => document.activeElement === button", arg=actions.element_handle())


def test_pages_of_the_whole_height_make_room_for_the_banner(make_context: Make, daemon: Daemon) -> None:
    sessions = Sessions(daemon)
    session = sessions.start("p000", "exec cat")
    page = make_context().new_page()
    page.goto(f"/ui/terminals/{session}")
    page.locator("[data-current] .xterm-rows").wait_for()
    fitting = "document.documentElement.scrollHeight <= window.innerHeight"
    assert page.evaluate(fitting)
    page.route("**/health", lambda route: route.abort())
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_text("Jackfield does not answer").wait_for(timeout=30_000)
    page.wait_for_function(fitting)
    page.unroute_all()
    page.get_by_text("Jackfield does not answer").wait_for(state="hidden", timeout=30_000)
    assert page.evaluate("document.documentElement.style.getPropertyValue('--jf-banner-height')") == ""
    sessions.end_all()


def test_an_agent_that_is_not_there_says_how_to_get_it(make_context: Make, axe: Callable[[Page], None]) -> None:
    page = make_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto("/ui/agents/qwen")
    page.get_by_role("button", name="Copy the command").click()
    assert page.evaluate("navigator.clipboard.readText()") == "npm install -g @qwen-code/qwen-code"
    link = page.get_by_role("link", name="https://github.com/QwenLM/qwen-code")
    assert link.get_attribute("rel") == "noopener noreferrer"
    axe(page)
