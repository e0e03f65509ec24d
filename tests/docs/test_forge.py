"""What the forge reads: every action is pinned to a commit, and what workflows run exists here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from jackfield.api.version import __version__

ROOT = Path(__file__).resolve().parents[2]
FORGE = ROOT / ".github"
WORKFLOWS = sorted((FORGE / "workflows").glob("*.yml"))
USES = re.compile(r"uses: (?P<action>[\w./-]+)(?P<rest>.*)")
PINNED = re.compile(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_commits_and_rights_are_given_one_by_one(workflow: Path) -> None:
    text = workflow.read_text()
    used = [found for found in USES.finditer(text) if not found["action"].startswith("./")]
    assert [found[0] for found in used if not PINNED.match(found["rest"])] == []
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}


def test_what_workflows_run_exists() -> None:
    said = "\n".join(workflow.read_text() for workflow in WORKFLOWS)
    environments = (ROOT / "tox.ini").read_text()
    assert "[testenv:py3{11,12,13,14}-core]" in environments
    for name in re.findall(r"tox run -e ([a-z]+)\b", said):
        assert f"[testenv:{name}]" in environments
    for tool in re.findall(r"python3? (tools/\w+\.py)", said):
        assert (ROOT / tool).is_file()


def test_forms_and_settings_of_the_forge_can_be_read() -> None:
    for form in sorted((FORGE / "ISSUE_TEMPLATE").glob("*.yml")):
        assert yaml.safe_load(form.read_text())
    assert json.loads((ROOT / "renovate.json").read_text())["extends"]


def test_the_chart_has_the_version_of_the_daemon() -> None:
    chart = yaml.safe_load((ROOT / "deploy/helm/jackfield/Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)
