"""The ASGI applications under `/webhook` and `/webhook-test`: the path of every call, kept short.

Order of the checks: path, activation, method, address, rate, authentication, body size, body.
"""

from __future__ import annotations

import asyncio
from time import perf_counter

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.binary import BinaryError
from jackfield.api.body_budget import SMALL, apart, body_memory
from jackfield.api.call_triggers import SuffixTrigger
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, NotFound, RateLimited, WorkflowInactive
from jackfield.api.headroom import unexpected
from jackfield.api.limits import canonical_client
from jackfield.api.storage import StoredAnswer
from jackfield.api.time_spreads import MOST_NOTED
from jackfield.api.triggers import TRIGGERS
from jackfield_webhooks import paths
from jackfield_webhooks.answers import making as answers
from jackfield_webhooks.answers.making import Answer
from jackfield_webhooks.authentication import callers
from jackfield_webhooks.authentication.presets import verified
from jackfield_webhooks.authentication.verifiers import Verifier
from jackfield_webhooks.bodies import decoding
from jackfield_webhooks.bodies import parsing as bodies
from jackfield_webhooks.bodies.parsing import ParsedBody
from jackfield_webhooks.bodies.receiving import BodyMemory, BodyReader, Disconnected
from jackfield_webhooks.calls.call import IncomingCall
from jackfield_webhooks.calls.delivering import close_websocket, deliver
from jackfield_webhooks.calls.figures import KindCalls
from jackfield_webhooks.calls.rejections import RejectedCalls
from jackfield_webhooks.calls.running import CallRunner
from jackfield_webhooks.calls.streaming import StreamAnswer, deliver_stream
from jackfield_webhooks.hook import Hook
from jackfield_webhooks.ingress.limiting import CallLimit
from jackfield_webhooks.routing import lookup
from jackfield_webhooks.routing.lookup import WrongMethod
from jackfield_webhooks.routing.registry import KIND, RouteRegistry
from jackfield_webhooks.routing.table import Route
from jackfield_webhooks.settings import WebhookSettings

_UNSERVED = (NotFound, WorkflowInactive, WrongMethod)


