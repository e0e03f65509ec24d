"""Figures of keys for `/metrics`, and the end of the plugin."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield_gateway.keyring import KeyRing


def metrics(context: PluginContext) -> Sequence[Metric]:
    accounts = [one for one in context.port(KeyRing).accounts() if one.key.revoked_at is None]
    in_flight = sum(one.in_flight for one in accounts)
    return [
        Metric("virtual_keys", "Virtual keys that are not revoked.", "gauge", len(accounts)),
        Metric("virtual_key_reservations", "Requests of virtual keys that hold a reservation.", "gauge", in_flight),
    ]


async def close(context: PluginContext) -> None:
    await context.port(KeyRing).close()
