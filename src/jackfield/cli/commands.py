"""The kernel's commands."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from click.shell_completion import get_completion_class

from jackfield.api.cli import CommandGroup, audited, config_dir_option, echo_json, echo_table, json_option, work_at
from jackfield.api.daemon import daemon_elsewhere, daemon_runs, require_here
from jackfield.api.daemon_commands import completed_whole
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import ConfigurationError
from jackfield.api.object_references import load
from jackfield.api.version import __version__

from .plugin_projects.kinds import KINDS, LICENSES
from .runtime import Runtime

if TYPE_CHECKING:
    from jackfield.api.jsontext import Json
    from jackfield.api.nodes.forms import NodeField, NodeForm
    from jackfield.core.settings import Settings

    from .plugin_installs import PluginDistribution
    from .plugin_projects.making import MadeProject


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Show the version."""
    if as_json:
        echo_json({"version": __version__})
    else:
        click.echo(f"jackfield {__version__}")


def _overrides(pairs: tuple[str, ...], named: Mapping[str, object]) -> dict[str, str]:
    found = {path: str(value) for path, value in named.items() if value is not None}
    for pair in pairs:
        path, separator, value = pair.partition("=")
        if not separator:
            raise ConfigurationError(f"--set takes key=value, not {path}.")
        found[path.strip()] = value.strip()
    return found


@click.command()
@config_dir_option
@click.option("--host", help="Address to listen on (server.host).")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on (server.port).")
@click.option("--server", type=click.Choice(["auto", "hypercorn", "uvicorn"]), help="HTTP server (server.name).")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes that take webhook calls (daemon.workers).")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="Log level (logs.level).")
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Any setting; see `jackfield config`.")
@click.pass_obj
def serve(
    runtime: Runtime,
    config_dir: Path | None,
    host: str | None,
    port: int | None,
    server: str | None,
    workers: int | None,
    log_level: str | None,
    pairs: tuple[str, ...],
) -> None:
    """Run the daemon until SIGTERM or SIGINT."""
    # What is made from here until the daemon is assembled lives as long as it; see spare_collector.
    gc.disable()
    named = {
        "server.host": host,
        "server.port": port,
        "server.name": server,
        "daemon.workers": workers,
        "logs.level": log_level,
    }
    run = cast(
        "Callable[[Runtime, Path | None, Mapping[str, str]], None]", load("jackfield.cli.processes.serving:serve")
    )
    run(runtime, config_dir, _overrides(pairs, named))


@click.command()
@config_dir_option
@click.option("--format", "form", type=click.Choice(["toml", "json", "markdown"]), default="toml", show_default=True)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="As with serve.")
@click.pass_obj
def config(runtime: Runtime, config_dir: Path | None, form: str, pairs: tuple[str, ...]) -> None:
    """Show every setting with its value, default and meaning. Secrets are masked."""
    require_here(runtime.config_dir(config_dir))
    overrides = _overrides(pairs, {})

    def made() -> str:
        formats = cast("Mapping[str, Callable[[Settings], str]]", load("jackfield.cli.settings_dump:FORMATS"))
        return formats[form](runtime.settings(config_dir, overrides))

    click.echo(made() if overrides else runtime.remembered("config", form, config_dir, made))


@click.group(cls=CommandGroup, invoke_without_command=True)
@config_dir_option
@json_option
@click.pass_context
def plugins(ctx: click.Context, config_dir: Path | None, as_json: bool) -> None:
    """List the plugins and what is wrong with those that failed."""
    if ctx.invoked_subcommand is not None:
        return
    rows = _plugin_rows(cast("Runtime", ctx.obj), config_dir)
    if as_json:
        echo_json(rows)
        return
    for plugin in rows:
        click.echo(f"{plugin['name']:<16} {plugin['status']:<9} {plugin['distribution']} {plugin['version']}")
        if plugin["error"]:
            click.echo(f"{'':<16} {plugin['error']}")