class Ingress:
    """Serves the live webhooks."""

    test = False
    counted_as = ""
    """The kind of its calls among the figures; empty: the trigger's."""

    def __init__(
        self,
        context: PluginContext,
        settings: WebhookSettings,
        kind: str,
        registry: RouteRegistry,
        rejected: RejectedCalls,
        runner: CallRunner,
        limit: CallLimit | None,
        memory: BodyMemory,
        calls: KindCalls,
    ) -> None:
        self._context = context
        self._settings = settings
        self._registry = registry
        self._kind = kind
        self._table = registry.table(kind)
        self._rejected = rejected
        self._runner = runner
        self._limit = limit
        self._memory = memory
        self._calls = calls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await close_websocket(receive, send)
            return
        call = IncomingCall(scope, BodyReader(receive, self._settings, self._memory), self.test)
        answer: Answer | StreamAnswer
        try:
            answer = await self._answer(call, paths.called_path(scope))
        except Disconnected:
            return
        except JackfieldError as exc:
            refused = exc
            if isinstance(exc, NotFound) and call.webhook is None:
                try:
                    if await self._elsewhere(scope, receive, send):
                        return
                except RateLimited as limited:
                    refused = limited
            answer = self._refuse(call, refused)
        except Exception as exc:
            self._context.log.exception("A webhook call failed.", extra={"requestId": call.request_id})
            answer = answers.of_error(unexpected(exc))
        finally:
            call.reader.release()
        if call.method != "OPTIONS" and not call.test:
            calls = self._calls
            calls.noted.append((answer.status, perf_counter() - call.started))
            if len(calls.noted) >= MOST_NOTED:
                calls.settle()
        if isinstance(answer, StreamAnswer):
            self._publish(call, answer)
            await self._stream(call, answer, send)
            return
        answer = answers.for_request(answer, call.request_id)
        self._publish(call, answer)
        try:
            await deliver(call, answer, send)
        except BinaryError as exc:
            # The caller has got the length: the connection ends before it, which tells that something is missing.
            self._context.log.error("An answer broke off: %s", exc.message, extra={"requestId": call.request_id})

    async def _stream(self, call: IncomingCall, answer: StreamAnswer, send: Send) -> None:
        try:
            await deliver_stream(call, answer, self._settings.stream, send)
        except JackfieldError as exc:
            # The connection ends before the answer does, which tells that its execution is not stored.
            self._context.log.error("A stream broke off: %s", exc.message, extra={"requestId": call.request_id})

    async def _answer(self, call: IncomingCall, called: str | tuple[str, ...]) -> Answer | StreamAnswer:
        if call.method == "OPTIONS":
            return await self._preflight(call, called)
        try:
            route = await self._route(call, called)
        except _UNSERVED:
            if not await self._is_caught_up(call, called):
                raise
            route = await self._route(call, called)
        call.webhook = route.webhook
        hook = self._registry.ready(route) or await self._registry.hook(route)
        call.hook = hook
        if hook.origins is not None and (origin := call.headers.get("origin")):
            call.permission = hook.origins.permission(origin)
        call.params = lookup.parameters(route, called) if route.names else {}
        await self._check_caller(call, hook)
        parsed = await self._read(call, hook)
        return await self._runner.run(call, hook, parsed)

    async def _route(self, call: IncomingCall, called: str | tuple[str, ...]) -> Route:
        try:
            return lookup.find_live(self._table, called, call.method)
        except WrongMethod as exc:
            call.webhook = exc.route.webhook
            raise

    async def _is_caught_up(self, call: IncomingCall, called: str | tuple[str, ...]) -> bool:
        """Whether a call that nothing serves is worth another try: another daemon may have changed that. Raises
        `StoreUnavailable`."""
        if self._suffix_trigger(called) is not None or not await self._registry.is_caught_up():
            return False
        call.webhook = None
        return True

    async def _check_caller(self, call: IncomingCall, hook: Hook) -> None:
        if hook.networks is not None:
            callers.check_address(hook.networks, call.client)
        if hook.ignore_robots:
            callers.check_robot(call.headers.get("user-agent", ""))
        self._check_rate(hook.webhook.id, call.client)

    def _check_rate(self, name: str, client: str) -> None:
        """name: of what is called. Raises `RateLimited`."""
        retry = self._limit.hit(f"{name} {canonical_client(client)}") if self._limit is not None else None
        if retry is not None:
            raise RateLimited(retry, "This webhook has been called too often from this address.")

    async def _read(self, call: IncomingCall, hook: Hook) -> ParsedBody:
        """Authenticate and read the body, in the order that the authentication allows."""
        verifier = hook.verifier
        if verifier is not None and not verifier.needs_body:
            await self._authenticate(call, verifier)
        call.body = await call.reader.read(call.headers.get("content-length"))
        if verifier is not None and verifier.needs_body:
            await self._authenticate(call, verifier)
        await self._decode(call)
        call.query = bodies.fields(call.query_text)
        content_type = call.headers.get("content-type", "")
        if len(call.body) < SMALL:
            return bodies.parse(call.body, content_type, hook.body)
        return await self._parsed_large(call, content_type, hook)

    async def _parsed_large(self, call: IncomingCall, content_type: str, hook: Hook) -> ParsedBody:
        """Raises `PayloadTooLarge`, `MemoryExhausted` when the parsed body would take too much."""
        kind = bodies.media_type(content_type)
        inline = len(call.body) < self._settings.parse_in_thread
        size = body_memory(call.body, kind) if inline else await apart(call.budget, body_memory, call.body, kind)
        if call.budget is not None:
            call.memory = call.budget.take(size, len(call.body))
        if inline:
            return bodies.parse(call.body, content_type, hook.body)
        return await apart(call.budget, bodies.parse, call.body, content_type, hook.body)

    async def _authenticate(self, call: IncomingCall, verifier: Verifier) -> None:
        signed = call.as_signed(self._context.service.public_url, call.body, self._context.clock.now_ms() / 1000)
        call.take(await verified(verifier, signed))

    async def _decode(self, call: IncomingCall) -> None:
        coding = call.headers.get("content-encoding")
        if coding is not None and call.body and (wanted := decoding.codings(coding)):
            call.body = await asyncio.to_thread(decoding.decode, call.body, wanted, self._settings.body_limit)

    async def _elsewhere(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Let another trigger serve a path that is no webhook's. False: no other does. Raises `RateLimited`."""
        called = paths.called_path(scope)
        trigger = self._suffix_trigger(called)
        if trigger is not None:
            first = (paths.split(called) if isinstance(called, str) else called)[0]
            self._check_rate(f"{trigger.suffix} {first}", str(scope.get("jackfield.client", "unknown")))
            await trigger.serve_suffix(first, scope, receive, send, test=self.test)
        return trigger is not None

    def _suffix_trigger(self, called: str | tuple[str, ...]) -> SuffixTrigger | None:
        """The other triggers that may serve this path."""
        segments = paths.split(called) if isinstance(called, str) else called
        if len(segments) != 2 or self._kind != KIND:
            return None
        triggers = self._context.extensions(TRIGGERS).values()
        found = (each for each in triggers if isinstance(each, SuffixTrigger) and each.suffix == segments[1])
        return next(found, None)

    # -- what is no call

    async def _preflight(self, call: IncomingCall, called: str | tuple[str, ...]) -> StoredAnswer:
        """OPTIONS is never a call: it says what a page of another origin may do."""
        try:
            routes = self._routes(called)
        except _UNSERVED:
            if not await self._is_caught_up(call, called):
                raise
            routes = self._routes(called)
        methods = sorted(routes)
        asked = routes.get(call.headers.get("access-control-request-method", "").upper())
        hook = await self._registry.hook(asked or routes[methods[0]])
        origin = call.headers.get("origin")
        if hook.origins is not None and origin:
            names = call.headers.get("access-control-request-headers", "")
            call.permission = hook.origins.preflight(origin, methods, names)
        return StoredAnswer(204, (("allow", ", ".join([*methods, "OPTIONS"])),), b"")

    def _routes(self, called: str | tuple[str, ...]) -> dict[str, Route]:
        return lookup.live_routes(self._table, called)

    def _refuse(self, call: IncomingCall, error: JackfieldError) -> StoredAnswer:
        answer = answers.of_error(error)
        if call.webhook is not None and 400 <= error.status < 500:
            given = answers.numbered(answer, call.request_id)
            self._record(call, given)
        return answer

    def _record(self, call: IncomingCall, answer: StoredAnswer) -> None:
        if call.webhook is not None:
            own = call.own_headers
            self._rejected.add(
                call.webhook, call.method, call.headers, own, answer.status, answer.body, call.elapsed_ms(),
                call.query_text,
            )  # fmt: skip

    def _publish(self, call: IncomingCall, answer: Answer | StreamAnswer) -> None:
        webhook = call.webhook
        if webhook is None or "webhooks" not in self._context.events.heard:
            return
        data = {
            "webhookId": webhook.id,
            "workflowId": webhook.workflow_id,
            "method": call.method,
            "path": webhook.path,
            "status": answer.status,
            "duration": call.elapsed_ms(),
            "test": self.test,
        }
        if call.event:
            data["event"] = call.event
        self._context.events.publish("webhooks", "webhook.called", data)


class TestIngress(Ingress):
    """Serves every saved webhook, active or not; nothing of it goes to the history."""

    __test__ = False  # its name is no test's

    test = True

    async def _route(self, call: IncomingCall, called: str | tuple[str, ...]) -> Route:
        routes = lookup.find_saved(self._table, called, call.method)
        return routes[0] if len(routes) == 1 else await self._newest(list(routes))

    async def _newest(self, routes: list[Route]) -> Route:
        """Of several saved workflows with the same path and method, the one that was changed last."""
        changed: dict[Route, int] = {}
        for route in routes:
            stored = await self._context.store.workflow(route.webhook.workflow_id)
            changed[route] = stored.updated_at if stored else 0
        return max(routes, key=lambda route: changed[route])

    def _routes(self, called: str | tuple[str, ...]) -> dict[str, Route]:
        return lookup.saved_routes(self._table, called)

    def _record(self, call: IncomingCall, answer: StoredAnswer) -> None:
        """A test leaves no trace in the history."""


class OneTestIngress(TestIngress):
    """Serves one webhook, which `route` says."""

    route: Route

    async def _route(self, call: IncomingCall, called: str | tuple[str, ...]) -> Route:
        return self.route


class NoIngress:
    """The test address while it is switched off: nothing is there."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await close_websocket(receive, send)
            return
        raise NotFound("Test calls are switched off; see webhooks.test_enabled.")
