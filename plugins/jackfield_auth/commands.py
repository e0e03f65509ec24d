"""`jackfield user`: users from the command line, beside a running daemon or without one."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackfield.api.auth import ROLES
from jackfield.api.cli import Cli, config_dir_option

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield_auth.accounts import Accounts

LONGEST_LINE = 8192
"""More of standard input is not read: longer than any password may be, in characters."""
role_choice = click.Choice(ROLES)


@click.group()
def user() -> None:
    """Users: add, list, change, delete."""


@user.command()
@click.argument("name")
@click.option("--role", type=role_choice, required=True, help="viewer reads, member also changes, admin manages users.")
@config_dir_option
@click.pass_obj
def add(cli: Cli, name: str, role: str, config_dir: Path | None) -> None:
    """Add the user NAME. The password is asked for, or read from the first line of standard input."""
    password = read_password()

    async def work(accounts: Accounts) -> str:
        await accounts.create(name, password, role)
        return f"User {name} was added with the role {role}."

    run(cli, work, config_dir)


@user.command("list")
@config_dir_option
@click.pass_obj
def list_users(cli: Cli, config_dir: Path | None) -> None:
    """List the users: name, role, when they were added."""

    async def work(accounts: Accounts) -> str:
        from jackfield.api.clock import iso

        rows = [(user.username, user.role, iso(user.created_at)) for user in await accounts.all()]
        return "\n".join("\t".join(row) for row in rows) or "There is no user."

    run(cli, work, config_dir)


@user.command()
@click.argument("name")
@config_dir_option
@click.pass_obj
def passwd(cli: Cli, name: str, config_dir: Path | None) -> None:
    """Give the user NAME a new password, which ends all their tokens."""
    password = read_password()

    async def work(accounts: Accounts) -> str:
        await accounts.change((await accounts.named(name)).id, password=password)
        return f"The password of {name} was changed."

    run(cli, work, config_dir)


@user.command()
@click.argument("name")
@click.argument("role", type=role_choice)
@config_dir_option
@click.pass_obj
def role(cli: Cli, name: str, role: str, config_dir: Path | None) -> None:
    """Give the user NAME the role ROLE, which ends all their tokens."""

    async def work(accounts: Accounts) -> str:
        await accounts.change((await accounts.named(name)).id, role=role)
        return f"User {name} has the role {role}."

    run(cli, work, config_dir)


@user.command()
@click.argument("name")
@config_dir_option
@click.pass_obj
def delete(cli: Cli, name: str, config_dir: Path | None) -> None:
    """Delete the user NAME with their API keys."""

    async def work(accounts: Accounts) -> str:
        await accounts.delete((await accounts.named(name)).id)
        return f"User {name} was deleted."

    run(cli, work, config_dir)


def run(cli: Cli, work: Callable[[Accounts], Awaitable[str]], config_dir: Path | None) -> None:
    """Do the work on the open store and print what it says."""

    async def with_accounts(context: PluginContext) -> str:
        from jackfield_auth.service import Auth

        return await work(context.port(Auth).accounts)

    click.echo(cli.run("auth", with_accounts, config_dir=config_dir))


def read_password() -> str:
    """Asked for twice on a terminal, else the first line of standard input. Never shown."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline(LONGEST_LINE).rstrip("\r\n")
