"""`jackfield service` beside a real systemd: the machine's unit and a user's. `tox run -e systemd`.

The tests of one file share a machine, and each leaves it as it was.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator

import pytest

from jackfield.testing.daemon import poll

from .machine import PROGRAM, Machine, booted, lacking

LACKING = lacking()
pytestmark = [
    pytest.mark.skipif(not os.environ.get("JACKFIELD_TEST_SYSTEMD"), reason="tox run -e systemd"),
    pytest.mark.skipif(bool(LACKING), reason=LACKING),
]
DIRECTORY = "/var/lib/jackfield"
UNIT = "/system.slice/jackfield.service"
EXPOSURE = 3.0
"""Of systemd-analyze, which rates from 0 to 10; docs/operations.md names today's."""
MEMORY, PROCESSES, CPU = 256 * 2**20, 80, 0.5
SETTINGS = f"""
[integrations]
execute_command = true
[containers]
memory = {MEMORY}
processes = {PROCESSES}
cpu = {CPU}
"""
COMMAND = {
    "name": "Command",
    "nodes": [
        {"id": "1", "name": "Webhook", "type": "jackfield.webhook", "position": [0, 0],
         "parameters": {"path": "command", "httpMethod": "POST", "responseMode": "lastNode",
                        "responseData": "firstEntryJson"}},
        {"id": "2", "name": "Run", "type": "executeCommand", "typeVersion": 1, "position": [200, 0],
         "parameters": {"command": "={{ $json.body.command }}"}},
    ],
    "connections": {"Webhook": {"main": [[{"node": "Run", "type": "main", "index": 0}]]}},
}  # fmt: skip


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    with booted(tmp_path_factory.mktemp("machine")) as made:
        yield made


@pytest.fixture
def installed(machine: Machine) -> Iterator[Machine]:
    """The machine's service, as docs/operations.md installs it, with settings that stand there first."""
    machine.told(f"install -d -m 755 {DIRECTORY}")
    (machine.root / "srv/config.toml").write_text(SETTINGS)
    machine.told(f"{PROGRAM} service install --system --no-start")
    machine.told(f"install -o jackfield -m 600 /srv/config.toml {DIRECTORY}/config.toml")
    machine.told(f"{PROGRAM} service install --system")
    yield machine
    machine.run(f"{PROGRAM} service uninstall --system; rm -rf /etc/systemd/system/jackfield.service.d {DIRECTORY}")


def ready(machine: Machine) -> bool:
    return machine.run("curl --fail --silent http://127.0.0.1:8765/ready").returncode == 0


def as_daemon(machine: Machine, arguments: str) -> str:
    return machine.told(f"sudo -u jackfield {PROGRAM} {arguments} --config-dir {DIRECTORY}")


def main_process(machine: Machine) -> int:
    return int(machine.shown("MainPID"))


def test_the_machines_service_serves_when_systemctl_returns(installed: Machine) -> None:
    assert ready(installed)
    installed.told(
        f"echo a-long-password-1 | sudo -u jackfield {PROGRAM} user add bob --role admin --config-dir {DIRECTORY}"
    )
    assert installed.shown("ActiveState") == "active"
    assert installed.shown("UnitFileState") == "enabled"
    state = json.loads(installed.told(f"{PROGRAM} service status --system --json"))
    assert state == {"running": True, "state": "active"}
    assert "is ready on" in installed.told("journalctl --unit jackfield --no-pager --output cat")
    before = main_process(installed)
    installed.told("systemctl restart jackfield")
    assert ready(installed)
    assert main_process(installed) != before


def test_systemd_takes_each_line_of_the_unit(installed: Machine) -> None:
    checked = installed.run("systemd-analyze verify /etc/systemd/system/jackfield.service")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    rated = installed.told("systemd-analyze security --no-pager jackfield.service")
    found = re.search(r"Overall exposure level for jackfield.service: (\S+)", rated)
    assert found is not None, rated
    assert float(found[1]) < EXPOSURE
    status = installed.told(f"cat /proc/{main_process(installed)}/status")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert (int(fields["CapEff"], 16), int(fields["CapBnd"], 16)) == (0, 0)
    assert (fields["NoNewPrivs"], fields["Seccomp"], fields["Umask"]) == ("1", "2", "0077")


def test_systemd_starts_a_daemon_anew_that_stands_still_or_was_killed(installed: Machine) -> None:
    installed.told("mkdir -p /etc/systemd/system/jackfield.service.d")
    folder = installed.root / "etc/systemd/system/jackfield.service.d"
    (folder / "soon.conf").write_text("[Service]\nWatchdogSec=3\nRestartSec=100ms\n")
    installed.told("systemctl daemon-reload && systemctl restart jackfield")
    first = main_process(installed)
    # It lives longer than the watchdog waits: the daemon tells that it goes on.
    seen: list[str] = []
    poll(lambda: _told_thrice(installed, seen), "the daemon tells that it goes on", timeout=30)
    assert main_process(installed) == first
    installed.told(f"kill -STOP {first}")
    poll(lambda: main_process(installed) not in {0, first} and ready(installed), "it is started anew", timeout=60)
    assert "watchdog" in installed.told("journalctl --unit jackfield --no-pager --output cat").lower()
    second = main_process(installed)
    installed.told(f"kill -KILL {second}")
    poll(lambda: main_process(installed) not in {0, second} and ready(installed), "it is started anew", timeout=60)
    assert int(installed.shown("NRestarts")) >= 2


