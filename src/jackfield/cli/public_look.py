"""The daemon as others see it: what `jackfield doctor` asks through `server.public_url`, without any credential."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from jackfield.api import jsontext
from jackfield.api.asgi import Area
from jackfield.api.diagnosis import Finding
from jackfield.api.errors import InvalidInput
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.plain_http import HttpFailed, PlainClient
from jackfield.core.areas import PublicAreas
from jackfield.core.tables import ServerSettings

SUBJECT = "public address"
TIME = 5.0
"""Seconds of silence."""
_MOST = 64 * 1024
"""Bytes that are read of an answer."""
_PATHS: Mapping[Area, str] = {"api": "/api/v1/workflows", "ui": "/docs", "agents": "/api/profiles"}
"""Of each area one that asks for a credential."""
_HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "amFja2ZpZWxkLWRvY3Rvcg==",
}
_SIGN = "Sec-WebSocket-Version"
"""Only an answer to an upgrade has it."""


def look_from_outside(server: ServerSettings, areas: PublicAreas) -> list[Finding]:
    """One finding for the address, for each area and for WebSockets. The daemon must run."""
    return asyncio.run(_PublicLook(server, areas).findings())


class _PublicLook:
    def __init__(self, server: ServerSettings, areas: PublicAreas) -> None:
        self._server = server
        self._url = server.public_url.rstrip("/")
        self._areas = areas

    async def findings(self) -> list[Finding]:
        try:
            host = HttpAddress.of(self._url).netloc
        except ValueError:
            return [Finding(SUBJECT, False, "server.public_url is no address; write one such as https://hooks.example")]
        open_to = self._areas.of(host.lower().encode())
        if open_to is None:
            return [Finding(SUBJECT, False, f"server.public_hosts does not name {host}, as server.public_url does")]
        try:
            async with PlainClient(timeout=TIME, trust_environment=True) as client:
                reached = await self._health(client)
                if not reached.good:
                    return [reached]
                found = [reached, *[await self._area(client, area, area in open_to) for area in _PATHS]]
                if not open_to.isdisjoint(("ui", "agents")):
                    found.append(await self._upgrade(client, "/ws" if "ui" in open_to else "/ws/terminal"))
        except HttpFailed as exc:
            return [Finding(SUBJECT, False, f"{self._url} does not answer: {exc}")]
        if self._url.startswith("https:") and not self._server.trusted_proxies:
            message = "server.trusted_proxies does not name the reverse proxy: all callers count as one address"
            found.append(Finding(SUBJECT, False, message))
        return found

    async def _health(self, client: PlainClient) -> Finding:
        answer = await client.send("GET", f"{self._url}/health")
        try:
            told = jsontext.loads(answer.body[:_MOST], max_depth=8)
        except InvalidInput:
            told = None
        if answer.status == 200 and isinstance(told, dict) and "status" in told:
            return Finding(SUBJECT, True, f"{self._url} reaches a daemon")
        if answer.status == 403:
            remedy = "the reverse proxy must pass on the name that it is called by, in the header Host"
            return Finding(SUBJECT, False, f"the daemon does not know the name that {self._url} hands to it: {remedy}")
        return Finding(SUBJECT, False, f"{self._url}/health answers {answer.status}, and not as a daemon does")

    async def _area(self, client: PlainClient, area: Area, is_open: bool) -> Finding:
        status = (await client.send("GET", self._url + _PATHS[area], headers={"Origin": self._url})).status
        subject = f"area {area}"
        if status == (401 if is_open else 403):
            methods = self._areas.methods(area)
            how = f"with a credential ({', '.join(sorted(methods))})" if methods else "with any credential"
            return Finding(subject, True, f"reached {how}" if is_open else f"closed; server.areas.{area} opens it")
        if status == 200:
            message = "everybody is let in as the daemon's own user"
        elif status in (401, 403):
            message = "the daemon sees another name than callers use"
        else:
            return Finding(
                subject, False, f"{self._url}{_PATHS[area]} answers {status}; let the reverse proxy pass it on"
            )
        return Finding(subject, False, f"{message}: let the reverse proxy pass on Host and X-Forwarded-For")

    async def _upgrade(self, client: PlainClient, path: str) -> Finding:
        address = HttpAddress.of(self._url + path)
        async with client.stream("GET", address, {**_HANDSHAKE, "Origin": self._url}) as answer:
            passed = answer.status == 401 and bool(answer.header(_SIGN))
        if passed:
            return Finding("WebSockets", True, "are passed on")
        return Finding(
            "WebSockets", False, "the reverse proxy does not pass on upgrades: live pages and terminals need them"
        )
