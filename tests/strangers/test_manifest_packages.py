"""An agent, a provider and a script that a package brings: listed, used, overridden, and named when they are wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon

Install = Callable[..., dict[str, str]]
Strangers = Callable[..., Daemon]
SETTINGS = '[profiles]\nkey_store = "file"\n[profiles.run]\nkey_check = 0\n'
PROFILE = {"agent_id": "sidekick", "alias": "helper", "provider_id": "parrot", "api_key": "a-key-of-the-test"}


@pytest.fixture
def environment(install: Install, tmp_path: Path) -> dict[str, str]:
    """The package's program is found, and homes are the test's own."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    place = install("sidekick")["PYTHONPATH"].split(os.pathsep)[0]
    program = tmp_path / "bin/sidekick"
    program.parent.mkdir()
    # An agent gets no PYTHONPATH; the package's place must be told to its program by name.
    program.write_text(f'#!/bin/sh\nPYTHONPATH={place} exec {place}/bin/sidekick "$@"\n')
    program.chmod(0o755)
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(home)}


def asked(daemon: Daemon, method: str, path: str, **options: Any) -> httpx.Response:
    return daemon.admin().request(method, f"{daemon.base_url}{path}", **options)


def listed(daemon: Daemon, kind: str) -> Mapping[str, Mapping[str, Any]]:
    return {one["id"]: one for one in asked(daemon, "GET", f"/api/{kind}").json()["data"]}


def test_a_profile_of_the_packages_agent_runs(strangers: Strangers, environment: dict[str, str]) -> None:
    pytest.importorskip("rhai")
    daemon = strangers("sidekick", settings=SETTINGS, env=environment)
    agent = listed(daemon, "agents")["sidekick"]
    assert (agent["name"], agent["installed"], agent["version"]) == ("Sidekick", True, "1.0.0")
    assert listed(daemon, "providers")["parrot"]["default_model"] == "parrot-1"
    created = asked(daemon, "POST", "/api/profiles", json=PROFILE)
    assert created.status_code == 200, created.text
    run = asked(daemon, "POST", "/api/profiles/helper/run", json={"prompt": "Say hello."}).json()["data"]
    assert run["result"] == "parrot-1 at http://127.0.0.1:9/v1 with a key: Say hello."
    assert "a-key-of-the-test" not in str(run)


def test_the_operators_files_count_before_the_packages(strangers: Strangers, environment: dict[str, str]) -> None:
    pytest.importorskip("rhai")
    daemon = strangers("sidekick", settings=SETTINGS, env=environment)
    for folder, name, text in (
        ("providers.d", "parrot.toml", 'id = "parrot"\nname = "Mine"\ntype = "openai"\n[endpoints]\na = "http://b"\n'),
        ("scripts", "sidekick.rhai", 'throw "my own script";'),
    ):
        (daemon.config_dir / folder).mkdir()
        (daemon.config_dir / folder / name).write_text(text)
    assert listed(daemon, "providers")["parrot"]["name"] == "Mine"
    failed = asked(daemon, "POST", "/api/profiles", json={**PROFILE, "model": "m"})
    assert failed.status_code == 400, failed.text
    assert "my own script" in failed.text
    assert "jackfield-sidekick" not in failed.text


def test_what_is_wrong_with_a_package_names_its_distribution(
    strangers: Strangers, install: Install, environment: dict[str, str], tmp_path: Path
) -> None:
    """A second package takes an id of Jackfield's and one of the first package's, and its script is broken."""
    pytest.importorskip("rhai")
    place = stranger(tmp_path / "site")
    path = os.pathsep.join([str(place), install("sidekick")["PYTHONPATH"]])
    daemon = strangers("sidekick", settings=SETTINGS, env={**environment, "PYTHONPATH": path})
    answer = asked(daemon, "GET", "/api/agents").json()
    told = "\n".join(answer["warnings"])
    taken = "claude.toml of the distribution acme-agents: the id claude is that of claude.toml of Jackfield itself"
    assert taken in told
    assert "broken.toml of the distribution acme-agents: binary" in told
    assert {one["id"]: one["name"] for one in answer["data"]}["claude"] != "Taken over"
    (providers,) = asked(daemon, "GET", "/api/providers").json()["warnings"]
    taken = (
        "of the distribution jackfield-sidekick: the id parrot is that of parrot.toml of the distribution acme-agents"
    )
    assert taken in providers
    failed = asked(daemon, "POST", "/api/profiles", json={**PROFILE, "agent_id": "acme"})
    assert failed.status_code == 400, failed.text
    assert "The script acme.rhai of the distribution acme-agents failed" in failed.text


def test_a_directory_that_is_not_there_is_the_plugins_mistake(strangers: Strangers, tmp_path: Path) -> None:
    place = stranger(tmp_path / "site", "/not/there")
    daemon = strangers("sidekick", env={"PYTHONPATH": str(place)})
    plugins = {one["name"]: one for one in asked(daemon, "GET", "/api/plugins").json()["data"]}
    assert "/not/there is no directory" in plugins["acme"]["error"]
    assert "claude" in listed(daemon, "agents")


SOURCE = """from pathlib import Path
from jackfield.api.manifests import ManifestDirectory
from jackfield.api.plugin import Plugin, hookimpl
class AcmePlugin(Plugin):
    name = "acme"
    @hookimpl
    def jackfield_manifest_directories(self):
        return [ManifestDirectory(Path({directory!r}))]
"""
ACME = 'id = "acme"\nbinary = "sidekick"\n[profile]\nscript = "acme.rhai"\n[headless]\nargs = []\n'
PARROT = 'id = "parrot"\ntype = "openai-compatible"\n[endpoints]\nlocal = "http://127.0.0.1:9/v1"\n'


def stranger(place: Path, directory: str = "") -> Path:
    """A distribution `acme-agents` in a directory for PYTHONPATH."""
    information = place / "acme_agents-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "entry_points.txt").write_text("[jackfield]\nacme = acme_agents:AcmePlugin\n")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-agents\nVersion: 1.0\n")
    files = {
        "agents/claude.toml": 'id = "claude"\nname = "Taken over"\nbinary = "x"\n',
        "agents/broken.toml": 'id = "broken"\n',
        "agents/acme.toml": ACME,
        "providers/parrot.toml": PARROT + '[models]\ndefault = "m"\n[auth]\nenv_key = "ACME_KEY"\n',
        "scripts/acme.rhai": "no_such_function(1)",
    }
    for name, text in files.items():
        (place / "files" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "files" / name).write_text(text)
    source = SOURCE.format(directory=directory or str(place / "files"))
    (place / "acme_agents.py").write_text(source)
    return place