def _plugin_rows(runtime: Runtime, config_dir: Path | None) -> list[dict[str, object]]:
    """By name."""
    names = ("name", "status", "distribution", "version", "error")
    if (daemon := daemon_elsewhere(runtime.config_dir(config_dir))) is not None:
        rows = [{name: row.get(name) for name in names} for row in daemon.ask("GET", "/api/plugins").data]
    else:

        def made() -> list[Json]:
            return [{name: getattr(plugin, name) for name in names} for plugin in runtime.plugins(config_dir)]

        rows = cast("list[dict[str, object]]", runtime.remembered("plugins", None, config_dir, made))
    return sorted(rows, key=lambda row: str(row["name"]))


@plugins.command()
@click.argument("directory", type=click.Path(path_type=Path, exists=True, file_okay=False))
@json_option
def check(directory: Path, as_json: bool) -> None:
    """Check the plugins of the project in DIRECTORY, which need not be installed.

    Every mistake is one line; exit code 1 when there is one."""
    logging.getLogger("jackfield").addHandler(logging.NullHandler())  # each mistake is told once, below
    check_project = cast("Callable[[Path], dict[str, list[str]]]", load("jackfield.cli.plugin_check:check_project"))
    found = check_project(directory.absolute())
    if as_json:
        echo_json(found)
    for name, mistakes in found.items() if not as_json else ():
        for line in mistakes or ["ok"]:
            click.echo(f"{name}: {line}")
    if any(found.values()):
        raise SystemExit(1)


@plugins.command("form")
@click.argument("kind", shell_complete=completed_whole("/node-types?schemas=false", key="kind", about="displayName"))
@click.option("--version", type=float, help="Of the node type; default: the newest.")
@config_dir_option
@json_option
@click.pass_obj
def node_form(runtime: Runtime, kind: str, version: float | None, config_dir: Path | None, as_json: bool) -> None:
    """Show the form of the node type KIND: each field with its control and its label, when it is shown, its choices.

    A field with a star is marked as needed."""
    require_here(runtime.config_dir(config_dir))
    form_for = cast("Callable[..., NodeForm]", load("jackfield.cli.node_form:form_for"))
    form = form_for(runtime.kernel(config_dir), kind, version)
    if as_json:
        echo_json(cast("Callable[[NodeForm], object]", load("jackfield.cli.node_form:as_json"))(form))
        return
    rows = cast("Callable[[Sequence[NodeField]], Iterator[tuple[str, ...]]]", load("jackfield.cli.node_form:rows"))
    columns = cast("Sequence[str]", load("jackfield.cli.node_form:COLUMNS"))
    echo_table(columns, list(rows(form.fields)), empty="The node has no parameters.")


@plugins.command("nodes")
@click.option("--unavailable", is_flag=True, help="Also list those that cannot run here, and why.")
@config_dir_option
@json_option
@click.pass_obj
def node_list(runtime: Runtime, unavailable: bool, config_dir: Path | None, as_json: bool) -> None:
    """List the node types that can run, by kind."""
    listed = cast("Callable[..., list[dict[str, Json]]]", load("jackfield.cli.node_list:listed"))
    found = listed(runtime, config_dir, unavailable=unavailable)
    if as_json:
        echo_json(found)
        return
    rows = cast("Callable[[object], list[tuple[str, ...]]]", load("jackfield.cli.node_list:rows"))
    columns = cast("Sequence[str]", load("jackfield.cli.node_list:COLUMNS"))
    echo_table(columns, rows(found), empty="There are no node types.")


@plugins.command("new")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("name")
@click.option("--dir", "directory", type=click.Path(path_type=Path), help="Default: jackfield-plugin-NAME, here.")
@click.option("--license", "license_name", type=click.Choice(LICENSES), default="MIT", show_default=True)
@click.option("--author", help="Default: the authors of jackfield-plugin-NAME.")
@json_option
def new_project(
    kind: str, name: str, directory: Path | None, license_name: str, author: str | None, as_json: bool
) -> None:
    """Make a project for a plugin of this KIND, with tests, strict types and a workflow for its checks.

    NAME has lower-case letters, digits and hyphens, such as word-count. No file is overwritten."""
    make = cast("Callable[..., MadeProject]", load("jackfield.cli.plugin_projects.command:make"))
    made = make(kind, name, directory=directory, license=license_name, author=author)
    if as_json:
        echo_json({"directory": str(made.directory), "files": list(made.files), "next": list(made.next)})
        return
    click.echo(f"{made.directory} has {len(made.files)} files. Next:")
    for line in made.next:
        click.echo(f"  {line}")


