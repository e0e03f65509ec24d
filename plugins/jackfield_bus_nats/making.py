"""Makes the bus, if it was chosen; its driver is imported then alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast
from urllib.parse import unquote, urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.offers import load_driver
from jackfield_bus_nats.settings import NatsBusSettings

if TYPE_CHECKING:
    from jackfield_bus_nats.bus import NatsBus

_MISSING = "The bus nats needs the package nats-py; install jackfield[nats], or set bus.name to memory."


def nats_bus(context: PluginContext) -> NatsBus:
    """Raises `ConfigurationError` without the driver, or for an address that cannot be read."""
    settings = context.settings(NatsBusSettings)
    for server in settings.servers:
        context.secrets.redact(server, *_secrets(server))
    made = cast("type[NatsBus]", load_driver("jackfield_bus_nats.bus:NatsBus", _MISSING))
    return made(settings, context.clock, context.log)


def _secrets(server: str) -> list[str]:
    """The part that the address shows of a password or a token. Raises `ConfigurationError`."""
    try:
        found = urlsplit(server)
        good = found.scheme in ("nats", "tls") and bool(found.hostname) and found.port != 0
    except ValueError:
        good = False
    if not good:
        raise ConfigurationError("An entry of bus.nats.servers is no address such as nats://host:4222.")
    return [text for text in (found.password, unquote(found.password or ""), found.username) if text]
