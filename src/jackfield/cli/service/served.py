"""The service of a daemon, with the manager that this machine has."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from jackfield.api.errors import ConfigurationError

from ..runtime import Runtime
from .manager import ManagerState, ServiceManager, of_macos, of_system, of_user, prepare_account
from .unit import ServedDaemon

SYSTEM_DIR = Path("/var/lib/jackfield")
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


class Served:
    """One daemon and the manager that keeps it running."""

    def __init__(self, daemon: ServedDaemon, manager: ServiceManager) -> None:
        self._daemon = daemon
        self._manager = manager

    @property
    def file(self) -> Path:
        return self._manager.file

    @property
    def text(self) -> str:
        """Of the file."""
        return self._manager.text(self._daemon)

    @property
    def waits_for_login(self) -> bool:
        """Whether the machine's start alone does not start it."""
        return not self._daemon.account and sys.platform != "darwin"

    def install(self, *, start: bool) -> None:
        """Raises `JackfieldError`."""
        self._manager.check()
        if self._daemon.account:
            prepare_account(self._daemon.account, self._daemon.config_dir)
        self._manager.install(self._daemon, start=start)

    def uninstall(self) -> None:
        """Raises `JackfieldError`."""
        self._manager.uninstall()

    def state(self) -> ManagerState:
        """Raises `JackfieldError`."""
        return self._manager.state()


def served(runtime: Runtime, config_dir: Path | None, account: str) -> Served:
    """account: of the machine's service; empty: the user's own. Raises `ConfigurationError`."""
    directory = config_dir or (SYSTEM_DIR if account else None)
    path = _SYSTEM_PATH if account else os.environ.get("PATH", _SYSTEM_PATH)
    beside = Path(sys.executable).with_name("jackfield")
    program = (str(beside),) if beside.exists() else (sys.executable, "-m", "jackfield")
    return Served(ServedDaemon(program, runtime.config_dir(directory), path, account), _manager(bool(account)))


def _manager(system: bool) -> ServiceManager:
    if sys.platform != "darwin":
        return of_system() if system else of_user(Path.home())
    if system:
        raise ConfigurationError("On macOS the service is your own: leave --system out.")
    return of_macos(Path.home())
