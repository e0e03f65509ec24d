"""`jackfield`: the command line. Plugins add commands (`jackfield.api.plugin.Plugin.commands`)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

import click

from jackfield.api.cli import CommandGroup, echo_error
from jackfield.api.containment import interrupt
from jackfield.api.errors import JackfieldError
from jackfield.api.version import __version__

from . import commands, daemon_control, host_commands, key_commands, store_commands
from .memory import cache_directory
from .runtime import Runtime
from .service import commands as service_commands

FAILED = 1


class _Commands(CommandGroup):
    """The kernel's commands at once; those of plugins only when they are asked for, since that loads every plugin."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        runtime = ctx.find_object(Runtime)
        return sorted({*super().list_commands(ctx), *(runtime.plugin_summaries() if runtime else ())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        runtime = ctx.find_object(Runtime)
        return runtime.plugin_command(cmd_name) if runtime else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """By what is known of the plugins' commands without loading them."""
        runtime = ctx.find_object(Runtime)
        listed = click.Group(commands={**(runtime.plugin_summaries() if runtime else {}), **self.commands})
        listed.format_commands(ctx, formatter)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="jackfield %(version)s")
@click.pass_context
def jackfield(ctx: click.Context) -> None:
    """Webhooks, workflows and coding agents in one self-hosted daemon."""


_GROUPS = (
    daemon_control.daemon,
    host_commands.hosts,
    key_commands.keys,
    service_commands.service,
    store_commands.store,
)
for _command in (*commands.ALL, *_GROUPS):
    jackfield.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point. It shows every error in one form, that of `echo_error`. Exit code 1 is a failure, 2 a wrong call."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, behind `nohup` and `&`
        signal.signal(signal.SIGINT, interrupt)
    given = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in given[: given.index("--") if "--" in given else len(given)]
    try:
        cache = cache_directory(os.environ) if arguments is None else None
        code = jackfield.main(given, prog_name="jackfield", obj=Runtime(cache), standalone_mode=False)
    except JackfieldError as exc:
        echo_error(exc.code, exc.message, exc.details, as_json=as_json)
        code = FAILED
    except click.Abort:
        click.echo(err=True)  # behind the question
        echo_error("ABORTED", "Aborted.", as_json=as_json)
        code = FAILED
    except click.ClickException as exc:
        _tell(exc, as_json)
        code = exc.exit_code
    sys.exit(code if isinstance(code, int) else 0)


def _tell(exc: click.ClickException, as_json: bool) -> None:
    """A person gets the right call for a wrong one."""
    is_usage = isinstance(exc, click.UsageError)
    if is_usage and not as_json:
        exc.show()
    else:
        echo_error("USAGE" if is_usage else "FAILED", exc.format_message(), as_json=as_json)


if __name__ == "__main__":
    main()
