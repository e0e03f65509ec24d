"""`jackfield daemon`: the daemon of a configuration directory, from outside."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import click

from jackfield.api.cli import CommandGroup, CommandOutput, config_dir_option, echo_json, json_option
from jackfield.api.daemon import DaemonAbsent, DaemonClient, daemon_runs, require_here
from jackfield.api.errors import JackfieldError
from jackfield.api.files import read_private

from .runtime import Runtime

PAUSE_S = 0.1
STOP_S = 60.0
"""Seconds that a stop is waited for unless the caller says otherwise; a daemon gives its runs 30 s."""


@click.group(cls=CommandGroup)
def daemon() -> None:
    """The daemon that runs: status, stop. `jackfield serve` starts it."""


@daemon.command()
@json_option
@config_dir_option
@click.pass_obj
def status(runtime: Runtime, config_dir: Path | None, as_json: bool) -> None:
    """Show the running daemon; exit code 1 when none runs."""
    found = DaemonClient(runtime.config_dir(config_dir)).ask("GET", "/api/daemon/status").data
    CommandOutput(as_json=as_json).fields(found)


@daemon.command()
@click.option("--timeout", type=click.FloatRange(0, 3600), default=STOP_S, show_default=True, help="Seconds to wait.")
@json_option
@config_dir_option
@click.pass_obj
def stop(runtime: Runtime, config_dir: Path | None, timeout: float, as_json: bool) -> None:
    """Stop the daemon of the configuration directory, and wait until it has ended. Runs in flight get their time."""
    directory = runtime.config_dir(config_dir)
    require_here(directory)
    pid = holder(directory)
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + timeout
    while daemon_runs(directory):
        if time.monotonic() >= deadline:
            raise JackfieldError(f"The daemon (pid {pid}) has not ended in {timeout:g} s; it may still be at work.")
        time.sleep(PAUSE_S)
    echo_json({"pid": pid, "stopped": True}) if as_json else click.echo(f"The daemon (pid {pid}) has stopped.")


def holder(directory: Path) -> int:
    """The process that holds the directory. Raises `DaemonAbsent`."""
    if not daemon_runs(directory):
        raise DaemonAbsent
    try:
        return int((read_private(directory / "daemon.lock") or b"").decode("ascii", "replace").strip())
    except ValueError:
        raise JackfieldError(f"{directory / 'daemon.lock'} does not say which process the daemon is.") from None
