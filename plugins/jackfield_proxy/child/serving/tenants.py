"""The profiles that a process serves: one for a profile's proxy, all of them for the shared listener."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from jackfield.api.dialects.model import DialectError
from jackfield.api.gateway import CallerPass, fits
from jackfield.api.records import record, replace
from jackfield_proxy.child.answers.answer_cache import AnswerCache
from jackfield_proxy.child.incoming.conversations import Conversations
from jackfield_proxy.child.serving.compiled_plan import CompiledPlan
from jackfield_proxy.child.serving.uploads import Uploads
from jackfield_proxy.child.upstream.counting import Counter
from jackfield_proxy.child.upstream.sending import UpstreamSender
from jackfield_proxy.routing.aliases import aliased, is_wild

if TYPE_CHECKING:
    from jackfield_proxy.child.incoming.client_request import ClientRequest
    from jackfield_proxy.child.process.pipe import Pipe
    from jackfield_proxy.plan import ProxyPlan

PROFILE_HEADER = "x-jackfield-profile"
"""By which a request chooses among the profiles of its key."""


@record
class ExchangeServices:
    """The services that all requests of a profile have in common. cache, uploads: of all profiles of the process."""

    sender: UpstreamSender
    counter: Counter
    conversations: Conversations
    pipe: Pipe
    cache: AnswerCache
    uploads: Uploads


class Tenant:
    """A profile as this process serves it. Its plan may be replaced; a request keeps the one it began with."""

    def __init__(self, plan: ProxyPlan, pipe: Pipe, cache: AnswerCache, uploads: Uploads) -> None:
        self.compiled = CompiledPlan(plan)
        sender = UpstreamSender(plan)
        self.services = ExchangeServices(sender, Counter(sender), Conversations(time.monotonic), pipe, cache, uploads)

    @property
    def plan(self) -> ProxyPlan:
        return self.compiled.plan

    def follow(self, plan: ProxyPlan) -> None:
        if plan != self.plan:
            # Neither limits nor a budget that has ended give another answer.
            changes = replace(self.plan, limits=plan.limits, refusal=plan.refusal) != plan
            self.compiled = CompiledPlan(plan)
            self.services.sender.limiter.follow(plan.upstreams)
            if changes:
                self.services.cache.clear(plan.alias)

    async def close(self) -> None:
        await self.services.sender.close()


class Tenants:
    """By their aliases. plan: of the process."""

    def __init__(self, plan: ProxyPlan, pipe: Pipe) -> None:
        self.plan = plan
        self._pipe = pipe
        self._cache = AnswerCache(plan.limits.cache_size, plan.limits.cache_key_share, time.monotonic)
        self.uploads = Uploads()
        self._tenants: dict[str, Tenant] = {}
        self._left: dict[str, Tenant] = {}
        """Left out of the plan: they may have requests in flight, and may come back."""
        self._only: Tenant | None = None
        self.follow(plan)

    def follow(self, plan: ProxyPlan) -> None:
        """There is a new plan."""
        self.plan = plan
        self._cache.resize(plan.limits.cache_size, plan.limits.cache_key_share)
        plans = self._plans()
        for alias in [alias for alias in self._tenants if alias not in plans]:
            self._left[alias] = self._tenants.pop(alias)
            self._cache.clear(alias)
        for alias, one in plans.items():
            known = self._tenants.get(alias) or self._left.pop(alias, None) or self._made(one)
            known.follow(one)
            self._tenants[alias] = known
        self._only = next(iter(self._tenants.values())) if len(plans) == 1 else None

    def _made(self, plan: ProxyPlan) -> Tenant:
        return Tenant(plan, self._pipe, self._cache, self.uploads)

    def split(self, path: str) -> tuple[str, str]:
        """The alias that a path of the shared listener begins with, if it does, and the rest."""
        if self.plan.members:
            alias, slash, rest = path[1:].partition("/")
            if slash and alias in self._tenants:
                return alias, f"/{rest}"
        return "", path

    def open_to(self, caller: CallerPass, named: str) -> Mapping[str, Tenant]:
        """Those that the caller's key opens, in the key's order. named: the one that was asked for, empty: none. Raises
        `DialectError` 403, 404."""
        aliases = caller.profiles or tuple(self._tenants)
        found = {alias: self._tenants[alias] for alias in aliases if alias in self._tenants}
        if named:
            found = {alias: one for alias, one in found.items() if alias == named}
        if found:
            return found
        if named and named not in self._tenants:
            raise DialectError(404, f"There is no proxy of a profile {named} here.", "not_found_error")
        raise DialectError(403, "This key is for the proxies of other profiles.", "permission_error")

    def serving(self, caller: CallerPass, named: str, call: ClientRequest) -> Tenant:
        """The tenant that serves a request of a caller: the only one, or the first that lists its model.

        For a request that names no model: those that have such an endpoint. Raises `DialectError` 403, 404.
        """
        if self._only is not None and not (named or caller.models or caller.profiles):
            return self._only
        require_model(caller, call.model)
        opened = list(self.open_to(caller, named).values())
        found = [one for one in opened if call.may_go_to(one.plan)] or opened
        if len(found) == 1:
            return found[0]
        listing = next((one for one in found if _lists(one.plan, call.model)), None)
        if listing is not None:
            return listing
        if caller.profiles:
            return found[0]
        why = f"No profile lists the model {call.model}." if call.model else "The request names no model."
        raise DialectError(
            404,
            f"{why} Name a profile in the path (/PROFILE/v1) or in {PROFILE_HEADER}.",
            "not_found_error",
            code="model_not_found",
        )

    def names(self, caller: CallerPass, named: str) -> Iterator[str]:
        """Models that the caller may ask for, each once. Raises `DialectError` 403, 404."""
        tenants = self.open_to(caller, named).values()
        every = dict.fromkeys(name for one in tenants for name in _names(one.plan))
        return (name for name in every if fits(caller.models, name))

    async def close(self) -> None:
        for one in (*self._tenants.values(), *self._left.values()):
            await one.close()

    def _plans(self) -> Mapping[str, ProxyPlan]:
        return self.plan.members or ({self.plan.alias: self.plan} if self.plan.alias else {})


def require_model(caller: CallerPass, model: str) -> None:
    """Raises `DialectError` 403."""
    if not fits(caller.models, model):
        told = f"the model {model}" if model else "what names no model"
        raise DialectError(403, f"This key may not ask for {told}.", "permission_error", param="model")


def _lists(plan: ProxyPlan, model: str) -> bool:
    return model in _names(plan) or aliased(plan.aliases, model) is not None


def _names(plan: ProxyPlan) -> Iterator[str]:
    """The aliases and the models of the profile's provider."""
    yield from (name for name in plan.aliases if not is_wild(name))
    own = plan.upstreams.get(plan.provider)
    for name in own.models if own is not None else ():
        if name not in plan.aliases:
            yield name
