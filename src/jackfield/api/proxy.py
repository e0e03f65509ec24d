"""Proxies: one router per profile between its agent and providers, as the other plugins see it.

Source: agent-daemon.md 'Proxy status'; decisions.md 'Proxies' and section 4.
"""

from __future__ import annotations

from typing import Protocol

from .records import record


@record
class ProxyAddress:
    """Where a profile's proxy listens, and the token that it wants."""

    base_url: str
    token: str


class Proxies(Protocol):
    """The port; a plugin gives it (`jackfield_proxies`)."""

    async def address(self, alias: str) -> ProxyAddress:
        """Of the profile's proxy, which is started if it does not run. Raises `JackfieldError` when it fails."""

    def running(self) -> int:
        """How many run now."""

    async def stop(self, alias: str) -> None:
        """Stop it, if it runs."""
