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
    json_option,
)
from jackfield.api.daemon import require_here
from jackfield.api.object_references import load

from .runtime import Runtime

if TYPE_CHECKING:
    from .moving import Moved


@click.group(cls=CommandGroup)
def store() -> None:
    """The store: copy it to another database."""


@store.command("copy")
@click.option("--to", "target", metavar="ADDRESS", required=True, help="postgresql://..., a file, postgres, or sqlite.")
@click.option("--from", "source", metavar="ADDRESS", help="The same; default: the store of the settings.")
@click.option("--restart", is_flag=True, help="Discard an unfinished copy in the target first.")
@config_dir_option
@json_option
@click.pass_obj
def copy(
    runtime: Runtime, target: str, source: str | None, restart: bool, config_dir: Path | None, as_json: bool
) -> None:
    """Copy everything that the store holds into another, empty one, and compare both table by table.

    No daemon may run. An address is that of a PostgreSQL database or a file of SQLite; `postgres` and `sqlite` stand
    for the one in the settings and the environment, which is where a password belongs. Whatever ends this, run it again
    and it goes on; until it has ended no daemon starts on the target. Then change the settings: `store.name`, and the
    address. Exit code 1 when a table differs.
    """
    require_here(runtime.config_dir(config_dir))
    work = cast("Callable[..., Moved]", load("jackfield.cli.moving:copy"))
    for address in (target, source or ""):
        if "://" in address and "@" in address and ":" in address.partition("://")[2].partition("@")[0]:
            echo_warning(
                "Others can read the password in the list of processes; put the address into "
                "JACKFIELD_STORE_POSTGRES_DSN and say `postgres` instead."
            )
    found = work(runtime, config_dir, source, target, restart, (lambda _: None) if as_json else echo_remark)
    if as_json:
        rows = [
            {"table": one.name, "rows": one.source.rows, "checksum": one.source.text, "copiedRows": one.target.rows,
             "copiedChecksum": one.target.text, "equal": one.is_equal} for one in found.tables
        ]  # fmt: skip
        echo_json(
            {"from": found.source, "to": found.target, "equal": found.is_equal, "seconds": round(found.seconds, 3),
             "keyFingerprint": found.fingerprint, "files": found.files, "tables": rows}
        )  # fmt: skip
    else:
        _tell(found)
    if not found.is_equal:
        raise SystemExit(1)


def _tell(found: Moved) -> None:
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
