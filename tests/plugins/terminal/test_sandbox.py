"""Sandboxes: what an agent in one can see, write and do, in real ones where the machine allows them."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.auth import Principal
from jackfield.api.errors import InvalidInput
from jackfield.api.profiles import LaunchRequest, with_least_sandbox
from jackfield.api.projects import CallerReach, reaching
from jackfield.api.records import replace
from jackfield.testing.context import FakeContext
from jackfield_terminal.findings import findings
from jackfield_terminal.hub import Hub
from jackfield_terminal.ports import SessionRequest
from jackfield_terminal.sandbox import bubblewrap as sandboxes
from jackfield_terminal.sandbox.mounts import SandboxPaths, SandboxView, view_of
from jackfield_terminal.settings import SandboxSettings, TerminalSettings

from .conftest import DEADLINE, FakeProfiles, attach, start
from .terminal_lab import Api

WORKS = sandboxes.problem_of_sandbox(SandboxSettings()) is None
needs_sandbox = pytest.mark.skipif(not WORKS, reason="bubblewrap does not work here")


class House:
    """A user's home, the configuration directory in it, the profile's home and another's, and a project."""

    def __init__(self, root: Path) -> None:
        # Not below /tmp, which a sandbox has of its own.
        self.root = root
        self.user = root / "user"
        self.config = self.user / ".config" / "jackfield"
        self.home = root / "profiles" / "one"
        self.other = root / "profiles" / "two"
        self.project = self.user / "project"
        for directory in (self.config, self.home, self.other, self.project, self.user / ".ssh", self.user / "bin"):
            directory.mkdir(parents=True)
        for path in (self.config / "key", self.other / "key", self.user / ".ssh" / "id", self.user / ".gitconfig"):
            path.write_text("content\n")
        self.project.joinpath("file").write_text("project\n")

    def places(self, **changes: Any) -> SandboxPaths:
        given: dict[str, Any] = {
            "home": self.home, "cwd": self.home, "program": Path("/bin/sh"), "config_dir": self.config,
            "user_home": self.user, "others": [self.other],
        } | changes  # fmt: skip
        return SandboxPaths(**given)


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Any:
    root = Path(f"/var/tmp/jackfield-test-{os.getpid()}-{os.urandom(4).hex()}")
    root.mkdir(mode=0o700)
    try:
        made = House(root)
        monkeypatch.setenv("HOME", str(made.user))
        yield made
    finally:
        shutil.rmtree(root)


@pytest.fixture
async def hub(house: House, profiles: FakeProfiles, settings: TerminalSettings) -> AsyncIterator[Hub]:
    profiles.home, profiles.sandbox = house.home, "standard"
    profiles.others = [FakeProfiles.profile("two", house.other)]
    tables = [settings, SandboxSettings(processes=1000, tmp_size=1024**2)]
    made = Hub(FakeContext(house.config, tables=tables, ports={"Profiles": profiles}))
    yield made
    await made.close()


async def said(hub: Hub, script: str, **more: Any) -> str:
    """What a script prints in its sandbox."""
    session = await start(hub, script, **more)
    async with asyncio.timeout(DEADLINE):
        await session.ended.wait()
    return str(session.log.scrollback()[0].decode())


# -- the plan, without a sandbox


def view(house: House, kind: Any = "standard", **changes: Any) -> SandboxView:
    return view_of(kind, house.places(**changes), SandboxSettings())


@pytest.mark.parametrize("kind", ["standard", "strict"])
def test_what_is_shown_and_what_is_not(house: House, kind: Any) -> None:
    found = view(house, kind, cwd=house.project)
    for path in (house.home / "x", house.project / "x", Path("/usr/bin/env"), Path("/etc/passwd")):
        assert found.shows(path)
    for path in (house.config / "key", house.other / "key", house.user / ".ssh" / "id", Path("/run/docker.sock")):
        assert not found.shows(path)
    assert found.shows(house.user / ".gitconfig") == (kind == "standard")
    assert found.shows(Path("/var/lib")) == (kind == "standard")


