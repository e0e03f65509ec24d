"""`jackfield import` of tools for coding agents. Merged into the group of the other imports."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import click

from jackfield.api.cli import Cli, CommandGroup, audited, config_dir_option, json_option, work_at
from jackfield.api.object_references import load

FAILED = 1
_path = click.Path(path_type=Path, exists=True)
_dry_run = click.option("--dry-run", is_flag=True, help="Change nothing; say what an import would do.")
_alias = click.option("--alias", metavar="NAME", help="Name of the profile that gets the routes (default: the tool's).")
_agent = click.option("--agent", metavar="ID", help="Agent of that profile (default: claude).")


def _in_home(name: str) -> Callable[[], Path]:
    """The home is looked up when the command is called."""
    return lambda: Path.home() / name


@click.group("import", cls=CommandGroup)
def import_agents() -> None:
    """Move in from another system."""


@audited("profile.import", subject="path")
@import_agents.command("claude-code-router")
@click.argument("path", type=_path, default=_in_home(".claude-code-router"), metavar="[DIR]")
@_alias
@_agent
@_dry_run
@json_option
@config_dir_option
@click.pass_obj
def import_claude_code_router(cli: Cli, /, path: Path, **given: Any) -> None:  # what click's options say
    """Import providers, keys and routes of claude-code-router.

    DIR has its config.json or config.sqlite (default: ~/.claude-code-router). The routes become those of a profile's
    proxy.
    """
    _import(cli, "claude-code-router", path, **given)


@audited("profile.import", subject="path")
@import_agents.command("litellm")
@click.argument("path", type=_path, metavar="PATH")
@_alias
@_agent
@_dry_run
@json_option
@config_dir_option
@click.pass_obj
def import_litellm(cli: Cli, /, path: Path, **given: Any) -> None:  # what click's options say
    """Import models, keys, fallbacks and aliases of LiteLLM's proxy.

    PATH is its config.yaml, or a directory with it. Models become routes and aliases of a profile's proxy.
    """
    _import(cli, "litellm", path, **given)


@audited("profile.import", subject="path")
@import_agents.command("ringlet")
@click.argument("path", type=_path, default=_in_home(".config/ringlet"), metavar="[DIR]")
@_dry_run
@json_option
@config_dir_option
@click.pass_obj
def import_ringlet(cli: Cli, /, path: Path, **given: Any) -> None:  # what click's options say
    """Import settings, manifests, scripts, profiles, hooks, routes and keys of ringlet.

    DIR is its configuration directory (default: ~/.config/ringlet). Times of hooks become seconds.
    """
    _import(cli, "ringlet", path, **given)


@audited("profile.import", subject="path")
@import_agents.command("cc-switch")
@click.argument("path", type=_path, default=_in_home(".cc-switch"), metavar="[DIR]")
@_dry_run
@json_option
@config_dir_option
@click.pass_obj
def import_cc_switch(cli: Cli, /, path: Path, **given: Any) -> None:  # what click's options say
    """Import providers, keys and MCP servers of CC Switch: each provider of an agent becomes a profile.

    DIR has its cc-switch.db or config.json (default: ~/.cc-switch).
    """
    _import(cli, "cc-switch", path, **given)


def _import(
    cli: Cli,
    source: str,
    path: Path,
    *,
    dry_run: bool,
    as_json: bool,
    config_dir: Path | None,
    alias: str | None = None,
    agent: str | None = None,
) -> None:
    """Imported twice, everything is here once. Exit code 1 when something was not imported."""
    work = work_at("jackfield_migration.agents.work:brought", source, path, alias, agent, dry_run)
    report = cli.run("migration", work, config_dir=config_dir)
    if not cast("Callable[..., bool]", load("jackfield_migration.agents.work:told"))(report, as_json=as_json):
        sys.exit(FAILED)
