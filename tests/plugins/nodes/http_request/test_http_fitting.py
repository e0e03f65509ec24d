"""The installed aiohttp is what the nodes' client was written for; another is refused with the first request."""

from __future__ import annotations

import pytest
from aiohttp import TCPConnector
from http_lab import sent
from node_fakes import Bench

from jackfield.api.nodes import NodeError
from jackfield.api.replaced_parts import misfit
from jackfield_nodes.http.transport.connections import GuardedConnector
from jackfield_nodes.http.transport.fitting import PARTS


def test_the_installed_aiohttp_fits() -> None:
    assert misfit("aiohttp", PARTS) is None


def test_what_is_overridden_is_looked_at() -> None:
    looked = {part.reference for part in PARTS}
    for name in vars(GuardedConnector).keys() & (vars(TCPConnector).keys() | {"connect"}):
        if callable(getattr(GuardedConnector, name)):
            assert f"aiohttp.connector:TCPConnector.{name}" in looked


async def test_another_is_refused_before_anything_is_sent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aiohttp.connector.Connection.add_callback", lambda self: None)
    with pytest.raises(NodeError, match=r"does not fit .*Connection\.add_callback takes \(self\).* Install aiohttp"):
        await sent(bench, {"url": "http://127.0.0.1:1/"})
