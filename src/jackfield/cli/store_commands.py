"""`jackfield store`: another place for everything that the daemon keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from jackfield.api.cli import (
    CommandGroup,
    config_dir_option,
    echo_json,
    echo_remark,
    echo_table,
    echo_warning,
    harmless,
    json_option,
)
from jackfield.api.daemon import require_here
from jackfield.api.object_references import load

from .runtime import Runtime

if TYPE_CHECKING:
    from .moves.file_copies import CopiedFiles
    from .moves.file_moving import FileChoice
    from .moves.store_moving import Moved

_MIB = 1_048_576


@click.group(cls=CommandGroup)
def store() -> None:
    """The store: copy it to another database."""


@store.command("copy")
@click.option("--to", "target", metavar="ADDRESS", help="postgresql://..., a file, postgres, or sqlite.")
@click.option("--from", "source", metavar="ADDRESS", help="The same; default: the store of the settings.")
@click.option("--restart", is_flag=True, help="Discard an unfinished copy in the target first.")
@click.option("--files-to", metavar="NAME", help="Copy the files of items too: disk, or s3. Without --to: them alone.")
@click.option("--files-from", metavar="NAME", default="", help="Where they are; default: binary.name of the settings.")
@click.option("--leave-out-files", is_flag=True, help="Go on without files that are damaged or missing.")
@config_dir_option
@json_option
@click.pass_obj
def copy(
    runtime: Runtime,
    target: str | None,
    source: str | None,
    restart: bool,
    files_to: str | None,
    files_from: str,
    leave_out_files: bool,
    config_dir: Path | None,
    as_json: bool,
) -> None:
    """Copy everything that the store holds into another, empty one, and compare both table by table.

    No daemon may run. An address is that of a PostgreSQL database or a file of SQLite. `postgres` and `sqlite` stand
    for the one in the settings and the environment, which is where a password belongs. Files of items go along with
    --files-to, between this directory and the bucket of the settings. After any interruption, run it again and it goes
    on; until it has ended no daemon starts on the target. Then change the settings: `store.name`, and the address. Exit
    code 1 when a table differs, or a file is damaged or missing.
    """
    require_here(runtime.config_dir(config_dir))
    if target is None and (files_to is None or source is not None or restart):
        raise click.UsageError("Give --to, or --files-to alone.")
    if files_to is None and (files_from or leave_out_files):
        raise click.UsageError("--files-from and --leave-out-files belong to --files-to.")
    tell = (lambda _: None) if as_json else echo_remark
    choice = None
    if files_to is not None:
        chosen = cast("type[FileChoice]", load("jackfield.cli.moves.file_moving:FileChoice"))
        choice = chosen(files_to, files_from, leave_out_files)
    if target is None:
        work = cast("Callable[..., Moved]", load("jackfield.cli.moves.store_moving:copy_only_files"))
        found = work(runtime, config_dir, choice, tell)
    else:
        for address in (target, source or ""):
            if "://" in address and "@" in address and ":" in address.partition("://")[2].partition("@")[0]:
                echo_warning(
                    "Others can read the password in the list of processes; put the address into "
                    "JACKFIELD_STORE_POSTGRES_DSN and say `postgres` instead."
                )
        work = cast("Callable[..., Moved]", load("jackfield.cli.moves.store_moving:copy"))
        found = work(runtime, config_dir, source, target, restart, tell, choice)
    if as_json:
        _tell_json(found)
    else:
        if found.copied is not None:
            _tell_files(found.copied)
        if target is None:
            click.echo(found.files)
        else:
            _tell(found)
    if not found.is_equal:
        raise SystemExit(1)


def _tell_json(found: Moved) -> None:
    rows = [
        {"table": one.name, "rows": one.source.rows, "checksum": one.source.text, "copiedRows": one.target.rows,
         "copiedChecksum": one.target.text, "equal": one.is_equal} for one in found.tables
    ]  # fmt: skip
    files = found.copied
    copied = None if files is None else {
        "files": files.source.rows, "checksum": files.source.text, "copiedFiles": files.target.rows,
        "copiedChecksum": files.target.text, "references": files.references, "sent": files.sent, "bytes": files.size,
        "there": files.there, "damaged": files.damaged, "missing": files.missing,
        "equal": files.is_equal and files.is_whole,
    }  # fmt: skip
    echo_json(
        {"from": found.source, "to": found.target, "equal": found.is_equal, "seconds": round(found.seconds, 3),
         "keyFingerprint": found.fingerprint, "files": found.files, "copied": copied, "tables": rows}
    )  # fmt: skip


def _tell_files(files: CopiedFiles) -> None:
    click.echo(
        f"{files.sent} files were sent, {files.size / _MIB:.1f} MiB, and {files.there} were there; executions refer to "
        f"them {files.references} times. Checksums {files.source.text[:16]} and {files.target.text[:16]}."
    )
    for what, ids in (("damaged", files.damaged), ("missing", files.missing)):
        for file_id in ids:
            click.echo(f"{what}, and left out: {harmless(file_id)}", err=True)


def _tell(found: Moved) -> None:
    if not found.sufficient:
        click.echo(
            "Files are not whole in the copy, so the store was not copied. Restore them and run it again, or go on "
            "without them: --leave-out-files.",
            err=True,
        )
        return
    cells = [
        [one.name, str(one.source.rows), str(one.target.rows), one.source.text[:16], one.target.text[:16],
         "yes" if one.is_equal else "NO"] for one in found.tables
    ]  # fmt: skip
    columns = ["table", "rows", "copied", "checksum", "of the copy", "equal"]
    echo_table(columns, cells, empty="", right=["rows", "copied"])
    if not found.is_equal:
        click.echo(f"The copy differs from {found.source}; no daemon starts on it. Use --restart.", err=True)
        return
    total = sum(one.source.rows for one in found.tables)
    click.echo(f"{total} rows are in {found.target}, sealed with the master key {found.fingerprint}.")
    click.echo(found.files)
    click.echo(
        f"Now change the settings to it. Start no daemon on {found.source} any more: open executions would run twice."
    )
