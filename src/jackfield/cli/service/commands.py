"""`jackfield service`: the daemon as a service of this machine or of its user."""

from __future__ import annotations

from collections.abc import Callable
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from jackfield.api.cli import CommandGroup, CommandOutput, config_dir_option, json_option
from jackfield.api.object_references import load

from ..runtime import Runtime

if TYPE_CHECKING:
    from .served import Served

_system_option = click.option("--system", is_flag=True, help="The machine's service; needs root.")
_account_option = click.option(
    "--account", default="jackfield", show_default=True, help="Account of the machine's service, made if needed."
)


@click.group(cls=CommandGroup)
def service() -> None:
    """The daemon as a service, of systemd or launchd: install, show, status, uninstall."""


@service.command()
@_system_option
@_account_option
@click.option("--no-start", is_flag=True, help="Write the file alone; start nothing.")
@json_option
@config_dir_option
@click.pass_obj
def install(
    runtime: Runtime, config_dir: Path | None, system: bool, account: str, no_start: bool, as_json: bool
) -> None:
    """Install the daemon as your service, or as the machine's, and start it.

    Run it again after an upgrade that changes the file, or to change the directory."""
    found = _served(runtime, config_dir, account if system else "")
    found.install(start=not no_start)
    output = CommandOutput(as_json=as_json)
    state = "written" if no_start else "installed, and runs"
    output.say(f"The service is {state}: {found.file}", {"file": str(found.file), "started": not no_start})
    if found.waits_for_login and not as_json:
        click.echo(f"It starts when you log in. To start it with the machine: sudo loginctl enable-linger {getuser()}")


@service.command()
@_system_option
@_account_option
@json_option
@config_dir_option
@click.pass_obj
def show(runtime: Runtime, config_dir: Path | None, system: bool, account: str, as_json: bool) -> None:
    """Print the file that `install` would write."""
    found = _served(runtime, config_dir, account if system else "")
    CommandOutput(as_json=as_json).say(found.text.rstrip("\n"), {"file": str(found.file), "text": found.text})


@service.command()
@_system_option
@json_option
@click.pass_obj
def status(runtime: Runtime, system: bool, as_json: bool) -> None:
    """Show what the service manager knows of it; exit code 1 when it does not run."""
    state = _served(runtime, None, "-" if system else "").state()
    CommandOutput(as_json=as_json).fields({"running": state.running, "state": state.text})
    if not state.running:
        raise SystemExit(1)


@service.command()
@_system_option
@json_option
@click.pass_obj
def uninstall(runtime: Runtime, system: bool, as_json: bool) -> None:
    """Stop the service and remove its file. The configuration directory stays."""
    found = _served(runtime, None, "-" if system else "")
    found.uninstall()
    told = f"The service is gone: {found.file}. Its configuration directory is still there."
    CommandOutput(as_json=as_json).say(told, {"file": str(found.file)})


def _served(runtime: Runtime, config_dir: Path | None, account: str) -> Served:
    """Loaded when it is asked for: every command is imported with the program."""
    make = cast("Callable[[Runtime, Path | None, str], Served]", load("jackfield.cli.service.served:served"))
    return make(runtime, config_dir, account)
