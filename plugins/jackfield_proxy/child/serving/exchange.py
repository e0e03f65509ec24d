"""One request from its attributes to its last byte, and the record of it."""

from __future__ import annotations

import asyncio
import math
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import web

from jackfield.api.dialects.errors import NEVER_AGAIN
from jackfield.api.dialects.model import DialectError, TokenCounts
from jackfield.api.gateway import CallerPass, PlannedRequest, StoredObject
from jackfield.api.records import replace
from jackfield.api.tracing import PARENT, trace_context
from jackfield_proxy.child.answers import relay
from jackfield_proxy.child.answers.answer_cache import CachedFor
from jackfield_proxy.child.incoming import addressing
from jackfield_proxy.child.incoming.client_request import ClientRequest
from jackfield_proxy.child.incoming.endpoint_request import EndpointRequest
from jackfield_proxy.child.incoming.google_kept import UPLOAD
from jackfield_proxy.child.process.log import say
from jackfield_proxy.child.serving import catalogue
from jackfield_proxy.child.serving.answer_keeping import AnswerKeeper
from jackfield_proxy.child.serving.batch_input import input_of
from jackfield_proxy.child.serving.key_objects import KeyObjects
from jackfield_proxy.child.serving.own_list import ListRefused
from jackfield_proxy.child.upstream import failures
from jackfield_proxy.child.upstream.failures import UpstreamFailure
from jackfield_proxy.child.upstream.fallback import Fallback
from jackfield_proxy.child.upstream.sending import Opened
from jackfield_proxy.messages import CLIENT_GONE, FromChild, ServedRequest
from jackfield_proxy.plan import Target
from jackfield_proxy.routing.choosing import Candidate, Choices, choose, conditions_met, open_to, ordered
from jackfield_proxy.routing.health import TurnlessHealth
from jackfield_proxy.routing.request_attributes import RequestAttributes, told
from jackfield_proxy.routing.thresholds import doubtful

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jackfield.api.proxy import TargetHealth
    from jackfield_proxy.child.serving.tenants import Tenant

LONGEST_ID, LONGEST_ERROR = 200, 500
"""Characters of what a provider says that a record keeps."""


