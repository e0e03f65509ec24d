"""`jackfield api-key`: API keys of users, beside a running daemon or without one. For whoever owns the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import click

from jackfield.api.auth import SCOPES
from jackfield.api.cli import Cli, CommandGroup, audited, config_dir_option, echo_json, echo_table, json_option, work_at
from jackfield.api.daemon import daemon_elsewhere
from jackfield.api.daemon_commands import completed, completed_from, confirmed
from jackfield.api.object_references import load

COLUMNS = ("NAME", "USER", "PREFIX", "SCOPES", "EXPIRES", "LAST USE", "ID")

complete_user = completed("/users", key="username", about="role")
user_option = click.option(
    "--user", metavar="NAME", shell_complete=complete_user, help="The key's user (default: the only one)."
)


def _listed(cli: Cli, params: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:  # options, and rows of JSON
    """Keys that the options name: the daemon lists a user's own keys alone."""
    found: list[Mapping[str, Any]] = _run(cli, params.get("config_dir"), "listed", params.get("user"))
    return found


@click.group("api-key", cls=CommandGroup)
def api_key() -> None:
    """API keys of users: create, list, delete."""


@audited("api-key.create", subject="name")
@api_key.command()
@click.argument("name")
@user_option
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(sorted(SCOPES)),
    help="The key may do only this; repeatable (default: all that the user may).",
)  # fmt: skip
@click.option("--expires", metavar="TIME", help="When it ends, ISO 8601 (default: never).")
@json_option
@config_dir_option
@click.pass_obj
def create(
    cli: Cli,
    name: str,
    user: str | None,
    scopes: Sequence[str],
    expires: str | None,
    as_json: bool,
    config_dir: Path | None,
) -> None:
    """Create a key named NAME and print it. It is shown this once."""
    made = _run(cli, config_dir, "create", user, name, tuple(scopes), expires)
    if as_json:
        echo_json(made)
    else:
        click.echo(made["key"])


@api_key.command("list")
@click.option("--user", metavar="NAME", shell_complete=complete_user, help="Only this user's.")
@json_option
@config_dir_option
@click.pass_obj
def list_keys(cli: Cli, user: str | None, as_json: bool, config_dir: Path | None) -> None:
    """List the keys without the keys themselves."""
    found = _run(cli, config_dir, "listed", user)
    if as_json:
        echo_json(found)
    else:
        keys = ("name", "user", "prefix", "scopes", "expiresAt", "lastUsedAt", "id")
        echo_table(COLUMNS, [[_cell(row[key]) for key in keys] for row in found], empty="There is no key.")


@audited("api-key.delete", subject="key")
@api_key.command()
@click.argument("key", shell_complete=completed_from(_listed, "name", "prefix"))
@click.option("--user", metavar="NAME", shell_complete=complete_user, help="Only among this user's.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@json_option
@config_dir_option
@click.pass_obj
def delete(cli: Cli, key: str, user: str | None, yes: bool, as_json: bool, config_dir: Path | None) -> None:
    """Revoke KEY, an id or a name."""
    confirmed(f"Revoke the key {key}?", yes=yes)
    _run(cli, config_dir, "delete", user, key)
    if as_json:
        echo_json({"key": key, "revoked": True})
    else:
        click.echo(f"The key {key} was revoked.")


def _run(cli: Cli, config_dir: Path | None, name: str, *arguments: object) -> Any:  # as each of them answers
    directory = cli.config_dir(config_dir)
    if daemon_elsewhere(directory) is not None:
        return cast("Callable[..., Any]", load(f"jackfield_auth.commands.remote_keys:{name}"))(directory, *arguments)
    return cli.run("auth", work_at(f"jackfield_auth.commands.key_work:{name}", *arguments), config_dir=config_dir)


def _cell(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value or "-")
