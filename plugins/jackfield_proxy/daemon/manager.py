"""Every profile's proxy: the port `jackfield.api.proxy.Proxies`."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding, Metric
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.files import read_private, write_private
from jackfield.api.jsontext import Json
from jackfield.api.placed_things import PlacedThings
from jackfield.api.profiles import Profile, Profiles
from jackfield.api.proxy import Proxies, ProxyAddress, ProxyFailure
from jackfield_proxy.daemon import health
from jackfield_proxy.daemon.accounts import ProfileAccount
from jackfield_proxy.daemon.addresses import ProxyAddressBook
from jackfield_proxy.daemon.offered_kinds import kinds_view
from jackfield_proxy.daemon.planning import problems_of
from jackfield_proxy.daemon.records import CountedAnswers, shown
from jackfield_proxy.daemon.rule_test import tested
from jackfield_proxy.daemon.shared_listener import SharedListener
from jackfield_proxy.daemon.subjects import ProfileSubject, SharedSubject
from jackfield_proxy.daemon.supervisor import UP, ProxySupervisor
from jackfield_proxy.daemon.takeover import DescriptorBudget
from jackfield_proxy.serving import MARKER, DaemonRole

if TYPE_CHECKING:
    from jackfield_proxy.schemas import RuleTestBody

BORROW_SECONDS = 1.0
"""Until another process's proxy must have answered."""
STARTS = 4
"""Processes that are started at the same time."""


