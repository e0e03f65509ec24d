"""Finding, loading and calling plugins, each on its own: one that fails is reported and the rest goes on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from importlib.metadata import EntryPoint, entry_points
from itertools import islice
from types import FunctionType
from typing import Any, Literal, TypeAlias

import pluggy

from jackfield.api.containment import Escaped, is_ctrl_c, told
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.extensions import ExtensionPoint
from jackfield.api.hooks import PROJECT, Hooks, hookspec
from jackfield.api.plugin import Plugin
from jackfield.api.records import state

from .checks.classes import RefusedClass, check_class
from .checks.hooks import defined, hook_mistakes
from .checks.precedence import OWN_DISTRIBUTION, NameTaken
from .checks.protocols import ProtocolMismatch, require
from .process.alarm import alarm

log = logging.getLogger("jackfield.plugins")
MOST_ERRORS = 100
"""Of one plugin: what more it does wrong is not kept, so that a daemon that runs for months does not grow."""
MOST_THINGS = 100_000
"""The most things that one plugin may give to a hook; more come from an iterator without an end."""


@state
class PluginRecord:
    """One plugin as `jackfield plugins` shows it. value: the place of its class."""

    name: str
    value: str
    distribution: str = ""
    version: str = ""
    status: Literal["loaded", "failed", "disabled"] = "loaded"
    errors: list[str] = field(default_factory=list)
    blocked: str = ""
    """That it held the event loop: how long at most, where, and how often."""
    longest: float = 0.0
    where: str = ""
    times: int = 0

    @property
    def error(self) -> str:
        """Every mistake, in one line; empty when there is none."""
        return "; ".join([*self.errors, *([self.blocked] if self.blocked else [])])

    @property
    def is_own(self) -> bool:
        """Whether it comes with Jackfield."""
        return self.distribution in ("", OWN_DISTRIBUTION)


class _Manager(pluggy.PluginManager):
    """Looks for hooks among the methods of the class: reading an attribute of the instance could make a part."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        if not isinstance(defined(type(plugin), name), FunctionType):
            return None
        return super().parse_hookimpl_opts(plugin, name)


Passing: TypeAlias = "Callable[[BaseException], bool]"
"""Whether what a hook has raised is for whoever asked, and no failure of its plugin."""


def nothing_passes(error: BaseException) -> bool:
    """Every error is its plugin's failure."""
    return False


