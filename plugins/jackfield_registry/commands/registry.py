"""`jackfield registry`: sync, look at, pin and verify what was synced, beside a running daemon or without one; and
build what others sync."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from jackfield.api.cli import (
    Cli,
    CommandGroup,
    config_dir_option,
    echo_fields,
    echo_json,
    harmless,
    json_option,
    work_at,
)
from jackfield.api.daemon import DaemonClient, daemon_elsewhere
from jackfield.api.daemon_commands import read_or_ask
from jackfield.api.dry_runs import dry_run_option
from jackfield.api.jsontext import Json
from jackfield.api.registry import TOKEN_FORM

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from jackfield_registry.ports import FetchProgress

PLUGIN = "registry"
PATH = "/api/registry"
SYNC_S = 600.0
"""Seconds for a daemon elsewhere to fetch everything."""


@click.group(cls=CommandGroup)
def registry() -> None:
    """Manifests, scripts and prices that are published elsewhere."""


@registry.command()
@click.option("--force", is_flag=True, help="Fetch although the content is fresh, and accept an older state.")
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def sync(cli: Cli, force: bool, dry_run: bool, as_json: bool, config_dir: Path | None) -> None:
    """Fetch what the registry publishes, verify it, and use it from now on."""
    if dry_run:
        _show_offer(cli, config_dir, force, as_json)
        return
    if (daemon := _elsewhere(cli, config_dir)) is not None:
        query = {"force": str(force).lower()}
        _show(daemon.ask("POST", f"{PATH}/sync", query=query, timeout=SYNC_S).data, as_json)
        return
    with Bar() as bar:
        status = _asked(cli, config_dir, "sync", force, bar)
    _show(status, as_json)


@registry.command()
@json_option
@config_dir_option
@click.pass_obj
def status(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """Show what was synced, and when."""
    _show(read_or_ask(cli, config_dir, PATH, lambda: _asked(cli, config_dir, "status")), as_json)


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
    if (daemon := _elsewhere(cli, config_dir)) is not None:
        _show(daemon.ask("POST", f"{PATH}/pin", body={"ref": commit}).data, as_json)
    else:
        _show(_asked(cli, config_dir, "pin", commit), as_json)


@registry.command()
@json_option
@config_dir_option
@click.pass_obj
def verify(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """Compare what is on the disk with its index and signature; exit code 1 when something is wrong."""
    found = _asked(cli, config_dir, "verify")
    if as_json:
        echo_json({"good": not found, "problems": list(found)})
    else:
        for sentence in found:
            click.echo(f"BAD  {sentence}")
        if not found:
            click.echo("ok   the synced content is complete and unchanged")
    if found:
        raise SystemExit(1)


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
@json_option
@config_dir_option
@click.pass_obj
def build(
    cli: Cli,
    directory: Path,
    output: Path | None,
    channel: str,
    sequence: int | None,
    key: Path | None,
    as_json: bool,
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
        found = cli.run_in(config_dir or Path(nowhere), PLUGIN, work)
    if as_json:
        echo_json(found)
        return
    state = "was built" if found["new"] else "was there already"
    click.echo(f"Commit {found['commit']} {state} in {output}: {found['files']} files, sequence {found['sequence']}.")
    if found["public_key"] is not None:
        click.echo(f'registry.public_key = "{found["public_key"]}"')


def _show_offer(cli: Cli, config_dir: Path | None, force: bool, as_json: bool) -> None:
    """The changes that a sync would bring."""
    if (daemon := _elsewhere(cli, config_dir)) is not None:
        offer = daemon.ask("GET", f"{PATH}/offer", query={"force": str(force).lower()}, timeout=SYNC_S).data
    else:
        offer = _asked(cli, config_dir, "offer", force)
    if as_json:
        echo_json({**offer, "dryRun": True})
        return
    echo_fields({"commit": offer["before"] or "-", "would be": offer["commit"]})
    for name, sign in (("added", "+"), ("changed", "~"), ("removed", "-")):
        for place in offer[name]:
            click.echo(f"{sign} {harmless(place)}")
    click.echo("Nothing was changed.")


def _elsewhere(cli: Cli, config_dir: Path | None) -> DaemonClient | None:
    return daemon_elsewhere(cli.config_dir(config_dir))


def _asked(cli: Cli, config_dir: Path | None, name: str, *arguments: object) -> Any:
    """A function of `registry_work`. Any: each has its type."""
    work = work_at(f"jackfield_registry.commands.registry_work:{name}", *arguments)
    return cli.run(PLUGIN, work, config_dir=config_dir)


def _show(view: Mapping[str, Json], as_json: bool) -> None:
    if as_json:
        echo_json(view)
    else:
        echo_fields({name.replace("_", " "): value for name, value in view.items()})


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
