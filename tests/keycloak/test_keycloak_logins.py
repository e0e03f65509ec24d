"""Logins of people at Keycloak, in a real browser."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from jackfield.testing.command_logins import begin_login
from jackfield.testing.daemon import Daemon, poll

from ..chaos.faults import Faults
from .server import PERSON_PASSWORD, REALM, Keycloak

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STRANGER = {"X-Forwarded-For": "203.0.113.9"}
"""With this a request is not of the daemon's own user, for whom no login is needed."""
CORP = "Company account"


@pytest.fixture
def page(chromium: Browser, daemon: Daemon, keycloak: Keycloak) -> Iterator[Page]:
    """A browser that nobody knows, and Ada as she was at first."""
    keycloak.change("ada", enabled=True)
    keycloak.roles("ada", "engineering")
    context = chromium.new_context(base_url=daemon.base_url, extra_http_headers=STRANGER)
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def at_keycloak(page: Page, name: str) -> None:
    page.locator("#username").fill(name)
    page.locator("#password").fill(PERSON_PASSWORD)
    page.locator("#kc-login").click()


def log_in(page: Page, name: str, button: str = CORP) -> None:
    page.goto("/")
    page.get_by_role("button", name=button).click()
    at_keycloak(page, name)


def logged_in(page: Page) -> dict[str, Any]:
    """Who the page is of."""
    page.get_by_role("button", name="Account").wait_for()
    user: dict[str, Any] = session(page)["user"]
    return user


