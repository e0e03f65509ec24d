"""The agent of launchd for a daemon on macOS. Source: launchd.plist(5)."""

from __future__ import annotations

import plistlib

from .unit import ServedDaemon

LABEL = "dev.jackfield.daemon"
_UMASK = 0o077


def launch_agent_of(daemon: ServedDaemon) -> str:
    """The text of the property list."""
    logs = daemon.config_dir / "logs"
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": [*daemon.program, "serve", "--config-dir", str(daemon.config_dir)],
            "EnvironmentVariables": {"PATH": daemon.path},
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 5,
            "ExitTimeOut": 45,
            "Umask": _UMASK,
            "ProcessType": "Interactive",
            "StandardErrorPath": str(logs / "launchd.log"),
        }
    ).decode()
