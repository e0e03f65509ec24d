"""The port `HttpClient`, and how this room loads its libraries: on a thread, when the first request comes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.http_client import Authorization, HttpCall, HttpReply
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield_nodes.http.sending import HttpSender

SENDER = "jackfield_nodes.http.sending:sender"
"""Needs aiohttp."""


class GuardedClient:
    """See `jackfield.api.http_client.HttpClient`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._sender: HttpSender | None = None

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        return await (await self._ready()).send(call, authorization)

    async def _ready(self) -> HttpSender:
        if self._sender is None:
            make = cast("Callable[[PluginContext], HttpSender]", await loaded(SENDER))
            if self._sender is None:
                self._sender = make(self._context)
        return self._sender


async def loaded(place: str) -> object:
    """The object that stands there; the event loop does not wait for its libraries."""
    if place.partition(":")[0] not in sys.modules:
        return await asyncio.to_thread(load, place)
    return load(place)
