"""The subject of a proxy's processes: one profile, or all of them together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.gateway import KeyGate
from jackfield.api.profiles import Profile, Profiles
from jackfield.api.projects import reaching
from jackfield.api.records import record, replace
from jackfield_proxy.daemon.accounts import ProfileAccount
from jackfield_proxy.daemon.addresses import ProxyAddressBook
from jackfield_proxy.daemon.planning import surroundings, with_cache_part
from jackfield_proxy.plan import HOST, ProxyPlan, Refusal
from jackfield_proxy.settings import ProxySettings


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
        profile = await self._profile()
        made = await self._account.plan(profile, token, port)
        made = replace(made, earlier_tokens=await self._addresses.earlier_tokens(profile))
        with reaching(None):  # a proxy serves everybody, whoever has had it planned
            every = await self._context.port(Profiles).all()
        return with_cache_part(made, self._context.settings(ProxySettings), every)

    def account(self, alias: str) -> ProfileAccount:
        return self._account

    def refusal(self) -> Refusal | None:
        return self._account.budgets.refusal()

    async def settled(self) -> None:
        await self._account.records.settled()

    async def _profile(self) -> Profile:
        with reaching(None):
            return await self._context.port(Profiles).find(self.name)


class SharedSubject:
    """Every profile whose proxy is enabled. account_of: by the profile's alias."""

    name = "all profiles"

    def __init__(self, context: PluginContext, account_of: Callable[[str], ProfileAccount]) -> None:
        self._context = context
        self._account_of = account_of
        self._settings = context.settings(ProxySettings)
        self.host = self._settings.shared_host

    async def wanted(self) -> WantedProxy:
        port = self._settings.shared_port
        return WantedProxy(port, "" if port else "There is no shared listener; set proxy.shared_port.")

    async def token(self) -> str:
        return ""

    async def plan(self, token: str, port: int) -> ProxyPlan:
        limits, connections, environment = surroundings(self._context)
        with reaching(None):  # a proxy serves everybody, whoever has had it planned
            every = await self._context.port(Profiles).all()
        made = ProxyPlan(
            alias="",
            token=token,
            provider="",
            port=port,
            limits=limits,
            connections=connections,
            environment=environment,
            keys=self._context.find_port(KeyGate) is not None,
            members={profile.alias: plan async for profile, plan in self._members(every)},
            host=self.host,
        )
        return with_cache_part(made, self._settings, every)

    async def _members(self, every: Sequence[Profile]) -> AsyncIterator[tuple[Profile, ProxyPlan]]:
        """One that cannot be planned leaves the others as they are."""
        for profile in every:
            if not profile.proxy_enabled:
                continue
            try:
                yield profile, await self._account_of(profile.alias).plan(profile, "", 0)
            except JackfieldError as exc:
                self._context.log.warning("The shared listener leaves out the profile %s: %s", profile.alias, exc)

    def account(self, alias: str) -> ProfileAccount:
        return self._account_of(alias)

    def refusal(self) -> Refusal | None:
        """Each profile has its own."""
        return None

    async def settled(self) -> None:
        with reaching(None):
            every = await self._context.port(Profiles).all()
        for profile in every:
            await self._account_of(profile.alias).records.settled()


def reached_at(host: str) -> str:
    """An address at which this machine reaches what listens on `host`."""
    return {"0.0.0.0": HOST, "::": "::1"}.get(host, host)  # noqa: S104 - it is not listened on


def port_of(profile: Profile) -> int:
    """The port that its configuration asks for; 0: any."""
    found = (profile.proxy_config or {}).get("port")
    return found if isinstance(found, int) else 0