class ProxyManager:
    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._proxies: dict[str, ProxySupervisor] = {}
        self._accounts: dict[str, ProfileAccount] = {}
        self._answers = CountedAnswers()
        self._addresses = ProxyAddressBook(context)
        self._budget = DescriptorBudget.of_process()
        subject = SharedSubject(context, self.account)
        self._shared_process = ProxySupervisor(context, subject, self._addresses, self._budget)
        self._shared = SharedListener(context, self._shared_process)
        self._role = context.port(DaemonRole)
        self._things = PlacedThings(context, "profile")
        self._marking = asyncio.Lock()
        self._marked: set[str] = set()
        self._closing = False

    # -- the port

    async def address(self, alias: str) -> ProxyAddress:
        """A command uses the daemon's proxy where that runs."""
        if not self._role.serving and (borrowed := await self.borrowed(alias)) is not None:
            return borrowed
        return (await self._started(alias)).address

    async def borrowed(self, alias: str) -> ProxyAddress | None:
        """Of a proxy that another process keeps, as the daemon does beside a command; None: there is none."""
        found = await self.reserve(alias)
        return found if await health.admits(found, BORROW_SECONDS) else None

    async def reserve(self, alias: str) -> ProxyAddress:
        return await self.of(alias).reserve()

    def failure(self, alias: str, since_ms: int) -> ProxyFailure | None:
        failed = self.account(alias).records.failure(since_ms)
        if failed is None:
            return None
        served = failed.served
        return ProxyFailure(
            served.time_ms, served.status, served.error or "", served.provider, served.model, served.attempts
        )

    def running(self) -> int:
        return sum(one.status in UP for one in self._proxies.values())

    async def stop(self, alias: str) -> None:
        found = self._proxies.get(alias)
        if found is not None:
            await found.stop()
        await self._mark(alias, runs=False)

    # -- for the routes

    async def start(self, alias: str) -> Mapping[str, Json]:
        """Raises `NotFound`, `InvalidInput`, `JackfieldError`."""
        return (await self._started(alias)).view(enabled=True)

    async def restart(self, alias: str) -> Mapping[str, Json]:
        """Raises as `start`."""
        await self._require_start(alias)
        found = self.of(alias)
        await found.restart()
        await self._mark(alias, runs=True)
        return found.view(enabled=True)

    async def stopped(self, alias: str) -> Mapping[str, Json]:
        """Raises `NotFound`, `AccessDenied`."""
        profile = await self._require_start(alias)
        await self.stop(alias)
        return self.view(profile)

    async def stop_all(self) -> Sequence[str]:
        """Which ones of the current reach did run. Raises `AccessDenied` for one that it sees and may not stop."""
        ran = [alias for alias, one in self._proxies.items() if one.status != "stopped"]
        ran = [alias for alias in ran if await self._things.may(alias, "start")]
        await asyncio.gather(*(self.stop(alias) for alias in ran))
        return sorted(ran)

    async def status(self, alias: str) -> Mapping[str, Json]:
        return self.view(await self._context.port(Profiles).find(alias))

    async def every(self) -> Sequence[Mapping[str, Json]]:
        """Of the profiles whose proxy is enabled or runs."""
        profiles = await self._context.port(Profiles).all()
        return [self.view(one) for one in profiles if one.proxy_enabled or self._is_up(one.alias)]

    def view(self, profile: Profile) -> Mapping[str, Json]:
        return self.of(profile.alias).view(enabled=profile.proxy_enabled)

    async def shared_view(self) -> Mapping[str, Json]:
        """The listener that all proxies share."""
        profiles = await self._context.port(Profiles).all()
        return self._shared.view([one.alias for one in profiles if one.proxy_enabled])

    def of(self, alias: str) -> ProxySupervisor:
        """The caller has seen that there is such a profile."""
        found = self._proxies.get(alias)
        if found is None:
            subject = ProfileSubject(self._context, self.account(alias), self._addresses)
            found = self._proxies[alias] = ProxySupervisor(self._context, subject, self._addresses, self._budget)
        return found

    def account(self, alias: str) -> ProfileAccount:
        """The account of the usage of the profile's requests."""
        found = self._accounts.get(alias)
        if found is None:
            found = self._accounts[alias] = ProfileAccount(self._context, alias, self._answers)
        return found

    def kinds(self) -> Mapping[str, Json]:
        """Every strategy and condition that a rule may name."""
        return kinds_view(self._context)

    def requests(self, alias: str, limit: int) -> list[dict[str, Json]]:
        """The latest, the newest first. The caller has seen that there is such a profile."""
        return [shown(one) for one in self.account(alias).records.latest(limit)]

    async def tested(self, profile: Profile, body: RuleTestBody) -> Mapping[str, Json]:
        """Which rule would take a request. Raises `InvalidInput`."""
        return await tested(self._context, profile, body)

    async def configure(self, alias: str, config: Mapping[str, Json]) -> tuple[Profile, Sequence[str]]:
        """Check, store, and tell the running proxy. Raises `NotFound`, `InvalidInput`."""
        await self._context.port(Profiles).find(alias)
        warnings = await self._require_known(config)
        profile = await self._context.port(Profiles).save_proxy_config(alias, config)
        await self.of(alias).push()
        await self._shared.push()
        return profile, warnings

    async def checked(self, alias: str, config: Mapping[str, Json]) -> tuple[Profile, Sequence[str]]:
        """As `configure`, and nothing is stored."""
        await self._context.port(Profiles).find(alias)
        warnings = await self._require_known(config)
        return await self._context.port(Profiles).check_proxy_config(alias, config), warnings

    async def _require_known(self, config: Mapping[str, Json]) -> Sequence[str]:
        """Warnings. Raises `InvalidInput`."""
        mistakes, warnings = await problems_of(self._context, config)
        if mistakes:
            told = "; ".join(f"{path}: {reason}" for path, reason in list(mistakes.items())[:3])
            raise InvalidInput(
                f"The proxy's configuration names what is not there: {told}.",
                code="PROXY_CONFIG_INVALID",
                details=mistakes,
            )
        return warnings

    def metrics(self) -> Sequence[Metric]:
        proxies, accounts = [self._shared_process, *self._proxies.values()], self._accounts.values()
        return [
            Metric("proxies_running", "Proxies of profiles that run.", "gauge", self.running()),
            Metric("proxy_restarts_total", "Starts after crashes.", "counter", sum(one.restarts for one in proxies)),
            *self._shared.metrics(),
            *(metric for one in accounts for metric in one.figures.metrics()),
            *(metric for one in proxies for metric in one.connections.metrics(f"proxy of {one.alias}")),
        ]

    def findings(self) -> Sequence[Finding]:
        """For `/ready`."""
        return self._shared.findings()

    # -- with the daemon

    async def resume(self) -> None:
        """Start those that ran when the daemon stopped."""
        limit = asyncio.Semaphore(STARTS)

        async def again(alias: str) -> None:
            async with limit:
                if not self._closing:
                    await self._quietly(alias, lambda: self.of(alias).start())

        self._marked = await asyncio.to_thread(self._read_marker) | self._marked
        if self._closing:
            return
        await asyncio.gather(self._shared.begin(), *(again(alias) for alias in sorted(self._marked)))

    async def follow(self) -> None:
        """Changes of profiles and providers reach the proxies that run."""
        with self._context.events.subscribe("profiles", "agents") as events:
            async for event in events:
                await self._quietly(SharedSubject.name, self._shared.push)
                if events.missed() or event.type == "manifests_changed":
                    touched = list(self._proxies)
                elif event.type == "profile_updated":
                    touched = [str(event.data.get("alias"))]
                else:
                    if event.type == "profile_deleted":
                        self._forget(str(event.data.get("alias")))
                        await self._addresses.keep(str(event.data.get("alias")), None)
                    continue
                for alias in touched:
                    if self._is_up(alias):
                        await self._quietly(alias, self._proxies[alias].push)

    async def close(self) -> None:
        """The daemon stops; what ran is remembered."""
        self._closing = True
        await asyncio.gather(self._shared.close(), *(one.stop() for one in self._proxies.values()))

    # -- parts

    async def _require_start(self, alias: str) -> Profile:
        """Raises `NotFound`, `AccessDenied`."""
        profile = await self._context.port(Profiles).find(alias)
        await self._things.may(alias, "start")
        return profile

    async def _started(self, alias: str) -> ProxySupervisor:
        await self._require_start(alias)
        found = self.of(alias)
        await found.start()
        await self._mark(alias, runs=True)
        return found

    def _is_up(self, alias: str) -> bool:
        found = self._proxies.get(alias)
        return found is not None and found.status != "stopped"

    def _forget(self, alias: str) -> None:
        if not self._is_up(alias):
            self._proxies.pop(alias, None)
            self._accounts.pop(alias, None)

    async def _quietly(self, alias: str, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except JackfieldError as exc:
            self._context.log.warning("The proxy of %s: %s", alias, exc.message)

    async def _mark(self, alias: str, *, runs: bool) -> None:
        """While the daemon stops nothing is changed."""
        async with self._marking:
            if self._closing or (alias in self._marked) == runs:
                return
            # A command beside the daemon may have written as well.
            self._marked |= await asyncio.to_thread(self._read_marker)
            (self._marked.add if runs else self._marked.discard)(alias)
            content = json.dumps(sorted(self._marked)).encode()
            with contextlib.suppress(JackfieldError):
                await asyncio.to_thread(write_private, self._context.service.config_dir / MARKER, content)

    def _read_marker(self) -> set[str]:
        """A marker that cannot be read counts as nothing; it is replaced with the next start."""
        try:
            found = json.loads(read_private(self._context.service.config_dir / MARKER) or b"[]")
        except (ValueError, JackfieldError):
            return set()
        return {alias for alias in found if isinstance(alias, str)} if isinstance(found, list) else set()


def proxies(context: PluginContext) -> ProxyManager:
    """The port. It follows changes of profiles from now on."""
    made = ProxyManager(context)
    context.spawn("follow profiles", made.follow())
    return made


def _manager(context: PluginContext) -> ProxyManager:
    """The one behind the port."""
    return cast("ProxyManager", context.port(Proxies))


async def resume(context: PluginContext) -> None:
    await _manager(context).resume()


def metrics(context: PluginContext) -> Sequence[Metric]:
    return _manager(context).metrics()


def standing(context: PluginContext) -> Sequence[Finding]:
    return _manager(context).findings()


async def close(context: PluginContext) -> None:
    await _manager(context).close()
