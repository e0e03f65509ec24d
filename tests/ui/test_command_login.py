"""`jackfield login` with a real browser: the command's own process, the page, the daemon's login page, the redirect."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyotp
import pytest

from jackfield.testing.command_logins import begin_login
from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; `tox -e ui` has it").expect

HELD = """
const later = window.setTimeout;
window.held = [];
window.setTimeout = (work, wait) => wait === 1000 ? window.held.push(work) : later(work, wait);
"""
"""The page's wait of a second ends when the test says so."""


def test_somebody_logs_in_in_another_tab_and_allows(
    stranger_page: Page, daemon: Daemon, tmp_path: Path, axe: Callable[[Page], None]
) -> None:
    page = stranger_page
    process, address = begin_login(daemon, tmp_path, "a <b>laptop</b>")
    page.goto(address)
    expect(page.get_by_role("status")).to_contain_text("Log in to decide", timeout=30_000)
    axe(page)
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Log in").click()
    tab = opened.value
    tab.get_by_role("textbox", name="User name").fill(USERNAME)
    tab.get_by_role("textbox", name="Password").fill(PASSWORD)
    tab.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_text("a <b>laptop</b>")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("all rights of that user")).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_text("go on in the terminal")).to_be_visible()
    out, _ = process.communicate(timeout=30)
    assert json.loads(out)["username"] == USERNAME


def test_whoever_has_a_second_factor_gives_it_before_the_command_gets_a_key(
    stranger_page: Page, daemon: Daemon, tmp_path: Path
) -> None:
    tina = {"username": "tina", "password": PASSWORD}
    daemon.admin().post("/users", json={**tina, "role": "member"}).raise_for_status()
    client = daemon.client(headers={"Origin": daemon.base_url, "X-Forwarded-For": "203.0.113.9"})
    client.post("/api/session", json=tina).raise_for_status()
    app = pyotp.TOTP(client.post("/api/session/factors/totp").raise_for_status().json()["data"]["secret"])
    used = app.now()
    client.put("/api/session/factors/totp", json={"code": used}).raise_for_status()
    page = stranger_page
    process, address = begin_login(daemon, tmp_path, "laptop")
    page.goto(address)
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Log in").click()
    tab = opened.value
    tab.get_by_role("textbox", name="User name").fill("tina")
    tab.get_by_role("textbox", name="Password").fill(PASSWORD)
    tab.get_by_role("button", name="Log in", exact=True).click()
    code = tab.get_by_label("Code of an authenticator app")
    code.wait_for()
    expect(page.get_by_role("button", name="Allow")).to_be_hidden()
    code.fill(next(one for one in (app.now(), app.at(int(time.time()) + 30)) if one != used))
    tab.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("button", name="Allow").click(timeout=30_000)
    out, _ = process.communicate(timeout=30)
    assert json.loads(out)["username"] == "tina"


def test_a_code_is_typed_by_the_daemon_s_own_user(page: Page, daemon: Daemon, axe: Callable[[Page], None]) -> None:
    form = {"client_id": "jackfield-cli", "client_name": "server", "scope": "workflows:read"}
    told = daemon.client().post("/auth/command/device", data=form).raise_for_status().json()
    page.add_init_script(HELD)
    page.goto("/auth/command")
    page.get_by_label("Code").fill(told["user_code"].replace("-", "").lower())
    axe(page)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text(f"It shows the code {told['user_code']}")).to_be_visible(timeout=30_000)
    allow = page.get_by_role("button", name="Allow")
    expect(allow).to_be_disabled()
    page.evaluate("window.held.forEach((each) => each())")
    expect(allow).to_be_enabled()
    page.get_by_label("You are the daemon's own user").select_option(USERNAME)
    expect(page.get_by_text("workflows:read")).to_be_visible()
    axe(page)
    allow.click()
    expect(page.get_by_role("status")).to_contain_text("The command is logged in.")
    grant = "urn:ietf:params:oauth:grant-type:device_code"
    body = {"client_id": "jackfield-cli", "grant_type": grant, "device_code": told["device_code"]}
    made = daemon.client().post("/auth/command/token", data=body).raise_for_status().json()
    assert (made["username"], made["scope"]) == (USERNAME, "workflows:read")
