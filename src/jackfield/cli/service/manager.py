"""The service managers: where each keeps its file, and the commands that control it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.records import record

from .launch_agent import LABEL, launch_agent_of
from .unit import NAME, ServedDaemon, unit_of

SECONDS = 330
"""A start may take `TimeoutStartSec` of the unit."""
_SYSTEM_UNITS = Path("/etc/systemd/system")
Command = tuple[str, ...]


@record
class ManagerState:
    """running: whether it is at work; text: the manager's own words, of one line."""

    running: bool
    text: str


@record
class ServiceManager:
    """`program`: without which there is none.

    `file`: of the service. `text`: the file's text. `started`, `stopped`: commands, in order. `shown`: the command that
    tells whether it runs, by its exit code.
    """

    program: str
    file: Path
    text: Callable[[ServedDaemon], str]
    started: Sequence[Command]
    stopped: Sequence[Command]
    shown: Command

    def check(self) -> None:
        """Raises `ConfigurationError` where this machine has none."""
        if shutil.which(self.program) is None:
            raise ConfigurationError(
                f"This machine has no {self.program}; `jackfield service show` prints the file for another one."
            )

    def install(self, daemon: ServedDaemon, *, start: bool) -> None:
        """Write the file; begin now and with every start of the machine. Raises `JackfieldError`."""
        self.check()
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.text(daemon), encoding="utf-8")
        self.file.chmod(0o644)
        if start:
            run_all(self.started)

    def uninstall(self) -> None:
        """Stop it and remove the file. The configuration directory stays. Raises `JackfieldError`."""
        self.check()
        if not self.file.exists():
            raise JackfieldError(f"No service is installed: there is no {self.file}.")
        run_all(self.stopped[:1])
        self.file.unlink()
        run_all(self.stopped[1:])

    def state(self) -> ManagerState:
        """Raises `JackfieldError`."""
        self.check()
        done = run_one(self.shown)
        said = (done.stdout or done.stderr).strip().splitlines()
        return ManagerState(done.returncode == 0, said[0] if said else "")


def of_user(home: Path) -> ServiceManager:
    """systemd of one user, who starts it at the login; with lingering, with the machine."""
    user = ("systemctl", "--user")
    return ServiceManager(
        "systemctl",
        Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "systemd" / "user" / NAME,
        unit_of,
        ((*user, "daemon-reload"), (*user, "enable", NAME), (*user, "restart", NAME)),
        ((*user, "disable", "--now", NAME), (*user, "daemon-reload")),
        (*user, "is-active", NAME),
    )


def of_system() -> ServiceManager:
    """systemd of the machine."""
    return ServiceManager(
        "systemctl",
        _SYSTEM_UNITS / NAME,
        unit_of,
        (("systemctl", "daemon-reload"), ("systemctl", "enable", NAME), ("systemctl", "restart", NAME)),
        (("systemctl", "disable", "--now", NAME), ("systemctl", "daemon-reload")),
        ("systemctl", "is-active", NAME),
    )


def of_macos(home: Path) -> ServiceManager:
    """launchd of one user."""
    domain, file = f"gui/{os.getuid()}", home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    return ServiceManager(
        "launchctl",
        file,
        launch_agent_of,
        (("launchctl", "bootstrap", domain, str(file)),),
        (("launchctl", "bootout", f"{domain}/{LABEL}"),),
        ("launchctl", "print", f"{domain}/{LABEL}"),
    )


def run_all(commands: Sequence[Command]) -> None:
    """One after the other. Raises `JackfieldError` with the words of the one that fails."""
    for command in commands:
        done = run_one(command)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise JackfieldError(f"`{' '.join(command)}` failed: {said[-1] if said else done.returncode}")


def run_one(command: Command) -> subprocess.CompletedProcess[str]:
    """A command of ours."""
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603


def prepare_account(name: str, directory: Path) -> None:
    """The system's account and its directory, so that commands such as `jackfield user add` work before the first
    start. Raises `JackfieldError`."""
    if directory.is_relative_to("/home") or directory.is_relative_to("/root"):
        raise ConfigurationError(
            "The service of the system sees no homes; name a directory such as /var/lib/jackfield."
        )
    if os.geteuid() != 0:
        raise ConfigurationError("A service of the system is installed by root: repeat the command with sudo.")
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        home = ("--home-dir", str(directory), "--shell", "/usr/sbin/nologin")
        run_all([("useradd", "--system", "--user-group", *home, name)])
        account = pwd.getpwnam(name)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if directory.stat().st_uid != account.pw_uid:
        if any(directory.iterdir()):
            raise ConfigurationError(f"{directory} belongs to another user; give it to {name} with chown -R.")
        os.chown(directory, account.pw_uid, account.pw_gid)
