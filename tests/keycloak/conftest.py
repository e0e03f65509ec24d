"""Keycloak from Maven, a daemon that logs in there after the recipe of docs/logins.md, and Chromium.

`JACKFIELD_TEST_KEYCLOAK` names a directory with Keycloak's `bin/kc.sh`, or with a directory that has it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import jackfield_ui
from jackfield.testing.daemon import Daemon

from ..chaos.faults import Faults
from .recipe import Recipe
from .server import Keycloak, distribution, keycloak_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = os.environ.get("JACKFIELD_TEST_CHROMIUM", "/usr/bin/chromium")
MORE = """
[[security.oidc.providers]]
name = "by-client"
title = "Roles of the client"
issuer = "{issuer}"
client_id = "jackfield"
client_secret_file = "oidc-corp.secret"
groups_claim = "resource_access.jackfield.roles"
groups = [{{ group = "operator", role = "viewer" }}]

[[security.oidc.providers]]
name = "by-group"
title = "Groups alone"
issuer = "{issuer}"
client_id = "jackfield"
client_secret_file = "oidc-corp.secret"
groups_claim = "groups"
groups = [{{ group = "/team-a", role = "member" }}]

[[security.oidc.providers]]
name = "elsewhere"
title = "Another issuer"
issuer = "{wrong}"
client_id = "jackfield"
client_secret_file = "oidc-corp.secret"
groups = [{{ group = "*", role = "member" }}]
"""
"""Further logins at the same client."""


def missing() -> str:
    """Why nothing can be tested here; empty when it can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "Playwright is not installed; `tox -e keycloak` has it"
    if not (Path(jackfield_ui.__file__).parent / "static" / "index.html").is_file():
        return "the interface is not built"
    if distribution() is None:
        return "JACKFIELD_TEST_KEYCLOAK names no Keycloak; `tox -e keycloak` brings it by Maven"
    lacking = [name for name in ("java", "cc", CHROMIUM) if not shutil.which(name)]
    return f"there is no {' and no '.join(lacking)}" if lacking else ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if reason := missing():
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def keycloak(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keycloak]:
    with keycloak_server(tmp_path_factory.mktemp("keycloak")) as server:
        yield server


@pytest.fixture(scope="session")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Faults:
    place = tmp_path_factory.mktemp("faults")
    return Faults(place, place)


@pytest.fixture(scope="session")
def daemon(keycloak: Keycloak, faults: Faults, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One whose `config.toml` is the recipe's, with further logins."""
    made = Daemon(tmp_path_factory.mktemp("daemon"), env=faults.environment())
    recipe = Recipe(keycloak.url, made.base_url)
    keycloak.make_realm()
    recipe.follow(made.config_dir, keycloak.tools)
    keycloak.extend_client([f"{made.base_url}/auth/callback/{name}" for name in ("corp", "by-client", "by-group")])
    wrong = keycloak.issuer.replace("localhost", "127.0.0.1")
    server = f'[server]\npublic_url = "{made.base_url}"\ntrusted_proxies = ["127.0.0.1"]\n'
    security = "[security.oidc]\nkeys_pause = 1\n"
    text = "\n".join((server, security, recipe.settings, MORE.format(issuer=keycloak.issuer, wrong=wrong)))
    (made.config_dir / "config.toml").write_text(text)
    made.start()
    made.admin().post("/projects", json={"name": "Team A"}).raise_for_status()
    yield made
    made.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
