"""Figures of keys for `/metrics`, and the end of the plugin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield_gateway.keyring import VirtualKeyRing
from jackfield_gateway.limits.account import KeyAccount


def metrics(context: PluginContext) -> Sequence[Metric]:
    accounts = [one for one in context.port(VirtualKeyRing).accounts() if one.key.revoked_at is None]
    in_flight = sum(one.in_flight for one in accounts)
    return [
        Metric("virtual_keys", "Virtual keys that are not revoked.", "gauge", len(accounts)),
        Metric("virtual_key_reservations", "Requests of virtual keys that hold a reservation.", "gauge", in_flight),
        *(metric for one in accounts if one.requests for metric in _of(one)),
    ]


def _of(account: KeyAccount) -> Iterator[Metric]:
    """labels: the id as well, since several keys may have one label."""
    labels = {"key": account.key.id, "label": account.key.label, "owner": account.key.owner}
    yield Metric("virtual_key_requests_total", "Requests of a virtual key.", "counter", account.requests, labels)
    yield Metric("virtual_key_tokens_total", "Tokens of a virtual key.", "counter", account.tokens, labels)
    yield Metric("virtual_key_cost_usd_total", "Cost of a virtual key's requests.", "counter", account.usd, labels)


async def close(context: PluginContext) -> None:
    await context.port(VirtualKeyRing).close()
