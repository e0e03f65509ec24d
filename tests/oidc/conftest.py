"""The certified provider from npm, a daemon that logs in there, and Chromium.

`JACKFIELD_TEST_OIDC_PROVIDER` names the directory in which npm has installed `package.json` of this folder. Without it,
Node.js or Chromium the tests are skipped and say so; in their tox environment that is a failure.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jackfield_ui
from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import Browser

INSTALLED = os.environ.get("JACKFIELD_TEST_OIDC_PROVIDER", "")
CHROMIUM = os.environ.get("JACKFIELD_TEST_CHROMIUM", "/usr/bin/chromium")
SECRET = "a secret of the real provider"


def missing() -> str:
    """Why nothing can be tested here; empty when it can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed; `tox -e oidc` has it"
    if not (Path(jackfield_ui.__file__).parent / "static" / "index.html").is_file():
        return "the interface is not built"
    if not INSTALLED or not (Path(INSTALLED) / "node_modules" / "oidc-provider").is_dir():
        return "JACKFIELD_TEST_OIDC_PROVIDER names no directory with node_modules/oidc-provider"
    return "" if shutil.which("node") and shutil.which(CHROMIUM) else "there is no Node.js, or no Chromium"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = missing()
    if reason and os.environ.get("TOX_ENV_NAME") != "oidc":
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


class People:
    """Who is at the provider, with which claims; a test changes them."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.write(ada=["staff"], eve=[])

    def write(self, **groups: list[str]) -> None:
        people = {
            name: {"name": name.title(), "groups": given, "email": f"{name}@example.com", "email_verified": True}
            for name, given in groups.items()
        }
        self.file.write_text(json.dumps(people))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> People:
    return People(tmp_path_factory.mktemp("people") / "people.json")


@contextlib.contextmanager
def provider(people: People, callbacks: Sequence[str]) -> Iterator[str]:
    """The provider's process; gives its issuer."""
    command = ["node", str(Path(__file__).parent / "provider.mjs"), str(people.file), *callbacks]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def settings(issuer: str, daemon: Daemon) -> str:
    return f"""
[server]
public_url = "{daemon.base_url}"
trusted_proxies = ["127.0.0.1"]

[[security.oidc.providers]]
name = "corp"
title = "Company account"
issuer = "{issuer}"
client_id = "jackfield"
client_secret_env = "OIDC_SECRET"
scopes = ["openid", "profile", "groups"]
logout = "provider"
groups = [
  {{ group = "staff", role = "member", project = "Team A", project_role = "project:editor" }},
  {{ group = "chiefs", role = "admin" }},
]

[[security.oidc.providers]]
name = "linked"
title = "Known people"
issuer = "{issuer}"
client_id = "jackfield"
client_secret_env = "OIDC_SECRET"
scopes = ["openid", "profile", "email", "groups"]
create_users = false
link_email_domains = ["example.com"]
groups = [{{ group = "staff", role = "viewer" }}]
"""


@pytest.fixture(scope="module")
def daemon(people: People, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One that logs in at the provider, which has to know its address first."""
    assert not missing(), missing()
    made = Daemon(tmp_path_factory.mktemp("daemon"), env={"OIDC_SECRET": SECRET})
    callbacks = [f"{made.base_url}/auth/callback/{name}" for name in ("corp", "linked")]
    with provider(people, callbacks) as issuer:
        (made.config_dir / "config.toml").write_text(settings(issuer, made))
        yield made.start()
        made.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    assert not missing(), missing()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
