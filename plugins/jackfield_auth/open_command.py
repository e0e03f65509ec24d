"""`jackfield open`: the browser interface, without a login."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from jackfield.api.cli import Cli, config_dir_option


@click.command("open")
@config_dir_option
@click.option("--print", "only_print", is_flag=True, help="Print the address instead; it opens once, for a minute.")
@click.pass_obj
def open_ui(cli: Cli, config_dir: Path | None, only_print: bool) -> None:
    """Open the browser interface of the running daemon."""
    from jackfield.api.daemon import DaemonClient

    client = DaemonClient(cli.config_dir(config_dir))
    # A browser's arguments are seen by other users: on Linux the daemon lets only our own use the code.
    bound = not only_print and sys.platform == "linux"
    code = client.ask("POST", "/api/session/codes", body={"same_user": bound}).data["code"]
    # In the fragment, which no browser sends and no server logs.
    address = f"{client.base}/#code={code}"
    if only_print:
        click.echo(address)
        return
    import webbrowser

    if not webbrowser.open(address):
        raise click.ClickException("No browser could be started; `jackfield open --print` prints the address.")
    click.echo(f"Opened {client.base}/")
