"""`jackfield login`: a command gets an API key through the browser, or by a code, and gives it back."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from jackfield.testing.daemon import PASSWORD, USERNAME, Daemon, poll

LIMITS = "[security.command_logins]\ninterval = 1\nattempts = 1000\n[security.login]\nfailures = 5\n"
CLIENT = {"client_id": "jackfield-cli"}
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Shell:
    """Commands of somebody at another machine: a configuration directory of their own, and a browser that only notes
    the address."""

    def __init__(self, daemon: Daemon, directory: Path) -> None:
        self.daemon, self.config_dir = daemon, directory / "mine"
        self.seen = directory / "seen"
        script = directory / "browser"
        script.write_text(f'#!/bin/sh\nprintf %s "$1" > {self.seen}.new && mv {self.seen}.new {self.seen}\n')
        script.chmod(0o700)
        self.env = {name: text for name, text in os.environ.items() if not name.startswith("JACKFIELD_")}
        self.env |= {"JACKFIELD_CONFIG_DIR": str(self.config_dir), "BROWSER": f"{script} %s"}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        argv = [self.daemon.command()[0], *arguments, "--url", self.daemon.base_url, "--json"]
        return subprocess.Popen(argv, env=self.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments: str, code: int = 0) -> Any:
        return ended(self.start(*arguments), code)

    def page(self) -> str:
        """The name of the request on the page that the browser was told to open."""
        address = poll(lambda: self.seen.read_text() if self.seen.exists() else "", "the browser is opened")
        self.seen.unlink()
        parts = urlsplit(address)
        assert (parts.path, parts.query) == ("/auth/command", "")
        return parts.fragment

    def kept(self) -> list[Path]:
        return sorted((self.config_dir / "daemon-logins").glob("*.json"))


def ended(process: subprocess.Popen[str], code: int = 0) -> Any:
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, (out, err)
    return json.loads(out) if code == 0 else json.loads(err.splitlines()[-1])["error"]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("command-login"), settings=LIMITS)
    try:
        yield daemon.start()
    finally:
        daemon.close()


@pytest.fixture
def shell(daemon: Daemon, tmp_path: Path) -> Shell:
    return Shell(daemon, tmp_path)


def person(daemon: Daemon, name: str = USERNAME) -> httpx.Client:
    """A browser with a session; whoever passes on its requests is not known by the process."""
    client = daemon.client(headers={"Origin": daemon.base_url, "X-Forwarded-For": "203.0.113.9"})
    client.post("/api/session", json={"username": name, "password": PASSWORD}).raise_for_status()
    client.base_url = httpx.URL(f"{daemon.base_url}/api/v1/auth/command-logins")
    return client


def decided(daemon: Daemon, shell: Shell, *, allow: bool) -> str:
    """The address to which the browser goes."""
    request, browser = shell.page(), person(daemon)
    shown = browser.get(f"/{request}").raise_for_status().json()
    assert (shown["name"], shown["username"], shown["scopes"], shown["users"]) == ("laptop", USERNAME, [], [])
    redirect = browser.post(f"/{request}", json={"allow": allow}).raise_for_status().json()["redirect"]
    assert browser.post(f"/{request}", json={"allow": True}).status_code == 404, "it is decided once"
    return str(redirect)


def test_a_redirect_gives_a_key_and_a_code_replaces_it_until_the_logout(daemon: Daemon, shell: Shell) -> None:
    under_way = shell.start("login", "--name", "laptop")
    redirect = decided(daemon, shell, allow=True)
    where = urlsplit(redirect)
    told = parse_qs(where.query)
    forged = f"http://{where.netloc}/callback?{urlencode({'code': 'jf_cc_x', 'state': 'another'})}"
    assert httpx.get(forged).status_code == 404, "a stranger's request ends nothing"
    assert told["state"][0] not in httpx.get(redirect).raise_for_status().text
    made = ended(under_way)
    assert (made["username"], made["address"]) == (USERNAME, daemon.base_url)
    (file,) = shell.kept()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    (key,) = [one for one in daemon.admin().get("/api-keys").json()["data"] if one["id"] == made["keyId"]]
    assert (key["name"], key["expiresAt"]) == ("Command line at laptop", made["expiresAt"])
    acts = daemon.admin().get("/audit", params={"act": "api-key.create"}).raise_for_status().json()["data"]
    assert any(act["subject"] == made["keyId"] and act["actor"]["method"] == "command_login" for act in acts)
    first = json.loads(file.read_text())["key"]

    under_way = shell.start("login", "--device", "--scope", "workflows:read")
    assert under_way.stderr is not None
    line = under_way.stderr.readline()
    assert f"{daemon.base_url}/auth/command " in line
    typed = line.split()[-1].lower().replace("-", " ")
    assert person(daemon).get(f"/{typed}").raise_for_status().json()["scopes"] == ["workflows:read"]
    assert "redirect" not in person(daemon).post(f"/{typed}", json={"allow": True}).raise_for_status().json()
    second = ended(under_way)["keyId"]
    have = {one["id"]: one["scopes"] for one in daemon.admin().get("/api-keys").json()["data"]}
    assert made["keyId"] not in have
    assert have[second] == ["workflows:read"]
    assert daemon.client(headers={"X-API-Key": first}).get("/api/v1/workflows").status_code == 401

    assert isinstance(shell.run("workflow", "list"), list)
    text = json.loads(file.read_text())["key"]
    assert shell.run("logout")["keyId"] == second
    assert not shell.kept()
    assert daemon.client(headers={"X-API-Key": text}).get("/api/v1/workflows").status_code == 401
    logged = "".join(path.read_text() for path in (daemon.config_dir / "logs").glob("*.log*"))
    assert second in logged
    assert [secret for secret in (first, text, told["code"][0], told["state"][0]) if secret in logged] == []


def test_the_person_refuses(daemon: Daemon, shell: Shell) -> None:
    under_way = shell.start("login", "--name", "laptop")
    httpx.get(decided(daemon, shell, allow=False))
    assert ended(under_way, 1)["code"] == "ACCESS_DENIED"
    assert not shell.kept()


class Asking:
    """A command that speaks the protocol itself."""

    def __init__(self, daemon: Daemon) -> None:
        self.client = daemon.client(headers={"Via": "1.1 elsewhere"})

    def post(self, path: str, **form: str) -> httpx.Response:
        return self.client.post(f"/auth/command/{path}", data={**CLIENT, **form})

    def refused(self, path: str, error: str, **form: str) -> None:
        answer = self.post(path, **form)
        assert (answer.status_code, answer.json()["error"]) == (400, error), answer.text


def test_a_code_is_worth_nothing_without_the_proof(daemon: Daemon) -> None:
    asking, browser = Asking(daemon), person(daemon)
    where = {"redirect_uri": "http://127.0.0.1:4000/callback"}
    proof = {"response_type": "code", "code_challenge": "c" * 43, "code_challenge_method": "S256", "state": "s"}
    begun = asking.post("request", **proof, **where)
    assert begun.status_code == 201
    redirect = browser.post(f"/{begun.json()['request_uri']}", json={"allow": True}).json()["redirect"]
    (code,) = parse_qs(urlsplit(redirect).query)["code"]
    stolen = {"grant_type": "authorization_code", "code": code, "code_verifier": "guessed", **where}
    asking.refused("token", "invalid_grant", **stolen)
    for wrong in ("http://127.0.0.1:4000/other", "http://localhost:4000/callback", "http://example.com/callback", ""):
        asking.refused("request", "invalid_request", **proof, redirect_uri=wrong)
    asking.refused("request", "invalid_request", **{**proof, "code_challenge_method": "plain"}, **where)
    asking.refused("device", "invalid_scope", scope="moon:write")
    asking.refused("token", "unsupported_grant_type", grant_type="password")
    assert asking.client.post("/auth/command/device", data={}).json()["error"] == "invalid_client"
    assert asking.client.get("/auth/command/device").status_code == 405
    page = asking.client.get("/auth/command")
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize("header", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_a_page_uses_up_no_place_of_a_command(daemon: Daemon, header: dict[str, str]) -> None:
    answer = daemon.client().post("/auth/command/device", data=CLIENT, headers=header)
    assert (answer.status_code, "user_code" in answer.text) == (403, False)


@pytest.mark.parametrize("header", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_a_page_of_another_site_decides_nothing(daemon: Daemon, header: dict[str, str]) -> None:
    browser, code = person(daemon), Asking(daemon).post("device").json()["user_code"]
    assert browser.post(f"/{code}", json={"allow": True}, headers=header).status_code == 403
    assert browser.post(f"/{code}", json={"allow": False}).status_code == 200


def test_another_name_of_the_daemon_s_address_serves_nothing(daemon: Daemon) -> None:
    for path in ("/auth/command", "/auth/command/device"):
        assert daemon.client().get(path, headers={"Host": "rebound.example"}).status_code == 403


def test_a_user_who_has_changed_since_gets_no_key(daemon: Daemon) -> None:
    made = daemon.admin().post("/users", json={"username": "ida", "password": PASSWORD, "role": "member"}).json()
    told = Asking(daemon).post("device").json()
    person(daemon, "ida").post(f"/{told['user_code']}", json={"allow": True}).raise_for_status()
    daemon.admin().patch(f"/users/{made['id']}", json={"role": "viewer"}).raise_for_status()
    form = {"grant_type": DEVICE_GRANT, "device_code": told["device_code"]}
    Asking(daemon).refused("token", "invalid_grant", **form)


def test_a_device_code_has_the_answers_of_its_standard(daemon: Daemon) -> None:
    asking = Asking(daemon)
    told = asking.post("device", client_name="a\x1b[31m<b>").raise_for_status().json()
    assert told["verification_uri_complete"] == f"{daemon.base_url}/auth/command#{told['user_code']}"
    form = {"grant_type": DEVICE_GRANT, "device_code": told["device_code"]}
    asking.refused("token", "authorization_pending", **form)
    asking.refused("token", "slow_down", **form)
    browser = person(daemon)
    assert browser.get(f"/{told['user_code']}").json()["name"] == "a[31m<b>"
    browser.post(f"/{told['user_code']}", json={"allow": False}).raise_for_status()
    answer = poll(
        lambda: found if (found := asking.post("token", **form).json())["error"] != "slow_down" else None, "a decision"
    )
    assert answer["error"] == "access_denied"
    asking.refused("token", "expired_token", grant_type=DEVICE_GRANT, device_code="jf_cd_nobody")


def test_only_a_person_decides_and_nobody_guesses(daemon: Daemon) -> None:
    told = Asking(daemon).post("device").json()
    path = f"/api/v1/auth/command-logins/{told['user_code']}"
    stranger = daemon.client(headers={"Via": "1.1 elsewhere"})
    assert stranger.get(path).status_code == 401
    key = daemon.admin().post("/api-keys", json={"name": "k"}).json()["key"]
    assert stranger.post(path, json={"allow": True}, headers={"X-API-Key": key}).status_code == 403
    daemon.admin().post("/users", json={"username": "eve", "password": PASSWORD, "role": "viewer"}).raise_for_status()
    eve = person(daemon, "eve")
    wanted = Asking(daemon).post("device", scope="workflows:write").json()["user_code"]
    assert eve.post(f"/{wanted}", json={"allow": True}).status_code == 403, "a viewer gives no scope that it lacks"
    assert eve.post(f"/{wanted}", json={"allow": True, "username": USERNAME}).status_code == 400
    guesses = [eve.get(f"/BCDF-GHJ{letter}").status_code for letter in "BCDFGH"]
    assert guesses == [404, 404, 404, 404, 404, 429]
    assert eve.get(f"/{wanted}").status_code == 429, "a code of one's own makes no guess forgotten"


def test_the_daemon_s_own_user_chooses_a_user(daemon: Daemon) -> None:
    told = Asking(daemon).post("device").json()
    owner = daemon.client(headers={"Origin": daemon.base_url})
    owner.post("/api/session", json={}).raise_for_status()
    path = f"/api/v1/auth/command-logins/{told['user_code']}"
    assert USERNAME in owner.get(path).raise_for_status().json()["users"]
    assert "jackfield user add" in owner.post(path, json={"allow": True}).json()["message"]
    owner.post(path, json={"allow": True, "username": USERNAME}).raise_for_status()
    form = {"grant_type": DEVICE_GRANT, "device_code": told["device_code"]}
    assert Asking(daemon).post("token", **form).raise_for_status().json()["username"] == USERNAME
