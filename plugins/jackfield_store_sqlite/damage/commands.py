"""`jackfield acknowledge-damage`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from jackfield.api.cli import Cli, audited, config_dir_option, echo_json, echo_remark, harmless, json_option, work_at


@audited("store.acknowledge-damage")
@click.command("acknowledge-damage")
@json_option
@config_dir_option
@click.pass_obj
def acknowledge_damage(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """Accept the damage to the database that is known, also beside a running daemon.

    Lost data stays lost; /ready, the metrics and the doctor stop telling of it.
    """
    gone: Sequence[str] = cli.run(
        "store_sqlite", work_at("jackfield_store_sqlite.telling:acknowledge"), config_dir=config_dir
    )
    if as_json:
        echo_json({"acknowledged": list(gone)})
        return
    for text in gone:
        click.echo(f"acknowledged: {harmless(text)}")
    if not gone:
        echo_remark("No damage is known.")
