"""Logins of people at a real provider, in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from conftest import People

STRANGER = {"X-Forwarded-For": "203.0.113.9"}
"""With this a request is not of the daemon's own user, for whom no login is needed."""


@pytest.fixture
def page(chromium: Browser, daemon: Daemon) -> Iterator[Page]:
    """A browser of its own each time."""
    context = chromium.new_context(base_url=daemon.base_url, extra_http_headers=STRANGER)
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def staff(people: People) -> None:
    people.write(ada=["staff"], eve=[])


def at_provider(page: Page, name: str) -> None:
    """The provider's own pages: a login, and the consent."""
    page.get_by_placeholder("Enter any login").fill(name)
    page.get_by_placeholder("and password").fill("whatever")
    page.get_by_role("button", name="Sign-in").click()
    page.get_by_role("button", name="Continue").click()


def log_in(page: Page, name: str, button: str = "Company account") -> None:
    page.goto("/")
    page.get_by_role("button", name=button).click()
    at_provider(page, name)


def logged_in(page: Page) -> dict[str, Any]:
    """Who the page is of."""
    page.get_by_role("button", name="Account").wait_for()
    found: dict[str, Any] = session(page)
    return found


def session(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate("fetch('/api/session').then((answer) => answer.json())")
    return dict(found["data"])


def project_of(daemon: Daemon) -> str:
    """`Team A`, made by the owner once."""
    api = daemon.admin()
    found = {each["name"]: each["id"] for each in api.get("/projects").json()["data"]}
    return found.get("Team A") or str(api.post("/projects", json={"name": "Team A"}).json()["id"])


def test_a_person_comes_in_with_role_and_project_and_loses_them_with_the_groups(
    page: Page, chromium: Browser, daemon: Daemon, people: People, staff: None
) -> None:
    team = project_of(daemon)
    log_in(page, "ada")
    user = logged_in(page)["user"]
    assert (user["username"], user["role"]) == ("Ada@corp", "member")
    assert "code=" not in page.url

    def members() -> dict[str, str]:
        rows = daemon.admin().get(f"/projects/{team}/members").json()["data"]
        return {row["username"]: row["role"] for row in rows}

    assert members()["Ada@corp"] == "project:editor"
    people.write(ada=["chiefs"], eve=[])
    with_groups(page)
    assert logged_in(page)["user"]["role"] == "admin"
    assert "Ada@corp" not in members()


def with_groups(page: Page) -> None:
    """Log out here and there, and log in again, for which the provider asks anew."""
    leave(page)
    log_in(page, "ada")


def leave(page: Page) -> None:
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Log out").click()
    page.get_by_role("button", name="Yes, sign me out").click()
    page.get_by_role("button", name="Company account").wait_for()


def test_a_logout_here_is_one_there(page: Page, staff: None) -> None:
    log_in(page, "ada")
    logged_in(page)
    leave(page)
    assert not session(page)["authenticated"]
    page.get_by_role("button", name="Company account").click()
    page.get_by_placeholder("Enter any login").wait_for()  # the provider knows nobody any more


def test_a_logout_there_ends_every_session_here(page: Page, chromium: Browser, daemon: Daemon, staff: None) -> None:
    """The provider tells of it by its back-channel."""
    log_in(page, "ada")
    logged_in(page)
    other = page.context.new_page()
    other.goto(f"{issuer_of(daemon)}/session/end")
    other.get_by_role("button", name="Yes, sign me out").click()
    poll(lambda: None if session(page)["authenticated"] else True, "the session's end")


def issuer_of(daemon: Daemon) -> str:
    line = next(line for line in (daemon.config_dir / "config.toml").read_text().splitlines() if "issuer" in line)
    return line.partition('"')[2].rstrip('"')


def test_who_is_in_no_group_is_told_so_and_no_user_is_made(page: Page, daemon: Daemon, staff: None) -> None:
    log_in(page, "eve")
    page.get_by_text("You are in no group that may use Jackfield.").wait_for()
    users = daemon.admin().get("/users").json()["data"]
    assert "Eve@corp" not in [user["username"] for user in users]


def test_a_person_who_says_no_comes_back_to_the_login(page: Page, staff: None) -> None:
    page.goto("/")
    page.get_by_role("button", name="Company account").click()
    page.get_by_role("link", name="Cancel").click()
    page.get_by_text("The provider did not let you in.").wait_for()
    page.get_by_role("link", name="Back to the login").click()
    page.get_by_role("button", name="Company account").wait_for()


def test_another_provider_links_known_people_by_a_verified_address(page: Page, daemon: Daemon, people: People) -> None:
    people.write(bob=["staff"], eve=["staff"])
    api = daemon.admin()
    created = api.post(
        "/users", json={"username": "bob@example.com", "password": "a password of bob", "role": "member"}
    ).json()
    log_in(page, "bob", "Known people")
    user = logged_in(page)["user"]
    assert (user["id"], user["role"]) == (created["id"], "viewer")


def test_an_answer_of_another_browser_logs_nobody_in(
    page: Page, chromium: Browser, daemon: Daemon, staff: None
) -> None:
    """An attacker's answer in a victim's browser: the attacker's account must not become the victim's session."""
    caught: list[str] = []
    page.on("request", lambda asked: caught.append(asked.url) if "/auth/callback/" in asked.url else None)
    page.goto("/")
    page.get_by_role("button", name="Company account").click()
    page.get_by_placeholder("Enter any login").wait_for()
    page.route("**/api/session", lambda route: route.abort())  # the attacker keeps the answer
    at_provider(page, "ada")
    page.get_by_text("The daemon does not answer.").wait_for()
    victim = chromium.new_context(base_url=daemon.base_url, extra_http_headers=STRANGER)
    try:
        tab = victim.new_page()
        tab.goto(caught[0])
        tab.get_by_text("was not begun in this browser").wait_for()
        assert not session(tab)["authenticated"]
    finally:
        victim.close()


def test_doctor_finds_the_provider(daemon: Daemon) -> None:
    told = [message for subject, message in daemon_doctor(daemon) if subject == "login corp"]
    assert told == [f"{issuer_of(daemon)} answers and takes {daemon.base_url}/auth/callback/corp"]


def daemon_doctor(daemon: Daemon) -> list[tuple[str, str]]:
    program = Path(sys.executable).with_name("jackfield")
    command = [str(program), "doctor", "--json", "--config-dir", str(daemon.config_dir)]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120, env=daemon.environment(), check=False)
    return [(each["subject"], each["message"]) for each in json.loads(made.stdout)]