class PluginHost:
    """The loaded plugins: first their classes, and after `bind` one instance of each."""

    def __init__(self, *, disabled: Sequence[str] = (), strict: bool = False, time: float = 30.0) -> None:
        """time: for one call of a plugin that holds the main thread, in seconds."""
        self._manager = _Manager(PROJECT)
        self._manager.add_hookspecs(Hooks)
        self._disabled = frozenset(disabled)
        self._time = time
        self.making = threading.RLock()
        """Held while something of a plugin is made or asked for. One for all: two would wait for each other."""
        self.strict = strict
        self.plugins: dict[str, PluginRecord] = {}
        self.classes: dict[str, type[Plugin]] = {}
        self.instances: dict[str, Plugin] = {}
        self._packages: dict[str, str] = {}
        """Package -> the plugin whose class stands there."""

    # -- loading

    def is_own(self, plugin: str) -> bool:
        """Whether it comes with Jackfield."""
        return self.plugins[plugin].is_own

    def discover(self, *, without: str = "") -> None:
        """Load the class of every entry point of the group. Jackfield's own come first, the others by name. without: a
        distribution that is left out."""
        found = [(*source, point) for source, point in _sources(entry_points(group=PROJECT))]
        for distribution, version, point in sorted(found, key=_order):
            if not distribution or distribution != without:
                self.offer(point, distribution, version)
        for name in self._disabled - self.plugins.keys():
            log.warning("plugins.disabled names %s, but there is no such plugin.", name)

    def add(self, name: str, offered: type[Plugin]) -> None:
        """Add a class that is already imported (tests)."""
        self.plugins[name] = PluginRecord(name, f"{offered.__module__}:{offered.__qualname__}")
        self._take(name, offered)

    def offer(self, point: EntryPoint, distribution: str, version: str) -> str:
        """Load the class of one entry point; the name under which the plugin is known, also when it is refused."""
        record = PluginRecord(point.name, point.value, distribution, version)
        if (known := self.plugins.get(point.name)) is not None:
            self._refuse_name(record, known)
            return record.name
        self.plugins[point.name] = record
        if point.name in self._disabled:
            record.status = "disabled"
            return point.name
        try:
            with alarm(self._time):
                offered = point.load()
        except BaseException as exc:
            self.failed(point.name, exc, f"cannot be imported ({point.value})")
        else:
            self._take(point.name, offered)
        return point.name

    def _refuse_name(self, record: PluginRecord, known: PluginRecord) -> None:
        """Two distributions with one name: the known one stays, and the other is listed with its distribution."""
        record.name = f"{record.name} ({record.distribution})"
        self.plugins[record.name] = record
        whose = "comes with Jackfield" if known.is_own else f"is taken by the distribution {known.distribution}"
        self.report(record.name, f"the name {known.name} {whose}; name the entry point otherwise")

    def _take(self, name: str, offered: object) -> None:
        try:
            self.classes[name] = check_class(name, self.plugins[name].value, offered)
        except RefusedClass as exc:
            self.report(name, str(exc))
        except BaseException as exc:
            self.failed(name, exc, f"cannot be used ({self.plugins[name].value})")

    def bind(self, context_of: Callable[[str], PluginContext]) -> None:
        """Make the instances and register them; from now on hooks can be called."""
        for offered in self.classes.values():
            for point in offered.extension_points:
                self._add_point(point)
        hooks = {name for name in vars(self._manager.hook) if not name.startswith("_")}
        absent = self.plugins.keys() - self.classes.keys()
        for name, offered in reversed(self.classes.items()):  # pluggy calls the last registered first
            mistakes = list(hook_mistakes(offered, hooks, absent))
            for mistake in mistakes:
                self.report(name, mistake)
            if not mistakes:
                self._bind(name, offered, context_of)
        for name, offered in self.classes.items():
            self._packages.setdefault(offered.__module__.partition(".")[0], name)
        self.instances = {name: self.instances[name] for name in self.classes if name in self.instances}

    def _add_point(self, point: ExtensionPoint[object]) -> None:
        """A hook of a plugin's own gets a specification like ours, so that pluggy checks who fills it."""
        if not hasattr(self._manager.hook, point.hook):

            def specification(self: object) -> Iterable[object]:
                raise NotImplementedError

            self._manager.add_hookspecs(type("Specifications", (), {point.hook: hookspec(specification)}))

    def _bind(self, name: str, offered: type[Plugin], context_of: Callable[[str], PluginContext]) -> None:
        try:
            with alarm(self._time):
                instance = offered(context_of(name))
        except BaseException as exc:
            self.failed(name, exc, "cannot be made")
            return
        self._manager.register(instance, name)
        self.instances[name] = instance

    # -- reporting

    def report(self, name: str, mistake: str, remedy: str = "") -> None:
        """Record a mistake that needs no traceback. remedy: for the log alone. Raises when plugins are strict."""
        record = self.plugins[name]
        record.status = "failed"
        text = " ".join(mistake.split()).rstrip(".")
        if text in record.errors or len(record.errors) >= MOST_ERRORS:
            return
        record.errors.append(text)
        origin = f" of {record.distribution} {record.version}" if record.distribution else ""
        log.error("Plugin %s%s: %s%s.", name, origin, text, remedy)
        if self.strict:
            raise ConfigurationError(f"Plugin {name}{origin}: {text}.")

    def failed(self, name: str, error: BaseException, action: str) -> None:
        """Record a failure; its traceback is logged at the level debug. Raises when plugins are strict, and always for
        Ctrl-C and for a `ConfigurationError`: they are the operator's."""
        if is_ctrl_c(error):
            raise error
        if isinstance(error, Escaped):
            error = error.cause
        if isinstance(error, ConfigurationError):
            raise error if self.plugins[name].is_own else self._of_stranger(name, error) from error
        if isinstance(error, ProtocolMismatch | NameTaken):
            self.report(name, f"{action}: {error}")
            return
        log.debug("Plugin %s %s.", name, action, exc_info=error)
        self.report(name, f"{action}: {told(error)}", '; logs.level = "debug" shows its traceback')

    def _of_stranger(self, name: str, error: ConfigurationError) -> ConfigurationError:
        """The same mistake with the plugin that found it: nobody knows its words."""
        record = self.plugins[name]
        told = f"The plugin {name} of {record.distribution} {record.version}: {error.message}"
        return ConfigurationError(told, details=error.details)

    def plugin_of(self, module: str) -> str:
        """The owner of the module's code: the plugin that is in the same package; empty when there is none."""
        package = module.partition(".")[0]
        return self._packages.get(package, "")

    def blocked_loop(self, name: str, where: str, seconds: float) -> None:
        """The plugin held the event loop. It goes on; one line says so beside its errors."""
        if (record := self.plugins.get(name)) is None:
            return
        record.times += 1
        if seconds >= record.longest:
            record.longest, record.where = seconds, where
        more = f", the longest of {record.times} times" if record.times > 1 else ""
        record.blocked = f"held the event loop for {record.longest:.1f} s in {record.where}{more}"

    def failures(self) -> list[PluginRecord]:
        return [plugin for plugin in self.plugins.values() if plugin.status == "failed"]

    # -- calling

    def implementing(self, hook: str) -> Iterator[str]:
        """Names of the plugins that have the hook."""
        caller = getattr(self._manager.hook, hook, None)
        yield from () if caller is None else (one.plugin_name for one in reversed(caller.get_hookimpls()))

    def call(self, hook: str, passing: Passing = nothing_passes) -> Iterator[tuple[str, Any]]:
        """Call a hook of each plugin; yields (plugin name, result) of those that gave one.

        Any: each hook has its type. Raises LookupError for a hook that neither Jackfield nor a loaded plugin has.
        Raises the errors that `passing` names for a plugin of ours, which are no failure of the plugin.
        """
        caller = getattr(self._manager.hook, hook, None)
        if caller is None or not caller.has_spec():
            raise LookupError(f"no loaded plugin has {hook} among its extension_points")
        for implementation in reversed(caller.get_hookimpls()):
            name = implementation.plugin_name
            try:
                with alarm(self._time):
                    result = implementation.function()
            except BaseException as exc:
                if self.plugins[name].is_own and passing(exc):
                    raise
                self.failed(name, exc, f"failed in {hook}")
                continue
            if result is not None:
                yield name, result

    def sequence(self, hook: str, passing: Passing = nothing_passes) -> Iterator[tuple[str, Any]]:
        """Call a hook that gives several things, and yield them one by one. Any, passing: as in `call`."""
        for name, given in self.call(hook, passing):
            try:
                with alarm(self._time):
                    things = things_of(given)
            except BaseException as exc:
                self.failed(name, exc, f"failed in {hook}")
            else:
                yield from ((name, thing) for thing in things)

    def each(
        self,
        hook: str,
        protocol: Any,
        check: Callable[[Any], Iterable[str]] | None = None,
        passing: Passing = nothing_passes,
    ) -> Iterator[tuple[str, Any]]:
        """The same for those that fit their Protocol and pass the check; the others are reported."""
        for name, thing in self.sequence(hook, passing):
            try:
                with alarm(self._time):
                    require(thing, protocol, check)
            except BaseException as exc:
                self.failed(name, exc, f"failed in {hook}")
            else:
                yield name, thing


def things_of(given: Iterable[Any]) -> list[Any]:
    """The things that a hook gave.

    Raises TypeError for an iterator without an end, which no signal could break off. Any: each hook has its type.
    """
    things = list(islice(given, MOST_THINGS + 1))
    if len(things) > MOST_THINGS:
        raise TypeError(f"it gives more than {MOST_THINGS} things")
    return things


def _sources(points: Iterable[EntryPoint]) -> Iterator[tuple[tuple[str, str], EntryPoint]]:
    """Each with name and version of its distribution, whose whole metadata is parsed for each of them: once for all."""
    known: dict[int, tuple[str, str]] = {}
    for point in points:
        if point.dist is None:
            yield ("", ""), point
            continue
        if id(point.dist) not in known:
            known[id(point.dist)] = (point.dist.name, point.dist.version)
        yield known[id(point.dist)], point


def _order(found: tuple[str, str, EntryPoint]) -> tuple[bool, str, str]:
    distribution, _, point = found
    return distribution != OWN_DISTRIBUTION, point.name, distribution
