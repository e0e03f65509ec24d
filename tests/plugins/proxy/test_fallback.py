"""A request fails only when no healthy target is left that was not tried."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest
from aiohttp import web
from proxy_lab import ASKED, EVENTS, MESSAGE, Provider_, failing, plan, proxy_of, rule, sse, until, upstream

from jackfield.api.records import replace
from jackfield_proxy.child.incoming.client_request import ClientRequest
from jackfield_proxy.child.upstream.fallback import Fallback
from jackfield_proxy.child.upstream.sending import UpstreamSender
from jackfield_proxy.plan import Concurrency, ProxyLimits, ProxyPlan, Target
from jackfield_proxy.routing.choosing import Candidate
from jackfield_proxy.routing.health import TargetRecords

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
NAMES = ("north", "south", "west")
STREAM = {**ASKED, "stream": True}
QUICK = ProxyLimits(retries=0, first_byte_timeout=2.0, idle_timeout=0.3, opening_timeout=0.1, stop_grace=0.0)


@pytest.fixture
async def three() -> AsyncIterator[list[Provider_]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Provider_().serving()) for _ in NAMES]


def falling(providers: list[Provider_], *families: str, limits: ProxyLimits = QUICK) -> ProxyPlan:
    """The providers in order, each with a rule of its own; all of Anthropic's dialect unless said."""
    kinds = [*families, *["anthropic"] * (len(providers) - len(families))]
    named = list(zip(NAMES, providers, kinds, strict=False))
    rules = [rule(name, f"{name}/m", 9 - place) for place, (name, *_) in enumerate(named)]
    upstreams = {name: upstream(one, name, family=kind) for name, one, kind in named}
    return plan(upstreams, *rules, strategy="Fallback", limits=limits)


def refusing(status: int, message: str, **more: str) -> Answer:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        error = {"type": "invalid_request_error", "message": message, **more}
        return web.json_response({"type": "error", "error": error}, status=status)

    return answer


def saying(body: bytes, content_type: str = "application/json") -> Answer:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=body, content_type=content_type)

    return answer


async def cut(request: web.BaseRequest) -> web.StreamResponse:
    """A whole answer that ends in the middle."""
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "500"})
    await response.prepare(request)
    await response.write(b'{"id": "msg')
    assert request.transport is not None
    request.transport.close()
    return response


async def stuck(request: web.BaseRequest) -> web.StreamResponse:
    """A whole answer that stops in the middle."""
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "500"})
    await response.prepare(request)
    await response.write(b'{"id": "msg')
    await asyncio.Event().wait()
    return response


# ----------------------------------------------------------------------------------------- what one target fails with


@pytest.mark.parametrize("status", [405, 406, 407, 410, 421, 423, 424, 425, 426, 451, 498])
async def test_every_status_that_is_not_of_the_request(three: list[Provider_], status: int) -> None:
    three[0].answer = failing(status)
    async with proxy_of(falling(three)) as proxy:
        assert (await proxy.post(ASKED))[0] == 200
        assert [one.provider for one in proxy.pipe.served] == ["south"]


@pytest.mark.parametrize(
    "answer",
    [
        refusing(400, "Your credit balance is too low to access the Anthropic API."),
        refusing(400, "API key not valid. Please pass a valid API key."),
        refusing(400, "no such model", code="model_not_found"),
        refusing(400, "wrong key", type="authentication_error"),
    ],
    ids=["credit", "key", "model", "kind"],
)
async def test_a_400_that_speaks_of_the_account(three: list[Provider_], answer: Answer) -> None:
    three[0].answer = answer
    async with proxy_of(falling(three)) as proxy:
        assert (await proxy.post(ASKED))[0] == 200


async def test_a_request_that_one_target_cannot_be_told(three: list[Provider_]) -> None:
    """It needs no translation for the next one, which knows more of its own dialect than the proxy does."""
    body = {**ASKED, "thinking": {"type": "of a later version"}}
    async with proxy_of(falling(three, "openai")) as proxy:
        assert (await proxy.post(body))[0] == 200
    assert not three[0].asked
    assert json.loads(three[1].asked[0].body)["thinking"] == body["thinking"]


