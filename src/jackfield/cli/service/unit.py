"""The units of systemd for a daemon. Source: systemd.service(5), systemd.exec(5).

Lines of hardening that would break what a daemon is for stand in `LEFT_OUT`, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jackfield.api.records import record

NAME = "jackfield.service"
_FOR_EVERYBODY = """\
NoNewPrivileges=true
LockPersonality=true
RestrictRealtime=true
RestrictSUIDSGID=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service @mount pivot_root
SystemCallErrorNumber=EPERM
LimitCORE=0
UMask=0077"""
_FOR_THE_SYSTEM = """\
ProtectSystem=strict
ProtectHome=true
PrivateTmp=true
PrivateDevices=true
PrivateMounts=true
ProtectClock=true
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
ProtectProc=invisible
CapabilityBoundingSet=
AmbientCapabilities=
KeyringMode=private
RemoveIPC=true
DevicePolicy=closed"""
LEFT_OUT: Mapping[str, str] = {
    "MemoryDenyWriteExecute": "agents and Code nodes run in Node.js, whose compiler writes code into memory",
    "RestrictNamespaces, PrivateUsers": "sandboxes of agents are namespaces",
    "ProtectControlGroups": "limits of agents are control groups",
    "ProcSubset": "the daemon finds by /proc whose process calls it, and how much memory there is",
    "IPAddressDeny": "webhooks, providers and services are anywhere",
}


@record
class ServedDaemon:
    """program: command that starts it, without arguments; path: `PATH` of the agents that it starts; account: of the
    system's unit, empty in a user's."""

    program: tuple[str, ...]
    config_dir: Path
    path: str
    account: str = ""


def unit_of(daemon: ServedDaemon) -> str:
    """The text of the unit: the system's, with a separate account, or the user's."""
    lines = [
        "[Unit]",
        "Description=Jackfield: webhooks, workflows and coding agents",
        "After=network-online.target",
        "Wants=network-online.target",
        "",
        "[Service]",
        "Type=notify",
        "NotifyAccess=all",
        *_account(daemon),
        f"ExecStart={' '.join(map(quoted, (*daemon.program, 'serve', '--config-dir', str(daemon.config_dir))))}",
        f"Environment={quoted(f'PATH={daemon.path}')}",
        "# Keys that profiles and nodes take from the environment; a file of mode 0600.",
        f"EnvironmentFile=-{escaped(str(daemon.config_dir / 'environment'))}",
        "Restart=on-failure",
        "RestartSec=2",
        "TimeoutStartSec=300",
        "TimeoutStopSec=45",
        "WatchdogSec=120",
        "# The daemon makes a control group for each run of an agent: docs/containment.md.",
        "Delegate=yes",
        "# Write KillMode=process, and the terminals that you keep outlive the daemon.",
        _FOR_EVERYBODY,
        *([_FOR_THE_SYSTEM] if daemon.account else []),
        "# Left out:",
        *(f"# {name}: {reason}" for name, reason in LEFT_OUT.items()),
        "",
        "[Install]",
        f"WantedBy={'multi-user.target' if daemon.account else 'default.target'}",
    ]
    return "\n".join(lines) + "\n"


def _account(daemon: ServedDaemon) -> list[str]:
    if not daemon.account:
        return []
    lines = [f"User={daemon.account}"]
    if daemon.config_dir.parent == Path("/var/lib"):
        return [*lines, f"StateDirectory={daemon.config_dir.name}", "StateDirectoryMode=0700"]
    return [*lines, f"ReadWritePaths={quoted(str(daemon.config_dir))}"]


def escaped(text: str) -> str:
    """Without the specifiers of systemd."""
    return text.replace("%", "%%")


def quoted(text: str) -> str:
    """One word of a command line or a list, whatever is in it."""
    inner = escaped(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{inner}"' if not text or set(text) & set(" \t'\";#\\$") else inner
