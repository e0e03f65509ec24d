"""`jackfield open`: the browser interface, without a login."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import click

from jackfield.api.cli import Cli, config_dir_option, echo_json, json_option
from jackfield.api.daemon import DaemonClient
from jackfield.api.object_references import load


@click.command("open")
@config_dir_option
@click.option("--print", "only_print", is_flag=True, help="Print the address instead; it opens once, for a minute.")
@json_option
@click.pass_obj
def open_ui(cli: Cli, config_dir: Path | None, only_print: bool, as_json: bool) -> None:
    """Open the browser interface of the running daemon."""
    client = DaemonClient(cli.config_dir(config_dir))
    # A browser's arguments are seen by other users: on Linux the daemon lets only our own use the code.
    bound = not only_print and sys.platform == "linux"
    code = client.ask("POST", "/api/session/codes", body={"same_user": bound}).data["code"]
    # In the fragment, which no browser sends and no server logs.
    address = f"{client.base}/#code={code}"
    if only_print:
        echo_json({"address": address}) if as_json else click.echo(address)
        return
    # By its place: no other command needs the module.
    start = cast("Callable[[str], bool]", load("webbrowser:open"))
    if not start(address):
        raise click.ClickException("No browser could be started; `jackfield open --print` prints the address.")
    if as_json:
        echo_json({"opened": f"{client.base}/"})
    else:
        click.echo(f"Opened {client.base}/")
