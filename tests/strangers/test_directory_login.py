"""Users of a stranger's directory: tokens, keys and sessions like everybody's, and no way into anybody else's."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon

Strangers = Callable[..., Daemon]
RIGHT = "of the directory"
SETTINGS = """
[directory_login]
title = "Company"
admin_groups = ["operators"]
member_groups = ["staff"]

[security.login]
failures = 3

[security.basic_auth]
enabled = true
"""


def hashed(password: str) -> str:
    digest = hashlib.scrypt(password.encode(), salt=b"salt", n=1 << 14, r=8, p=1)
    return f"{{SCRYPT}}{b64encode(b'salt').decode()}${b64encode(digest).decode()}"


def person(uid: str, uuid: str, *groups: str, name: str | None = None) -> dict[str, object]:
    return {"uid": uid, "entryUUID": uuid, "cn": name or uid, "memberOf": groups, "userPassword": hashed(RIGHT)}


class Company:
    """The daemon and its directory."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.has(person("ada", "u-1", "staff", name="Ada"), person("admin", "u-2", "staff"), person("eve", "u-3"))

    def has(self, *people: dict[str, object]) -> None:
        (self.daemon.config_dir / "people.json").write_text(json.dumps(people))

    def login(self, name: str = "ada", password: str = RIGHT, provider: str | None = "directory") -> httpx.Response:
        body = {"username": name, "password": password, **({"provider": provider} if provider is not None else {})}
        return self.daemon.client().post("/api/v1/auth/login", json=body)

    def by(self, **headers: str) -> httpx.Client:
        client = self.daemon.client(headers=headers)
        client.base_url = httpx.URL(f"{self.daemon.base_url}/api/v1")
        return client

    def token(self, name: str = "ada") -> str:
        answer = self.login(name)
        assert answer.status_code == 200, answer.text
        return f"Bearer {answer.json()['token']}"

    def users(self) -> dict[str, dict[str, Any]]:
        return {user["username"]: user for user in self.daemon.admin().get("/users").json()["data"]}


