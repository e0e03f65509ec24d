"""`jackfield scripts`: trying scripts before agents depend on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import click

from jackfield.api.cli import Cli, CommandGroup, config_dir_option, echo_json, harmless, json_option, work_at
from jackfield.api.manifest_checks.problems import files_argument, tell_or_exit
from jackfield.api.object_references import load
from jackfield_profiles.commands.aliases import complete_alias


@click.group(cls=CommandGroup)
def scripts() -> None:
    """Scripts that make agents' configuration: test, validate."""


@scripts.command("validate")
@files_argument
@json_option
@config_dir_option
@click.pass_obj
def validate_scripts(cli: Cli, files: tuple[Path, ...], as_json: bool, config_dir: Path | None) -> None:
    """Check scripts before agents or rules depend on them: each mistake with its line.

    A script is run for made-up profiles of the agents that name it, with each type of provider; one that reads
    `request` is a condition. Exit code 1 when a file has an error.
    """
    views = cli.run(
        "profiles", work_at("jackfield_profiles.commands.script_checking:validated", files), config_dir=config_dir
    )
    tell_or_exit(views, as_json=as_json)


@scripts.command("test")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--profile",
    "alias",
    required=True,
    shell_complete=complete_alias,
    help="Alias of the profile that the script is run for.",
)
@click.option("--diff", "as_diff", is_flag=True, help="Show the changes of its files in the profile's home.")
@json_option
@config_dir_option
@click.pass_obj
def try_script(cli: Cli, file: Path, alias: str, as_diff: bool, as_json: bool, config_dir: Path | None) -> None:
    """Run the script FILE for a profile and print what it would write. Nothing is written, and no key is shown."""
    name = "script_diff:changed" if as_diff else "script_work:generated"
    found = cli.run("profiles", work_at(f"jackfield_profiles.commands.{name}", file, alias), config_dir=config_dir)
    if as_json:
        echo_json(found)
    elif as_diff:
        lines = cast("Callable[..., list[str]]", load("jackfield_profiles.commands.script_diff:printed_changes"))(found)
        click.echo("\n".join(map(harmless, lines)))
    else:
        click.echo("\n".join(printed(found)))


def printed(found: Mapping[str, Any]) -> list[str]:  # Any: as `script_work` gives it
    """Files, then variables, then arguments, with placeholders as the script wrote them."""
    lines: list[str] = []
    for path, text in found["files"].items():
        lines += [f"--- {path}", *text.splitlines()]
    if found["env"]:
        lines += ["--- environment", *(f"{name}={value}" for name, value in found["env"].items())]
    if found["args"]:
        lines += ["--- arguments", *found["args"]]
    return lines or ["The script generates nothing for this profile."]
