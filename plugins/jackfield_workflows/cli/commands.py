"""`jackfield workflow`.

The work of each command stands in a separate module, which is loaded when the command runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from jackfield.api.cli import Cli, CommandGroup, audited, config_dir_option, json_option
from jackfield.api.daemon_commands import api_key_option, completed, endpoint_option
from jackfield.api.object_references import load
from jackfield_workflows.cli import saved_commands

CommandT = TypeVar("CommandT", bound=Callable[..., Any])  # click commands take what their options say
FAILED = 1
FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...|-", type=click.Path(allow_dash=True))


def _work(module: str, name: str) -> Callable[..., Any]:  # each with its own parameters
    """The function that does a command's work."""
    return cast("Callable[..., Any]", load(f"jackfield_workflows.cli.{module}:{name}"))


def _target(cli: Cli, config_dir: Path | None, url: str | None, api_key: str | None) -> Any:
    """A `CommandTarget`."""
    return _work("reaching", "CommandTarget")(cli, config_dir, url, api_key)


def daemon_options(command: CommandT) -> CommandT:
    """`--config-dir`, `--url`, `--api-key`."""
    return cast("CommandT", config_dir_option(endpoint_option(api_key_option(command))))


def passphrase_option(command: CommandT) -> CommandT:
    """`--passphrase-file`."""
    option = click.option(
        "--passphrase-file",
        type=click.Path(path_type=Path),
        help="File whose first line is the passphrase (default: JACKFIELD_EXPORT_PASSPHRASE, else you are asked).",
    )
    return option(command)


@click.group(cls=CommandGroup)
def workflow() -> None:
    """Workflows: import, export, run, activate, show, validate. n8n's files are understood."""


for _command in (saved_commands.show, saved_commands.activate, saved_commands.deactivate, saved_commands.delete):
    workflow.add_command(_command)


@audited("workflow.import")
@workflow.command("import")
@FILES
@click.option("--partial", is_flag=True, help="Of a file with several workflows import those without mistakes.")
@passphrase_option
@json_option
@daemon_options
@click.pass_obj
def import_files(
    cli: Cli,
    files: tuple[str, ...],
    partial: bool,
    passphrase_file: Path | None,
    as_json: bool,
    config_dir: Path | None,
    url: str | None,
    api_key: str | None,
) -> None:
    """Save the workflows of files, of directories (every *.json below), or of standard input.

    A workflow whose id exists here becomes its new version; all others are created, inactive. A file is imported as a
    whole or not at all. Secrets that were exported with a passphrase need it. Exit code 1 when something was not
    imported.
    """
    target = _target(cli, config_dir, url, api_key)
    if not _work("importing", "import_files")(target, files, passphrase_file, partial=partial, as_json=as_json):
        sys.exit(FAILED)


@audited("workflow.export")
@workflow.command("export")
@click.argument("ids", nargs=-1, metavar="[ID|NAME]...", shell_complete=completed("/workflows"))
@click.option("--all", "everything", is_flag=True, help="Every workflow.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File, or a directory for one file each.")
@click.option(
    "--with-secrets",
    is_flag=True,
    help="With the secrets of nodes, from this machine's store, sealed with a passphrase.",
)
@passphrase_option
@json_option
@daemon_options
@click.pass_obj
def export(
    cli: Cli,
    /,
    as_json: bool,
    ids: tuple[str, ...],
    everything: bool,
    output: Path | None,
    with_secrets: bool,
    passphrase_file: Path | None,
    config_dir: Path | None,
    url: str | None,
    api_key: str | None,
) -> None:
    """Write workflows as JSON: one as an object, several or --all as a list.

    Secrets of nodes are written as ***; imported again, such a workflow keeps those that are stored of it. With --json
    and --output the files that were written are listed on standard output.
    """
    if bool(ids) == everything:
        raise click.UsageError("Give the ids or names of workflows, or --all.")
    if with_secrets and url:
        raise click.UsageError(
            "--with-secrets reads the store of this machine; leave out --url and JACKFIELD_DAEMON_ENDPOINT."
        )
    if passphrase_file and not with_secrets:
        raise click.UsageError("--passphrase-file belongs to --with-secrets.")
    target = _target(cli, config_dir, url, api_key)
    if with_secrets:
        _work("exporting", "export_with_secrets")(
            target, ids, output, passphrase_file, as_list=everything, as_json=as_json
        )
    else:
        _work("exporting", "export")(target, ids, output, as_list=everything, as_json=as_json)


@audited("workflow.run")
@workflow.command()
@click.argument("what", metavar="FILE|ID|NAME|-", shell_complete=completed("/workflows"))
@click.option("--input", "given", metavar="JSON|@FILE|-", help="Items for the start node.")
@click.option("--start", metavar="NODE", help="The node to start at; the items stand for what it gives.")
@json_option
@click.option("--quiet", is_flag=True, help="No progress.")
@daemon_options
@click.pass_obj
def run(
    cli: Cli,
    what: str,
    given: str | None,
    start: str | None,
    as_json: bool,
    quiet: bool,
    config_dir: Path | None,
    url: str | None,
    api_key: str | None,
) -> None:
    """Run a workflow once, by hand, and show the items of its last node.

    With a running daemon it runs there and is in its history; without one it runs here and leaves nothing behind.
    Exit code 0: it succeeded, 1: it failed or was cancelled, 2: it could not be run.
    """
    target = _target(cli, config_dir, url, api_key)
    _work("running", "run")(target, what, given, start, as_json=as_json, quiet=quiet)


@workflow.command()
@FILES
@json_option
@daemon_options
@click.pass_obj
def validate(
    cli: Cli, files: tuple[str, ...], as_json: bool, config_dir: Path | None, url: str | None, api_key: str | None
) -> None:
    """Say what is wrong with the workflows of files, without saving or running anything.

    A daemon that is named answers with its node types, else this machine's plugins do. Node types that no plugin
    provides are warnings: the rest of the workflow can run. Exit code 1 when there is an error.
    """
    if not _work("checking", "validate")(_target(cli, config_dir, url, api_key), files, as_json=as_json):
        sys.exit(FAILED)


@workflow.command("list")
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="NAME",
    shell_complete=completed("/tags"),
    help="Only with this tag; repeatable.",
)
@json_option
@daemon_options
@click.pass_obj
def list_workflows(
    cli: Cli, tags: tuple[str, ...], as_json: bool, config_dir: Path | None, url: str | None, api_key: str | None
) -> None:
    """List the saved workflows, the last changed first."""
    _work("listing", "list_workflows")(_target(cli, config_dir, url, api_key), tags, as_json=as_json)
