"""The manifests that come with Jackfield."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from jackfield.api.agents import Agent
from jackfield.api.manifests import ManifestKind
from jackfield.core.manifests import FileLayers, KindLibrary, shipped_directory

FILES = sorted((shipped_directory() / "agents").glob("*.toml"))
WITH_LOGS = {"aider", "claude", "codex", "gemini", "opencode", "qwen"}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Agent]:
    library = KindLibrary(ManifestKind("agents", Agent), tmp_path_factory.mktemp("empty"))
    found = dict(library.look())
    assert library.warnings() == []
    return found


def test_these_agents_are_shipped(shipped: dict[str, Agent]) -> None:
    assert set(shipped) == {"aider", "claude", "codex", "droid", "gemini", "grok", "opencode", "qwen"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_manifest_is_complete(shipped: dict[str, Agent], path: Path, tmp_path: Path) -> None:
    agent = shipped[path.stem]
    assert agent.detect.commands == (f"{agent.binary} {agent.version_flag}",)
    assert agent.profile.source_home == f"~/.{agent.id}-profiles/{{alias}}"
    assert agent.models.default in agent.models.supported
    assert agent.headless is not None
    assert agent.profile.script is not None
    assert FileLayers(tmp_path).find("scripts", agent.profile.script) is not None
    for name, value in agent.profile.env.items():
        assert value.startswith("{home}") or ("DISABLE" in name and value == "1")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_manifest_has_no_key_that_is_not_read(path: Path) -> None:
    """A misspelt key would pass in silence: the models leave unknown keys alone."""
    given = tomllib.loads(path.read_text())
    read = Agent.model_validate(given).model_dump(exclude_unset=True)

    def names(value: object, above: str = "") -> set[str]:
        if not isinstance(value, dict):
            return {above}
        return {name for key, part in value.items() for name in names(part, f"{above}.{key}")}

    assert names(given) == names(read)


def test_the_logs_of_agents_are_read(shipped: dict[str, Agent]) -> None:
    read = {agent.id: agent.usage for agent in shipped.values() if agent.usage}
    assert set(read) == WITH_LOGS
    assert all(usage.reader == name and usage.directory.startswith("{home}/") for name, usage in read.items())


def test_dialects_and_hooks_are_those_of_the_tools(shipped: dict[str, Agent]) -> None:
    assert {name: agent.dialect for name, agent in shipped.items() if agent.dialect} == {
        "claude": "anthropic",
        "codex": "openai",
        "grok": "openai",
    }
    assert [name for name, agent in shipped.items() if agent.supports_hooks] == ["claude"]
