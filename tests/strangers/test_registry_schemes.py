"""A registry behind a scheme that a package gives, over HTTP and the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from jackfield.testing.daemon import Daemon

Install = Callable[..., dict[str, str]]
Strangers = Callable[..., Daemon]
JACKFIELD = str(Path(sys.executable).with_name("jackfield"))


def command(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [JACKFIELD, *arguments], capture_output=True, text=True, timeout=120, env={**os.environ, **env}
    )


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A registry with one agent, in a zip file."""
    (tmp_path / "things/agents").mkdir(parents=True)
    (tmp_path / "things/agents/zipped.toml").write_text('id = "zipped"\nname = "Zipped"\nbinary = "zipped"\n')
    built = command({}, "registry", "build", str(tmp_path / "things"), "--output", str(tmp_path / "public"))
    assert built.returncode == 0, built.stderr
    path = tmp_path / "registry.zip"
    with ZipFile(path, "w") as file:
        for each in (tmp_path / "public").rglob("*"):
            file.write(each, each.relative_to(tmp_path / "public"))
    return path


def test_a_registry_of_a_packages_scheme_is_synced(strangers: Strangers, archive: Path) -> None:
    daemon = strangers("zip-registry", settings=f'[registry]\nurl = "zip://{archive}"\n')
    api = daemon.admin()
    synced = api.post(f"{daemon.base_url}/api/registry/sync").json()["data"]
    assert (synced["updated"], synced["agents"]) == (True, 1)
    agents = api.get(f"{daemon.base_url}/api/agents").json()["data"]
    assert "Zipped" in [agent["name"] for agent in agents]


def test_an_unknown_scheme_names_those_that_there_are(strangers: Strangers, install: Install, tmp_path: Path) -> None:
    daemon = strangers("zip-registry", settings='[registry]\nurl = "oci://host/things"\n')
    answer = daemon.admin().post(f"{daemon.base_url}/api/registry/sync")
    told = "the schemes are file, http, https and zip by the plugin zip_registry of jackfield-zip-registry"
    assert answer.status_code >= 400
    assert told in answer.text
    asked = command(install("zip-registry"), "registry", "sync", "--config-dir", str(daemon.config_dir))
    assert asked.returncode == 1
    assert told in asked.stderr
