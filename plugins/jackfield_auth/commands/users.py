"""`jackfield user`: users from the command line, beside a running daemon or without one."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import click

from jackfield.api.auth import ROLES
from jackfield.api.cli import Cli, CommandGroup, audited, config_dir_option, echo_json, echo_remark, json_option
from jackfield.api.clock import iso
from jackfield.api.daemon import daemon_elsewhere
from jackfield.api.daemon_commands import completed
from jackfield.api.object_references import load
from jackfield.api.records import record

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.json_values import Json
    from jackfield.api.storage import User

LONGEST_LINE = 8192
"""More of standard input is not read: longer than any password may be, in characters."""
role_choice = click.Choice(ROLES)
user_argument = click.argument("name", shell_complete=completed("/users", key="username", about="role"))


class UserDirectory(Protocol):
    """The port of these commands: the users of the open store. `--help` needs no more of them than this."""

    async def create(self, username: str, password: str, role: str) -> User: ...

    async def change(
        self, user_id: str, *, role: str | None = None, password: str | None = None, disabled: bool | None = None
    ) -> User: ...

    async def delete(self, user_id: str) -> None: ...

    async def all(self) -> list[User]: ...

    async def named(self, username: str) -> User: ...


@record
class Told:
    """A command's answer: text for a person, `found` for programs. `empty`: a remark in place of no text."""

    text: str
    found: Json
    empty: str = ""


@click.group(cls=CommandGroup)
def user() -> None:
    """Users: add, list, change, delete."""


@audited("user.create", subject="name")
@user.command()
@click.argument("name")
@click.option("--role", type=role_choice, required=True, help="viewer reads, member also changes, admin manages users.")
@json_option
@config_dir_option
@click.pass_obj
def add(cli: Cli, name: str, role: str, as_json: bool, config_dir: Path | None) -> None:
    """Add the user NAME. The password is asked for, or read from the first line of standard input."""
    password = read_password()

    async def work(users: UserDirectory) -> Told:
        made = await users.create(name, password, role)
        return Told(f"User {name} was added with the role {role}.", view(made))

    run(cli, work, config_dir, as_json)


@user.command("list")
@json_option
@config_dir_option
@click.pass_obj
def list_users(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """List the users: name, role, when they were added, the login that they come from, whether they are disabled."""

    async def work(users: UserDirectory) -> Told:
        found = await users.all()
        rows = [(user.username, user.role, iso(user.created_at), *marks(user)) for user in found]
        text = "\n".join("\t".join(row) for row in rows)
        return Told(text, [view(user) for user in found], empty="There is no user.")

    run(cli, work, config_dir, as_json)


@audited("user.password", subject="name")
@user.command()
@user_argument
@json_option
@config_dir_option
@click.pass_obj
def passwd(cli: Cli, name: str, as_json: bool, config_dir: Path | None) -> None:
    """Give the user NAME a new password, which ends all their tokens."""
    password = read_password()

    async def work(users: UserDirectory) -> Told:
        changed = await users.change((await users.named(name)).id, password=password)
        return Told(f"The password of {name} was changed.", view(changed))

    run(cli, work, config_dir, as_json)


@audited("user.role.update", subject="name")
@user.command()
@user_argument
@click.argument("role", type=role_choice)
@json_option
@config_dir_option
@click.pass_obj
def role(cli: Cli, name: str, role: str, as_json: bool, config_dir: Path | None) -> None:
    """Make ROLE the role of the user NAME. All their tokens end."""

    async def work(users: UserDirectory) -> Told:
        changed = await users.change((await users.named(name)).id, role=role)
        return Told(f"User {name} has the role {role}.", view(changed))

    run(cli, work, config_dir, as_json)


@audited("user.disable", subject="name")
@user.command()
@user_argument
@json_option
@config_dir_option
@click.pass_obj
def disable(cli: Cli, name: str, as_json: bool, config_dir: Path | None) -> None:
    """Let nobody in as the user NAME any more, which ends all their tokens and sessions."""
    switch(cli, name, config_dir, as_json, disabled=True)


@audited("user.enable", subject="name")
@user.command()
@user_argument
@json_option
@config_dir_option
@click.pass_obj
def enable(cli: Cli, name: str, as_json: bool, config_dir: Path | None) -> None:
    """Let the user NAME in again."""
    switch(cli, name, config_dir, as_json, disabled=False)


@audited("user.delete", subject="name")
@user.command()
@user_argument
@json_option
@config_dir_option
@click.pass_obj
def delete(cli: Cli, name: str, as_json: bool, config_dir: Path | None) -> None:
    """Delete the user NAME with their API keys."""

    async def work(users: UserDirectory) -> Told:
        gone = await users.named(name)
        await users.delete(gone.id)
        return Told(f"User {name} was deleted.", {"id": gone.id, "deleted": True})

    run(cli, work, config_dir, as_json)


def switch(cli: Cli, name: str, config_dir: Path | None, as_json: bool, *, disabled: bool) -> None:
    async def work(users: UserDirectory) -> Told:
        changed = await users.change((await users.named(name)).id, disabled=disabled)
        return Told(f"User {name} is {'disabled' if disabled else 'enabled'}.", view(changed))

    run(cli, work, config_dir, as_json)


def marks(user: User) -> list[str]:
    """Columns that only some users have."""
    return [*([f"by {user.provider}"] if user.provider else []), *(["disabled"] if user.disabled else [])]


def view(user: User) -> dict[str, Json]:
    return {
        "id": user.id,
        "username": user.username,
        "role": user.role,
        "createdAt": iso(user.created_at),
        "disabled": user.disabled,
        "provider": user.provider or None,
    }


def run(cli: Cli, work: Callable[[UserDirectory], Awaitable[Told]], config_dir: Path | None, as_json: bool) -> None:
    """Do the work on the open store and print what it says."""

    async def with_users(context: PluginContext) -> Told:
        return await work(context.port(UserDirectory))

    directory = cli.config_dir(config_dir)
    if daemon_elsewhere(directory) is not None:
        told = cast("Callable[..., Told]", load("jackfield_auth.commands.remote_users:on_daemon"))(directory, work)
    else:
        told = cli.run("auth", with_users, config_dir=config_dir)
    if as_json:
        echo_json(told.found)
    elif told.text:
        click.echo(told.text)
    else:
        echo_remark(told.empty)


def read_password() -> str:
    """Asked for twice on a terminal, else the first line of standard input. Never shown."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline(LONGEST_LINE).rstrip("\r\n")