def session(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate("fetch('/api/session').then((answer) => answer.json())")
    return dict(found["data"])


def leave(page: Page) -> None:
    """Log out here, and there after its question."""
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Log out").click()
    page.locator("#kc-logout").click()
    page.get_by_role("button", name=CORP).wait_for()


def members(daemon: Daemon) -> dict[str, str]:
    api = daemon.admin()
    team = next(each["id"] for each in api.get("/projects").json()["data"] if each["name"] == "Team A")
    return {row["username"]: row["role"] for row in api.get(f"/projects/{team}/members").json()["data"]}


def doctor(daemon: Daemon) -> dict[str, str]:
    argv = [daemon.command()[0], "doctor", "--json", "--config-dir", str(daemon.config_dir)]
    made = subprocess.run(argv, capture_output=True, text=True, timeout=120, env=daemon.environment(), check=False)
    return {each["subject"]: each["message"] for each in json.loads(made.stdout)}


def test_roles_of_the_realm_give_role_and_project_and_are_lost_at_the_next_login(
    page: Page, daemon: Daemon, keycloak: Keycloak
) -> None:
    log_in(page, "ada")
    user = logged_in(page)
    assert (user["username"], user["role"]) == ("Ada Example@corp", "member")
    assert "code=" not in page.url
    assert members(daemon)["Ada Example@corp"] == "project:editor"
    keycloak.roles("ada", "jackfield-admins")
    leave(page)
    log_in(page, "ada")
    assert logged_in(page)["role"] == "admin"
    assert "Ada Example@corp" not in members(daemon)
    keycloak.roles("ada")
    leave(page)
    log_in(page, "ada")
    page.get_by_text("You are in no group that may use Jackfield.").wait_for()
    found = {each["username"]: each for each in daemon.admin().get("/users").json()["data"]}
    assert found["Ada Example@corp"]["disabled"]


@pytest.mark.parametrize(
    ("button", "name", "role"),
    [("Roles of the client", "by-client", "viewer"), ("Groups alone", "by-group", "member")],
)
def test_roles_of_the_client_and_paths_of_groups_count(page: Page, button: str, name: str, role: str) -> None:
    log_in(page, "ada", button)
    user = logged_in(page)
    assert (user["username"], user["role"]) == (f"Ada Example@{name}", role)


def test_two_mappers_of_one_claim_give_roles_and_groups(page: Page, keycloak: Keycloak, daemon: Daemon) -> None:
    """As the page says of `groups`."""
    path = f"/{REALM}/clients/{keycloak.client['id']}/protocol-mappers/models"
    mapper = next(each for each in keycloak.ask("GET", path) if each["name"] == "realm roles")
    joined = mapper | {"config": mapper["config"] | {"claim.name": "groups"}}
    keycloak.ask("PUT", f"{path}/{mapper['id']}", joined)
    try:
        claims = keycloak.ask(
            "GET",
            f"/{REALM}/clients/{keycloak.client['id']}/evaluate-scopes/generate-example-id-token"
            f"?scope=openid&userId={keycloak.user('ada')}",
        )
        assert {"/team-a", "engineering"} <= set(claims["groups"])
    finally:
        keycloak.ask("PUT", f"{path}/{mapper['id']}", mapper)


def test_a_person_without_a_role_is_told_so_and_no_user_is_made(page: Page, daemon: Daemon) -> None:
    log_in(page, "eve")
    page.get_by_text("You are in no group that may use Jackfield.").wait_for()
    assert "Eve Example@corp" not in [user["username"] for user in daemon.admin().get("/users").json()["data"]]


def test_a_person_disabled_there_keeps_the_session_until_it_is_ended_there(
    page: Page, chromium: Browser, daemon: Daemon, keycloak: Keycloak
) -> None:
    log_in(page, "ada")
    logged_in(page)
    keycloak.change("ada", enabled=False)
    assert session(page)["authenticated"]
    keycloak.end_sessions("ada")  # by the back-channel
    poll(lambda: None if session(page)["authenticated"] else True, "the session's end")
    log_in(page, "ada")
    page.get_by_text("Account is disabled").wait_for()


def test_a_logout_here_is_one_there(page: Page) -> None:
    log_in(page, "ada")
    logged_in(page)
    leave(page)
    assert not session(page)["authenticated"]
    page.get_by_role("button", name=CORP).click()
    page.locator("#username").wait_for()  # Keycloak knows nobody any more


def test_keys_that_rotate_are_asked_for_anew(page: Page, keycloak: Keycloak) -> None:
    log_in(page, "ada")
    logged_in(page)
    keycloak.rotate_keys(200)
    leave(page)
    log_in(page, "ada")
    assert logged_in(page)["username"] == "Ada Example@corp"


def test_another_clock_counts_within_the_leeway_alone(page: Page, daemon: Daemon, faults: Faults) -> None:
    """Keycloak's tokens live for 300 s and the leeway is 30 s."""
    for seconds, refused in ((20.0, ""), (400.0, "it has expired"), (-20.0, ""), (-90.0, "its iat is to come")):
        faults.clock(seconds)
        try:
            log_in(page, "ada")
            if refused:
                page.get_by_text("The provider's token is not valid").wait_for()
                assert refused in daemon.tail()
            else:
                assert logged_in(page)["username"] == "Ada Example@corp"
        finally:
            faults.end()
        page.context.clear_cookies()


def test_a_code_without_its_verifier_gets_nothing(page: Page, daemon: Daemon, keycloak: Keycloak) -> None:
    """Keycloak insists on PKCE, as the recipe has it."""
    secret = (daemon.config_dir / "oidc-corp.secret").read_text().strip()
    page.goto("/")
    page.get_by_role("button", name=CORP).click()
    page.locator("#username").wait_for()
    page.route("**/api/session", lambda route: route.abort())  # the code stays unused
    with page.expect_request(lambda asked: "/auth/callback/" in asked.url) as answer:
        at_keycloak(page, "ada")
    form = {
        "grant_type": "authorization_code",
        "code": parse_qs(urlsplit(answer.value.url).query)["code"][0],
        "redirect_uri": f"{daemon.base_url}/auth/callback/corp",
    }
    reply = page.request.post(
        f"{keycloak.issuer}/protocol/openid-connect/token",
        form={**form, "client_id": "jackfield", "client_secret": secret},
    )
    assert (reply.status, reply.json()["error_description"]) == (400, "PKCE code verifier not specified")


def test_doctor_knows_the_right_issuer_from_the_wrong(page: Page, daemon: Daemon, keycloak: Keycloak) -> None:
    found = doctor(daemon)
    assert found["login corp"] == f"{keycloak.issuer} answers and takes {daemon.base_url}/auth/callback/corp"
    assert "calls itself by another issuer" in found["login elsewhere"]
    page.goto("/")
    page.get_by_role("button", name="Another issuer").click()
    page.get_by_text("calls itself by another issuer").wait_for()


def test_a_command_logs_in(page: Page, daemon: Daemon, tmp_path: Path) -> None:
    process, address = begin_login(daemon, tmp_path, "laptop")
    page.goto(address)
    page.get_by_text("Log in to decide about this command.").wait_for()
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Log in").click()
    opened.value.get_by_role("button", name=CORP).click()
    at_keycloak(opened.value, "ada")
    page.get_by_text("Ada Example@corp", exact=True).wait_for()
    page.get_by_role("button", name="Allow").click()
    page.get_by_text("go on in the terminal").wait_for()
    out, _ = process.communicate(timeout=30)
    assert json.loads(out)["username"] == "Ada Example@corp"
    env = {key: text for key, text in os.environ.items() if not key.startswith("JACKFIELD_")}
    env["JACKFIELD_CONFIG_DIR"] = str(tmp_path / "mine")
    for command in (["workflow", "list"], ["logout"]):
        argv = [daemon.command()[0], *command, "--url", daemon.base_url, "--json"]
        done = subprocess.run(argv, env=env, text=True, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