def _told_thrice(machine: Machine, seen: list[str]) -> bool:
    """seen: the moments at which systemd has heard of the daemon."""
    moment = machine.shown("WatchdogTimestampMonotonic")
    if moment not in seen:
        seen.append(moment)
    return len(seen) > 3


@pytest.fixture
def command(installed: Machine) -> Callable[[str], str]:
    """Runs a command in a node, with the limits of containers, and gives its output."""
    (installed.root / "srv/command.json").write_text(json.dumps(COMMAND))
    (installed.root / "srv/command.json").chmod(0o644)
    as_daemon(installed, "workflow import /srv/command.json")
    as_daemon(installed, "workflow activate Command")

    def run(script: str) -> str:
        (installed.root / "srv/body.json").write_text(json.dumps({"command": script}))
        call = "curl --silent --show-error --fail-with-body http://127.0.0.1:8765/webhook/command"
        answer = installed.told(f"{call} --header 'Content-Type: application/json' --data @/srv/body.json")
        return str(json.loads(answer)["stdout"])

    return run


def test_a_run_has_a_control_group_of_the_unit(command: Callable[[str], str], installed: Machine) -> None:
    own = command("cat /proc/self/cgroup").splitlines()[-1].removeprefix("0::")
    assert own.startswith(f"{UNIT}/jackfield.")
    left = installed.run(f"test -d /sys/fs/cgroup{own}")
    assert left.returncode == 1, "the group goes with the run"
    assert installed.told(f"stat --format=%U /sys/fs/cgroup{UNIT}") == "jackfield"


def test_the_kernel_holds_a_run_to_its_limits(command: Callable[[str], str], installed: Machine) -> None:
    offered = installed.group_file(UNIT, "cgroup.controllers").split()
    if not {"cpu", "memory", "pids"} <= set(offered):
        pytest.skip("groups of version 2 have no controllers on this machine: those of version 1 have them")
    own = '$(sed -n "s/^0:://p" /proc/self/cgroup)'
    limits = command(f"cd /sys/fs/cgroup{own} && cat memory.max pids.max cpu.max").split()
    assert limits == [str(MEMORY), str(PROCESSES), str(int(CPU * 100_000)), "100000"]


def test_a_sandbox_works_below_the_hardening(command: Callable[[str], str]) -> None:
    shown = command(
        "bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp sh -c 'ls -d /proc/1; id -u'"
    )
    assert shown.splitlines()[0] == "/proc/1"
    # Without the unit's lines the kernel would name the permission, and show /home.
    assert command("touch /etc/x 2>&1 || true").endswith("Read-only file system")
    assert "Permission denied" in command("ls /home 2>&1 || true")


def test_a_user_has_a_service_too(machine: Machine) -> None:
    done = machine.in_a_session(
        "set -e\njackfield service install\ncurl --fail --silent http://127.0.0.1:8765/ready\n"
        "echo\nsystemctl --user show --property=ControlGroup --value jackfield\njackfield service status\n"
        "sudo loginctl enable-linger $USER\nloginctl show-user --property=Linger $USER\n"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"status":"ready"' in done.stdout
    assert "/user@1000.service/app.slice/jackfield.service" in done.stdout
    assert "Linger=yes" in done.stdout
    verified = machine.in_a_session("systemd-analyze --user verify ~/.config/systemd/user/jackfield.service")
    assert (verified.returncode, verified.stderr) == (0, "")
    # Nobody is logged in now, and it goes on.
    assert ready(machine)
    gone = machine.in_a_session("jackfield service uninstall; jackfield service status; ls ~/.config/jackfield")
    assert "The service is gone" in gone.stdout
    assert "inactive" in gone.stdout
    assert "jackfield.db" in gone.stdout
    machine.told("loginctl disable-linger ada; rm -rf /home/ada/.config")


def test_uninstall_stops_it_and_keeps_the_directory(installed: Machine) -> None:
    said = installed.told(f"{PROGRAM} service uninstall --system")
    assert "configuration directory is still there" in said
    assert installed.shown("LoadState") == "not-found"
    assert not ready(installed)
    assert "jackfield.db" in installed.told(f"ls {DIRECTORY}")
    again = installed.run(f"{PROGRAM} service uninstall --system")
    assert again.returncode == 1
    assert "No service is installed" in again.stderr
