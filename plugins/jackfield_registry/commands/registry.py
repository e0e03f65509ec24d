"""`jackfield registry`: sync, look at, pin and verify what was synced, beside a running daemon or without one; and
build what others sync."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from jackfield.api.cli import Cli, config_dir_option, work_at
from jackfield.api.jsontext import Json
from jackfield.api.registry import TOKEN_FORM

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from jackfield_registry.ports import FetchProgress

PLUGIN = "registry"
json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@click.group()
def registry() -> None:
    """Manifests, scripts and prices that are published elsewhere."""


@registry.command()
@click.option("--force", is_flag=True, help="Fetch although the content is fresh, and accept an older state.")
@json_option
@config_dir_option
@click.pass_obj
def sync(cli: Cli, force: bool, as_json: bool, config_dir: Path | None) -> None:
    """Fetch what the registry publishes, verify it, and use it from now on."""
    with Bar() as bar:
        status = _asked(cli, config_dir, "sync", force, bar)
    _show(status, as_json)


@registry.command()
@json_option
@config_dir_option
@click.pass_obj
def status(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """Show what was synced, and when."""
    for sentence in _asked(cli, config_dir, "damage"):
        click.echo(f"jackfield: {sentence}", err=True)
    _show(_asked(cli, config_dir, "status"), as_json)


@registry.command()
@click.argument("commit", required=False)
@click.option("--clear", is_flag=True, help="Go with the channel again.")
@json_option
@config_dir_option
@click.pass_obj
def pin(cli: Cli, commit: str | None, clear: bool, as_json: bool, config_dir: Path | None) -> None:
    """Stay at COMMIT, whatever the registry publishes. It is taken at once if it is here, else with the next sync."""
    if (commit is None) != clear:
        raise click.UsageError("Give a COMMIT or --clear.")
    if commit is not None and not re.fullmatch(TOKEN_FORM, commit):
        raise click.UsageError("A COMMIT is of letters, digits and . _ -")
    _show(_asked(cli, config_dir, "pin", commit), as_json)


@registry.command()
@config_dir_option
@click.pass_obj
def verify(cli: Cli, config_dir: Path | None) -> None:
    """Compare what is on the disk with its index and signature; exit code 1 when something is wrong."""
    found = _asked(cli, config_dir, "verify")
    for sentence in found:
        click.echo(f"BAD  {sentence}")
    if found:
        raise SystemExit(1)
    click.echo("ok   the synced content is complete and unchanged")


@registry.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), help="Where it is built; default: DIRECTORY/public."
)
@click.option("--channel", default="stable", show_default=True, help="Name of the channel.")
@click.option("--sequence", type=click.IntRange(0, 2**53), help="Default: one more than what is there has.")
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Sign with this Ed25519 private key (PEM, or 32 bytes as base64 or hex).",
)
@config_dir_option
@click.pass_obj
def build(
    cli: Cli,
    directory: Path,
    output: Path | None,
    channel: str,
    sequence: int | None,
    key: Path | None,
    config_dir: Path | None,
) -> None:
    """Make a registry out of DIRECTORY, which has agents/, providers/, scripts/, models/ or litellm-pricing.json, to be
    put on a web server or a disk."""
    if not re.fullmatch(TOKEN_FORM, channel):
        raise click.UsageError("A channel is of letters, digits and . _ -")
    # Publishing needs the plugins' kinds of manifests, and nothing of this machine's own configuration.
    with tempfile.TemporaryDirectory() as nowhere:
        output = output or directory / "public"
        work = work_at("jackfield_registry.commands.building_work:build", directory, output, channel, sequence, key)
        lines: Sequence[str] = cli.run(PLUGIN, work, config_dir=config_dir or Path(nowhere))
    click.echo("\n".join(lines))


def _asked(cli: Cli, config_dir: Path | None, name: str, *arguments: object) -> Any:
    """A function of `registry_work`. Any: each has its type."""
    work = work_at(f"jackfield_registry.commands.registry_work:{name}", *arguments)
    return cli.run(PLUGIN, work, config_dir=config_dir)


def _show(view: Mapping[str, Json], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(view, indent=2))
        return
    for name, value in view.items():
        click.echo(f"{name.replace('_', ' '):<21} {'-' if value is None else value}")


class Bar:
    """A progress bar on standard error, where that is a terminal."""

    def __init__(self) -> None:
        self._bar: ProgressBar[int] | None = None

    def __enter__(self) -> Self:
        return self

    def __call__(self, progress: FetchProgress) -> None:
        if not sys.stderr.isatty():
            return
        done, of = (
            (progress.files, progress.all_files) if progress.all_bytes is None else (progress.bytes, progress.all_bytes)
        )
        if self._bar is None:
            self._bar = click.progressbar(length=of, label="Fetching", file=sys.stderr)
        self._bar.update(done - self._bar.pos)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()
