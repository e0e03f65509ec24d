"""Templates of profiles: by request and by command, shipped ones and those of a user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon

PROGRAM = str(Path(sys.executable).with_name("jackfield"))
SHIPPED = Path(__file__).resolve().parents[3] / "manifests/templates"
MINE = """
id = "mine"
description = "As I like it."
agent_id = "claude"
[profile]
provider_id = "self"
model = "large"
env = { A = "1", B = "2" }
args = ["--verbose"]
sandbox = "strict"
answers = { trusting = "yes" }
"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("templates"))
    found.config_dir.mkdir(exist_ok=True)
    (found.config_dir / "templates.d").mkdir()
    (found.config_dir / "templates.d/mine.toml").write_text(MINE)
    (found.config_dir / "templates.d/broken.toml").write_text('id = "broken"\n[profile]\nsandbox = "maybe"\n')
    yield found.start()
    found.close()


def made(daemon: Daemon, alias: str, **body: Any) -> Any:
    api = daemon.client()
    given = {"agent_id": "claude", "alias": alias, "allow_missing": True, **body}
    answer = api.post("/api/profiles", json=given)
    assert answer.status_code == 200, answer.text
    return api.get(f"/api/profiles/{alias}").json()["data"]


def command(daemon: Daemon, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "JACKFIELD_CONFIG_DIR": str(daemon.config_dir)}
    done = subprocess.run(
        [PROGRAM, *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def test_a_template_gives_what_the_request_does_not_name(daemon: Daemon) -> None:
    found = made(daemon, "whole", template="mine")
    assert (found["provider_id"], found["model"], found["sandbox"]) == ("self", "large", "strict")
    assert (found["env"], found["args"], found["answers"]["trusting"]) == ({"A": "1", "B": "2"}, ["--verbose"], "yes")
    found = made(daemon, "partly", template="mine", sandbox="off", env={"C": "3"}, args=[])
    assert (found["sandbox"], found["env"], found["args"], found["model"]) == ("off", {"C": "3"}, [], "large")


def test_they_are_listed_with_what_is_wrong_with_files(daemon: Daemon) -> None:
    body = daemon.client().get("/api/profile-templates").json()
    by_id = {row["id"]: row for row in body["data"]}
    assert {"mine", "careful", "unattended"} <= by_id.keys()
    assert by_id["mine"]["profile"]["env"] == {"A": "1", "B": "2"}
    assert "endpoint_id" not in by_id["mine"]["profile"]
    [warning] = [text for text in body["warnings"] if "broken.toml" in text]
    assert "sandbox" in warning


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"template": "mien"}, 404, "did you mean mine"),
        ({"template": "mine", "agent_id": "codex"}, 400, "claude"),
        ({"template": 5}, 400, "template"),
        ({"template": "careful"}, 400, "provider_id"),
    ],
)
def test_a_template_that_does_not_do_is_refused(daemon: Daemon, body: dict[str, Any], status: int, said: str) -> None:
    given = {"agent_id": "claude", "alias": "refused", "allow_missing": True, **body}
    answer = daemon.client().post("/api/profiles", json=given)
    assert answer.status_code == status
    assert said in answer.text
    assert answer.json()["details"]


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.toml")), ids=lambda file: file.stem)
def test_a_shipped_one_is_good_and_makes_a_profile(daemon: Daemon, file: Path) -> None:
    command(daemon, "templates", "validate", str(file))
    assert made(daemon, f"shipped-{file.stem}", template=file.stem, provider_id="self")["sandbox"] == "standard"


def test_the_command_takes_a_name_or_a_file(daemon: Daemon, tmp_path: Path) -> None:
    options = ("--no-key", "--allow-missing", "--env", "B=3", "--json")
    command(daemon, "profiles", "create", "claude", "named", "--template", "mine", *options)
    found = json.loads(command(daemon, "profiles", "show", "named", "--json").stdout)
    assert (found["env"], found["sandbox"], found["provider_id"]) == ({"A": "1", "B": "3"}, "strict", "self")
    file = tmp_path / "other.toml"
    file.write_text(MINE.replace("strict", "standard"))
    dry = command(daemon, "profiles", "create", "claude", "filed", "-t", str(file), "--dry-run", *options)
    assert json.loads(dry.stdout)["dryRun"] is True
    command(daemon, "profiles", "create", "claude", "filed", "-t", str(file), "--sandbox", "off", *options)
    found = json.loads(command(daemon, "profiles", "show", "filed", "--json").stdout)
    assert (found["sandbox"], found["args"]) == ("off", ["--verbose"])


def test_mistakes_of_a_command_name_place_and_remedy(daemon: Daemon, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('id = "bad"\n[profile]\nsandbox = "maybe"\napi_key = "k"\n')
    refused = command(daemon, "profiles", "create", "claude", "no", "-t", str(file), "--no-key", code=1)
    assert "profile.sandbox" in refused.stderr
    assert "templates validate" in refused.stderr
    told = json.loads(command(daemon, "templates", "validate", str(file), "--json", code=1).stdout)
    assert {problem["key"] for problem in told[0]["problems"]} == {"profile.sandbox", "profile.api_key"}
    unknown = command(daemon, "profiles", "create", "claude", "no", "-t", "mien", "--no-key", code=1)
    assert "did you mean mine" in unknown.stderr


def test_a_dry_run_of_a_change_checks_all_and_changes_nothing(daemon: Daemon) -> None:
    made(daemon, "kept", provider_id="self", env={"A": "1"})
    before = (daemon.config_dir / "profiles/kept.json").read_bytes()
    edit = ("profiles", "edit", "kept", "--dry-run", "--json")
    told = json.loads(command(daemon, *edit, "--env", "B=2", "--sandbox", "strict", "--unset", "A").stdout)
    assert (told["dryRun"], told["changed"]) == (True, ["env", "sandbox"])
    refused = command(daemon, *edit, "--working-dir", str(daemon.config_dir), code=1)
    assert "configuration directory" in refused.stderr
    assert "PROFILE_NOT_FOUND" in command(daemon, "profiles", "edit", "no", "--dry-run", "--json", code=1).stderr
    assert (daemon.config_dir / "profiles/kept.json").read_bytes() == before
