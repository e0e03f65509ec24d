"""What commands of a plugin use. A command gets the `Cli` with `@click.pass_obj`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from .context import PluginContext

T = TypeVar("T")
CommandT = TypeVar("CommandT", bound=Callable[..., Any])  # click commands take what their options say

config_dir_option: Callable[[CommandT], CommandT] = click.option(
    "--config-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Configuration directory (default: JACKFIELD_CONFIG_DIR, else the user's).",
)


class Cli(Protocol):
    """The command line's way to the daemon's parts, without serving."""

    def run(self, plugin: str, work: Callable[[PluginContext], Awaitable[T]], *, config_dir: Path | None) -> T:
        """Load settings and plugins, open the store, call `work` with that plugin's context, close everything.

        A `JackfieldError` becomes a message on standard error and exit code 1. Works beside a running daemon.
        """
