"""What commands share: where the configuration is, and the daemon's parts without serving."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from jackfield.api.cli import echo_warning
from jackfield.api.daemon import require_here
from jackfield.api.errors import ConfigurationError

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Finding
    from jackfield.core.kernel import Kernel
    from jackfield.core.plugins import PluginRecord
    from jackfield.core.settings import Settings
    from jackfield.core.workers.link import WorkerLink

T = TypeVar("T")


def default_config_dir() -> Path:
    """JACKFIELD_CONFIG_DIR, else XDG_CONFIG_HOME/jackfield, else ~/.config/jackfield."""
    if given := os.environ.get("JACKFIELD_CONFIG_DIR"):
        return Path(given)
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "jackfield"


class Runtime:
    """`jackfield.api.cli.Cli`."""

    def __init__(self) -> None:
        self._commands: dict[str, click.Command] | None = None
        # As it was: a kernel takes secrets out of the process's own, and `doctor` makes several.
        self._environment = dict(os.environ)

    def plugin_commands(self) -> dict[str, click.Command]:
        """Name -> command of every plugin."""
        if self._commands is None:
            from jackfield.core.commands import commands_of  # commands of the kernel do not wait for it
            from jackfield.core.plugins import PluginHost

            host = PluginHost()
            host.discover()
            self._commands = commands_of(host)
        return self._commands

    def kernel(
        self,
        config_dir: Path | None,
        overrides: Mapping[str, str] | None = None,
        link: WorkerLink | None = None,
    ) -> Kernel:
        """Assembled, nothing opened. link: of a worker. Raises `ConfigurationError`."""
        from jackfield.core.building import build  # 80 ms, for which `--help` and `version` do not wait

        return build(self.config_dir(config_dir), self._environment, overrides or {}, link)

    @property
    def environment(self) -> Mapping[str, str]:
        """As the process has got it."""
        return self._environment

    def settings(self, config_dir: Path | None, overrides: Mapping[str, str]) -> Settings:
        """The effective settings of the kernel and of every plugin. Raises `ConfigurationError`."""
        from jackfield.core.building import load_plugins  # as above

        return load_plugins(self.config_dir(config_dir), self._environment, overrides)[1]

    def plugins(self, config_dir: Path | None) -> Sequence[PluginRecord]:
        """Every plugin, with what is wrong, as far as can be told without starting."""
        from jackfield.core.building import load_plugins  # as above
        from jackfield.core.kernel import Kernel
        from jackfield.core.redaction import Redactor

        directory = self.config_dir(config_dir)
        host, settings = load_plugins(directory, self._environment, {})
        try:
            kernel = Kernel(directory, host, settings, Redactor())
            for mistake in kernel.idle_overrides():
                echo_warning(mistake)
            kernel.assemble()
        except ConfigurationError as exc:
            echo_warning(exc.message)
        return list(host.plugins.values())

    def config_dir(self, given: Path | None) -> Path:
        return (given or default_config_dir()).expanduser().absolute()

    def findings(self, config_dir: Path | None) -> list[Finding]:
        """What the plugins have to say to `jackfield doctor`."""
        kernel = self.kernel(config_dir)

        async def ask(_: PluginContext) -> list[Finding]:
            return await kernel.findings()

        return self._opened(kernel, "doctor", ask)

    def run(self, plugin: str, work: Callable[[PluginContext], Awaitable[T]], *, config_dir: Path | None) -> T:
        require_here(self.config_dir(config_dir))
        return self._opened(self.kernel(config_dir), plugin, work)

    def run_in(self, directory: Path, plugin: str, work: Callable[[PluginContext], Awaitable[T]]) -> T:
        return self._opened(self.kernel(directory), plugin, work)

    @staticmethod
    def _opened(kernel: Kernel, plugin: str, work: Callable[[PluginContext], Awaitable[T]]) -> T:
        import asyncio  # 25 ms, of which most commands need nothing

        async def opened() -> T:
            await kernel.open_store()
            try:
                return await work(kernel.context(plugin))
            finally:
                await kernel.tasks.close()
                await kernel.context(plugin).store.close()

        return asyncio.run(opened())
