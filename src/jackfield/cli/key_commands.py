"""`jackfield keys`: the master key, from outside. No command takes or shows a key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from jackfield.api.cli import CommandGroup, config_dir_option, echo_json, echo_table, harmless, json_option
from jackfield.api.clock import iso
from jackfield.api.daemon import require_here
from jackfield.api.object_references import load

from .runtime import Runtime

if TYPE_CHECKING:
    from .rotation import Forgotten, Rotated, ShownKeys


@click.group(cls=CommandGroup)
def keys() -> None:
    """The master key that secrets are sealed with: show, rotate, forget."""


@keys.command()
@config_dir_option
@json_option
@click.pass_obj
def show(runtime: Runtime, config_dir: Path | None, as_json: bool) -> None:
    """Show fingerprints of the master key and of earlier ones, and since when; never a key."""
    require_here(runtime.config_dir(config_dir))
    work = cast("Callable[[Runtime, Path | None], ShownKeys]", load("jackfield.cli.rotation:show"))
    found = work(runtime, config_dir)
    rows = [
        {"fingerprint": key.fingerprint, "role": key.role, "since": _time(key.since), "until": _time(key.until)}
        for key in found.keys
    ]
    if as_json:
        echo_json({"keys": rows, "resealing": found.resealing, "former": list(found.former)})
        return
    echo_table(list(rows[0]), [[str(cell or "-") for cell in row.values()] for row in rows], empty="")
    if found.former:
        click.echo(f"Keys of an earlier version, for reading: {', '.join(found.former)}.")
    if found.resealing:
        click.echo("A rotation has begun and not ended: run `jackfield keys rotate` again.", err=True)


@keys.command()
@config_dir_option
@json_option
@click.pass_obj
def rotate(runtime: Runtime, config_dir: Path | None, as_json: bool) -> None:
    """Make another master key, or take the one of the environment, and seal every stored secret anew.

    After any interruption, nothing is lost, and another run goes on. A daemon may run. The earlier key is kept for
    reading until `jackfield keys forget`. Exit code 1 when no key opens a value.
    """
    require_here(runtime.config_dir(config_dir))
    work = cast("Callable[[Runtime, Path | None], Rotated]", load("jackfield.cli.rotation:rotate"))
    found = work(runtime, config_dir)
    if as_json:
        values = [{"name": one.name, "sealed": one.done, "lost": list(one.lost)} for one in found.values]
        echo_json({"fingerprint": found.fingerprint, "earlier": found.earlier, "values": values})
    for one in found.values if not as_json else ():
        click.echo(f"{one.name}: {one.done} sealed anew")
        for sentence in one.lost:
            click.echo(harmless(sentence), err=True)
    if not as_json:
        click.echo(
            f"The master key is {found.fingerprint}. Earlier ones stay for reading until `jackfield keys forget`."
        )
    if any(one.lost for one in found.values):
        raise SystemExit(1)


@keys.command()
@click.option("--anyway", is_flag=True, help="Even when something still needs them.")
@config_dir_option
@json_option
@click.pass_obj
def forget(runtime: Runtime, anyway: bool, config_dir: Path | None, as_json: bool) -> None:
    """Remove earlier keys once nothing needs them; no daemon may run.

    Backups of before need them: they hold them, if they hold keys."""
    require_here(runtime.config_dir(config_dir))
    work = cast("Callable[[Runtime, Path | None, bool], Forgotten]", load("jackfield.cli.rotation:forget"))
    found = work(runtime, config_dir, anyway)
    if as_json:
        echo_json({"forgotten": found.count, "variable": found.variable or None})
        return
    click.echo(f"{found.count} earlier keys are forgotten.")
    if found.variable:
        click.echo(f"Remove {found.variable} from the environment of every daemon.")


def _time(milliseconds: int | None) -> str | None:
    return None if milliseconds is None else iso(milliseconds)
