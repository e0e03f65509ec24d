"""n8n's clients against the real daemon, where JACKFIELD_TEST_N8N_CLIENTS says that npm has installed them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from clients import Cli, Mcp, NotThere, modules, node

from jackfield.testing.daemon import Daemon


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    try:
        modules(), node()
    except NotThere as exc:
        pytest.skip(str(exc))
    found = Daemon(tmp_path_factory.mktemp("n8n-clients"))
    try:
        yield found.start()
    finally:
        found.close()


@pytest.fixture(scope="module")
def key(daemon: Daemon) -> str:
    made = daemon.client().post(
        "/api/v1/api-keys", json={"name": "n8n"}, headers={"Authorization": f"Bearer {daemon.login()}"}
    )
    return str(made.raise_for_status().json()["key"])


@pytest.fixture(scope="module")
def cli(daemon: Daemon, key: str) -> Cli:
    return Cli(daemon.base_url, key, daemon.directory)


@pytest.fixture(scope="module")
def mcp(daemon: Daemon, key: str) -> Iterator[Mcp]:
    made = Mcp(daemon.base_url, key, daemon.directory / "mcp")
    yield made
    made.close()