def test_a_home_inside_of_the_configuration_directory_is_shown_and_its_neighbours_are_not(house: House) -> None:
    home = house.config / "homes" / "one"
    home.mkdir(parents=True)
    found = view(house, home=home, cwd=home)
    assert found.shows(home / "x")
    assert not found.shows(house.config / "homes" / "two")


def test_a_project_that_holds_the_configuration_directory_does_not_show_it(house: House) -> None:
    config = house.project / "config"
    config.mkdir()
    found = view(house, cwd=house.project, config_dir=config)
    assert found.shows(house.project / "file")
    assert not found.shows(config / "key")


def test_links_lead_nowhere_else(house: House) -> None:
    link = house.root / "link"
    link.symlink_to(house.config)
    assert not view(house, config_dir=link).shows(house.config / "key")
    (house.home / "out").symlink_to(house.config)
    with pytest.raises(InvalidInput):
        view(house, cwd=house.home / "out")


@pytest.mark.parametrize("name", ["config", "config/keys", "other", "user", "root", "/", ".ssh", "bin"])
def test_working_directories_that_would_show_what_is_hidden(house: House, name: str) -> None:
    (house.config / "keys").mkdir()
    where = {
        "config": house.config, "config/keys": house.config / "keys", "other": house.other, "user": house.user,
        "root": house.root, "/": Path("/"), ".ssh": house.user / ".ssh", "bin": house.user / "bin",
    }[name]  # fmt: skip
    with pytest.raises(InvalidInput, match="working directory") as caught:
        view(house, cwd=where)
    assert caught.value.code == "SANDBOX_DIRECTORY"
    assert "working_dir" in (caught.value.details or {})


@pytest.mark.parametrize("place", ["/etc", "/usr/local", "/usr/bin", "/proc"])
def test_the_system_is_no_working_directory(house: House, place: str) -> None:
    with pytest.raises(InvalidInput, match="working directory") as caught:
        view(house, cwd=Path(place))
    assert caught.value.code == "SANDBOX_DIRECTORY"


def test_the_daemons_own_program_is_never_written(house: House) -> None:
    program = house.project / "venv"
    (program / "lib").mkdir(parents=True)
    made = view(house, cwd=house.project, daemon=[program]).arguments(1)
    assert made.index(str(house.project)) < made.index(str(program))
    assert made[made.index(str(program)) - 1] == "--ro-bind"
    with pytest.raises(InvalidInput, match="working directory"):
        view(house, cwd=program / "lib", daemon=[program])


def test_the_agents_program_is_shown_wherever_it_is(house: House) -> None:
    program = house.user / ".agent" / "bin" / "agent"
    program.parent.mkdir(parents=True)
    program.touch()
    for kind in ("standard", "strict"):
        assert view(house, kind, program=program).shows(program)
    beside = house.user / "agent"
    beside.touch()
    found = view(house, "strict", program=beside)
    assert found.shows(beside)
    assert not found.shows(house.user / ".ssh")


async def test_off_leaves_the_launch_alone(house: House, profiles: FakeProfiles) -> None:
    from jackfield.api.profiles import LaunchRequest

    profiles.sandbox = "off"
    launch = await profiles.prepare("one", LaunchRequest("terminal_session"))
    context = FakeContext(house.config, ports={"Profiles": profiles})
    assert await sandboxes.Sandbox(context).confined(launch) is launch


