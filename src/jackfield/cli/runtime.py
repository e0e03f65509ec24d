"""The parts that commands share: the place of the configuration, and the daemon's parts without serving."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from jackfield.api.cli import echo_warning
from jackfield.api.daemon import require_here
from jackfield.api.errors import ConfigurationError
from jackfield.core.commands import commands_of, joined, places_of

from .auditing import recorded
from .memory import CommandCache

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Finding
    from jackfield.api.jsontext import Json
    from jackfield.core.kernel import Kernel
    from jackfield.core.plugins import PluginHost, PluginRecord
    from jackfield.core.settings import Settings
    from jackfield.core.workers.link import WorkerLink

T = TypeVar("T")


def default_config_dir() -> Path:
    """JACKFIELD_CONFIG_DIR, else XDG_CONFIG_HOME/jackfield, else ~/.config/jackfield."""
    if given := os.environ.get("JACKFIELD_CONFIG_DIR"):
        return Path(given)
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "jackfield"


class ToldCommand(NamedTuple):
    """A list's description of a plugin's command, and its place."""

    help: str | None
    short_help: str | None
    hidden: bool
    old: bool | str
    places: list[str]


class Runtime:
    """`jackfield.api.cli.Cli`."""

    def __init__(self, cache: Path | None = None) -> None:
        """cache: where answers may be kept; None: every one is made anew."""
        self._commands: dict[str, click.Command] | None = None
        # As it was: a kernel takes secrets out of the process's own, and `doctor` makes several.
        self._environment = dict(os.environ)
        self._memory = CommandCache(cache)
        self._told: dict[str, ToldCommand] | None = None
        self._host: PluginHost | None = None

    def plugin_commands(self) -> dict[str, click.Command]:
        """Name -> command of every plugin."""
        if self._commands is None:
            from jackfield.core.plugins import PluginHost  # commands of the kernel do not wait for it

            self._host = PluginHost()
            self._host.discover()
            self._commands = commands_of(self._host)
        return self._commands

    def plugin_command(self, name: str) -> click.Command | None:
        """That of this name alone, without loading every plugin where it is known who gives it."""
        known = self._told_commands().get(name)
        if self._commands is None and known is not None:
            return joined(known.places)
        return (self._commands or {}).get(name)

    def plugin_summaries(self) -> dict[str, click.Command]:
        """Commands that say what they do, and do not do it."""
        return {
            name: click.Command(name, help=one.help, short_help=one.short_help, hidden=one.hidden, deprecated=one.old)
            for name, one in self._told_commands().items()
        }

    def _told_commands(self) -> dict[str, ToldCommand]:
        def made() -> Json:
            commands, host = self.plugin_commands(), self._host
            places = places_of(host) if host is not None and self._is_sound() else {}
            return {
                name: [one.help, one.short_help, one.hidden, one.deprecated, places.get(name, [])]  # type: ignore[list-item]
                for name, one in commands.items()
            }

        if self._told is None:
            told = cast("dict[str, list[Any]]", self._memory.answer("commands", None, (), made, self._is_sound))
            self._told = {name: ToldCommand(*one) for name, one in told.items()}
        return self._told

    def remembered(self, name: str, asked: Json, config_dir: Path | None, make: Callable[[], Json]) -> Json:
        """The result of `make`, or its earlier one as long as nothing has changed.

        `asked`: what it depends on beside code and configuration. Settings in the environment, which may be secrets,
        are not remembered.
        """
        if any(name.startswith("JACKFIELD_") and name != "JACKFIELD_CONFIG_DIR" for name in self._environment):
            return make()
        directory = self.config_dir(config_dir)
        places = (directory, directory / "config.toml")
        return self._memory.answer(name, [str(directory), asked], places, make, self._is_sound)

    def _is_sound(self) -> bool:
        """Whether all plugins are Jackfield's own and have no mistake."""
        found = self._host.plugins.values() if self._host is not None else ()
        return bool(found) and all(one.is_own and one.status != "failed" and not one.error for one in found)

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
        return self._loaded(config_dir, overrides)[1]

    def _loaded(self, config_dir: Path | None, overrides: Mapping[str, str]) -> tuple[PluginHost, Settings]:
        from jackfield.core.building import load_plugins  # as above

        self._host, settings = load_plugins(self.config_dir(config_dir), self._environment, overrides)
        return self._host, settings

    def plugins(self, config_dir: Path | None) -> Sequence[PluginRecord]:
        """Every plugin, with its mistakes, as far as they show without starting."""
        from jackfield.core.kernel import Kernel  # as above
        from jackfield.core.redaction import Redactor

        host, settings = self._loaded(config_dir, {})
        try:
            kernel = Kernel(self.config_dir(config_dir), host, settings, Redactor())
            for mistake in kernel.idle_overrides():
                echo_warning(mistake)
            kernel.assemble()
        except ConfigurationError as exc:
            echo_warning(exc.message)
        return list(host.plugins.values())

    def config_dir(self, given: Path | None) -> Path:
        return (given or default_config_dir()).expanduser().absolute()

    def findings(self, config_dir: Path | None) -> list[Finding]:
        """The plugins' findings for `jackfield doctor`."""
        kernel = self.kernel(config_dir)

        async def ask(_: PluginContext) -> list[Finding]:
            return await kernel.health.findings()

        return self._opened(kernel, "doctor", ask)

    def run(self, plugin: str, work: Callable[[PluginContext], Awaitable[T]], *, config_dir: Path | None) -> T:
        require_here(self.config_dir(config_dir))
        kernel = self.kernel(config_dir)
        return self._opened(kernel, plugin, recorded(kernel, work))

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
