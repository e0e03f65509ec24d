"""`jackfield backup`, `restore`, `verify`. Exit codes: 0 all is well, 1 it failed or something is damaged, 2 a wrong
call."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from jackfield.api.cli import (
    Cli,
    audited,
    config_dir_option,
    echo_json,
    echo_warning,
    harmless,
    json_option,
    progress_bar,
    work_at,
)
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield_backup.making import MadeBackup
    from jackfield_backup.manifest import BackupManifest
    from jackfield_backup.progress import ShowProgress
    from jackfield_backup.restoring import Verified

_directory = click.Path(path_type=Path, file_okay=False)
_MIB = 1_048_576


@audited("store.backup")
@click.command()
@click.argument("directory", type=_directory, required=False)
@click.option("--keys/--without-keys", default=None, help="With keys/ or without (default: backup.keys).")
@click.option("--keep", type=click.IntRange(1, 10_000), default=None, help="Backups to keep (default: backup.keep).")
@json_option
@config_dir_option
@click.pass_obj
def backup(
    cli: Cli, directory: Path | None, keys: bool | None, keep: int | None, as_json: bool, config_dir: Path | None
) -> None:
    """Back up the store and the configuration directory, also beside a running daemon.

    DIRECTORY holds all backups (default: backup.directory). The command does not copy again what an earlier one has.
    """
    work = work_at("jackfield_backup.making:backup_now", directory, keys, keep, _shown(quiet=as_json))
    made: MadeBackup = cli.run("backup", work, config_dir=config_dir)
    manifest = made.manifest
    if as_json:
        echo_json({"id": manifest.id, "files": len(manifest.files), "bytes": manifest.size(), "added": made.added,
                   "removed": made.removed, "keys": manifest.keys, "left_out": manifest.left_out,
                   "damaged": [*made.damaged]})  # fmt: skip
        _end(made)
        return
    for line in manifest.left_out:
        click.echo(f"left out: {harmless(line)}", err=True)
    click.echo(
        f"{manifest.id}: {len(manifest.files)} files, {manifest.size() / _MIB:.1f} MiB, "
        f"{made.added / _MIB:.1f} MiB of it new; {made.removed} older backups removed."
    )
    for line in made.damaged:
        click.echo(harmless(line), err=True)
    _end(made)


def _text(path: object) -> str | None:
    return None if path is None else str(path)


def _shown(*, quiet: bool = False) -> ShowProgress:
    return partial(progress_bar, quiet=quiet)


def _end(made: MadeBackup) -> None:
    """Exit code 1 after a backup that holds damaged records."""
    if made.damaged:
        echo_warning("The backup holds damaged records, so that no older backup was removed for it.")
        raise SystemExit(1)


@click.command()
@click.argument("backups", type=_directory)
@click.argument("directory", type=_directory)
@click.option("--backup", "wanted", default=None, help="Its id (default: the newest).")
@json_option
def restore(backups: Path, directory: Path, wanted: str | None, as_json: bool) -> None:
    """Put a backup from BACKUPS into DIRECTORY, which is empty or not there, and verify what was written."""
    work = cast("Callable[..., BackupManifest]", load("jackfield_backup.restoring:restore"))
    manifest = work(backups.absolute(), directory.absolute(), wanted, _shown(quiet=as_json))
    if as_json:
        echo_json({"id": manifest.id, "directory": str(directory), "files": len(manifest.files), "keys": manifest.keys,
                   "store": str(directory / manifest.store), "store_was": _text(manifest.store_file)})  # fmt: skip
        return
    click.echo(f"{manifest.id} was restored to {directory} and verified: {len(manifest.files)} files.")
    if not manifest.keys:
        click.echo("The backup holds no keys; put your copy of keys/ there before the start.", err=True)
    if manifest.store_file is not None:
        click.echo(
            f"The store was at {manifest.store_file}; its copy is {directory / manifest.store}. "
            "Move it, or set store.sqlite.file, before the start.",
            err=True,
        )


@click.command()
@click.argument("directory", type=_directory)
@click.option("--backup", "wanted", default=None, help="Look at this backup alone.")
@json_option
@click.pass_obj
def verify(cli: Cli, directory: Path, wanted: str | None, as_json: bool) -> None:
    """Look at every byte of the backups in DIRECTORY, or at the store and the files of a configuration directory."""
    work = cast("Callable[..., Sequence[Verified]]", load("jackfield_backup.verifying:verified"))
    verified = work(cli, directory.absolute(), wanted, _shown(quiet=as_json))
    if as_json:
        echo_json([{"id": each.backup, "created_at": each.created_at, "files": each.files, "bytes": each.size,
                    "problems": each.problems} for each in verified])  # fmt: skip
    else:
        for each in verified:
            click.echo(f"{each.backup}: {'damaged' if each.problems else 'whole'}")
            for problem in each.problems:
                click.echo(f"  {harmless(problem)}")
    sys.exit(1 if any(each.problems for each in verified) else 0)
