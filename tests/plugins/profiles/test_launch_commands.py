"""`jackfield profiles run`, `profiles env` and `scripts test`, as a person uses them."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jackfield_profiles.commands.running import exports

JACKFIELD = str(Path(sys.executable).with_name("jackfield"))
KEY = "key-canary-0123456789"
# Its handlers write past `print`, which may be at work when a signal comes.
AGENT = """
import os, signal, sys, time
if "--version" in sys.argv:
    print("echoer 1.0.0"); sys.exit()
if "--wait" in sys.argv:
    signal.signal(signal.SIGINT, lambda *_: (os.write(1, b"GOT INT\\n"), os._exit(42)))
    signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b"GOT TERM\\n"), os._exit(43)))
    print("READY", os.getppid(), flush=True)
    while True: time.sleep(0.05)
if "--die" in sys.argv:
    os.kill(os.getpid(), 9)
print("ARGS", sys.argv[1:], "TTY", os.isatty(0), "CWD", os.getcwd(), "HOME", os.environ["HOME"])
sys.exit(7)
"""
SCRIPT = """
#{
    files: #{ ".gen/a.json": json::encode(#{ token: "${API_KEY}", alias: ctx.profile.alias }) },
    env: #{ "GEN": "a b" },
    args: ["--gen"]
}
"""
SERVERS = """
[mcp_servers.custom.docs]
command = "docs"
env = { DOCS_TOKEN = "canary-of-docs", REGION = "canary-e" }
[mcp_servers.custom.far]
url = "https://mcp.example"
headers = { Authorization = "Bearer canary-of-far" }
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration directory with a profile, and no daemon."""
    place = tmp_path_factory.mktemp("commands")
    for folder in ("bin", "config/agents.d", "config/providers.d", "config/scripts", "work"):
        (place / folder).mkdir(parents=True)
    program = place / "bin/echoer"
    program.write_text(f"#!{sys.executable} -IS\n{AGENT}")
    program.chmod(0o755)
    (place / "config/config.toml").write_text(f'[profiles]\nkey_store = "file"\n{SERVERS}')
    (place / "config/agents.d/echoer.toml").write_text(
        f'id = "echoer"\nbinary = "echoer"\n[detect]\ncommands = ["echoer --version"]\n'
        f'[profile]\nsource_home = "{place}/homes/{{alias}}"\n'
    )
    (place / "config/providers.d/acme.toml").write_text(
        'id = "acme"\ntype = "anthropic-compatible"\n[endpoints]\nmain = "https://acme.example"\n'
        '[auth]\nenv_key = "ACME_API_KEY"\n[models]\navailable = ["m"]\ndefault = "m"\n'
    )
    (place / "script.rhai").write_text(SCRIPT)
    made = command(place, "profiles", "create", "echoer", "work", "--provider", "acme", given=f"{KEY}\n")
    assert made.returncode == 0, made.stderr
    return place


def environment(place: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JACKFIELD_", "XDG_", "DBUS_"))}
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "HOME": str(place), "JACKFIELD_CONFIG_DIR": str(place / "config")}


def command(place: Path, *args: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [JACKFIELD, *args],
        cwd=place / "work",
        env=environment(place),
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
    )


class Terminal:
    """A command that has a terminal for itself."""

    def __init__(self, place: Path, *args: str) -> None:
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(place / "work")
            os.execve(JACKFIELD, [JACKFIELD, *args], environment(place))
        self.seen = ""

    def read(self, wanted: str) -> None:
        deadline = time.monotonic() + 30
        while wanted not in self.seen:
            assert time.monotonic() < deadline, self.seen
            if select.select([self._descriptor], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):  # the other end is closed; the deadline tells when it came too early
                    self.seen += os.read(self._descriptor, 65536).decode()

    def type(self, keys: bytes) -> None:
        os.write(self._descriptor, keys)

    def code(self) -> int:
        """How it has ended; what it says last is in `seen`."""
        with contextlib.suppress(OSError):  # Linux tells the end so
            while data := os.read(self._descriptor, 65536):
                self.seen += data.decode()
        _, status = os.waitpid(self.pid, 0)
        os.close(self._descriptor)
        return os.waitstatus_to_exitcode(status)


def test_run_takes_over_the_terminal_and_ends_with_the_agents_code(place: Path) -> None:
    terminal = Terminal(place, "profiles", "run", "work", "--", "--fast", "two words")
    terminal.read("HOME")
    assert terminal.code() == 7
    assert "ARGS ['--fast', 'two words'] TTY True" in terminal.seen
    assert f"CWD {place / 'work'} HOME {place / 'homes/work'}" in terminal.seen.replace("\r\n", "")


def test_a_terminal_that_controls_nobody_will_do(place: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        ended = subprocess.run(
            [JACKFIELD, "profiles", "run", "work"],
            cwd=place / "work",
            env=environment(place),
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=60,
            start_new_session=True,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert (ended.returncode, ended.stderr) == (7, "")
    assert "TTY True" in ended.stdout


def test_the_agent_gets_the_interrupt_key(place: Path) -> None:
    terminal = Terminal(place, "profiles", "run", "work", "--", "--wait")
    terminal.read("READY")
    terminal.type(b"\x03")
    terminal.read("GOT INT")
    assert terminal.code() == 42, terminal.seen


def test_a_termination_is_passed_on(place: Path) -> None:
    terminal = Terminal(place, "profiles", "run", "work", "--", "--wait")
    terminal.read("READY")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.read("GOT TERM")
    assert terminal.code() == 43, terminal.seen


def test_a_purge_names_the_run_in_a_terminal_and_leaves_its_home(place: Path) -> None:
    def deleted(alias: str, *options: str) -> subprocess.CompletedProcess[str]:
        return command(place, "profiles", "delete", alias, "--yes", "--purge", *options)

    for alias in ("Busy", "forced"):
        made = command(place, "profiles", "create", "echoer", alias, "--provider", "acme", given=f"{KEY}\n")
        assert made.returncode == 0, made.stderr
    running = {alias: Terminal(place, "profiles", "run", alias, "--", "--wait") for alias in ("Busy", "forced")}
    for terminal in running.values():
        terminal.read("READY")
    named = f"process {running['Busy'].pid} runs the profile Busy in its own terminal"
    for refused in (deleted("Busy"), deleted("Busy", "--dry-run")):
        assert (refused.returncode, named in refused.stderr) == (1, True), refused.stderr
    assert (place / "config/profiles/Busy.json").exists()
    forced = deleted("forced", "--force")
    assert forced.returncode == 0, forced.stderr
    assert f"was kept: the process {running['forced'].pid} runs" in forced.stderr
    assert (place / "homes/forced").exists()
    os.kill(running["Busy"].pid, signal.SIGKILL)  # it cannot take its note away
    for terminal in running.values():
        terminal.type(b"\x03")
    assert (running["Busy"].code(), running["forced"].code()) == (-signal.SIGKILL, 42)
    gone = deleted("Busy")
    assert gone.returncode == 0, gone.stderr
    assert not (place / "homes/Busy").exists()
    assert not list((place / "config/profiles").glob("*.process-*"))


def test_an_agent_that_is_killed_ends_as_in_a_shell(place: Path) -> None:
    ended = command(place, "profiles", "run", "work", "--", "--die")
    assert ended.returncode == 137


def test_an_unknown_profile_is_told(place: Path) -> None:
    ended = command(place, "profiles", "run", "nobody")
    assert ended.returncode == 1
    assert "nobody" in ended.stderr


def test_env_shows_secrets_only_when_asked(place: Path) -> None:
    masked = command(place, "profiles", "env", "work").stdout
    assert "export ANTHROPIC_AUTH_TOKEN='***'" in masked
    assert KEY not in masked
    asked = command(place, "profiles", "env", "work", "--show-secrets").stdout
    shell = subprocess.run(
        ["/bin/sh", "-c", f"{asked}\nprintf %s \"$ANTHROPIC_AUTH_TOKEN $ANTHROPIC_BASE_URL\""],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shell.stdout == f"{KEY} https://acme.example"


def test_lines_for_a_shell_are_quoted() -> None:
    assert exports({"A": "it's $x\n`y`", "not-a-name": "1"}) == ["export A='it'\"'\"'s $x\n`y`'"]


def test_a_script_is_tried_and_nothing_is_written(place: Path) -> None:
    pytest.importorskip("rhai")
    before = sorted(place.glob("homes/**/*"))
    tried = command(place, "scripts", "test", str(place / "script.rhai"), "--profile", "work")
    assert tried.returncode == 0, tried.stderr
    assert tried.stdout.splitlines() == [
        "--- .gen/a.json",
        '{"token":"${API_KEY}","alias":"work"}',
        "--- environment",
        "GEN=a b",
        "--- arguments",
        "--gen",
    ]
    assert sorted(place.glob("homes/**/*")) == before
    (place / "bad.rhai").write_text("let x = ;")
    tried = command(place, "scripts", "test", str(place / "bad.rhai"), "--profile", "work")
    assert tried.returncode == 1
    assert "bad.rhai" in tried.stderr
    assert "line 1" in tried.stderr


def test_a_scripts_changes_of_the_home_are_shown_without_keys(place: Path) -> None:
    pytest.importorskip("rhai")
    home = place / "homes/work"
    there = home / ".gen/a.json"
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_text('{"theirs": 1, "apiToken": "an-older-secret", "alias": "other"}')
    before = {file: file.read_bytes() for file in place.glob("homes/**/*") if file.is_file()}
    shown = command(place, "scripts", "test", str(place / "script.rhai"), "--profile", "work", "--diff", "--json")
    assert shown.returncode == 0, shown.stderr
    assert KEY not in shown.stdout
    assert "an-older-secret" not in shown.stdout
    (changed,) = json.loads(shown.stdout)["files"]
    assert (changed["path"], changed["status"], changed["aside"]) == (".gen/a.json", "changed", True)
    assert any(line.startswith("+") and "***" in line for line in changed["diff"])
    assert {file: file.read_bytes() for file in place.glob("homes/**/*") if file.is_file()} == before
    told = command(place, "scripts", "test", str(place / "script.rhai"), "--profile", "work", "--diff")
    assert told.stdout.startswith(".gen/a.json: changed; the present one is kept beside it\n")
    there.unlink()


def test_whether_a_profile_could_be_made_is_told_and_none_is(place: Path) -> None:
    make = ("profiles", "create", "echoer", "other", "--provider", "acme", "--dry-run", "--json")
    told = command(place, *make, given=f"{KEY}\n")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["dryRun"] is True
    assert KEY not in told.stdout + told.stderr
    taken = command(place, "profiles", "create", "echoer", "work", "--provider", "acme", "--dry-run", given=f"{KEY}\n")
    assert (taken.returncode, "exists already" in taken.stderr) == (1, True)
    assert not (place / "homes/other").exists()
    assert [one["alias"] for one in json.loads(command(place, "profiles", "list", "--json").stdout)] == ["work"]


def test_a_first_look_names_agents_and_makes_a_profile_once(place: Path) -> None:
    config = place / "first"
    (config / "agents.d").mkdir(parents=True)
    manifest = (place / "config/agents.d/echoer.toml").read_text()
    (config / "agents.d/echoer.toml").write_text(f'{manifest}[models]\ndefault = "m"\n')
    found = []
    for _ in range(2):
        told = command(place, "init", "--yes", "--json", "--config-dir", str(config))
        assert told.returncode == 0, told.stderr
        found.append(json.loads(told.stdout))
    agents = {agent["id"]: agent["installed"] for agent in found[0]["agents"]}
    assert agents["echoer"] is True
    assert (found[0]["daemon"], found[0]["directory"]) == (False, str(config))
    assert [one["profile"]["created"] for one in found] == [True, False]


def test_tasks_and_a_shell_run_in_the_profiles_environment(place: Path) -> None:
    manifest = place / "config/agents.d/echoer.toml"
    before = manifest.read_text()
    manifest.write_text(before + '[setup_tasks.login]\ncommand = "echo $HOME; pwd; exit 3"\n')
    home = str(place / "homes/work")
    ran = command(place, "env", "setup", "work", "login")
    assert (ran.returncode, ran.stdout.split()) == (3, [home, home])
    wrong = command(place, "env", "setup", "work", "logn")
    assert (wrong.returncode, "did you mean login?" in wrong.stderr) == (1, True)
    shell = command(place, "env", "shell", "work", given="echo $HOME; exit 4\n")
    assert (shell.returncode, shell.stdout.split()[-1]) == (4, home)
    manifest.write_text(before)


@pytest.mark.parametrize("options", [(), ("--json",), ("--diff",)])
def test_a_tried_script_shows_nothing_of_mcp_servers(place: Path, options: tuple[str, ...]) -> None:
    script = place / "servers.rhai"
    script.write_text('#{ files: #{ ".gen/mcp.json": json::encode_pretty(ctx.prefs.mcp_servers.custom) } }')
    told = command(place, "scripts", "test", str(script), "--profile", "work", *options)
    assert told.returncode == 0, told.stderr
    assert "DOCS_TOKEN" in told.stdout
    assert "***" in told.stdout
    assert "canary" not in told.stdout + told.stderr
