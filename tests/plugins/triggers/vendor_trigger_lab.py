"""Runs triggers of shipped descriptions against a loopback service, without a daemon."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jackfield.api.http_client import Authorization, HttpCall, HttpReply
from jackfield.api.jsontext import dumps
from jackfield.api.triggers.polling import Polled, PollRun
from jackfield.api.triggers.subscribing import EventCall, Received, SubscriptionRun
from jackfield.api.webhooks import WebhookCall
from jackfield.api.workflows import Node, Workflow, WorkflowSettings
from jackfield.testing.binary import MemoryFiles
from jackfield.testing.context import FakeContext
from jackfield.testing.vendor import VendorDouble
from jackfield_integrations.rss_feed_trigger import RssFeedTriggerNode
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings
from jackfield_vendors.catalogue import SHIPPED
from jackfield_vendors.credentials import kind_of
from jackfield_vendors.library import read
from jackfield_vendors.triggering.poll_node import VendorPollNode
from jackfield_vendors.triggering.subscribe_node import VendorSubscribeNode
from jackfield_webhooks.authentication.senders import PRESETS

NOW = 1_767_225_600_000
"""2026-01-01T00:00:00Z"""


class Bearer:
    """An `Authorization` that shows which credential was used."""

    allowed_hosts = ""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    async def apply(self, call: HttpCall) -> HttpCall:
        call.headers.append(("authorization", f"Bearer {self.kind}"))
        return call

    async def again(self, sent: HttpCall, reply: HttpReply) -> HttpCall | None:
        return None


class Access:
    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values

    async def credential(self, kind: str) -> Mapping[str, str]:
        return self.values

    async def authorization(self, kind: str) -> Authorization:
        return Bearer(kind)


class VendorTriggerLab:
    """base: what the description's address is replaced with, `{service}` being the double's."""

    def __init__(self, directory: Path, vendor: VendorDouble) -> None:
        self.vendor = vendor
        self.context = FakeContext(directory, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"])])
        self.context.ports["HttpClient"] = GuardedClient(self.context)
        self.context.ports["jackfield_webhook_presets"] = {preset.name: preset for preset in PRESETS}
        self.context.ports["jackfield_credential_kinds"] = {}
        self.files = MemoryFiles()
        self._tasks: list[asyncio.Task[None]] = []
        spawn = self.context.spawn

        def noted(name: str, coroutine: Any) -> asyncio.Task[None]:
            self._tasks.append(spawn(name, coroutine))
            return self._tasks[-1]

        self.context.spawn = noted  # type: ignore[method-assign]

    async def close(self) -> None:
        """Ends the client's connections."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def poller(self, kind: str, base: str = "{service}") -> VendorPollNode:
        made = VendorPollNode.made(self.context, self._description(kind, base))
        assert made is not None
        return made

    def subscriber(self, kind: str, base: str = "{service}") -> VendorSubscribeNode:
        made = VendorSubscribeNode.made(self.context, self._description(kind, base))
        assert made is not None
        return made

    def _description(self, kind: str, base: str) -> Any:
        description = read(SHIPPED / f"{kind}.toml")
        assert description.node is not None
        self.context.ports["jackfield_credential_kinds"] = {
            one.name: one for one in map(kind_of, description.credentials)
        }
        moved = description.node.model_copy(update={"base_url": base.replace("{service}", self.vendor.url)})
        return description.model_copy(update={"node": moved})

    async def poll(
        self,
        node: VendorPollNode | RssFeedTriggerNode,
        parameters: Mapping[str, Any],
        state: dict[str, Any],
        *,
        version: float | None = None,
        test: bool = False,
        now: int = NOW,
        limit: int = 100,
    ) -> Polled:
        """`state` changes in place."""
        made = self._node(node.kind, parameters, version)
        return await node.poll(
            PollRun(
                node=made,
                workflow=Workflow("w", "W", 1, True, {"T": made}, {}, WorkflowSettings(), {}, {}),
                timezone="UTC",
                credentials=Access({}),
                state=state,
                binary=self.files,
                log=logging.getLogger("test"),
                now=now,
                limit=limit,
                pages=20,
                test=test,
            )
        )

    def subscription(
        self,
        node: VendorSubscribeNode,
        parameters: Mapping[str, Any],
        *,
        version: float | None = None,
        values: Mapping[str, str] | None = None,
    ) -> SubscriptionRun:
        return SubscriptionRun(
            node=self._node(node.kind, parameters, version),
            timezone="UTC",
            credentials=Access(values or {}),
            url="https://me.example/webhook/x/webhook",
            secret="5" * 64,
            state={},
            log=logging.getLogger("test"),
            now=NOW,
        )

    async def receive(
        self,
        node: VendorSubscribeNode,
        run: SubscriptionRun,
        body: Any,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        method: str = "POST",
        at: float = NOW / 1000,
    ) -> Received:
        """Raises `WebhookUnauthorized`."""
        sent = dumps(body)
        given = {"content-type": "application/json", **{name.lower(): text for name, text in (headers or {}).items()}}
        call = WebhookCall(method, run.url, given, sent, at)
        return await node.receive(run, EventCall(call, dict(query or {}), body, self.files))

    @staticmethod
    def signed(run: SubscriptionRun, body: Any) -> bytes:
        """HMAC-SHA256 of the body as `receive` sends it."""
        return hmac.new(run.secret.encode(), dumps(body), hashlib.sha256).digest()

    def _node(self, kind: str, parameters: Mapping[str, Any], version: float | None) -> Node:
        return Node("n", "T", f"n8n-nodes-base.{kind}", kind, version, dict(parameters))
