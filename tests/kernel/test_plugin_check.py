"""`jackfield plugins check DIR`, in a process of its own as its user has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
from __future__ import annotations
from jackfield.api.plugin import Plugin, SettingsTable, hookimpl, later
from jackfield.api.nodes import NodeDescription, NodeOffer, NodeParameters
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with pyproject.toml for `acme-tools`; tests write its modules."""
    directory = tmp_path / "project"
    directory.mkdir()
    (directory / "pyproject.toml").write_text(
        '[project]\nname = "acme-tools"\nversion = "2.0"\n'
        '[project.entry-points.jackfield]\nacme = "acme_tools:AcmePlugin"\n'
    )
    return directory


def check(directory: Path, **env: str) -> tuple[int, list[str], str]:
    """Exit code, lines of standard output, standard error."""
    command = [str(Path(sys.executable).with_name("jackfield")), "plugins", "check", str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **env})
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_a_sound_plugin_is_ok(project: Path) -> None:
    (project / "acme_tools.py").write_text(HEAD + "class AcmePlugin(Plugin):\n    name = 'acme'\n")
    assert check(project) == (0, ["acme: ok"], "")


def test_every_mistake_is_told_once_without_a_traceback(project: Path, tmp_path: Path) -> None:
    source = """
class Bare:
    kind = "acme_bare"

class BadForm:
    kind = "acme_form"
    versions = (1.0,)
    description = NodeDescription("Form", "Has no parameters.", "flow")
    effect = False
    def parameters(self, version): raise RuntimeError("no form")
    def outputs(self, node): return 1
    async def execute(self, run): return [[]]

class Port:
    def act(self) -> None: ...

class AcmePlugin(Plugin):
    name = "acme"
    settings = (SettingsTable("acme", "acme_tools:Missing"),)
    commands = ("acme_tools:Port",)
    provides = {Port: "acme_tools:nothing"}
    jackfield_metrics = later("acme_tools.absent:metrics")

    @hookimpl
    def jackfield_nodes(self): return [Bare(), BadForm(), NodeOffer("acme_late", "acme_tools:nothing"), BadForm()]

    def start(self): raise RuntimeError("no start")
"""
    (project / "acme_tools.py").write_text(HEAD + source)
    code, lines, errors = check(project)
    assert code == 1
    assert "Traceback" not in errors
    assert all(line.startswith("acme: ") for line in lines)
    assert len(lines) == len(set(lines))
    text = "\n".join(lines)
    for told in (
        "table [acme]",
        "acme_tools:Port",
        "Port (acme_tools:nothing)",
        "Bare does not fit",
        "no form",
        "acme_late",
        "no start",
        "acme_tools.absent",
    ):
        assert told in text


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("raise SystemExit(3)\n", "SystemExit"),
        ("class AcmePlugin: pass\n", "Plugin"),
        ("class AcmePlugin(Plugin):\n    name = 'acme'\n    requires = '9'\n", "9"),
        (
            "class AcmePlugin(Plugin):\n    name = 'acme'\n    @hookimpl\n    def jackfield_nods(self): return []\n",
            "jackfield_nodes",
        ),
    ],
)
def test_a_class_that_cannot_be_used_is_told(project: Path, source: str, told: str) -> None:
    (project / "acme_tools.py").write_text(HEAD + source)
    code, lines, errors = check(project)
    assert (code, len(lines)) == (1, 1)
    assert told in lines[0]
    assert "Traceback" not in errors


def test_the_settings_of_this_machine_play_no_part(project: Path, tmp_path: Path) -> None:
    (project / "acme_tools.py").write_text(HEAD + "class AcmePlugin(Plugin):\n    name = 'acme'\n")
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text("not toml")
    code, lines, _ = check(project, JACKFIELD_CONFIG_DIR=str(tmp_path / "config"), JACKFIELD_SERVER_PORT="none")
    assert (code, lines) == (0, ["acme: ok"])
    assert [path.name for path in (tmp_path / "config").iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("text", "told"),
    [(None, "Name the directory of a project"), ("[project]\n", "names no plugin"), ("[", "cannot be read")],
)
def test_a_directory_without_plugins_is_told(tmp_path: Path, text: str | None, told: str) -> None:
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    code, lines, errors = check(tmp_path)
    assert (code, lines) == (1, [])
    assert told in errors
    assert "Traceback" not in errors


def test_everything_that_the_api_makes_of_a_plugin_is_tried(project: Path) -> None:
    source = """
from jackfield.api.diagnosis import Metric
class Node:
    versions = (1.0,)
    description = NodeDescription("Mine", "Does nothing.", "flow")
    effect = False
    def __init__(self, kind): self.kind = kind
    def parameters(self, version): return NodeParameters
    def outputs(self, node): return 1
    async def execute(self, run): return [[]]
class NoForm(Node):
    def parameters(self, version): raise RuntimeError("no form")
class Text(Node):
    description = "Greets"
class Method:
    def __init__(self, name): self.name = name
    async def authenticate(self, request): return request.headers["x-acme"]
class AcmePlugin(Plugin):
    name = "acme"
    @hookimpl
    def jackfield_nodes(self): return [Node("acme_good"), NoForm("acme_form"), Text("acme_text")]
    @hookimpl
    def jackfield_metrics(self): return [Metric("met_x", "h", "counter", None)]
    @hookimpl
    def jackfield_auth_methods(self): return [Method("acme")]
"""
    (project / "acme_tools.py").write_text(HEAD + source)
    code, lines, errors = check(project)
    assert (code, len(lines)) == (1, 4), lines
    assert "Traceback" not in errors
    text = "\n".join(lines)
    for told in ("no form", "its description is a str", "no finite number", "KeyError", "authentication method acme"):
        assert text.count(told) == 1