# -- where there is none


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A bwrap that says what one without user namespaces says."""
    program = tmp_path / "bin" / "bwrap"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return program


async def test_without_a_sandbox_nothing_is_started(hub: Hub, profiles: FakeProfiles, broken: Path) -> None:
    with pytest.raises(InvalidInput, match="No permissions to create new namespace") as caught:
        await start(hub, "touch started")
    assert caught.value.code == "SANDBOX_UNAVAILABLE"
    assert "unprivileged_userns_clone" in caught.value.message
    assert "sandbox to off" in caught.value.message
    assert profiles.ends == [("one", 127)]
    assert not (profiles.home / "started").exists()


async def test_a_sandbox_is_tried_again_until_it_works_and_then_no_more(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = ["no", None, "never asked"]
    monkeypatch.setattr(sandboxes, "problem_of_sandbox", lambda settings: answers.pop(0))
    made = sandboxes.Sandbox(FakeContext(house.config))
    assert [await made.unavailable() for _ in range(4)] == ["no", None, None, None]


async def test_doctor_names_the_profiles_that_cannot_start(house: House, profiles: FakeProfiles, broken: Path) -> None:
    context = FakeContext(house.config, ports={"Profiles": profiles})
    [found] = await findings(context)
    assert found.good
    profiles.sandbox = "strict"
    [found] = await findings(context)
    assert not found.good
    assert "one" in found.message
    assert "No permissions" in found.message


async def test_a_missing_bubblewrap_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "not installed" in (sandboxes.problem_of_sandbox(SandboxSettings()) or "")


# -- real ones


@needs_sandbox
@pytest.mark.parametrize("kind", ["standard", "strict"])
async def test_secrets_of_others_cannot_be_read(hub: Hub, house: House, profiles: FakeProfiles, kind: Any) -> None:
    profiles.sandbox = kind
    paths = [house.config / "key", house.other / "key", house.user / ".ssh" / "id"]
    with reaching(CallerReach(Principal("ann", "ann", "member", "jwt"))):  # who sees none of the others
        text = await said(
            hub, 'for f; do cat "$f" 2>/dev/null && echo READ; done; echo done', args=["sh", *map(str, paths)]
        )
    assert text == "done\r\n"


@needs_sandbox
@pytest.mark.parametrize("kind", ["standard", "strict"])
async def test_what_can_be_written(hub: Hub, house: House, profiles: FakeProfiles, kind: Any) -> None:
    profiles.sandbox = kind
    closed = [house.user, house.config, house.other, house.root, Path("/usr"), Path("/etc"), Path("/run"), Path("/")]
    script = """
    cat file; echo inside > made; echo inside > "$HOME/made"; echo inside > /tmp/made && ls /tmp
    for d; do touch "$d/x" 2>/dev/null && echo "WRITTEN $d"; done
    touch "$1/x" 2>&1 | grep -o 'Read-only' ; echo done
    """
    text = await said(hub, script, args=["sh", *map(str, closed)], working_dir=str(house.project))
    assert "project\r\n" in text
    assert "WRITTEN" not in text
    assert text.endswith("done\r\n")
    assert (house.project / "made").read_text() == "inside\n"
    assert (house.home / "made").read_text() == "inside\n"
    assert not Path("/tmp/made").exists()


@needs_sandbox
async def test_mounts_cannot_be_undone_and_processes_of_others_are_not_seen(hub: Hub, house: House) -> None:
    text = await said(
        hub,
        f"umount {house.user} 2>/dev/null && echo UNDONE; mount -o remount,rw / 2>/dev/null && echo UNDONE;"
        "ls -d /proc/[0-9]* | wc -l; grep CapEff /proc/self/status; hostname; ls /run | wc -l",
    )
    assert "UNDONE" not in text
    assert int(text.split()[0]) < 10
    assert "0000000000000000" in text
    assert text.split()[-1] == "0"


@needs_sandbox
async def test_the_environment_is_the_launchs_and_in_no_argument(hub: Hub, profiles: FakeProfiles) -> None:
    profiles.env = {"API_KEY": "sk-very-secret"}
    session = await start(hub, "env; cat")
    client = attach(hub, session)
    await client.printed(b"API_KEY=sk-very-secret")
    names = {line.split("=")[0] for line in client.output.decode().splitlines() if "=" in line}
    assert names - {"PWD", "_", "OLDPWD", "SHLVL"} == {"PATH", "HOME", "TERM", "PS1", "API_KEY", "JACKFIELD_CONTAINER"}
    assert b"sk-very-secret" not in Path(f"/proc/{session.pid}/cmdline").read_bytes()


@needs_sandbox
async def test_nothing_of_the_agents_environment_runs_outside(hub: Hub, house: House, profiles: FakeProfiles) -> None:
    # As LD_PRELOAD would load what the agent has put into its home, which takes a compiler to show.
    profiles.env = {"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(house.root / "escaped"), "PYTHONSTARTUP": "/nowhere"}
    text = await said(hub, 'echo "$LD_DEBUG $PYTHONSTARTUP"')
    assert "libs /nowhere" in text
    assert [*house.root.glob("escaped*")] == []


@needs_sandbox
async def test_a_directory_that_was_put_in_place_of_another_is_not_worked_in(
    hub: Hub, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = house.project / "sub"
    project.mkdir()
    looked_at = sandboxes.view_of

    def swapped(*given: Any) -> SandboxView:
        found = looked_at(*given)
        project.rename(house.project / "aside")
        project.symlink_to(house.user / ".ssh")
        return found

    monkeypatch.setattr(sandboxes, "view_of", swapped)
    text = await said(hub, "cat id; echo worked", working_dir=str(project))
    assert text == "The working directory has changed.\r\n"


@needs_sandbox
async def test_what_cannot_be_written_cannot_be_put_aside(profiles: FakeProfiles, house: House) -> None:
    config = house.project / "some" / "config"
    config.mkdir(parents=True)
    profiles.home, profiles.sandbox = house.home, "standard"
    hub = Hub(FakeContext(config, tables=[TerminalSettings(), SandboxSettings()], ports={"Profiles": profiles}))
    try:
        text = await said(
            hub, "mv some other 2>/dev/null && echo MOVED; touch some/new; ls", working_dir=str(house.project)
        )
    finally:
        await hub.close()
    assert text.split() == ["file", "some"]
    assert sorted(one.name for one in (house.project / "some").iterdir()) == ["config", "new"]


@needs_sandbox
async def test_exit_codes_and_sizes_pass(hub: Hub) -> None:
    for script, code in (("exit 7", 7), ("kill -KILL $$", 137), ("kill -USR1 $$", 138)):
        session = await start(hub, script)
        async with asyncio.timeout(DEADLINE):
            await session.ended.wait()
        assert session.exit_code == code
    assert "33 91" in await said(hub, "stty size", size=(91, 33))


@needs_sandbox
async def test_signals_reach_the_agent_and_spare_the_sandbox(hub: Hub) -> None:
    session = await start(
        hub,
        "for s in INT QUIT TERM USR1 HUP; do trap \"echo got-$s\" $s; done; trap 'echo size' WINCH; echo ready;"
        "while :; do read line && echo said-$line; done",
    )
    client = attach(hub, session)
    await client.printed(b"ready")
    for name in ("INT", "QUIT", "TERM", "USR1", "HUP"):
        client.say({"type": "signal", "signal": int(getattr(signal, f"SIG{name}"))})
        await client.printed(f"got-{name}".encode())
    client.type(b"\x03")
    await client.until(lambda: client.output.count(b"got-INT") == 2)
    client.type(b"word\n")
    await client.printed(b"said-word")
    assert session.state == "running"


@needs_sandbox
async def test_an_unhandled_interrupt_ends_the_agent_with_its_code(hub: Hub) -> None:
    session = await start(hub, "echo ready; exec cat")
    client = attach(hub, session)
    await client.printed(b"ready")
    client.type(b"\x03")
    async with asyncio.timeout(DEADLINE):
        await session.ended.wait()
    assert session.exit_code == 130


@needs_sandbox
async def test_a_shell_has_job_control(hub: Hub, profiles: FakeProfiles) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    profiles.argv = [bash, "--norc", "-i"]
    session = await hub.create(SessionRequest("one"))
    client = attach(hub, session)
    client.type(b"echo beg''un\n")
    await client.printed(b"begun")
    client.type(b"sh -c \"echo sle''eping; exec sleep 300\"\n")
    await client.printed(b"sleeping")
    client.type(b"\x1a")
    await client.printed(b"Stopped")
    client.type(b"kill %1; wait; echo ov''er\n")
    await client.printed(b"over")
    assert b"no job control" not in client.output


def descendants(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(text[1]) == pid and text[0] not in "ZX":
            found += [int(entry.parent.name), *descendants(int(entry.parent.name))]
    return found


@needs_sandbox
async def test_stopping_takes_the_whole_tree_even_what_has_left_the_session(hub: Hub) -> None:
    session = await start(
        hub, "setsid sh -c 'trap \"\" HUP TERM; echo ready; sleep 300' & trap '' HUP TERM; wait; wait"
    )
    client = attach(hub, session)
    await client.printed(b"ready")
    pids = descendants(session.pid)
    assert len(pids) >= 3
    await hub.stop(session.id)
    async with asyncio.timeout(DEADLINE):
        while any(Path(f"/proc/{pid}").exists() for pid in pids):
            await asyncio.sleep(0)


@needs_sandbox
async def test_an_agent_may_tidy_up_when_it_is_hung_up(hub: Hub, house: House) -> None:
    session = await start(hub, "trap 'echo tidy > tidied; exit 4' HUP; echo ready; while :; do sleep 0.01; done")
    client = attach(hub, session)
    await client.printed(b"ready")
    await hub.stop(session.id)
    assert session.exit_code == 4
    assert (house.home / "tidied").read_text() == "tidy\n"


@needs_sandbox
async def test_limits_are_set_inside(hub: Hub) -> None:
    text = await said(hub, "grep -E 'Max (processes|data)' /proc/self/limits; df -k /tmp | tail -1")
    assert re.search(r"Max processes +1000 +1000 ", text)
    assert re.search(rf"Max data size +{16 * 1024**3} ", text)
    assert " 1024 " in text


@needs_sandbox
async def test_a_program_whose_path_looks_like_a_variable(hub: Hub, house: House, profiles: FakeProfiles) -> None:
    program = house.home / "a=b"
    program.write_text("#!/bin/sh\necho started\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    profiles.argv = [str(program)]
    assert "started" in await said(hub, "")


@needs_sandbox
@pytest.mark.parametrize(
    ("headers", "client", "confined"),
    [({}, "127.0.0.1", False), ({}, "192.0.2.7", True), ({"X-Forwarded-For": "127.0.0.1"}, "127.0.0.1", True)],
)
async def test_sessions_that_the_network_starts_are_in_a_sandbox(
    hub: Hub, profiles: FakeProfiles, headers: dict[str, str], client: str, confined: bool
) -> None:
    profiles.sandbox = "off"
    scope = {"client": (client, 1234), "jackfield.forwarded": bool(headers)}
    body = {"profile_alias": "one", "args": ["-c", "readlink /proc/self/ns/pid; read x"]}
    made = await Api(hub).ask("POST", "/sessions", json=body, headers=headers, scope_base=scope)
    session = hub.find(made["session_id"])
    assert session.launch.profile.sandbox == ("standard" if confined else "off")
    client_of = attach(hub, session)
    await client_of.printed(b"]")
    ours = str(Path("/proc/self/ns/pid").readlink()).encode()
    assert (ours not in client_of.output) is confined


async def test_the_stricter_of_profile_and_network_counts(profiles: FakeProfiles) -> None:
    profiles.sandbox = "off"
    launch = await profiles.prepare("one", LaunchRequest("terminal_session"))
    assert with_least_sandbox(launch, "standard").profile.sandbox == "standard"
    strict = replace(launch, profile=replace(launch.profile, sandbox="strict"))
    assert with_least_sandbox(strict, "standard").profile.sandbox == "strict"
    assert with_least_sandbox(launch, "off").profile.sandbox == "off"
