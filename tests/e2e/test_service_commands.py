"""`jackfield service` beside a stand-in of systemctl that notes what it is told, and starts what the unit says."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from jackfield.testing.daemon import Daemon, poll

PROGRAM = str(Path(sys.executable).with_name("jackfield"))
SYSTEMCTL = """#!/bin/sh
echo "$@" >> {noted}
"""


def surroundings(place: Path) -> dict[str, str]:
    (place / "bin").mkdir()
    systemctl = place / "bin" / "systemctl"
    systemctl.write_text(SYSTEMCTL.format(noted=place / "noted"))
    systemctl.chmod(0o755)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("JACKFIELD_", "XDG_"))}
    return {**env, "HOME": str(place), "PATH": f"{place / 'bin'}:{env['PATH']}"}


def service(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, "service", *arguments], env=env, capture_output=True, text=True, check=False)


def test_a_service_is_installed_and_taken_away(tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    config = tmp_path / "config"
    unit = tmp_path / ".config" / "systemd" / "user" / "jackfield.service"
    done = service(env, "install", "--config-dir", str(config))
    assert (done.returncode, done.stderr) == (0, "")
    assert "enable-linger" in done.stdout
    assert f"{PROGRAM} serve --config-dir {config}" in unit.read_text()
    assert service(env, "show", "--config-dir", str(config)).stdout == unit.read_text()
    assert json.loads(service(env, "status", "--json").stdout)["running"] is True
    assert service(env, "uninstall").returncode == 0
    assert not unit.exists()
    told = (tmp_path / "noted").read_text().splitlines()
    name = "jackfield.service"
    wanted = [
        "daemon-reload",
        f"enable {name}",
        f"restart {name}",
        f"is-active {name}",
        f"disable --now {name}",
        "daemon-reload",
    ]
    assert told == [f"--user {command}" for command in wanted]
    again = service(env, "uninstall")
    assert again.returncode == 1
    assert "No service is installed" in again.stderr


def test_without_a_service_manager_it_says_how_to_get_the_file(tmp_path: Path) -> None:
    env = {**surroundings(tmp_path), "PATH": str(Path(sys.executable).parent)}
    done = service(env, "install")
    assert done.returncode == 1
    assert "jackfield service show" in done.stderr
    assert "Type=notify" in service(env, "show").stdout


def test_a_daemon_says_when_it_is_ready(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(20)
        daemon = Daemon(tmp_path / "d", env={"NOTIFY_SOCKET": str(tmp_path / "notify")})
        daemon.start(wait=False)
        try:
            assert manager.recv(64) == b"READY=1"
            poll(lambda: daemon.client().get("/ready").status_code == 200, "it serves", timeout=5)
        finally:
            daemon.close()
