"""Second factors, passkeys, sessions and invitations in the browser. Passkeys are Chromium's own, whose authenticator
is a virtual one (https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx
import pyotp
import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession, Page

    from conftest import Watched

NEW = "another horse battery"
Make = Callable[..., "BrowserContext"]


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    """As another administrator: what the tests do to a user ends none of its tokens."""
    first = daemon.admin()
    first.post("/users", json={"username": "root", "password": PASSWORD, "role": "admin"}).raise_for_status()
    body = {"username": "root", "password": PASSWORD}
    token = daemon.client().post("/api/v1/auth/login", json=body).json()["token"]
    return daemon.client(base_url=f"{daemon.base_url}/api/v1", headers={"Authorization": f"Bearer {token}"})


def user(api: httpx.Client, name: str, role: str = "member") -> str:
    made = api.post("/users", json={"username": name, "password": PASSWORD, "role": role})
    return str(made.raise_for_status().json()["id"])


def at_localhost(daemon: Daemon, make_context: Make) -> Page:
    """A page where browsers have passkeys."""
    return make_context(stranger=True, base_url=f"http://localhost:{daemon.port}").new_page()


def authenticator(page: Page) -> CDPSession:
    """A device that keeps passkeys, and whose user always agrees."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session


def give_password(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("User name").fill(name)
    page.locator("input[autocomplete=current-password]").fill(password)
    page.get_by_role("button", name="Log in", exact=True).click()


def logged_in(page: Page) -> None:
    page.get_by_role("button", name="Account").wait_for()


def log_out(page: Page) -> None:
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Log out").click()
    page.get_by_label("User name").wait_for()


def code_of(secret: str, after: str = "") -> str:
    """Of a step that no code of before was of: that one counts once."""
    app = pyotp.TOTP(secret)
    code = app.now()
    return app.at(int(time.time()) + 30) if code == after else code


def test_an_authenticator_app_is_set_up_and_asked_for(
    api: httpx.Client, stranger_page: Page, axe: Callable[[Page], None]
) -> None:
    user(api, "ada")
    page = stranger_page
    page.goto("/ui/settings/security")
    give_password(page, "ada")
    page.get_by_role("button", name="Set up an authenticator app").click()
    secret = page.get_by_test_id("totp-secret").inner_text().strip()
    used = code_of(secret)
    page.get_by_label("Code that the app shows").fill(used)
    axe(page)
    page.get_by_role("button", name="Confirm").click()
    codes = page.get_by_test_id("recovery-codes").inner_text().split()
    assert len(codes) == 10
    page.get_by_role("button", name="I have kept them").click()
    page.get_by_text("Recovery codes left: 10").wait_for()
    log_out(page)
    give_password(page, "ada")
    page.get_by_label("Code of an authenticator app").fill("000000")
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("alert").wait_for()
    page.reload()  # the login goes on where it was
    page.get_by_label("Code of an authenticator app").fill(code_of(secret, used))
    page.get_by_role("button", name="Log in", exact=True).click()
    logged_in(page)
    log_out(page)
    give_password(page, "ada")
    page.get_by_role("button", name="Use another way: Recovery code").click()
    page.get_by_label("Recovery code").fill(codes[0])
    page.get_by_role("button", name="Log in", exact=True).click()
    logged_in(page)


def test_a_passkey_is_made_and_lets_in_alone_and_behind_the_password(
    daemon: Daemon, api: httpx.Client, make_context: Make, axe: Callable[[Page], None]
) -> None:
    user(api, "grace")
    page = at_localhost(daemon, make_context)
    authenticator(page)
    page.goto("/ui/settings/security")
    give_password(page, "grace")
    page.get_by_role("button", name="Create a passkey").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name of the passkey").fill("Laptop")
    dialog.get_by_role("button", name="Create a passkey").click()
    page.get_by_test_id("recovery-codes").wait_for()
    page.get_by_role("button", name="I have kept them").click()
    page.get_by_role("cell", name="Laptop", exact=True).wait_for()
    axe(page)
    log_out(page)
    page.get_by_role("button", name="Log in with a passkey").click()
    logged_in(page)
    log_out(page)
    give_password(page, "grace")
    page.get_by_role("button", name="Use your passkey").click()
    logged_in(page)
    page.goto("/ui/settings/security")
    page.get_by_role("cell", name="password, passkey").wait_for()
    page.get_by_role("button", name="Rename Laptop").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Old laptop")
    page.get_by_role("button", name="Rename", exact=True).click()
    page.get_by_role("button", name="Remove Old laptop").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_text("No passkeys").wait_for()


def test_a_page_at_an_address_says_where_passkeys_are(api: httpx.Client, stranger_page: Page) -> None:
    user(api, "joan")
    page = stranger_page
    page.goto("/ui/settings/security")
    give_password(page, "joan")
    page.get_by_role("button", name="Create a passkey").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Create a passkey").click()
    page.get_by_role("alert").get_by_text("open http://localhost:").wait_for()


def test_a_session_is_ended_from_another_browser(api: httpx.Client, make_context: Make, watched: Watched) -> None:
    user(api, "mary")
    here, there = (make_context(stranger=True).new_page() for _ in range(2))
    for page in (here, there):
        page.goto("/ui/settings/security")
        give_password(page, "mary")
        page.get_by_role("region", name="Sessions").get_by_role("cell", name="(this one)").wait_for()
    here.reload()
    here.get_by_role("button", name="End the session of").click()
    there.get_by_text("Your session has ended").wait_for()
    here.get_by_role("button", name="End the session of").wait_for(state="detached")
    watched.complaints = [told for told in watched.complaints if "HTTP Authentication failed" not in told]


def test_somebody_is_invited_and_chooses_a_name_and_a_password(
    daemon: Daemon, api: httpx.Client, stranger_page: Page, make_context: Make, axe: Callable[[Page], None]
) -> None:
    stranger_page.goto("/ui/settings/users")
    give_password(stranger_page, USERNAME)
    stranger_page.get_by_role("button", name="Invite somebody").click()
    stranger_page.get_by_label("For", exact=True).fill("hedy@example.com")
    stranger_page.get_by_role("button", name="Create the link").click()
    link = stranger_page.get_by_test_id("account-link").inner_text()
    stranger_page.get_by_role("button", name="I have copied it").click()
    stranger_page.get_by_role("cell", name="hedy@example.com", exact=True).wait_for()
    invited = make_context(stranger=True).new_page()
    invited.goto(link)
    invited.get_by_label("User name").fill("hedy")
    for number in range(2):
        invited.locator("input[autocomplete=new-password]").nth(number).fill(NEW)
    axe(invited)
    invited.get_by_role("button", name="Begin", exact=True).click()
    logged_in(invited)
    again = make_context(stranger=True).new_page()
    again.goto(link)
    again.get_by_role("alert").get_by_text("ask an administrator").wait_for()


def test_an_invited_person_takes_a_passkey(daemon: Daemon, api: httpx.Client, make_context: Make) -> None:
    made = api.post("/invitations", json={"role": "viewer"}).raise_for_status().json()
    page = at_localhost(daemon, make_context)
    authenticator(page)
    page.goto("/ui/invitation#" + made["address"].partition("#")[2])
    page.get_by_label("User name").fill("lise")
    page.get_by_role("button", name="Begin with a passkey").click()
    logged_in(page)
    log_out(page)
    page.get_by_role("button", name="Log in with a passkey").click()
    logged_in(page)