async def test_a_request_that_no_target_can_be_told_is_a_mistake_of_the_client(three: list[Provider_]) -> None:
    async with proxy_of(falling(three, "openai", "openai", "openai")) as proxy:
        status, found = await proxy.post({**ASKED, "thinking": {"type": "of a later version"}})
        assert (status, json.loads(found)["error"]["type"]) == (400, "invalid_request_error")
        assert proxy.pipe.served[0].status == 400


async def test_a_400_for_a_translated_request(three: list[Provider_]) -> None:
    three[0].answer = refusing(400, "I know no such field.")
    async with proxy_of(falling(three, "openai")) as proxy:
        assert (await proxy.post(ASKED))[0] == 200


async def test_a_fallback_that_refuses_is_followed_by_the_next(three: list[Provider_]) -> None:
    three[0].answer, three[1].answer = failing(529), refusing(400, "This model does not think.")
    async with proxy_of(falling(three)) as proxy:
        assert (await proxy.post(ASKED))[0] == 200
        assert proxy.pipe.served[0].provider == "west"
        assert proxy.pipe.served[0].attempts == 3


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_another_target_may_take_what_the_first_does_not(three: list[Provider_], status: int) -> None:
    three[0].answer = three[1].answer = refusing(status, "prompt is too long")
    async with proxy_of(falling(three)) as proxy:
        assert (await proxy.post(ASKED))[0] == 200
        assert proxy.pipe.served[0].attempts == 3


async def test_when_all_refuse_the_client_hears_what_the_first_says_of_its_request(three: list[Provider_]) -> None:
    three[0].answer = refusing(400, "messages: at least one is required")
    three[1].answer, three[2].answer = failing(529), refusing(400, "something else")
    async with proxy_of(falling(three)) as proxy:
        status, found = await proxy.post(ASKED)
        assert (status, json.loads(found)["error"]["message"]) == (400, "messages: at least one is required")
    assert all(len(one.asked) == 1 for one in three)


# -------------------------------------------------------------------------------------- an answer that comes to nothing


@pytest.mark.parametrize("answer", [cut, stuck], ids=["cut", "stuck"])
@pytest.mark.parametrize("family", ["anthropic", "openai"])
async def test_a_whole_answer_that_breaks_off(three: list[Provider_], answer: Answer, family: str) -> None:
    three[0].answer = answer
    async with proxy_of(falling(three, family)) as proxy:
        status, found = await proxy.post(ASKED)
        assert (status, json.loads(found)) == (200, MESSAGE)
        assert [(one.provider, one.status, one.error) for one in proxy.pipe.served] == [("south", 200, None)]


@pytest.mark.parametrize("body", [b"<html>502 Bad gateway</html>", b"[]", b""])
async def test_an_answer_that_cannot_be_read(three: list[Provider_], body: bytes) -> None:
    three[0].answer = saying(body)
    async with proxy_of(falling(three, "openai")) as proxy:
        status, found = await proxy.post(ASKED)
    assert (status, json.loads(found)) == (200, MESSAGE)


async def test_a_translated_stream_that_fails_late_but_before_its_content(three: list[Provider_]) -> None:
    """Its beginning is held back for a moment only, but until there is content the client has nothing of it."""
    begun = asyncio.Event()

    async def late(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b": processing\n\n")
        await begun.wait()
        await response.write(b'data: {"error": {"code": 502, "message": "Bad gateway"}}\n\n')
        return response

    three[0].answer = late
    async with proxy_of(falling(three, "openai", limits=replace(QUICK, idle_timeout=5.0))) as proxy:
        asked = asyncio.create_task(proxy.post(STREAM))
        await until(lambda: proxy.sender.health.latency(Target("north", "m")))
        begun.set()
        status, found = await asked
    assert (status, found) == (200, sse(*EVENTS))


