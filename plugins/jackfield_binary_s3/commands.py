"""`jackfield files`. Exit codes: 0 all is well, 1 it failed or files are damaged, 2 a wrong call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackfield.api.cli import Cli, CommandGroup, config_dir_option, echo_json, harmless, json_option, work_at

if TYPE_CHECKING:
    from jackfield_binary_s3.filling import Filled

_MIB = 1_048_576


@click.group(cls=CommandGroup)
def files() -> None:
    """Files of items: bring them into a bucket."""


@files.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), required=False)
@json_option
@config_dir_option
@click.pass_obj
def upload(cli: Cli, directory: Path | None, as_json: bool, config_dir: Path | None) -> None:
    """Bring the files of items that lie on this disk into the bucket of the settings.

    DIRECTORY is `binary/` of a configuration directory (default: of this one). First stop the daemon, and set
    binary.name to s3. Whatever ends this, run it again and it goes on. Nothing is deleted here: once the daemon works
    with its bucket, delete the directory.
    """
    place = None if directory is None else directory.absolute()
    done: Filled = cli.run("binary_s3", work_at("jackfield_binary_s3.filling:fill", place), config_dir=config_dir)
    if as_json:
        echo_json({"executions": done.executions, "there": done.there, "sent": done.sent, "bytes": done.size,
                   "damaged": done.damaged})  # fmt: skip
    else:
        click.echo(
            f"{done.sent} files were sent, {done.size / _MIB:.1f} MiB; {done.there} were there. They belong to "
            f"{done.executions} executions."
        )
        for file_id in done.damaged:
            click.echo(f"damaged, and left out: {harmless(file_id)}", err=True)
    if done.damaged:
        raise SystemExit(1)
