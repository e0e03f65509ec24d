"""What a proxy's processes serve: one profile, or all of them together."""

from __future__ import annotations

from typing import Protocol

from jackfield.api.context import PluginContext
from jackfield.api.profiles import Profile, Profiles
from jackfield.api.records import record
from jackfield_proxy.daemon.accounts import ProfileAccount
from jackfield_proxy.daemon.addresses import ProxyAddressBook
from jackfield_proxy.plan import HOST, ProxyPlan, Refusal


@record
class WantedProxy:
    """As it is configured now. port: 0 for any. missing: why there is to be none; empty: there is to be one."""

    port: int
    missing: str = ""


class ProxySubject(Protocol):
    """name: for people, and of its log."""

    name: str
    host: str

    async def wanted(self) -> WantedProxy:
        """Raises `NotFound`."""

    async def token(self) -> str:
        """Empty: it takes virtual keys alone."""

    async def plan(self, token: str, port: int) -> ProxyPlan:
        """Raises `JackfieldError`."""

    def account(self, alias: str) -> ProfileAccount:
        """Of a profile that it serves."""

    def refusal(self) -> Refusal | None:
        """Of all its requests."""

    async def settled(self) -> None:
        """Everything that was served is stored."""


class ProfileSubject:
    """One profile."""

    host = HOST

    def __init__(self, context: PluginContext, account: ProfileAccount, addresses: ProxyAddressBook) -> None:
        self.name = account.alias
        self._context = context
        self._account = account
        self._addresses = addresses

    async def wanted(self) -> WantedProxy:
        profile = await self._profile()
        if profile.proxy_enabled:
            return WantedProxy(port_of(profile))
        return WantedProxy(0, f"The profile {self.name} has no proxy; give it a proxy_config with enabled = true.")

    async def token(self) -> str:
        return await self._addresses.token(await self._profile())

    async def plan(self, token: str, port: int) -> ProxyPlan:
        return await self._account.plan(await self._profile(), token, port)

    def account(self, alias: str) -> ProfileAccount:
        return self._account

    def refusal(self) -> Refusal | None:
        return self._account.budgets.refusal()

    async def settled(self) -> None:
        await self._account.records.settled()

    async def _profile(self) -> Profile:
        return await self._context.port(Profiles).find(self.name)


def port_of(profile: Profile) -> int:
    """The port that its configuration asks for; 0: any."""
    found = (profile.proxy_config or {}).get("port")
    return found if isinstance(found, int) else 0
