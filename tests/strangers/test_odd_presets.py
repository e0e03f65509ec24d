"""Presets that do not fit or whose name is taken: told of by plugin and member, and beside them everything goes on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.pytest_plugin import StartDaemon

SOURCE = """
from jackfield.api.plugin import Plugin, hookimpl
from jackfield.api.webhooks import VerifiedCall


class Verifier:
    headers = ("x-odd",)

    def verify(self, call):
        return VerifiedCall()

    def sign(self, call):
        return {}


class Preset:
    name = "odd"
    label = "LABEL"
    description = ""
    key_label = ""
    fields = ()

    def verifier(self, values):
        return Verifier()


class Odd(Plugin):
    @hookimpl
    def jackfield_webhook_presets(self):
        return [Preset()]
"""


def daemon_with(start: StartDaemon, place: Path, sources: Mapping[str, str], settings: str = "") -> Daemon:
    """Each source as a distribution of its own, `odd-one` of the module `odd_one`."""
    for name, source in sources.items():
        information = place / f"{name}-1.0.dist-info"
        information.mkdir(parents=True)
        (information / "entry_points.txt").write_text(f"[jackfield]\n{name} = {name}:Odd\n")
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (place / f"{name}.py").write_text(source)
    before = os.environ.get("PYTHONPATH")
    return start(settings, {"PYTHONPATH": os.pathsep.join([str(place), *([before] if before else [])])})


def presets(api: httpx.Client) -> dict[str, Any]:
    return {preset["name"]: preset for preset in api.get("/webhook-presets").raise_for_status().json()["data"]}


def errors(daemon: Daemon, api: httpx.Client) -> dict[str, str]:
    listed = api.get(f"{daemon.base_url}/api/plugins").json()["data"]
    return {plugin["name"]: plugin["error"] for plugin in listed if plugin.get("error")}


@pytest.mark.parametrize(
    ("fitting", "odd", "told"),
    [
        ("    def verifier(self, values):\n        return Verifier()\n", "", "verifier"),
        ('    label = "LABEL"', "    label = 7", "label"),
        ("    fields = ()", '    fields = ["account"]', "fields"),
        ("def verifier(self, values)", "def verifier(self)", "verifier"),
    ],
)
def test_one_that_does_not_fit_is_named_and_no_list_breaks(
    jackfield_daemon: StartDaemon, tmp_path: Path, fitting: str, odd: str, told: str
) -> None:
    assert fitting in SOURCE
    daemon = daemon_with(jackfield_daemon, tmp_path / "site", {"odd_one": SOURCE.replace(fitting, odd)})
    api = daemon.admin()
    assert api.get("/node-types").status_code == 200
    assert "github" in presets(api)
    assert "odd" not in presets(api)
    assert told in errors(daemon, api)["odd_one"]
    assert daemon.client().get("/ready").status_code == 200


def test_names_of_ours_and_of_another_stay_whose_they_are(jackfield_daemon: StartDaemon, tmp_path: Path) -> None:
    github = SOURCE.replace('name = "odd"', 'name = "GitHub"')
    second = SOURCE.replace("LABEL", "Second")
    sources = {"odd_github": github, "odd_one": SOURCE, "odd_two": second}
    daemon = daemon_with(jackfield_daemon, tmp_path / "site", sources)
    api = daemon.admin()
    found = presets(api)
    assert (found["github"]["plugin"], found["odd"]["plugin"]) == ("webhooks", "odd_one")
    told = errors(daemon, api)
    assert "webhook preset:github comes with Jackfield" in told["odd_github"]
    assert "another plugin's" in told["odd_two"]
    assert "odd_one" not in told


def test_the_operator_replaces_one_of_ours(jackfield_daemon: StartDaemon, tmp_path: Path) -> None:
    source = SOURCE.replace('name = "odd"', 'name = "github"')
    settings = '[plugins.overrides]\n"webhook preset:github" = "odd_github"\n'
    daemon = daemon_with(jackfield_daemon, tmp_path / "site", {"odd_github": source}, settings)
    assert presets(daemon.admin())["github"]["plugin"] == "odd_github"