@pytest.fixture(scope="module")
def lasting(install: Callable[..., dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """One for tests that leave nothing behind."""
    daemon = Daemon(tmp_path_factory.mktemp("company"), settings=SETTINGS, env=install("directory-login"))
    yield Company(daemon.start())
    daemon.close()


@pytest.fixture
def company(strangers: Strangers) -> Company:
    return Company(strangers("directory-login", settings=SETTINGS))


def test_the_ways_to_log_in_are_listed(lasting: Company) -> None:
    client = lasting.daemon.client()
    expected = [("local", "password"), ("directory", "password")]
    listed = client.get("/api/v1/auth/logins").json()["data"]
    assert [(one["name"], one["kind"]) for one in listed] == expected
    shown = client.get("/api/session").json()["data"]["logins"]
    assert [(one["name"], one["kind"]) for one in shown] == expected
    assert shown[1]["title"] == "Company"


def test_tokens_keys_and_sessions_work_as_for_everybody(company: Company) -> None:
    api = company.by(Authorization=company.token())
    me = api.get("/auth/me").json()
    assert (me["username"], me["role"], me["method"]) == ("Ada@directory", "member", "jwt")
    key = api.post("/api-keys", json={"name": "ci"}).json()["key"]
    assert company.by(**{"X-API-Key": key}).get("/auth/me").json()["id"] == me["id"]
    assert api.post("/auth/refresh").status_code == 200

    browser = company.daemon.client(headers={"Origin": company.daemon.base_url})
    begun = browser.post("/api/session", json={"username": "ada", "password": RIGHT, "provider": "directory"})
    assert begun.json()["data"]["user"]["id"] == me["id"]
    assert browser.get("/api/v1/auth/me").json()["method"] == "session"
    assert browser.post("/api/v1/api-keys", json={"name": "second"}).status_code == 201
    assert api.get("/users").status_code == 401  # the refreshed token
    assert browser.get("/api/v1/users").status_code == 403


def test_a_name_is_no_way_into_a_local_user(company: Company) -> None:
    answer = company.login("admin").json()
    assert (answer["user"]["username"], answer["user"]["role"]) == ("admin@directory", "member")
    users = company.users()
    assert users["admin"]["id"] != users["admin@directory"]["id"]
    assert (users["admin"]["role"], "provider" in users["admin"]) == ("admin", False)
    assert company.login("admin", RIGHT, None).status_code == 401
    assert company.login("admin", PASSWORD).status_code == 401
    for password in (RIGHT, "the password of no user"):
        assert company.login("admin@directory", password, None).status_code == 401
    basic = httpx.BasicAuth("admin@directory", RIGHT)
    assert company.daemon.client(auth=basic).get("/api/v1/auth/me").status_code == 401


def test_a_user_is_the_subject_and_not_the_name(company: Company) -> None:
    first = company.login().json()["user"]["id"]
    company.has(person("ada.lovelace", "u-1", "staff"), person("ada", "u-9", "staff"))
    assert company.login("ada.lovelace").json()["user"]["id"] == first
    assert company.login("ada").json()["user"]["id"] != first


def test_guesses_at_the_directory_and_at_our_users_are_counted_apart(company: Company) -> None:
    guesses = [company.login(USERNAME, "guess", None).status_code for _ in range(2)]
    assert company.login("admin").status_code == 200
    guesses += [company.login(USERNAME, "guess", None).status_code for _ in range(2)]
    assert guesses == [401, 401, 401, 429]
    assert company.login(USERNAME, PASSWORD, None).status_code == 429
    assert company.login("admin").status_code == 200


def test_spellings_of_one_name_are_one_name(company: Company) -> None:
    spellings = ["ADA", " ada ", "Ada", "ada"]
    assert [company.login(name, "guess").status_code for name in spellings] == [401, 401, 401, 429]
    refused = company.login("ada")
    assert (refused.status_code, int(refused.headers["retry-after"]) > 0) == (429, True)


@pytest.mark.parametrize(
    ("name", "password", "provider", "status"),
    [
        ("ada", "", "directory", 401),
        ("", RIGHT, "directory", 401),
        ("nobody", RIGHT, "directory", 401),
        ("eve", RIGHT, "directory", 401),
        ("ada", RIGHT, "elsewhere", 400),
        ("ada", RIGHT, "local", 401),
        ("ada", RIGHT, "", 400),
        ("ada", RIGHT, "x" * 33, 400),
    ],
)
def test_what_does_not_fit_lets_nobody_in(
    lasting: Company, name: str, password: str, provider: str, status: int
) -> None:
    assert lasting.login(name, password, provider).status_code == status
    assert set(lasting.users()) == {"admin"}


def test_a_disabled_user_is_out_at_once_whatever_the_directory_says(company: Company) -> None:
    api = company.by(Authorization=company.token())
    key = company.by(**{"X-API-Key": api.post("/api-keys", json={"name": "ci"}).json()["key"]})
    browser = company.daemon.client(headers={"Origin": company.daemon.base_url})
    browser.post("/api/session", json={"username": "ada", "password": RIGHT, "provider": "directory"})
    admin = company.daemon.admin()
    ident = company.users()["Ada@directory"]["id"]
    assert admin.patch(f"/users/{ident}", json={"disabled": True}).json()["disabled"] is True
    assert api.get("/auth/me").status_code == 401
    assert key.get("/auth/me").status_code == 401
    assert browser.get("/api/v1/auth/me").status_code == 401
    refused = company.login()
    assert (refused.status_code, refused.json()["code"]) == (403, "USER_DISABLED")
    assert company.login("ada", "guess").status_code == 401
    admin.patch(f"/users/{ident}", json={"disabled": False})
    assert api.get("/auth/me").status_code == 401
    assert key.get("/auth/me").status_code == 200
    assert company.login().json()["user"]["id"] == ident


def test_what_the_directory_decides_is_changed_there(company: Company) -> None:
    old = company.by(Authorization=company.token())
    admin = company.daemon.admin()
    ident = company.users()["Ada@directory"]["id"]
    for change in ({"role": "admin"}, {"password": "a password of our own"}):
        assert admin.patch(f"/users/{ident}", json=change).status_code == 409
    body = {"current": RIGHT, "new": "a password of our own"}
    assert old.post("/auth/password", json=body).status_code == 409
    company.has(person("ada", "u-1", "operators"))
    assert company.login().json()["user"] == {"id": ident, "username": "Ada@directory", "role": "admin"}
    assert old.get("/auth/me").status_code == 401


def test_a_directory_that_does_not_answer_is_no_guess(company: Company) -> None:
    (company.daemon.config_dir / "people.json").write_text("{")
    assert [company.login().status_code for _ in range(5)] == [502] * 5
    company.has(person("ada", "u-1", "staff"))
    assert company.login().status_code == 200
