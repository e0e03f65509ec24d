"""`jackfield`: the command line. Plugins add commands (`jackfield.api.plugin.Plugin.commands`)."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

import click

from jackfield.api.cli import CommandGroup, harmless
from jackfield.api.containment import interrupt
from jackfield.api.errors import JackfieldError
from jackfield.api.version import __version__

from . import commands
from .runtime import Runtime


class _Commands(CommandGroup):
    """The kernel's commands at once; those of plugins only when they are asked for, since that loads every plugin."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *ctx.find_object(Runtime).plugin_commands()})  # type: ignore[union-attr]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        runtime = ctx.find_object(Runtime)
        return runtime.plugin_commands().get(cmd_name) if runtime else None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="jackfield %(version)s")
@click.pass_context
def jackfield(ctx: click.Context) -> None:
    """Webhooks, workflows and coding agents in one self-hosted daemon."""


for _command in commands.ALL:
    jackfield.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point. A `JackfieldError` is one line on standard error, one more for each of its details, and exit code
    1."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, behind `nohup` and `&`
        signal.signal(signal.SIGINT, interrupt)
    try:
        jackfield.main(arguments, prog_name="jackfield", obj=Runtime())
    except JackfieldError as exc:
        details = "".join(f"\n  {path}: {text}" for path, text in (exc.details or {}).items())
        click.echo(f"jackfield: {harmless(exc.message + details)}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
