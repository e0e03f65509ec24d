"""The usage of one profile's requests, through whichever process they come: the profile's own or the shared
listener's."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.gateway import PlannedRequest
from jackfield.api.profiles import Profile
from jackfield.api.records import replace
from jackfield.api.telemetry import Tokens
from jackfield_proxy.daemon import prices
from jackfield_proxy.daemon.budgets import BudgetTracker
from jackfield_proxy.daemon.figures import RequestFigures
from jackfield_proxy.daemon.planning import plan_of
from jackfield_proxy.daemon.records import CountedAnswers, RecordedRequest, Records
from jackfield_proxy.messages import ServedRequest
from jackfield_proxy.plan import ProxyPlan
from jackfield_proxy.settings import ProxySettings


class ProfileAccount:
    """Records and budgets."""

    def __init__(self, context: PluginContext, alias: str, answers: CountedAnswers) -> None:
        self.alias = alias
        self.records = Records(context, alias, answers, context.settings(ProxySettings).requests_kept)
        self.budgets = BudgetTracker(context, alias)
        self.figures = RequestFigures(alias)
        self._context = context
        self._agent = ""

    async def plan(self, profile: Profile, token: str, port: int) -> ProxyPlan:
        self._agent = profile.agent_id
        await self.budgets.follow(profile)
        plan = await plan_of(self._context, profile, token=token, port=port)
        return replace(plan, refusal=self.budgets.refusal(), budgeted=self.budgets.limited)

    async def hold(self, planned: PlannedRequest) -> None:
        """Hold the amount that the request may use, until `take` or `abandon`. Raises `DialectError` 429."""
        if self.budgets.limited and planned.spends:
            tokens = Tokens(planned.input, planned.output)
            usd = await prices.dearest(self._context, planned.targets, tokens) if self.budgets.in_usd else 0.0
            self.budgets.hold(planned.request, tokens.total, usd)

    async def take(self, served: ServedRequest) -> RecordedRequest:
        """It is over. Where its answer has not said all that it used, what was held counts if that is more."""
        request = await self.records.take(served, self._agent)
        self.figures.add(request)
        held = self.budgets.release(served.id)
        tokens, usd = request.tokens, request.cost or 0.0
        if not served.whole:
            tokens, usd = max(tokens, held.tokens), max(usd, held.usd)
        self.budgets.add(tokens, usd)
        return request

    def abandon(self, request: str) -> None:
        """Nobody tells how much it has used."""
        held = self.budgets.release(request)
        self.budgets.add(held.tokens, held.usd)
