"""Settings: users, API keys, MCP clients, credentials, variables, one's own password."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from samples import MARKUP, confirmed, fits, nothing_executed

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

SECRET = "the-secret-of-the-shop"
OTHER = "another-long-password"


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def log_in(page: Page, username: str = USERNAME, password: str = PASSWORD) -> None:
    form = page.locator("form").filter(has=page.get_by_label("User name"))
    form.get_by_label("User name").fill(username)
    form.locator("input[autocomplete=current-password]").fill(password)
    form.get_by_role("button", name="Log in", exact=True).click()
    form.wait_for(state="detached")


def add_user(api: httpx.Client, name: str, role: str) -> None:
    assert api.post("/users", json={"username": name, "password": PASSWORD, "role": role}).status_code == 201


def test_an_api_key_is_shown_once(stranger_page: Page, daemon: Daemon) -> None:
    page = stranger_page
    page.goto("/ui/settings/api-keys?new")
    log_in(page)
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Continuous integration")
    dialog.get_by_role("button", name="Create the key").click()
    shown = dialog.get_by_test_id("api-key")
    shown.wait_for()
    key = shown.inner_text()
    headers = {"X-API-Key": key}
    address = f"{daemon.base_url}/api/v1/workflows"
    assert httpx.get(address, headers=headers, trust_env=False).status_code == httpx.codes.OK
    dialog.get_by_role("button", name="I have copied it").click()
    shown.wait_for(state="detached")
    row = page.get_by_role("row", name=re.compile("Continuous integration"))
    row.get_by_text("workflows:read executions:read").wait_for()
    assert key not in page.content()
    page.reload()
    row.wait_for()
    assert key not in page.content()
    page.get_by_role("button", name="Revoke Continuous integration").click()
    confirmed(page, "Revoke")
    page.get_by_text("No API keys").wait_for()
    assert httpx.get(address, headers=headers, trust_env=False).status_code == httpx.codes.UNAUTHORIZED


def test_an_mcp_client_is_listed_and_revoked(page: Page, daemon: Daemon) -> None:
    token = let_in(daemon, "Pottery agent")
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {
        "Authorization": f"Bearer {token}", "Via": "1.1 elsewhere", "Accept": "application/json, text/event-stream",
    }  # fmt: skip

    def status() -> int:
        return httpx.post(f"{daemon.base_url}/mcp", json=listing, headers=headers, trust_env=False).status_code

    assert status() == httpx.codes.OK
    page.goto("/ui/settings/mcp-clients")
    row = page.get_by_role("row", name=re.compile("Pottery agent"))
    row.get_by_text("workflows:read").wait_for()
    page.get_by_role("button", name="Revoke Pottery agent").click()
    confirmed(page, "Revoke")
    page.get_by_text("No MCP clients").wait_for()
    assert status() == httpx.codes.UNAUTHORIZED


def let_in(daemon: Daemon, name: str) -> str:
    """What a client and a browser do until the client has a token: the token."""
    pytest.importorskip("mcp")
    away, api, verifier = daemon.client(), daemon.admin(), "v" * 43
    redirect = "http://127.0.0.1:3999/callback"
    registration = {"redirect_uris": [redirect], "client_name": name}
    client = away.post("/oauth/register", json=registration).raise_for_status().json()["client_id"]
    digest = hashlib.sha256(verifier.encode()).digest()
    asked = {
        "response_type": "code",
        "client_id": client,
        "redirect_uri": redirect,
        "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
        "code_challenge_method": "S256",
        "scope": "workflows:read",
        "resource": f"{daemon.base_url}/mcp",
        "state": "s",
    }
    consent = away.get("/oauth/authorize", params=asked, headers={"Via": "1.1 elsewhere"}).headers["location"]
    request = parse_qs(urlsplit(consent).query)["request"][0]
    answer = api.post(f"/mcp/authorizations/{request}", json={"allow": True, "scopes": ["workflows:read"]})
    code = parse_qs(urlsplit(answer.raise_for_status().json()["redirect"]).query)["code"][0]
    body = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client,
        "redirect_uri": redirect,
        "code_verifier": verifier,
        "resource": f"{daemon.base_url}/mcp",
    }
    return str(away.post("/oauth/token", data=body).raise_for_status().json()["access_token"])


def test_a_virtual_key_is_shown_once_replaced_and_revoked(page: Page, daemon: Daemon) -> None:
    page.goto("/ui/settings/virtual-keys?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Label").fill("Reports")
    dialog.get_by_label("US dollars a month").fill("20")
    dialog.get_by_role("button", name="Create the key").click()
    shown = dialog.get_by_test_id("virtual-key")
    shown.wait_for()
    key = shown.inner_text()
    assert key.startswith("jf_vk_")
    dialog.get_by_role("button", name="I have copied it").click()
    shown.wait_for(state="detached")
    row = page.get_by_role("row", name=re.compile("Reports"))
    row.get_by_text("US$0.00 of US$20.00 a month").wait_for()
    assert key not in page.content()
    page.get_by_role("button", name="New secret for Reports").click()
    confirmed(page, "New secret")
    page.get_by_test_id("virtual-key").wait_for()
    assert page.get_by_test_id("virtual-key").inner_text() != key
    page.get_by_role("button", name="I have copied it").click()
    page.get_by_role("button", name="Revoke Reports").click()
    confirmed(page, "Revoke")
    page.get_by_text("No virtual keys").wait_for()
    with daemon.client() as client:
        (kept,) = client.get("/api/gateway/keys?revoked=true").json()["data"]
    assert (kept["label"], kept["status"]) == ("Reports", "revoked")


def test_the_owner_learns_what_its_session_cannot_do(page: Page) -> None:
    page.goto("/ui/settings")
    page.get_by_text("There is no password to change").wait_for()
    page.get_by_role("tab", name="API keys").click()
    page.get_by_text("API keys belong to users").wait_for()


def test_a_variable_is_made_changed_and_deleted(page: Page, api: httpx.Client) -> None:
    page.goto("/ui/settings/variables")
    page.get_by_role("button", name="New variable").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("not a name")
    dialog.get_by_role("button", name="Create").click()
    dialog.locator(".mantine-InputWrapper-error").wait_for()
    dialog.get_by_label("Name").fill("region")
    dialog.get_by_label("Value").fill(MARKUP)
    dialog.get_by_role("button", name="Create").click()
    table = page.get_by_role("table", name="Variables")
    table.get_by_text(MARKUP).wait_for()
    page.get_by_role("button", name="Edit region").click()
    dialog.get_by_label("Value").fill("eu-west")
    dialog.get_by_role("button", name="Save").click()
    table.get_by_text("eu-west").wait_for()
    assert api.get("/variables").json()["data"][0]["value"] == "eu-west"
    page.get_by_role("button", name="Delete region").click()
    confirmed(page, "Delete")
    page.get_by_text("No variables").wait_for()
    nothing_executed(page)


def test_a_credentials_secret_goes_in_and_never_comes_out(page: Page, api: httpx.Client) -> None:
    page.goto("/ui/settings/credentials?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Kind").fill("httpHeaderAuth")
    page.get_by_role("option", name=re.compile("httpHeaderAuth")).click()
    dialog.get_by_role("textbox", name="Name").first.fill(MARKUP)
    dialog.locator("input[type=password]").fill(SECRET)
    dialog.get_by_role("button", name="Create").click()
    page.get_by_role("row", name=MARKUP).wait_for()
    dialog.wait_for(state="detached")  # what was typed is in its field until then
    assert SECRET not in page.content()

    page.get_by_role("button", name=f"Actions for {MARKUP}").click()
    page.get_by_role("menuitem", name="Edit").click()
    dialog.get_by_role("switch", name="Replace the values").check()
    field = dialog.locator("input[type=password]")
    field.wait_for()
    assert field.input_value() == ""
    assert SECRET not in page.content()
    dialog.get_by_role("button", name="Cancel").click()

    page.get_by_role("button", name=f"Actions for {MARKUP}").click()
    page.get_by_role("menuitem", name="Test").click()
    dialog.get_by_role("button", name="Test", exact=True).click()
    dialog.get_by_role("status").wait_for()
    assert SECRET not in page.content()
    page.keyboard.press("Escape")

    page.get_by_role("button", name=f"Actions for {MARKUP}").click()
    page.get_by_role("menuitem", name="Delete").click()
    confirmed(page, "Delete")
    poll(lambda: api.get("/credentials").json()["total"] == 0, "the credential is deleted")
    nothing_executed(page)


def test_an_oauth_credential_is_connected_in_a_window_of_its_own(page: Page, api: httpx.Client, daemon: Daemon) -> None:
    values = {
        "authUrl": f"{daemon.base_url}/health",
        "accessTokenUrl": f"{daemon.base_url}/health",
        "clientId": "client",
        "clientSecret": SECRET,
    }
    made = api.post("/credentials", json={"name": "Calendar", "kind": "oAuth2Api", "values": values})
    page.goto("/ui/settings/credentials")
    page.get_by_text("Not connected").wait_for()
    page.get_by_role("button", name="Actions for Calendar").click()
    page.get_by_role("menuitem", name="Connect").click()
    dialog = page.get_by_role("dialog")
    with page.context.expect_page() as opened:
        dialog.get_by_role("button", name="Connect", exact=True).click()
    opened.value.wait_for_url(re.compile(r"/health\?.*client_id=client"))
    dialog.get_by_text("oauth2-credential/callback").wait_for()
    opened.value.close()
    api.delete(f"/credentials/{made.json()['id']}")


def test_users_are_added_changed_and_deleted(page: Page, daemon: Daemon) -> None:
    page.goto("/ui/settings/users")
    page.get_by_role("button", name="Add a user").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("User name").fill("grace")
    dialog.locator("input[type=password]").fill("short")
    dialog.get_by_role("button", name="Add the user").click()
    dialog.locator(".mantine-InputWrapper-error").wait_for()
    dialog.locator("input[type=password]").fill(PASSWORD)
    dialog.get_by_role("button", name="Add the user").click()
    page.get_by_role("row", name=re.compile("grace")).wait_for()
    page.get_by_role("combobox", name="Role of grace").click()
    page.get_by_role("option", name=re.compile("Viewer")).click()
    confirmed(page, "Change the role")
    login = {"username": "grace", "password": PASSWORD}
    address = f"{daemon.base_url}/api/v1/auth/login"

    def role() -> object:
        return httpx.post(address, json=login, trust_env=False).json().get("user", {}).get("role")

    poll(lambda: role() == "viewer", "the role is changed")
    page.get_by_role("button", name="Actions for grace").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_label("Type “grace” to confirm").fill("grace")
    confirmed(page, "Delete")
    page.get_by_role("row", name=re.compile("grace")).wait_for(state="detached")


def test_ones_own_password_is_changed(stranger_page: Page, api: httpx.Client) -> None:
    add_user(api, "linus", "member")
    page = stranger_page
    page.goto("/ui/settings")
    log_in(page, "linus")
    section = page.get_by_role("region", name="Password")
    for place, password in enumerate((PASSWORD, OTHER, OTHER)):
        section.locator("input").nth(place).fill(password)
    section.get_by_role("button", name="Change the password").click()
    page.get_by_label("User name").wait_for()
    assert OTHER not in page.content()
    log_in(page, "linus", OTHER)
    section.wait_for()


def test_a_viewer_is_told_why_there_is_nothing_to_do(stranger_page: Page, api: httpx.Client) -> None:
    add_user(api, "vera", "viewer")
    page = stranger_page
    page.goto("/ui/settings/users")
    log_in(page, "vera")
    page.get_by_text("Only administrators manage users").wait_for()
    page.get_by_role("tab", name="Credentials").click()
    page.get_by_text("Viewers cannot see credentials").wait_for()
    page.goto("/ui/logs")
    page.get_by_text("Only administrators see the log").wait_for()


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "desktop"), ("dark", "phone")])
def test_the_sections_are_accessible(
    make_context: Callable[..., BrowserContext],
    axe: Callable[[Page], None],
    api: httpx.Client,
    scheme: str,
    viewport: str,
) -> None:
    api.post("/variables", json={"key": f"at_{scheme}", "value": MARKUP})
    page = make_context(stranger=True, scheme=scheme, viewport=viewport).new_page()
    page.goto("/ui/settings")
    log_in(page)
    for section in (
        "Account",
        "Users",
        "API keys",
        "MCP clients",
        "Virtual keys",
        "Credentials",
        "Variables",
        "Source control",
    ):
        page.get_by_role("tab", name=section).click()
        loading = page.get_by_role("tabpanel").locator("table[aria-busy=true], .mantine-Loader-root")
        poll(lambda busy=loading: busy.count() == 0, "the section is loaded")
        axe(page)
        fits(page)
    for address in ("api-keys?new", "virtual-keys?new", "credentials?new", "variables?new"):
        page.goto(f"/ui/settings/{address}")
        page.get_by_role("dialog").wait_for()
        axe(page)
    nothing_executed(page)
