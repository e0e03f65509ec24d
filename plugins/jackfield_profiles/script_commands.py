"""`jackfield scripts`: trying scripts before agents depend on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackfield.api.agents import Agents
from jackfield.api.cli import Cli, config_dir_option
from jackfield.api.providers import Providers

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield_profiles.generating import Generated


@click.group()
def scripts() -> None:
    """Scripts that make agents' configuration."""


@scripts.command("test")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--profile", "alias", required=True, help="Alias of the profile that the script is run for.")
@config_dir_option
@click.pass_obj
def try_script(cli: Cli, file: Path, alias: str, config_dir: Path | None) -> None:
    """Run the script FILE for a profile and print what it would write. Nothing is written, and no key is shown."""

    async def work(context: PluginContext) -> Generated:
        from jackfield_profiles.access import access_of
        from jackfield_profiles.generating import run_script, script_context
        from jackfield_profiles.parts import Parts

        profile = await context.port(Parts).profiles.find(alias)
        agent = await context.port(Agents).find(profile.agent_id)
        provider = await context.port(Providers).find(profile.provider_id)
        access = await access_of(context, agent, provider, profile, None)
        return await run_script(context, file, script_context(context, agent, provider, profile, access))

    for line in printed(cli.run("profiles", work, config_dir=config_dir)):
        click.echo(line)


def printed(generated: Generated) -> list[str]:
    """Files, then variables, then arguments, with placeholders as the script wrote them."""
    lines: list[str] = []
    for path, text in generated.files.items():
        lines += [f"--- {path}", *text.splitlines()]
    if generated.env:
        lines += ["--- environment", *(f"{name}={value}" for name, value in generated.env.items())]
    if generated.args:
        lines += ["--- arguments", *generated.args]
    return lines or ["The script generates nothing for this profile."]
