"""`jackfield login` and `jackfield logout`: an API key for the command line, through the browser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from jackfield.api.auth import SCOPES
from jackfield.api.cli import Cli, CommandOutput, config_dir_option, json_option
from jackfield.api.daemon_commands import endpoint_option
from jackfield.api.errors import InvalidInput
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield.api.command_credentials import CommandCredential

    LogIn = Callable[[Path, str, str, Sequence[str], bool], CommandCredential]
    LogOut = Callable[[Path, str, bool], CommandCredential]

_PLACE = "jackfield_auth.commands.login_work"


@click.command()
@endpoint_option
@click.option("--device", is_flag=True, help="Show a code for a browser on another machine.")
@click.option("--name", metavar="NAME", help="Name of this machine in your list of keys (default: its host name).")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(sorted(SCOPES)),
    help="The key may do only this; repeatable (default: all that you may).",
)  # fmt: skip
@config_dir_option
@json_option
@click.pass_obj
def login(
    cli: Cli,
    url: str | None,
    device: bool,
    name: str | None,
    scopes: Sequence[str],
    config_dir: Path | None,
    as_json: bool,
) -> None:
    """Log in to the daemon at --url through your browser.

    You log in on the daemon's own page, in each way that it offers. This machine then keeps an API key of yours for
    commands with the same --url. Without a browser, you type a short code on another machine."""
    work = cast("LogIn", load(f"{_PLACE}:log_in"))
    made = work(cli.config_dir(config_dir), _named(url), name or "", scopes, device)
    until = f" The key ends at {made.expires_at}." if made.expires_at else ""
    told = f"You are logged in at {made.address} as {made.username}.{until}"
    found = {"address": made.address, "username": made.username, "keyId": made.key_id, "expiresAt": made.expires_at}
    CommandOutput(as_json=as_json).say(told, found)


@click.command()
@endpoint_option
@click.option("--forget", is_flag=True, help="Remove the key here even if the daemon does not answer.")
@config_dir_option
@json_option
@click.pass_obj
def logout(cli: Cli, url: str | None, forget: bool, config_dir: Path | None, as_json: bool) -> None:
    """Revoke the API key that `jackfield login` has got for --url, and remove it here."""
    work = cast("LogOut", load(f"{_PLACE}:log_out"))
    ended = work(cli.config_dir(config_dir), _named(url), forget)
    told = f"You are logged out at {ended.address}."
    CommandOutput(as_json=as_json).say(told, {"address": ended.address, "keyId": ended.key_id})


def _named(url: str | None) -> str:
    """Raises `InvalidInput`: the daemon of the directory knows its own user without a key."""
    if not url:
        raise InvalidInput(
            "Name the daemon, such as --url https://jackfield.example. The daemon of your configuration directory "
            "needs no login: it knows its own user."
        )
    return url