def _no_address(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """An address could hold a password, which the audit log would keep."""
    if "://" in value:
        raise ConfigurationError(f"{parameter.make_metavar(ctx)}: download the file, and name its path.")
    return value


@audited("plugin.install", subject="what")
@plugins.command("install")
@click.argument("what", metavar="NAME_OR_PATH", callback=_no_address)
@config_dir_option
@json_option
@click.pass_obj
def install_plugins(runtime: Runtime, what: str, config_dir: Path | None, as_json: bool) -> None:
    """Install the plugins of a distribution beside Jackfield, by pip or uv.

    NAME_OR_PATH is a name, with or without a version, or the path of a wheel or of a project. The command removes again
    a plugin that this Jackfield cannot load."""
    work = work_at("jackfield.cli.plugin_installs:install_plugins", what)
    _echo_change(runtime, config_dir, "installed", runtime.run("plugins", work, config_dir=config_dir), as_json)


@audited("plugin.remove", subject="name")
@plugins.command("remove")
@click.argument("name")
@config_dir_option
@json_option
@click.pass_obj
def remove_plugins(runtime: Runtime, name: str, config_dir: Path | None, as_json: bool) -> None:
    """Remove a distribution with plugins. NAME is its own, or that of one of its plugins."""
    work = work_at("jackfield.cli.plugin_installs:remove_plugins", name)
    _echo_change(runtime, config_dir, "removed", runtime.run("plugins", work, config_dir=config_dir), as_json)


def _echo_change(
    runtime: Runtime, config_dir: Path | None, change: str, found: PluginDistribution, as_json: bool
) -> None:
    restart = daemon_runs(runtime.config_dir(config_dir))
    if as_json:
        named = {"distribution": found.name, "version": found.version, "plugins": list(found.plugins)}
        echo_json({**named, "change": change, "restart": restart})
        return
    click.echo(f"{found.name} {found.version} is {change}, with the plugins {', '.join(found.plugins)}.")
    if restart:
        click.echo("The daemon still has the plugins from its start; restart it.")


@click.command()
@click.option(
    "--daemon-timeout",
    type=click.FloatRange(0.1, 600),
    default=30,
    show_default=True,
    help="Seconds for the running daemon to answer.",
)
@config_dir_option
@json_option
@click.pass_obj
def doctor(runtime: Runtime, daemon_timeout: float, config_dir: Path | None, as_json: bool) -> None:
    """Check configuration, directory, plugins and store; exit code 1 when something is wrong."""
    diagnose = cast("Callable[[Runtime, Path | None, float], list[Finding]]", load("jackfield.cli.diagnosis:diagnose"))
    require_here(runtime.config_dir(config_dir))
    findings = diagnose(runtime, config_dir, daemon_timeout)
    if as_json:
        rows = [{"subject": found.subject, "good": found.good, "message": found.message} for found in findings]
        echo_json(rows)
    for finding in findings if not as_json else ():
        click.echo(f"{'ok  ' if finding.good else 'BAD '} {finding.subject}: {finding.message}")
    if not all(finding.good for finding in findings):
        raise SystemExit(1)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "fish", "zsh"]))
def completion(shell: str) -> None:
    """Print the script that completes commands, options and names in SHELL.

    For bash: jackfield completion bash > ~/.local/share/bash-completion/completions/jackfield"""
    known = get_completion_class(shell)
    if known is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    script = known(click.Command("jackfield"), {}, "jackfield", "_JACKFIELD_COMPLETE").source()
    # Click's script for bash leaves a name with spaces as several words.
    click.echo(script.replace("COMPREPLY+=($value)", """COMPREPLY+=("$(printf %q "$value")")"""))


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@json_option
@click.pass_context
def man(ctx: click.Context, directory: Path, as_json: bool) -> None:
    """Write a manual page for every command into DIRECTORY.

    For `man` to find them: jackfield man ~/.local/share/man/man1"""
    write = cast("Callable[[click.Command, click.Context, Path], int]", load("jackfield.cli.manual:write_pages"))
    root = ctx.find_root()
    count = write(root.command, root, directory)
    echo_json({"pages": count}) if as_json else click.echo(f"{count} pages are written.")


ALL: list[click.Command] = [serve, config, plugins, doctor, completion, man, version]
