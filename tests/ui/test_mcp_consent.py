"""The consent page of MCP clients, in a browser: for the daemon's own user, and for somebody who logs in."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pyotp
import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytest.importorskip("mcp")
expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed; `tox -e ui` has it").expect

REDIRECT = "http://127.0.0.1:3999/callback"
VERIFIER = "v" * 50


def begin(page: Page, daemon: Daemon, scope: str) -> str:
    """Register a client and send the browser where the client would; its id."""
    body = {"redirect_uris": [REDIRECT], "client_name": "A <b>tool</b>"}
    client = str(daemon.client().post("/oauth/register", json=body).raise_for_status().json()["client_id"])
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
    query = {
        "response_type": "code", "client_id": client, "redirect_uri": REDIRECT, "state": "st", "scope": scope,
        "code_challenge": challenge, "code_challenge_method": "S256",
    }  # fmt: skip
    page.context.route(f"{REDIRECT}**", lambda route: answered(route))
    page.goto(f"/oauth/authorize?{urlencode(query)}")
    return client


def answered(route: Route) -> None:
    route.fulfill(body="<title>The client</title>", content_type="text/html")


def came_back(page: Page) -> dict[str, list[str]]:
    page.wait_for_url(f"{REDIRECT}**")
    return parse_qs(urlsplit(page.url).query)


def test_the_daemon_s_own_user_takes_a_right_away_and_allows(
    page: Page, daemon: Daemon, axe: Callable[[Page], None]
) -> None:
    client = begin(page, daemon, "workflows:read workflows:write agents:write")
    expect(page.get_by_text("A <b>tool</b>")).to_be_visible()
    expect(page.get_by_text("127.0.0.1:3999")).to_be_visible()
    expect(page.get_by_label("workflows:read")).to_be_checked()
    expect(page.get_by_label("agents:write")).not_to_be_checked()
    axe(page)
    page.get_by_label("workflows:write").uncheck()
    page.get_by_role("button", name="Allow").click()
    answer = came_back(page)
    assert answer["state"] == ["st"]
    assert answer["iss"] == [daemon.base_url]
    body = {
        "grant_type": "authorization_code", "code": answer["code"][0], "client_id": client, "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
    }  # fmt: skip
    assert daemon.client().post("/oauth/token", data=body).json()["scope"] == "workflows:read"


def test_somebody_else_logs_in_and_refuses(stranger_page: Page, daemon: Daemon, axe: Callable[[Page], None]) -> None:
    page = stranger_page
    begin(page, daemon, "workflows:read")
    page.get_by_label("Name").fill(USERNAME)
    axe(page)
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("status")).to_contain_text("wrong")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Refuse").click()
    assert came_back(page)["error"] == ["access_denied"]


def test_a_user_with_a_second_factor_gives_both(stranger_page: Page, daemon: Daemon) -> None:
    user = {"username": "ada", "password": PASSWORD, "role": "member"}
    daemon.admin().post("/users", json=user).raise_for_status()
    client = daemon.client(headers={"Origin": daemon.base_url, "X-Forwarded-For": "203.0.113.9"})
    client.post("/api/session", json={"username": "ada", "password": PASSWORD}).raise_for_status()
    secret = client.post("/api/session/factors/totp").raise_for_status().json()["data"]["secret"]
    done = client.put("/api/session/factors/totp", json={"code": pyotp.TOTP(secret).now()}).raise_for_status()
    page = stranger_page
    begin(page, daemon, "workflows:read")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("Second factor").select_option("recovery")
    page.get_by_label("Code", exact=True).fill(done.json()["data"]["recovery_codes"][0])
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Refuse").click()
    assert came_back(page)["error"] == ["access_denied"]


def test_a_request_that_is_over_says_so(page: Page) -> None:
    page.goto("/oauth/consent?request=jf_oq_none")
    expect(page.get_by_role("status")).to_contain_text("This request is over")
