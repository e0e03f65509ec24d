"""The base class of plugins.

An entry point of the group `jackfield` names a subclass of `Plugin`:

    [project.entry-points.jackfield]
    greeting = "my_package:GreetingPlugin"

The host makes one instance per daemon and registers it with pluggy. Methods that are marked with `hookimpl` are the
plugin's hooks (see `jackfield.api.hooks`); the plugin's state lives in attributes of the instance. An `__init__` of
your own calls `super().__init__(context)` and does no I/O.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from .errors import MissingPort
from .extensions import ExtensionPoint
from .hooks import hookimpl
from .object_references import load
from .settings import SettingsTable

if TYPE_CHECKING:
    from .context import PluginContext

__all__ = ["OutsideContext", "Plugin", "SettingsTable", "deferred", "hookimpl", "later", "when_built"]


class Plugin:
    """One plugin of one daemon."""

    name: ClassVar[str] = ""
    """The name of its entry point."""
    requires: ClassVar[str] = "1"
    """The version of the plugin API that the plugin was written for, `major` or `major.minor`
    (`jackfield.api.version.API_VERSION`)."""
    settings: ClassVar[Sequence[SettingsTable]] = ()
    """Its tables of config.toml."""
    commands: ClassVar[Sequence[str]] = ()
    """Object references of click commands under `jackfield`. A group of a name that exists is merged into it."""
    provides: ClassVar[Mapping[type | str, str]] = {}
    """Port -> object reference of what makes it: a class or function that is called with the plugin's context when
    somebody asks for the port first. A port is a class, most often a Protocol, or the object reference of one."""
    parts: ClassVar[Sequence[str]] = ()
    """Object references of its classes that its modules ask for as ports: one instance per daemon, made with the
    context."""
    extension_points: ClassVar[Sequence[ExtensionPoint[object]]] = ()
    """Its points that other plugins may fill."""
    first_process_only: ClassVar[bool] = False
    """Whether `start` and `stop` are for things that a daemon has once, such as files in its directory or recurring
    work. Then its worker processes (`daemon.workers`) do without them."""

    def __init__(self, context: PluginContext) -> None:
        self.context = context

    def start(self) -> Awaitable[None] | None:
        """Called when the store is open and every plugin is there, before the first request. Sync or async, at most
        `plugins.startup_timeout` seconds. Commands never call it."""
        return None

    def stop(self) -> Awaitable[None] | None:
        """Called after the last request and before the store closes, in the reverse order of starts; sync or async,
        with the same time."""
        return None


def deferred(reference: str) -> Callable[[Plugin], Any]:
    """A method whose work stands in another module, which is imported with the first call. The object reference holds
    what the method returns, or a function of the plugin's context that returns it. Any: each method has its type."""

    def method(self: Plugin) -> object:
        found = load(reference)
        return found(self.context) if callable(found) else found

    return method


def when_built(part: str, reference: str) -> Callable[[Plugin], Any]:
    """The same as `deferred` once somebody has asked for the part; before that the method does nothing. For `stop`: a
    part that nobody has used is not made to be closed."""
    act = deferred(reference)

    def method(self: Plugin) -> object:
        return act(self) if self.context.is_built(part) else None

    return method


def later(reference: str) -> Callable[[Plugin], Any]:
    """A hook whose work stands in another module (see `deferred`):

    jackfield_metrics = later("my_package.metrics:metrics")
    """
    hook: Callable[[Plugin], Any] = hookimpl(deferred(reference))
    return hook


class OutsideContext:
    """Stands in for a plugin's context in a worker process, where there is no daemon."""

    def __init__(self, plugin: str) -> None:
        self._plugin = plugin

    def __getattr__(self, name: str) -> object:
        raise MissingPort(
            f"The plugin {self._plugin} asks for context.{name} in a worker process, where there is no daemon; "
            "use the context in the hooks of the daemon only."
        )
