"""`jackfield daemon`, `hooks`, and the parts of `proxy` that change a configuration, as a person uses them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import InvalidInput
from jackfield.testing.daemon import Daemon
from jackfield_proxy.editing_commands import condition_of

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("agents"))
    found.start()
    yield found
    found.close()


@pytest.fixture
def run(daemon: Daemon, tmp_path: Path) -> Run:
    own = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}

    def called(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "jackfield", *arguments, "--config-dir", str(daemon.config_dir)],
            input=stdin, capture_output=True, text=True, check=False, timeout=120, env={**own, "HOME": str(tmp_path)},
        )  # fmt: skip

    return called


def said(run: Run, *arguments: str, stdin: str = "") -> Any:  # JSON
    ended = run(*arguments, "--json", stdin=stdin)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_a_profiles_hooks_and_routes_are_changed_part_by_part(run: Run) -> None:
    said(run, "profiles", "create", "claude", "w", "--provider", "anthropic", "--allow-missing", stdin="k\n")
    hooks = said(run, "hooks", "add", "w", "PreToolUse", "Bash|Edit", "check", "--timeout", "5")
    assert hooks == {
        "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "check", "timeout": 5}]}]
    }
    assert said(run, "hooks", "remove", "w", "PreToolUse", "0") == {}
    assert said(run, "hooks", "import", "w", "-", stdin=json.dumps(hooks)) == hooks
    assert said(run, "hooks", "export", "w") == hooks
    assert said(run, "proxy", "enable", "w")["enabled"] is True
    said(run, "proxy", "route", "add", "w", "rest", "always", "zai/glm-5.2")
    said(run, "proxy", "route", "add", "w", "long", "tokens > 1000", "zai/glm-5.2", "--priority", "5")
    assert [rule["name"] for rule in said(run, "proxy", "route", "list", "w")] == ["long", "rest"]
    twice = run("proxy", "route", "add", "w", "long", "always", "zai/glm-5.2")
    assert (twice.returncode, "has a rule long already" in twice.stderr) == (1, True)
    said(run, "proxy", "alias", "set", "w", "small", "zai/glm-4.7")
    assert said(run, "proxy", "alias", "list", "w") == [{"model": "small", "target": "zai/glm-4.7"}]
    missing = run("proxy", "alias", "remove", "w", "smal")
    assert "did you mean small?" in missing.stderr
    said(run, "proxy", "alias", "remove", "w", "small")
    kept = said(run, "proxy", "route", "remove", "w", "long")
    assert ([rule["name"] for rule in kept["routing"]["rules"]], kept["model_aliases"]) == (["rest"], {})
    assert said(run, "proxy", "disable", "w")["enabled"] is False


def test_a_dry_run_says_what_would_change_and_changes_nothing(run: Run, daemon: Daemon) -> None:
    said(run, "profiles", "create", "claude", "d", "--provider", "anthropic", "--allow-missing", stdin="k\n")
    said(run, "hooks", "add", "d", "PreToolUse", "Bash", "check")
    said(run, "proxy", "enable", "d")
    said(run, "proxy", "route", "add", "d", "rest", "always", "zai/glm-5.2")
    said(run, "proxy", "alias", "set", "d", "small", "zai/glm-4.7")
    files = sorted((daemon.config_dir / "profiles").iterdir())
    before = [file.read_bytes() for file in files if file.is_file()]
    hook = {"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "other"}]}]}

    def told(*arguments: str, stdin: str = "") -> list[tuple[str, Any, Any]]:
        found = said(run, *arguments, "--dry-run", stdin=stdin)
        assert (found["alias"], found["dryRun"]) == ("d", True)
        return [(one["path"], one.get("before"), one.get("after")) for one in found["changes"]]

    ((path, _, after),) = told("hooks", "import", "d", "-", stdin=json.dumps(hook))
    assert (path, after) == ("PreToolUse", hook["PreToolUse"])
    assert told("proxy", "enable", "d") == []
    assert told("proxy", "enable", "d", "--port", "4123") == [("port", None, 4123)]
    assert told("proxy", "disable", "d") == [("enabled", True, False)]
    ((path, old, new),) = told("proxy", "route", "add", "d", "long", "tokens > 9", "zai/glm-5.2")
    assert (path, [rule["name"] for rule in old], [rule["name"] for rule in new]) == (
        "routing.rules", ["rest"], ["rest", "long"]
    )  # fmt: skip
    assert told("proxy", "route", "remove", "d", "rest")[0][2] == []
    assert told("proxy", "alias", "set", "d", "big", "zai/glm-5.2") == [("model_aliases.big", None, "zai/glm-5.2")]
    assert told("proxy", "alias", "remove", "d", "small") == [("model_aliases.small", "zai/glm-4.7", None)]
    bad = run("proxy", "alias", "set", "d", "big", "nobody/x", "--dry-run")
    assert (bad.returncode, "nobody" in bad.stderr) == (1, True)
    assert run("hooks", "import", "d", "-", "--dry-run", stdin='{"Nope": []}').returncode == 1
    text = run("proxy", "disable", "d", "--dry-run").stdout
    assert text == "enabled:\n  - true\n  + false\nNothing was changed.\n"

    removes = said(run, "profiles", "delete", "d", "--purge", "--dry-run")["removes"]
    assert (removes["key"], removes["proxy"], removes["sessions"]) == (True, True, 0)
    assert removes["file"] == str(daemon.config_dir / "profiles" / "d.json")
    assert removes["home"] is None or removes["home"].endswith("d")
    assert "remove  the profile's own key" in run("profiles", "delete", "d", "--dry-run").stdout
    assert run("profiles", "delete", "nobody", "--dry-run").returncode == 1
    assert [file.read_bytes() for file in files if file.is_file()] == before
    asked = run("profiles", "delete", "d", stdin="n\n")
    assert (asked.returncode, "Delete the profile?" in asked.stdout) == (1, True)
    assert said(run, "profiles", "delete", "d", "--yes")["alias"] == "d"


def test_a_daemon_is_looked_at_and_stopped(tmp_path: Path, run: Run, daemon: Daemon) -> None:
    assert said(run, "daemon", "status")["status"] == "running"
    assert said(run, "daemon", "stop")["stopped"] is True
    for command in ("stop", "status"):
        ended = run("daemon", command, "--json")
        assert (ended.returncode, json.loads(ended.stderr)["error"]["code"]) == (1, "DAEMON_ABSENT")


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("always", {"type": "always"}),
        (" thinking ", {"type": "thinking"}),
        ("tokens > 1000", {"type": "token_count", "min": 1001}),
        ("tokens >= 1000", {"type": "token_count", "min": 1000}),
        ("tokens<1000", {"type": "token_count", "max": 999}),
        ("tools >= 2", {"type": "has_tools", "min_count": 2}),
        ("tools > 2", {"type": "has_tools", "min_count": 3}),
        ('{"type": "image"}', {"type": "image"}),
    ],
)
def test_conditions_are_written_as_people_say_them(text: str, condition: dict[str, Any]) -> None:
    assert condition_of(text) == condition


@pytest.mark.parametrize("text", ["", "token > 5", "[]", "tools < 3", "tokens > x"])
def test_what_is_no_condition_is_told(text: str) -> None:
    with pytest.raises(InvalidInput):
        condition_of(text)
