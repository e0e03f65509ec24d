"""What the doctor says of keys and scripts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from profile_lab import KEY, Lab, agent

from jackfield.api.agents import Isolation
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.scripts import ScriptError
from jackfield.core.manifests import FileLayers
from jackfield.core.packaged import PackagedDirectory
from jackfield_profiles.findings import findings
from jackfield_profiles.generated.script_check import hidden, problems


class Engine:
    """Fails as the script says."""

    async def value(
        self, source: str, variables: Mapping[str, Json], *, name: str | None = None, timeout: float | None = None
    ) -> Json:
        raise ScriptError("it fails", kind=source)


class Layers:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, folder: str, name: str) -> Path | None:
        path = self.folder / name
        return path if path.exists() else None

    def directories(self, folder: str) -> list[Path]:
        return [self.folder]

    def distribution(self, path: Path) -> str | None:
        return None


def context_of(lab: Lab) -> PluginContext:
    lab.context.ports.update(jackfield_script_engines={"rhai": Engine()}, Layers=Layers(lab.root))
    return lab.context


async def test_a_key_that_does_not_open_is_named_and_kept(lab: Lab) -> None:
    await lab.create("good")
    await lab.create("bad")
    await lab.keys.put_provider_key("acme", KEY)
    path = lab.config / "keys" / "profiles" / "bad.sealed"
    assert not [found for found in await findings(context_of(lab)) if not found.good]
    damaged = path.read_bytes()[:-1]
    path.write_bytes(damaged)
    (found,) = [found for found in await findings(context_of(lab)) if not found.good]
    assert str(path) in found.message
    assert KEY not in found.message
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"syntax", "is no script: it fails"), (b"\xff", "cannot be read"), (None, "is not there"), (b"runtime", "")],
)
async def test_a_script_that_is_none_is_named(lab: Lab, content: bytes | None, said: str) -> None:
    if content is not None:
        (lab.root / "tool.rhai").write_bytes(content)
    users = [agent(name, profile=Isolation(script="tool.rhai")) for name in ("one", "two")]
    found = await problems(context_of(lab), users)
    assert len(found) == (1 if said else 0), "named once, however many use it"
    for problem in found:
        assert said in problem
        assert "one, two" in problem


def test_a_packages_script_whose_name_is_taken_is_named(tmp_path: Path) -> None:
    config, brought = tmp_path / "config", {name: tmp_path / name / "scripts" for name in ("shipped", "acme", "beta")}
    texts = {"shipped": ["one.rhai"], "acme": ["one.rhai", "two.rhai", "own.rhai"], "beta": ["two.rhai"]}
    for name, folder in brought.items():
        folder.mkdir(parents=True)
        for script in texts[name]:
            (folder / script).write_text("")
    packages = [PackagedDirectory(brought[name].parent, name) for name in ("acme", "beta")]
    shipped = PackagedDirectory(brought["shipped"].parent, "")
    layers = FileLayers(config, lambda: [shipped, *packages])
    told = hidden(layers, config)
    first, second = told
    assert "one.rhai of the distribution acme is not used" in first
    assert "two.rhai of the distribution beta is not used" in second
    (config / "scripts").mkdir(parents=True)
    for script in ("one.rhai", "two.rhai"):
        (config / "scripts" / script).write_text("")
    assert not hidden(layers, config), "the operator meant it"
