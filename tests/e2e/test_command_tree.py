"""Every command of the program: its `--json`, the daemon that it asks, its errors."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from jackfield.cli.main import jackfield, main
from jackfield.cli.runtime import Runtime
from jackfield.testing.daemon import Daemon

NO_JSON = {
    "audit export": "writes records in the form that --format names",
    "completion": "prints a script for a shell",
    "env setup": "gives the terminal to a command of the agent's manifest",
    "env shell": "gives the terminal to a shell",
    "mcp": "speaks MCP over its standard streams",
    "profiles run": "gives the terminal to an agent, whose options come after it",
    "serve": "runs until it is stopped",
    "terminal attach": "gives the terminal to a session",
    "terminal play": "plays a recording in the terminal",
}
"""Commands whose output is for no program, with the reason."""
NO_STATE = {
    "completion": "prints a script of click's, whichever daemon will answer it",
    "plugins check": "imports the project that its author has here; a daemon would run code that it is sent",
    "plugins new": "writes a project for its author here, of what is installed here",
    "man": "writes pages about the program that is called",
    "registry build": "reads and signs a directory here; the private key leaves its machine for no daemon",
    "restore": "writes the directory of a daemon that does not exist yet",
    "serve": "is the daemon",
    "service install": "tells the service manager of this machine",
    "service show": "writes for the service manager of this machine",
    "service status": "asks the service manager of this machine",
    "service uninstall": "tells the service manager of this machine",
    "verify": "reads a backup's directory here, also when its daemon is lost",
    "version": "says the version of the program that is called",
}
"""Commands that neither ask a daemon nor read its state, with the reason."""
NOWHERE = "http://127.0.0.1:1"
ARGUMENTS = {
    "copilot": ["x", "--profile", "x"], "draft accept": ["d", "--all"], "draft reject": ["d", "--all"],
    "api-key create": ["k"], "profiles create": ["claude", "p", "--provider", "anthropic"],
    "backup": ["backups"], "credential create": ["httpHeaderAuth", "n"], "import n8n": ["file.json"],
    "export": ["--n8n", "--all"], "profiles delete": ["p", "-y"], "profiles edit": ["p", "--model", "m"],
    "proxy test": ["p", "--model", "m"], "registry pin": ["abc"], "scripts test": ["file.json", "--profile", "p"],
    "terminal new": ["p", "--detached"], "terminal shell": ["--detached"], "user add": ["u", "--role", "viewer"],
    "user role": ["u", "viewer"], "workflow export": ["--all"], "workflow import": ["file.json"],
    "workflow validate": ["file.json"],
    "hooks add": ["p", "Stop", "*", "c"], "hooks import": ["p", "file.json"], "hooks remove": ["p", "Stop", "0"],
    "proxy route add": ["p", "n", "always", "a/b"],
    "import cc-switch": ["."], "import claude-code-router": ["."], "import litellm": ["."], "import ringlet": ["."],
    "agents validate": ["file.json"], "providers validate": ["file.json"], "scripts validate": ["file.json"],
    "templates validate": ["file.json"],
    "store copy": ["--to", "other.db"], "workflow run": ["Name"], "proxy stop": ["--all"], "variable set": ["k", "v"],
    "credential change": ["c", "--name", "n"],
    "projects move": ["workflow", "w", "p"], "projects share": ["workflow", "w", "p"],
    "projects unshare": ["workflow", "w", "p"],
    "git push": ["-m", "m"], "invitations create": ["--role", "member"],
    "data-table add": ["t", "column=value"], "data-table import": ["t", "file.csv"],
}  # fmt: skip
"""Of commands that need other than one word per argument."""


def leaves(
    command: click.Command, path: tuple[str, ...], context: click.Context
) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    if command.invoke_without_command:
        yield " ".join(path), command
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, (*path, name), context)


COMMANDS = dict(leaves(jackfield, (), click.Context(jackfield, obj=Runtime())))


def options(command: click.Command) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_answers_programs(name: str) -> None:
    assert ("--json" in options(COMMANDS[name])) is (name not in NO_JSON)


def test_the_exceptions_exist() -> None:
    assert NO_JSON.keys() | NO_STATE.keys() <= COMMANDS.keys()


def test_every_group_names_similar_commands() -> None:
    context = click.Context(jackfield, obj=Runtime())
    for name in jackfield.list_commands(context):
        group = jackfield.get_command(context, name)
        if isinstance(group, click.Group):
            below = group.list_commands(context)[0]
            with pytest.raises(click.UsageError, match=f"Did you mean .*{below}"):
                group.resolve_command(click.Context(group), [f"{below}x"])


def run(
    directory: Path, *arguments: str, config_dir: Path | None = None, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
    return subprocess.run(
        [sys.executable, "-m", "jackfield", *arguments],
        input=stdin, capture_output=True, text=True, check=False, timeout=60, cwd=directory,
        env=own | {"JACKFIELD_CONFIG_DIR": str(config_dir or directory / "none"), "HOME": str(directory)} | environment,
    )  # fmt: skip


def arguments_of(name: str, command: click.Command) -> list[str]:
    if name in ARGUMENTS:
        return ARGUMENTS[name]
    given = ["x" for each in command.params if isinstance(each, click.Argument) and each.required]
    return given + (["-y"] if "--yes" in options(command) else [])


@pytest.fixture
def interrupts() -> Iterator[None]:
    """`main` replaces the handler."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - NO_STATE.keys() - {"terminal attach"}))