class ProxiedExchange:
    """caller: who asks. place: what the provider keeps that it speaks of; None: nothing that is known."""

    def __init__(
        self,
        tenant: Tenant,
        call: ClientRequest,
        caller: CallerPass,
        request_id: str,
        place: StoredObject | None = None,
    ) -> None:
        shared, compiled = tenant.services, tenant.compiled
        self.plan, self.call, self.sender, self.request_id = compiled.plan, call, shared.sender, request_id
        self.shared = shared
        self._caller = caller
        self._place = place
        call.account = place.account if place is not None else ""
        self._compiled = compiled
        self._pipe = shared.pipe
        self._conversation = call.conversation if compiled.plan.sticky is not None else ""
        self._began = time.monotonic()
        self._keeper: AnswerKeeper | None = None
        self._served = ServedRequest(
            id=request_id,
            time_ms=time.time_ns() // 1_000_000,
            dialect=call.dialect,
            asked_model=call.model,
            provider="",
            model="",
            status=CLIENT_GONE,
            duration_ms=0,
            stream=call.stream,
            session=call.session,
            profile=compiled.plan.alias,
            key=caller.key,
        )

    async def _attributes(self) -> RequestAttributes:
        attributes = await self.call.attributes()
        if self._compiled.scripts:
            attributes = await self._with_scripts(attributes)
        self._served.estimated_tokens = attributes.tokens
        return attributes

    async def _counted(self, attributes: RequestAttributes, choices: Choices) -> Choices:
        """By the exact length, where a provider says it."""
        found = choose(self.plan, attributes, TurnlessHealth(self.sender.health), self._compiled.kinds)
        targets = [*(one.target for one in found), Target(self.plan.provider, self.call.model)]
        exact = await self.shared.counter.exact(self.plan, self.call, targets)
        if exact is None:
            return choices
        self._served.estimated_tokens, self._served.counted = exact, True
        return open_to(self.plan, replace(attributes, tokens=exact), self._compiled.kinds)

    def _candidates(self, choices: Choices, health: TargetHealth) -> Sequence[Candidate]:
        """As the strategy says; a conversation's own target before others of the same rules. Raises `DialectError`
        404."""
        found = self.call.fitting(self.plan, ordered(self.plan, choices, health, self._compiled.kinds))
        if self._place is not None:
            found = self._at_place(self._place, found)
        if not self._conversation:
            return found
        return self.shared.conversations.led(
            self._conversation, found, lambda target: self.sender.free(self.plan, target)
        )

    def _at_place(self, place: StoredObject, found: Sequence[Candidate]) -> Sequence[Candidate]:
        """Those of the provider that keeps what the request speaks of. Raises `DialectError` 404."""
        if place.provider not in self.plan.upstreams:
            message = f"{place.id[:100]} is kept by {place.provider}, which this proxy does not reach any more."
            raise DialectError(404, message, "not_found_error", code="object_not_found")
        there = [one for one in found if one.target.provider == place.provider]
        reason = f"{place.provider} keeps what the request speaks of"
        return there or [Candidate(Target(place.provider, self.call.model), None, reason)]

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """Raises `DialectError` before the first byte of the answer."""
        if named := request.headers.getall(PARENT, ()):
            span = trace_context(",".join(named))
            self._served.traceparent = span.traceparent if span is not None else ""
        try:
            caching = self._caller.cache_seconds and self.call.answers
            if not caching:
                self._require_budget()
            attributes = await self._attributes()
            choices = open_to(self.plan, attributes, self._compiled.kinds)
            unsure = doubtful(attributes.tokens, self._compiled.thresholds)
            if caching:
                met = conditions_met(self.plan, attributes, self._compiled.kinds) if unsure else ()
                if (kept := self._cached(choices, met)) is not None:
                    return kept
                self._require_budget()
            if unsure:
                choices = await self._counted(attributes, choices)
            candidates = self._candidates(choices, self.sender.health)
            if self._keeper is not None:
                self._keeper.choice = candidates[0]
            return await self._answered(request, candidates)
        except UpstreamFailure as exc:
            return self._refused(exc)
        except DialectError as exc:
            self._end_with(exc.status, exc.message)
            raise
        finally:
            self._tell()

    async def count(self) -> web.Response:
        """The answer to a request for a count of tokens. Raises `DialectError`."""
        try:
            choices = open_to(self.plan, await self._attributes(), self._compiled.kinds)
            candidates = self._candidates(choices, TurnlessHealth(self.sender.health))
            if self._caller.metered:
                await self._reserve(candidates)
            self._tries(candidates[0], 1)
            answer = await catalogue.count(self.shared.counter, self.plan, self.call, candidates[0].target)
        except DialectError as exc:
            self._end_with(exc.status, exc.message)
            raise
        else:
            self._end_with(answer.status, None)
            return answer
        finally:
            if self._caller.key:
                self._tell()

    def _cached(self, choices: Choices, met: Sequence[bool]) -> web.Response | None:
        """The answer that the same request of this key has had under the same rules. It costs nothing."""
        place = CachedFor(self._caller.key, self.plan.alias, self._caller.cache_seconds)
        self._keeper = AnswerKeeper(self.shared.cache, place, self.call, choices, met)
        found = self._keeper.find()
        if found is None:
            return None
        served = self._served
        served.provider, served.model = found.target.provider, found.target.model
        served.status, served.cached = 200, True
        own = [("x-jackfield-cache", "hit"), ("age", str(self.shared.cache.age(found)))]
        name = addressing.REQUEST_ID[self.call.dialect]
        return web.Response(headers=[*found.headers, *own, (name, self.request_id)], body=found.body)

    def _require_budget(self) -> None:
        """Raises `DialectError` 429."""
        refusal = self.plan.refusal
        if refusal is None or not self.call.spends:
            return
        rest = refusal.until_ms / 1000 - time.time()
        if rest > 0:
            raise DialectError(
                429,
                refusal.message,
                "rate_limit_error",
                code="budget_exceeded",
                retry_after=math.ceil(rest),
                lasting=rest > self.plan.limits.retry_after_limit,
            )

    async def _reserve(self, candidates: Sequence[Candidate]) -> None:
        """The daemon holds what the request may use. candidates: who may serve it, the first first. Raises
        `DialectError` 402, 403, 429, 503."""
        if self.call.uncounted:
            message = (
                "No answer tells the cost of this request, so that a key or a profile with a budget may not ask for it."
            )
            raise DialectError(403, message, "permission_error")
        spends = self.call.spends
        if not (spends or self._caller.metered):
            return
        target, *others = dict.fromkeys(one.target for one in candidates)
        planned = PlannedRequest(
            key=self._caller.key,
            request=self.request_id,
            profile=self.plan.alias,
            provider=target.provider,
            model=target.model,
            input=self._served.estimated_tokens if spends else 0,
            output=self.call.output.tokens(self.plan.limits.reserved_output) if spends else 0,
            others=others,
            spends=spends,
        )
        await self._pipe.permission(self.plan.limits.key_timeout, planned=planned)

    async def _answered(self, request: web.BaseRequest, candidates: Sequence[Candidate]) -> web.StreamResponse:
        """Raises `UpstreamFailure`: no target is left; and `DialectError`."""
        if self.plan.budgeted or self._caller.metered:
            await self._reserve(candidates)
        if self._caller.key and isinstance(self.call, EndpointRequest) and (file := input_of(self.call)) is not None:
            await self._objects().look_at(request, file, candidates[0])
        fallback = Fallback(self.sender, self.plan, self.call, candidates, self._tries)
        try:
            return await self._answered_by(fallback, request)
        finally:
            if fallback.may_cost:
                self._served.whole = False

    async def _answered_by(self, fallback: Fallback, request: web.BaseRequest) -> web.StreamResponse:
        """Raises as `_answered`."""
        while True:
            opened = await self._open(fallback)
            try:
                if self._caller.key and isinstance(self.call, EndpointRequest) and self.call.lists:
                    answer = await self._objects().listed(request, opened, self.call)
                    self._served.status = answer.status
                    return answer
                return await self._relay(request, opened)
            except (relay.ProxyStopped, ListRefused):
                raise
            except DialectError as exc:
                refused = failures.broken(exc)
                self.sender.failed(opened.candidate.target, refused, self.plan.limits)
                fallback.refused(opened.candidate, refused)
            finally:
                self.sender.closed(opened)

    async def _open(self, fallback: Fallback) -> Opened:
        try:
            opened = await fallback.open()
        except asyncio.CancelledError:  # the client is gone; its provider may answer, and count, nevertheless
            self._served.whole = False
            raise
        if self.plan.sticky is not None:
            self.shared.conversations.served(self._conversation, opened.candidate, self.plan.sticky.ttl)
        self._served.translated, self._served.missing = opened.outgoing.translated, opened.outgoing.missing
        self._served.first_byte_ms = self._passed_ms()
        return opened

    def _tries(self, candidate: Candidate, attempts: int) -> None:
        """The facts of a request that are known however it ends."""
        served, target = self._served, candidate.target
        served.provider, served.model, served.attempts = target.provider, target.model, attempts
        served.rule, served.reason = candidate.rule, candidate.reason

    async def _relay(self, request: web.BaseRequest, opened: Opened) -> web.StreamResponse:
        """Raises `DialectError` before the first byte of the answer."""
        keeper = self._keeper
        copy = keeper.copy(opened.candidate) if keeper is not None else None
        seen = self._objects().made(self.call, opened) if self._remembers else None
        if isinstance(self.call, EndpointRequest) and self.call.path.startswith(UPLOAD):
            opened = self._objects().uploading(request, opened, self.call)
        carrier = relay.of(self._context(opened, copy=copy, seen=seen), opened)
        served = self._served
        served.whole = False
        try:
            response = await carrier.carry(request)
        except (asyncio.CancelledError, ConnectionError):
            if carrier.complete:  # some clients leave as soon as they have read the last event
                served.status, served.whole = opened.reply.status, carrier.usage is not None
            raise
        else:
            served.whole = carrier.usage is not None and carrier.error is None
            self._end_with(response.status, carrier.error)
            if keeper is not None and copy is not None:
                keeper.keep(opened.candidate.target, carrier, response, copy)
            return response
        finally:
            self._count(carrier.answer, carrier.usage, carrier.tier)

    def _objects(self) -> KeyObjects:
        return KeyObjects(self.plan, self._caller, self.shared, self._context)

    @property
    def _remembers(self) -> bool:
        """Whether it has to be known later who has made what, or with which key."""
        return self.call.keeps and (bool(self._caller.key) or self.plan.several_accounts)

    def _context(self, opened: Opened, **more: Any) -> relay.RelayContext:  # Any: fields of a record
        conceal = partial(self._concealed, opened)
        seconds = self.plan.limits.idle_timeout
        return relay.RelayContext(self.call, self.request_id, seconds, self.sender.remember, conceal, **more)

    def _concealed(self, opened: Opened, text: str) -> str:
        upstream = self.plan.upstreams[opened.candidate.target.provider]
        return self.sender.concealer(upstream, opened.outgoing).text(text)

    def _refused(self, refused: UpstreamFailure) -> web.Response:
        """A refusal in the client's own dialect passes through as it came, without credentials."""
        candidate = refused.candidate
        target = candidate.target if candidate is not None else Target("", "")
        self._end_with(refused.error.status, refused.error.message)
        say(f"{self.request_id} {target.text}: status {refused.error.status} after {refused.attempts} attempts")
        upstream = self.plan.upstreams.get(target.provider)
        if (
            refused.answer is None
            or upstream is None
            or (upstream.platform and upstream.family != "gemini")  # whose errors are no dialect's
            or addressing.dialect_of(upstream, self.call.dialect, target.model) != self.call.dialect
        ):
            raise refused.error
        status, headers, body = refused.answer
        self._served.status = status
        kept = [(key, value) for key, value in headers if key.lower() not in ("content-length", "x-should-retry")]
        advice = [(key, value) for key, value in headers if key.lower() == "x-should-retry"]
        if refused.error.lasting:
            advice = [NEVER_AGAIN]
        return web.Response(status=status, headers=[*kept, *advice, *self.marks()], body=body)

    def marks(self) -> addressing.Pairs:
        """Headers of an error; none as long as nobody was chosen to serve the request."""
        served = self._served
        if not served.provider:
            return []
        return addressing.marks(Target(served.provider, served.model).text, served.attempts, served.rule)

    async def _with_scripts(self, attributes: RequestAttributes) -> RequestAttributes:
        """The daemon evaluates condition scripts; all that the rules name are asked at once."""
        paths, request = self._compiled.scripts, told(attributes)
        seconds = self.plan.limits.script_timeout
        found = await asyncio.gather(*(self._pipe.ask(path, request, seconds) for path in paths))
        return replace(attributes, scripts=dict(zip(paths, found, strict=True)))

    def _count(self, answer: str, usage: TokenCounts | None, tier: str | None) -> None:
        served = self._served
        served.answer, served.tier = _kept(answer, LONGEST_ID) or "", _kept(tier, LONGEST_ID)
        if usage is not None and self.call.spends:
            served.input, served.output = usage.input, usage.output
            served.cache_read, served.cache_write = usage.cache_read, usage.cache_write
            served.cache_write_1h = usage.cache_write_1h

    def _end_with(self, status: int, error: str | None) -> None:
        self._served.status, self._served.error = status, _kept(error, LONGEST_ERROR)

    def _passed_ms(self) -> int:
        return round((time.monotonic() - self._began) * 1000)

    def _tell(self) -> None:
        self._served.duration_ms = self._passed_ms()
        self._pipe.send(FromChild(served=self._served))


def _kept(text: str | None, longest: int) -> str | None:
    """As a record keeps it: half surrogates, which providers do send, are no text to the pipe."""
    return text and text[:longest].encode("utf-8", "replace").decode()
