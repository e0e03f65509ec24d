"""Several tabs and several users: who leaves leaves everywhere, and nobody becomes somebody else unasked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from conftest import Watched

Make = Callable[..., "BrowserContext"]


@pytest.fixture(scope="module", autouse=True)
def users(daemon: Daemon) -> None:
    api = daemon.admin()
    for role in ("viewer", "member"):
        body = {"username": f"a-{role}", "password": PASSWORD, "role": role}
        assert api.post("/users", json=body).status_code == httpx.codes.CREATED


@pytest.fixture(autouse=True)
def refused_sockets(watched: Watched) -> Iterator[None]:
    """A session that has ended takes the page's socket with it, and the browser says that it is not opened again."""
    yield
    watched.complaints[:] = [text for text in watched.complaints if "WebSocket connection" not in text]


def opened(page: Page, path: str = "/") -> Page:
    page.goto(path)
    page.get_by_role("button", name="Account").wait_for()
    return page


def log_in(page: Page, username: str) -> None:
    page.get_by_label("User name").fill(username)
    page.locator("input[autocomplete=current-password]").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_label("User name").wait_for(state="detached")


def as_user(make_context: Make, username: str, path: str, *, stranger: bool = True) -> Page:
    page = make_context(stranger=stranger).new_page()
    page.goto("/")
    if not stranger:
        log_out(page)
    log_in(page, username)
    return opened(page, path)


def log_out(page: Page) -> None:
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Log out").click()


def end_session(page: Page, daemon: Daemon) -> None:
    """The daemon forgets it; the browser still has its cookie."""
    (cookie,) = page.context.cookies()
    headers = {"origin": daemon.base_url, "cookie": f"{cookie['name']}={cookie['value']}"}
    httpx.delete(f"{daemon.base_url}/api/session", headers=headers, trust_env=False).raise_for_status()


def commands(page: Page) -> list[str]:
    page.keyboard.press("Control+k")
    page.get_by_role("textbox", name="Search").wait_for()
    found = page.get_by_role("dialog").get_by_role("button").all_inner_texts()
    page.keyboard.press("Escape")
    return found


def test_who_logs_out_in_one_tab_is_out_in_all(make_context: Make) -> None:
    context = make_context()
    one, other = opened(context.new_page()), opened(context.new_page(), "/ui/profiles")
    log_out(one)
    one.get_by_role("button", name="Continue as owner").wait_for()
    other.get_by_role("button", name="Continue as owner").wait_for()
    assert context.cookies() == []
    other.get_by_role("button", name="Continue as owner").click()
    one.get_by_role("button", name="Account").wait_for()


def test_a_user_whose_session_ends_does_not_become_the_owner(make_context: Make, daemon: Daemon) -> None:
    page = as_user(make_context, "a-viewer", "/ui/profiles", stranger=False)
    end_session(page, daemon)
    page.keyboard.press("g")
    page.keyboard.press("u")
    login = page.get_by_role("dialog", name="Your session has ended")
    login.wait_for()
    address = page.url
    assert login.get_by_label("User name").input_value() == "a-viewer"
    page.keyboard.press("Control+k")
    page.keyboard.press("g")
    page.keyboard.press("p")
    assert page.get_by_role("dialog").count() == 1
    assert page.url == address
    log_in(page, "a-viewer")
    page.get_by_role("heading", level=1).wait_for()


def test_what_was_typed_stays_below_the_login(make_context: Make, daemon: Daemon) -> None:
    page = as_user(make_context, USERNAME, "/ui/settings/variables?new")
    page.get_by_role("textbox", name="Name").fill("half_done")
    end_session(page, daemon)
    page.get_by_role("textbox", name="Value").fill("1")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("dialog", name="Your session has ended").wait_for()
    log_in(page, USERNAME)
    assert page.get_by_role("textbox", name="Name").input_value() == "half_done"
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("cell", name="half_done").first.wait_for()


def test_another_user_sees_nothing_of_the_one_before(make_context: Make, daemon: Daemon) -> None:
    page = as_user(make_context, USERNAME, "/ui/settings/users")
    page.get_by_role("cell", name="a-member", exact=True).wait_for()
    end_session(page, daemon)
    page.get_by_role("tab", name="Variables").click()
    page.get_by_role("dialog", name="Your session has ended").wait_for()
    log_in(page, "a-viewer")
    page.get_by_role("tab", name="Users").click()
    page.get_by_text("Only administrators manage users").wait_for()
    assert page.get_by_text("a-member").count() == 0


def test_a_viewer_is_offered_nothing_that_is_refused(make_context: Make) -> None:
    page = as_user(make_context, "a-viewer", "/")
    refused: list[str] = []
    page.on("response", lambda answer: refused.append(answer.url) if answer.status == httpx.codes.FORBIDDEN else None)
    assert not [one for one in commands(page) if one.startswith(("New profile", "New terminal", "Import", "Errors"))]
    for path in ("/ui/proxies?new", "/ui/usage?import", "/ui/profiles?new", "/ui/terminals?new", "/ui/registry"):
        opened(page, path)
        page.get_by_role("heading", level=1).wait_for()
        page.wait_for_load_state("networkidle")
        assert page.get_by_role("dialog").count() == 0, path
    assert refused == []
    member = as_user(make_context, "a-member", "/")
    assert any(one.startswith("New profile") for one in commands(member))