def test_every_command_goes_to_the_daemon_that_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or says that it works on the directory, in which nothing is made."""
    for variable in [each for each in os.environ if each.startswith("JACKFIELD_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("JACKFIELD_CONFIG_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("JACKFIELD_DAEMON_ENDPOINT", NOWHERE)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": "long-enough-password"}\n')))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.json").write_text('{"name": "N", "nodes": [], "connections": {}}')
    (tmp_path / "file.csv").write_text("column\nvalue\n")
    as_json = ["--json"] if name not in NO_JSON else []
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), *arguments_of(name, COMMANDS[name]), *as_json])
    told = capsys.readouterr()
    assert ended.value.code in (1, 2), told
    assert NOWHERE in told.err or "JACKFIELD_DAEMON_ENDPOINT" in told.err, told
    assert not (tmp_path / "none").exists()
    if as_json:
        assert json.loads(told.err.splitlines()[-1])["error"].keys() >= {"code", "message"}
        assert told.out == ""


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["workflow", "show", "x", "--json"], "DAEMON_ABSENT", 1),
        (["workflow", "run", "--json"], "USAGE", 2),
        (["workflw", "list", "--json"], "USAGE", 2),
        (["profiles", "show", "x", "--json"], "PROFILE_NOT_FOUND", 1),
        (["agents", "show", "claud", "--json"], "AGENT_NOT_FOUND", 1),
        (["user", "role", "x", "admin", "--json"], "NOT_FOUND", 1),
        (["workflow", "run", "nothing", "--json"], "NOT_FOUND", 2),
    ],
)
def test_errors_have_one_form(arguments: list[str], code: str, exit_code: int, tmp_path: Path) -> None:
    ended = run(tmp_path, *arguments)
    assert (ended.returncode, ended.stdout) == (exit_code, "")
    error = json.loads(ended.stderr)["error"]
    assert error["code"] == code
    assert error["message"].endswith((".", "?"))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    # A busy machine holds the loop; which plugin did, the list of plugins would tell.
    found = Daemon(tmp_path_factory.mktemp("elsewhere"), settings="[daemon]\nloop_held_ms = 60000\n")
    found.start()
    yield found
    found.stop()


def test_a_daemon_elsewhere_does_what_its_directory_would(daemon: Daemon, tmp_path: Path) -> None:
    """As its owner, without a key, from another directory."""

    def ask(*arguments: str, stdin: str = "") -> object:
        ended = run(tmp_path, *arguments, "--json", stdin=stdin, JACKFIELD_DAEMON_ENDPOINT=daemon.base_url)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    made = ask("profiles", "create", "claude", "far", "--provider", "anthropic", "--allow-missing", stdin="sk-1\n")
    assert isinstance(made, dict)
    assert made["alias"] == "far"
    here = run(tmp_path, "profiles", "list", "--json", config_dir=daemon.config_dir)
    assert ask("profiles", "list") == json.loads(here.stdout)
    ask("profiles", "edit", "far", "--env", "SECRET_TOKEN=abc")
    ask("profiles", "edit", "far", "--env", "PLAIN=1")
    kept = run(tmp_path, "profiles", "env", "far", "--show-secrets", "--json", config_dir=daemon.config_dir)
    assert json.loads(kept.stdout)["SECRET_TOKEN"] == "abc"
    file = tmp_path / "workflow.json"
    file.write_text('{"name": "N", "nodes": [{"name": "A", "type": "no.such"}], "connections": {}}')
    checked = run(tmp_path, "workflow", "validate", str(file), "--json", JACKFIELD_DAEMON_ENDPOINT=daemon.base_url)
    here = run(tmp_path, "workflow", "validate", str(file), "--json", config_dir=daemon.config_dir)
    assert (checked.returncode, checked.stdout) == (here.returncode, here.stdout), checked.stderr
    for command in (["agents", "list"], ["providers", "show", "anthropic"], ["registry", "status"], ["plugins"]):
        here = run(tmp_path, *command, "--json", config_dir=daemon.config_dir)
        assert ask(*command) == json.loads(here.stdout), command
    assert isinstance(ask("usage"), dict)
    assert isinstance(ask("usage", "daily"), dict)
    here = run(tmp_path, "usage", "export", "--json", config_dir=daemon.config_dir)
    assert ask("usage", "export") == json.loads(here.stdout)
    ask("profiles", "delete", "far", "-y")
    assert ask("profiles", "list") == []
    assert not (tmp_path / "none").exists()


def test_users_of_a_daemon_elsewhere_are_managed(daemon: Daemon, tmp_path: Path) -> None:
    def ask(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return run(tmp_path, *arguments, stdin=stdin, JACKFIELD_DAEMON_ENDPOINT=daemon.base_url)

    assert ask("user", "add", "eve", "--role", "viewer", stdin="another-horse-battery\n").returncode == 0
    assert ask("user", "role", "eve", "member").stdout == "User eve has the role member.\n"
    assert "did you mean eve?" in ask("user", "disable", "evee").stderr
    assert ask("user", "delete", "eve").returncode == 0
    assert "JACKFIELD_DAEMON_ENDPOINT" in ask("backup", "x").stderr
    assert "JACKFIELD_DAEMON_ENDPOINT" in ask("keys", "rotate").stderr


def test_the_directory_of_the_named_daemon_is_worked_on(daemon: Daemon, tmp_path: Path) -> None:
    ended = run(
        tmp_path, "backup", str(tmp_path / "b"), config_dir=daemon.config_dir, JACKFIELD_DAEMON_ENDPOINT=daemon.base_url
    )
    assert ended.returncode == 0, ended.stderr
