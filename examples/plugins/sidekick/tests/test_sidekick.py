"""The files are what Jackfield reads, and the program understands what the script writes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from jackfield.api.agents import Agent
from jackfield.api.providers import Provider
from jackfield.testing.pytest_plugin import MakeContext
from jackfield_sidekick import SidekickPlugin
from jackfield_sidekick.program import answer


def manifests(make: MakeContext) -> Path:
    (given,) = SidekickPlugin(make()).jackfield_manifest_directories()
    return given.path


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


def test_the_manifests_are_right(jackfield_context: MakeContext) -> None:
    folder = manifests(jackfield_context)
    agent = Agent.model_validate(read(folder / "agents/sidekick.toml"))
    provider = Provider.model_validate(read(folder / "providers/parrot.toml"))
    assert (folder / "scripts" / str(agent.profile.script)).is_file()
    assert provider.endpoint() == ("local", "http://127.0.0.1:9/v1")


def test_the_program_says_what_it_was_given(tmp_path: Path) -> None:
    (tmp_path / ".sidekick").mkdir()
    (tmp_path / ".sidekick/config.json").write_text(json.dumps({"model": "m", "endpoint": "e"}))
    assert answer("Hello", tmp_path, "k") == "m at e with a key: Hello"
    assert "without a key" in answer("Hello", tmp_path, "")
