"""Every value that is completed, in bash itself, with the script that bash is given, of a real daemon's things."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click
import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, set_fields, webhook

from .shell_daemon import Shells
from .test_command_tree import COMMANDS
from .test_commands import Shell
from .test_mcp_oauth import Flow, decided, registered

ANY = ""
"""Some id."""
COMPLETED = {
    "agents show": (["she"], "shell"),
    "api-key create": (["k", "--user", "adm"], "admin"),
    "api-key delete": (["lapt"], "laptop"),
    "chat": (["on"], "one"),
    "credential show": (["Head"], r"Header\ secret"),
    "credential create": (["httpHea"], "httpHeaderAuth"),
    "community-nodes show": (["n8n"], "n8n-nodes-acme"),
    "data-table show": (["peo"], "people"),
    "execution show": ([""], ANY),
    "invitations reset": (["adm"], "admin"),
    "sessions list": (["--user", "adm"], "admin"),
    "execution list": (["--workflow", "Spa"], r"Spaced\ name"),
    "execution retry": ([""], ANY),
    "export": (["Spa"], r"Spaced\ name"),
    "hosts drain": ([""], ANY),
    "hosts resume": ([""], ANY),
    "key show": (["sha"], "shared"),
    "key create": (["new", "--profile", "on"], "one"),
    "mcp offer": (["Spa"], r"Spaced\ name"),
    "mcp revoke": ([""], ANY),
    "plugins form": (["httpReq"], "httpRequest"),
    "profiles create": (["she"], "shell"),
    "profiles provider-key": (["anthro"], "anthropic"),
    "profiles show": (["on"], "one"),
    "providers show": (["anthro"], "anthropic"),
    "proxy route list": (["on"], "one"),
    "proxy status": (["on"], "one"),
    "tag rename": (["urg"], "urgent"),
    "templates show": (["care"], "careful"),
    "terminal attach": ([""], ANY),
    "terminal new": (["on"], "one"),
    "trigger test": (["Spa"], r"Spaced\ name"),
    "usage": (["--agent", "she"], "shell"),
    "usage daily": (["--profile", "on"], "one"),
    "usage export": (["--provider", "anthro"], "anthropic"),
    "user passwd": (["adm"], "admin"),
    "variable delete": (["REG"], "REGION"),
    "webhook show": (["/spac"], "/spaced"),
    "workflow show": (["Spa"], r"Spaced\ name"),
    "workflow export": (["Spa"], r"Spaced\ name"),
    "workflow list": (["--tag", "urg"], "urgent"),
    "workflow run": (["Spa"], r"Spaced\ name"),
    "workflow validate": (["spaced.js"], "spaced.json"),
    "restore": (["back"], "backups"),
}
"""Command -> what is typed after it, the first word that bash offers for the last of that."""
OWN_WORDS = {
    "api-key create": "the name of a new key", "chat": "arguments of an agent",
    "community-nodes add": "the name of a package", "credential create": "the name of a new credential",
    "data-table add": "columns with values", "data-table create": "the name of a new table",
    "env setup": "a task of a manifest", "hooks add": "a command", "hooks remove": "an event",
    "key create": "the label of a new key", "proxy alias remove": "a model", "proxy alias set": "models",
    "proxy route add": "a new route", "proxy route remove": "the name of a route",
    "profiles create": "the alias of a new profile", "profiles run": "arguments of an agent",
    "git diff": "paths of the repository", "git push": "paths of the repository",
    "invitations revoke": "the id of a link", "plugins new": "the name of a new plugin",
    "plugins install": "the name of a distribution", "plugins remove": "the name of a distribution",
    "mail test": "an address", "registry pin": "a commit", "sessions end": "the id of a session",
    "tag create": "the name of a new tag", "tag rename": "its new name",
    "terminal new": "arguments of an agent", "terminal play": "a file or an id of a session that has ended",
    "approvals answer": "an option or a text", "copilot": "a task", "evaluation cancel": "the id of a run",
    "evaluation compare": "ids of runs", "evaluation rows": "the id of a run", "projects add": "the name of a user",
    "projects create": "the name of a new project", "projects move": "an id", "projects remove": "the name of a user",
    "projects rename": "its new name", "projects share": "an id", "projects unshare": "an id",
    "trigger test": "the name of a node", "user add": "the name of a new user", "variable set": "a value",
}  # fmt: skip
"""Commands with an argument that nobody can complete, with what it is."""
UNTRIED = {
    "approvals show approval": "a question that waits", "copilot draft": "a draft", "copilot profile": "an agent",
    "copilot workflow": "an agent", "draft show draft_id": "a draft", "evaluate name": "an evaluation",
    "evaluation show name": "an evaluation", "mcp revoke-token token": "a run of an agent",
    "invitations create projects": "a project beside the shared one",
    "projects rename project": "a project beside the shared one", "secrets test source": "a source of secrets",
    "usage weekly in_project": "a project beside the shared one",
}  # fmt: skip
"""Completions whose names there are only with what stands here, which these tests do not begin."""
TRY = (
    'eval "$(jackfield completion bash)"',
    "compopt() { COMPREPLY=($(compgen -f -- ${COMP_WORDS[COMP_CWORD]})); }",
    'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _jackfield_completion jackfield;',
    'printf "%s\\n" "${COMPREPLY[0]}"; }',
)
"""compopt works within a completion that a person has begun; here it does what bash does then."""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    directory = tmp_path_factory.mktemp("completion")
    daemon = Daemon(directory)
    packages = daemon.config_dir / "community-nodes"
    (packages / "acme").mkdir(parents=True)
    row = {"name": "n8n-nodes-acme", "version": "1.0.0", "integrity": "", "directory": "acme", "installed_at": 0}
    (packages / "index.json").write_text(json.dumps({"packages": [row]}))
    (packages / "acme" / "description.json").write_text("{}")
    shells = Shells(daemon)
    shells.start()
    found = Shell(daemon)
    file = directory / "spaced.json"
    file.write_text(json.dumps(chain("Spaced name", webhook("spaced"), set_fields("Mark", seen=True))))
    (directory / "backups").mkdir()
    found("workflow", "import", str(file))
    found("workflow", "activate", "Spaced name")
    found("workflow", "run", "Spaced name", "--input", "{}")
    found("tag", "create", "urgent")
    found("variable", "set", "REGION", "north")
    found("data-table", "create", "people", "-c", "name")
    found("credential", "create", "httpHeaderAuth", "Header secret", stdin='{"name": "X-A", "value": "b"}')
    found("api-key", "create", "laptop")
    found("key", "create", "shared", "--profile", "one")
    client = Flow(daemon, registered(daemon).json()["client_id"])
    client.exchange(decided(daemon, client.address(), daemon.admin())["code"]).raise_for_status()
    yield found
    daemon.stop()


@pytest.mark.parametrize("command", sorted(COMPLETED))
def test_bash_completes(shell: Shell, command: str) -> None:
    typed, wanted = COMPLETED[command]
    words = " ".join(f"'{word}'" for word in typed)
    offered = shell.bash(f"cd '{shell.directory}'", *TRY, f"try jackfield {command} {words}")[0]
    assert offered.startswith(wanted)
    assert offered


def test_every_completion_is_tried() -> None:
    """Of those that several commands share, one."""
    tried: set[object] = set()
    others: dict[object, str] = {}
    for name, command in COMMANDS.items():
        typed = COMPLETED.get(name, ([], ""))[0]
        for parameter in command.params:
            completer = parameter._custom_shell_complete
            if completer is None:
                continue
            by_option = not isinstance(parameter, click.Argument)
            is_typed = bool(typed) and (parameter.opts[0] in typed if by_option else len(typed) == 1)
            if is_typed:
                tried.add(completer)
            else:
                others[completer] = f"{name} {parameter.name}"
    missing = [each for completer, each in others.items() if completer not in tried]
    assert set(missing) == UNTRIED.keys()


def test_every_argument_is_completed() -> None:
    own: set[str] = set()
    for name, command in COMMANDS.items():
        for parameter in command.params:
            plain = isinstance(parameter.type, click.types.StringParamType | click.types.UnprocessedParamType)
            if isinstance(parameter, click.Argument) and plain and not parameter._custom_shell_complete:
                own.add(name)
    assert own == OWN_WORDS.keys()


def test_nothing_is_offered_without_a_daemon(shell: Shell) -> None:
    offered = shell.bash("export JACKFIELD_DAEMON_ENDPOINT=http://127.0.0.1:1", *TRY, "try jackfield workflow show ''")
    assert offered == [""]
