"""The ports of one daemon, by type, and what plugins gave at extension points. Only this, the catalog, and
`jackfield.api.plugin.later` import something by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from jackfield.api.errors import MissingPort
from jackfield.api.extensions import ExtensionPoint, Given
from jackfield.api.object_references import load, reference_of
from jackfield.api.records import record

from .checks.precedence import NameTaken, Precedence
from .checks.protocols import require

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext

    from .plugins import PluginHost

PortT = TypeVar("PortT")


@record
class _Offer:
    plugin: str
    reference: str


class PortDirectory:
    """The providers of ports. A port is made when it is asked for first, on the asker's thread."""

    def __init__(self, host: PluginHost, precedence: Precedence, context_of: Callable[[str], PluginContext]) -> None:
        self._host = host
        self._precedence = precedence
        self._context_of = context_of
        self._offers: dict[str, _Offer] = {}
        self._displaced: dict[str, _Offer] = {}
        """Jackfield's own where `plugins.overrides` gives the port to another plugin: they stay when that one fails."""
        self._built: dict[object, object] = {}
        """Protocol -> what is provided, in the order of making."""
        self._making: list[str] = []
        self._lock = host.making
        self._offered = False

    def put(self, protocol: object, provided: object) -> None:
        """A port that the kernel itself provides or has chosen."""
        self._built[protocol] = provided

    def offer(self) -> None:
        """Take note of what every plugin provides that could be made."""
        self._offered = True
        for plugin in self._host.instances:
            offered = self._host.classes[plugin]
            self._offers.update((reference, _Offer(plugin, reference)) for reference in offered.parts)
            for protocol, reference in offered.provides.items():
                name = protocol if isinstance(protocol, str) else reference_of(protocol)
                try:
                    if self._precedence.claim(plugin, f"port:{name.rpartition(':')[2]}"):
                        if name in self._offers:
                            self._displaced[name] = self._offers[name]
                        self._offers[name] = _Offer(plugin, reference)
                except NameTaken as exc:
                    self._host.report(plugin, str(exc))

    def get(self, protocol: Callable[..., PortT]) -> PortT:
        """Raises `MissingPort`."""
        found = self.find(protocol)
        if found is None:
            raise MissingPort(self._why_missing(cast("type", protocol).__name__))
        return found

    def find(self, protocol: Callable[..., PortT]) -> PortT | None:
        """None when nobody provides it. Raises `MissingPort` when it cannot be made."""
        found = self._built.get(protocol)
        if found is None and (offer := self._offers.get(reference_of(cast("type", protocol)))) is not None:
            found = self._build(protocol, offer)
        return cast("PortT | None", found)

    def built(self, protocol: Callable[..., PortT]) -> PortT | None:
        """None as long as nobody has asked for it."""
        return cast("PortT | None", self._built.get(protocol))

    def is_built(self, reference: str) -> bool:
        """Whether somebody has asked for the port of this object reference."""
        return any(reference_of(cast("type", protocol)) == reference for protocol in self._built)

    def _build(self, protocol: object, offer: _Offer) -> object:
        with self._lock:
            if protocol not in self._built:
                self._built[protocol] = self._made_or_own(protocol, offer)
        return self._built[protocol]

    def _made_or_own(self, protocol: object, offer: _Offer) -> object:
        try:
            return self._made(protocol, offer)
        except MissingPort:
            own = self._displaced.get(reference_of(cast("type", protocol)))
            if own is None or own == offer:
                raise
            return self._made(protocol, own)

    def _made(self, protocol: object, offer: _Offer) -> object:
        name = cast("type", protocol).__name__
        if name in self._making:
            raise MissingPort(f"The ports {' and '.join(self._making)} need each other while they are made.")
        self._making.append(name)
        try:
            maker = cast("Callable[[PluginContext], object]", load(offer.reference))
            found = maker(self._context_of(offer.plugin))
            require(found, protocol)
        except BaseException as exc:
            self._host.failed(offer.plugin, exc, f"cannot provide {name} ({offer.reference})")
            raise MissingPort(f"The plugin {offer.plugin} cannot provide {name}: {type(exc).__name__}: {exc}.") from exc
        finally:
            self._making.pop()
        return found

    def _why_missing(self, name: str) -> str:
        if not self._offered:
            return f"The port {name} is not there yet: ports are there from `start` on. Ask for it there or later."
        idle = [
            f"{plugin.name} is {plugin.status}" for plugin in self._host.plugins.values() if plugin.status != "loaded"
        ]
        return f"No loaded plugin provides {name}." + (f" Of the plugins, {', '.join(idle)}." if idle else "")


class Extensions:
    """The contributions of plugins at extension points, asked for once."""

    def __init__(self, host: PluginHost, precedence: Precedence) -> None:
        self._host = host
        self._precedence = precedence
        self._given: dict[str, Mapping[str, Given[Any]]] = {}
        self._values: dict[str, Mapping[str, Any]] = {}
        self._lock = host.making

    def values(self, point: ExtensionPoint[PortT]) -> Mapping[str, PortT]:
        """Name -> thing."""
        found = self._values.get(point.hook)
        if found is None:
            found = self._values[point.hook] = {name: given.value for name, given in self.given(point).items()}
        return found

    def given(self, point: ExtensionPoint[PortT]) -> Mapping[str, Given[PortT]]:
        """Name -> thing and its plugin."""
        found = self._given.get(point.hook)
        if found is None:
            with self._lock:
                found = self._given.get(point.hook)
                if found is None:
                    found = self._given[point.hook] = self._ask(point)
        return found

    def _ask(self, point: ExtensionPoint[PortT]) -> dict[str, Given[PortT]]:
        found: dict[str, Given[PortT]] = {}
        what = _singular(point.hook.removeprefix("jackfield_").replace("_", " "))
        each = sorted(self._host.each(point.hook, point.protocol, point.check), key=lambda given: self._yields(*given))
        for plugin, thing in each:
            record = self._host.plugins[plugin]
            given = Given(plugin, record.value, thing, "" if record.is_own else record.distribution)
            for name in point.names_of(thing):
                try:
                    if name in found and found[name].plugin == plugin:
                        raise NameTaken(f"{what}:{name} is given twice by the plugin")
                    if self._precedence.claim(plugin, f"{what}:{name}"):
                        found[name] = given
                except NameTaken as exc:
                    if not self._yields(plugin, thing):
                        self._host.failed(plugin, exc, f"failed in {point.hook}")
        return found

    def _yields(self, plugin: str, thing: object) -> bool:
        """Whether a thing gives way to another of its name; see `jackfield.api.credentials.CredentialKind`. A
        stranger's is not asked: an attribute may do anything."""
        return self._host.plugins[plugin].is_own and getattr(thing, "yields", False) is True

    def forget(self, point: ExtensionPoint[PortT]) -> None:
        """Ask the plugins again when somebody wants to know."""
        with self._lock:
            self._given.pop(point.hook, None)
            self._values.pop(point.hook, None)


def _singular(things: str) -> str:
    return things[:-3] + "y" if things.endswith("ies") else things.removesuffix("s")
