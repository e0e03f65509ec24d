"""The port `HttpClient`: loads its libraries, on a thread, when the first request comes."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.http_client import Authorization, HttpCall, HttpReply
from jackfield_nodes.http.settings import HttpSettings

if TYPE_CHECKING:
    from jackfield_nodes.http.sending import Sender


_SEND = "jackfield_nodes.http.sending"


class GuardedClient:
    """See `jackfield.api.http_client.HttpClient`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._sender: Sender | None = None

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        return await (await self._ready()).send(call, authorization)

    async def _ready(self) -> Sender:
        if self._sender is None:
            await load()
            send, pools = import_module(_SEND), import_module("jackfield_nodes.http.pools")
            if self._sender is None:
                self._sender = send.Sender(pools.Pools(self._context), self._context.settings(HttpSettings))
        return self._sender


async def load() -> None:
    """Load the libraries, unless they are there."""
    if _SEND not in sys.modules:
        await asyncio.to_thread(import_module, _SEND)
