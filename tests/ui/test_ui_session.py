"""First open, login, logout, expiry, and what a page may load."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from conftest import Watched


def logged_in(page: Page) -> None:
    page.get_by_role("button", name="Account").wait_for()


def asked_to_log_in(page: Page) -> None:
    page.get_by_label("User name").wait_for()


def log_in(page: Page, password: str = PASSWORD) -> None:
    page.get_by_label("User name").fill(USERNAME)
    page.locator("input[autocomplete=current-password]").fill(password)
    page.get_by_role("button", name="Log in", exact=True).click()


def log_out(page: Page) -> None:
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Log out").click()


def address_to_open(daemon: Daemon) -> str:
    program = Path(sys.executable).with_name("jackfield")
    command = [program, "open", "--print", "--config-dir", daemon.config_dir]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout.strip()


def test_the_first_open_needs_no_login(page: Page) -> None:
    page.goto("/")
    logged_in(page)
    assert page.evaluate("document.cookie") == ""


def test_somebody_else_logs_in(stranger_page: Page) -> None:
    stranger_page.goto("/")
    asked_to_log_in(stranger_page)
    log_in(stranger_page, "not the password")
    stranger_page.get_by_role("alert").wait_for()
    log_in(stranger_page)
    logged_in(stranger_page)
    stranger_page.reload()
    logged_in(stranger_page)


def test_after_a_logout_nobody_is_logged_in_unasked(page: Page) -> None:
    page.goto("/")
    logged_in(page)
    log_out(page)
    asked_to_log_in(page)
    page.get_by_role("button", name=re.compile("^Continue as")).click()
    logged_in(page)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon whose sessions do not last."""
    settings = '[security.sessions]\nidle = "1s"\nexpiration = "2s"\n'
    found = Daemon(tmp_path_factory.mktemp("hasty"), settings=settings).start()
    yield found
    found.close()


def test_a_session_that_ends_leads_to_the_login(make_context: Callable[..., BrowserContext], hasty: Daemon) -> None:
    page = make_context(stranger=True, base_url=hasty.base_url).new_page()
    page.goto("/")
    asked_to_log_in(page)
    log_in(page)
    logged_in(page)
    status = "fetch('/api/profiles').then((answer) => answer.status)"
    poll(lambda: page.evaluate(status) == 401, "the session has ended")
    page.goto("/ui/workflows")
    asked_to_log_in(page)


@pytest.mark.parametrize(
    "target",
    ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)", "/ui/..//evil.test", "\t//evil.test"],
)
def test_a_hostile_address_after_the_login_is_not_followed(stranger_page: Page, target: str) -> None:
    executed: list[str] = []
    stranger_page.on("dialog", lambda dialog: (executed.append(dialog.message), dialog.dismiss()))
    stranger_page.goto(f"/ui/login?next={quote(target, safe='')}")
    home = urlsplit(stranger_page.url).netloc
    asked_to_log_in(stranger_page)
    log_in(stranger_page)
    logged_in(stranger_page)
    assert urlsplit(stranger_page.url).netloc == home
    assert executed == []


def test_jackfield_open_lets_in_once_and_leaves_no_code_behind(
    make_context: Callable[..., BrowserContext], daemon: Daemon
) -> None:
    address = address_to_open(daemon)
    page = make_context(stranger=True).new_page()
    page.goto(address)
    logged_in(page)
    assert "code" not in page.url
    page.go_back() if page.evaluate("history.length") > 2 else None
    assert "code" not in page.url
    again = make_context(stranger=True).new_page()
    again.goto(address)
    asked_to_log_in(again)


def test_the_page_runs_no_foreign_and_no_inline_script(page: Page, watched: Watched) -> None:
    answer = page.goto("/")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert re.search(r"script-src [a-z0-9.:]+/ui/;", policy)
    assert "unsafe-eval" not in policy
    logged_in(page)
    ran = page.evaluate(
        """() => {
          const script = document.createElement('script');
          script.textContent = 'window.__ran = true';
          document.body.append(script);
          const image = document.createElement('div');
          image.innerHTML = '<img src=x onerror="window.__ran = true">';
          return window.__ran === true;
        }"""
    )
    assert ran is False
    page.wait_for_function("window.__violations.length > 0")
    page.evaluate("window.__violations = []")
    assert watched.complaints
    assert all("Content Security Policy" in complaint for complaint in watched.complaints)
    watched.complaints.clear()


def test_what_the_page_loads_is_compressed_and_kept(page: Page) -> None:
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto("/")
    logged_in(page)
    scripts = [answer for answer in answers if "/ui/assets/" in answer.url and answer.url.endswith(".js")]
    assert scripts
    for script in scripts:
        assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert script.headers.get("content-encoding") in ("br", "gzip") or int(script.headers["content-length"]) < 2048
    assert all(urlsplit(answer.url).netloc == urlsplit(page.url).netloc for answer in answers)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", ["desktop", "phone"])
def test_the_login_page_is_accessible(
    make_context: Callable[..., BrowserContext], axe: Callable[[Page], None], scheme: str, viewport: str
) -> None:
    page = make_context(stranger=True, scheme=scheme, viewport=viewport).new_page()
    page.goto("/")
    asked_to_log_in(page)
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
