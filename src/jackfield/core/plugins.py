"""Finding, loading and calling plugins, each on its own: one that fails is reported and the rest goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

import pluggy

from jackfield.api import hooks
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.records import state

log = logging.getLogger("jackfield.plugins")


@state
class Plugin:
    """One plugin as `jackfield plugins` shows it."""

    name: str
    value: str
    distribution: str = ""
    version: str = ""
    status: Literal["loaded", "failed", "disabled"] = "loaded"
    error: str = ""


class PluginHost:
    """The loaded plugins."""

    def __init__(self, *, disabled: Sequence[str] = (), strict: bool = False) -> None:
        self._manager = pluggy.PluginManager(hooks.PROJECT)
        self._manager.add_hookspecs(hooks)
        self._disabled = frozenset(disabled)
        self.strict = strict
        self.plugins: dict[str, Plugin] = {}
        self._context_of: Callable[[str], PluginContext] | None = None

    def discover(self) -> None:
        """Load every entry point of the group. Names decide the order."""
        # pluggy calls the last registered first.
        for point in sorted(entry_points(group=hooks.PROJECT), key=lambda found: found.name, reverse=True):
            self._load(point)
        for name in self._disabled - self.plugins.keys():
            log.warning("plugins.disabled names %s, but there is no such plugin.", name)

    def register(self, name: str, module: object) -> None:
        """Add a plugin that is already imported (tests)."""
        self.plugins[name] = Plugin(name, getattr(module, "__name__", name))
        self._register(name, module)

    def _load(self, point: EntryPoint) -> None:
        plugin = self.plugins[point.name] = Plugin(point.name, point.value)
        if point.dist is not None:
            plugin.distribution, plugin.version = point.dist.name, point.dist.version
        if point.name in self._disabled:
            plugin.status = "disabled"
            return
        try:
            module = point.load()
        except (Exception, SystemExit) as exc:
            self.failed(point.name, exc, "cannot be imported")
        else:
            self._register(point.name, module)

    def _register(self, name: str, module: object) -> None:
        try:
            self._manager.register(module, name)
            self._manager.check_pending()
        except Exception as exc:
            self._manager.unregister(name=name)
            self.failed(name, exc, "has a hook that does not exist or does not fit")

    def failed(self, name: str, error: BaseException, what: str) -> None:
        """Record a failure. Raises when plugins are strict, and always for a `ConfigurationError`: it is the
        operator's."""
        if isinstance(error, ConfigurationError):
            raise error
        plugin = self.plugins[name]
        plugin.status = "failed"
        plugin.error = f"{what}: {type(error).__name__}: {error}"
        log.error("Plugin %s %s.", name, what, exc_info=error)
        if self.strict:
            raise ConfigurationError(f"Plugin {name} {what}: {type(error).__name__}: {error}.") from error

    def bind(self, context_of: Callable[[str], PluginContext]) -> None:
        """From now on hooks get a context."""
        self._context_of = context_of

    def call(self, hook: str) -> Iterator[tuple[str, Any]]:
        """Call a hook of each plugin; yields (plugin name, result) of those that gave one. Any: each hook has its
        type."""
        for implementation in reversed(getattr(self._manager.hook, hook).get_hookimpls()):
            name = implementation.plugin_name
            arguments = {}
            if "context" in implementation.argnames:
                if self._context_of is None:
                    raise RuntimeError(f"{hook} was called before there are contexts")
                arguments["context"] = self._context_of(name)
            try:
                result = implementation.function(**arguments)
            except Exception as exc:
                self.failed(name, exc, f"failed in {hook}")
                continue
            if result is not None:
                yield name, result

    def each(self, hook: str, attribute: str) -> Iterator[tuple[str, Any]]:
        """Call a hook that gives several things, and yield them one by one. What a thing must have tells it from what
        does not belong there, which is the plugin's failure."""
        for name, given in self.call(hook):
            try:
                things = list(given)
                for thing in things:
                    getattr(thing, attribute)
            except Exception as exc:
                self.failed(name, exc, f"failed in {hook}")
            else:
                yield from ((name, thing) for thing in things)

    def failures(self) -> list[Plugin]:
        return [plugin for plugin in self.plugins.values() if plugin.status == "failed"]