async def test_nothing_is_sent_twice_once_the_client_has_a_part(three: list[Provider_]) -> None:
    async def half(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(sse(*EVENTS[:3]))
        assert request.transport is not None
        request.transport.abort()
        return response

    three[0].answer = half
    async with proxy_of(falling(three)) as proxy:
        status, found = await proxy.post(STREAM)
    assert status == 200
    assert b"event: error" in found
    assert not three[1].asked


async def test_the_room_of_a_target_that_breaks_off_is_free_again(three: list[Provider_]) -> None:
    three[0].answer = cut
    made = falling(three)
    only = {name: replace(one, concurrency=Concurrency(1, queue=0)) for name, one in made.upstreams.items()}
    async with proxy_of(replace(made, upstreams=only)) as proxy:
        for _ in range(3):
            assert (await proxy.post(ASKED))[0] == 200
        assert not any(proxy.sender.health.busy(Target(name, "m")) for name in NAMES)
    assert len(three[0].asked) == 3


async def test_a_stop_is_no_failure_of_the_target(three: list[Provider_]) -> None:
    three[0].answer = stuck
    async with proxy_of(falling(three, limits=replace(QUICK, idle_timeout=30.0))) as proxy:
        asked = asyncio.create_task(proxy.post(ASKED))
        await until(lambda: proxy.sender.health.latency(Target("north", "m")))
        await proxy.server.close()
        assert (await asked)[0] == 529
    assert not three[1].asked


# ------------------------------------------------------------------------------------------ targets that are left alone


async def test_a_target_that_is_left_alone_is_asked_when_the_others_have_failed(three: list[Provider_]) -> None:
    async with proxy_of(falling(three[:2])) as proxy:
        proxy.sender.health.failed(Target("north", "m"), replace(QUICK, breaker_failures=1))
        three[1].answer = failing(503)
        assert (await proxy.post(ASKED))[0] == 200
        assert [(one.provider, one.attempts) for one in proxy.pipe.served] == [("north", 2)]


class Now:
    """A clock and what is written of it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_target_whose_time_is_over_meanwhile_comes_before_another_try(three: list[Provider_]) -> None:
    now = Now()
    limits = replace(QUICK, retries=2, breaker_failures=1, breaker_open=30.0)
    made = falling(three[:2], limits=limits)
    sender = UpstreamSender(made)
    sender.health = TargetRecords(now)
    sender.health.failed(Target("south", "m"), limits)

    async def slow(request: web.BaseRequest) -> web.StreamResponse:
        now.now += 60.0
        return await failing(503)(request)

    three[0].answer = slow
    call = ClientRequest("anthropic", json.dumps(ASKED).encode(), [], "")
    told: list[str] = []
    candidates = [Candidate(Target(name, "m"), name) for name in ("north", "south")]
    fallback = Fallback(sender, made, call, candidates, lambda one, _: told.append(one.target.provider))
    sender.closed(await fallback.open())
    await sender.close()
    assert told == ["north", "south"]


async def test_two_rules_of_one_target_are_one_target(three: list[Provider_]) -> None:
    """It is tried again after a pause, as a target is that is alone."""
    three[0].answer = failing(503, **{"Retry-After": "0"})
    rules = (rule("first", "north/m", 2), rule("second", "north/m", 1))
    made = plan({"north": upstream(three[0])}, *rules, strategy="Fallback", limits=replace(QUICK, retries=1))
    async with proxy_of(made) as proxy:
        assert (await proxy.post(ASKED))[0] == 503
        assert [(one.rule, one.attempts) for one in proxy.pipe.served] == [("first", 2)]


async def test_the_client_is_told_what_a_provider_has_said_rather_than_that_another_was_not_asked(
    three: list[Provider_],
) -> None:
    three[0].answer = failing(503)
    made = falling(three[:1])
    rules = (*made.rules, rule("gone", "nowhere/m"))
    async with proxy_of(replace(made, rules=rules)) as proxy:
        status, found = await proxy.post(ASKED)
        assert (status, json.loads(found)["error"]["message"]) == (503, "out of order")
        served = proxy.pipe.served[0]
        assert (served.provider, served.status, served.attempts) == ("north", 503, 2)
