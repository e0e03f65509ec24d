"""What keeps a proxy within bounds: concurrency, budgets, sticky conversations, and counting where it matters."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from proxy_lab import ASKED, Provider_, default_answer, failing, plan, proxy_of, rule, until, upstream

from jackfield.api.records import replace
from jackfield_proxy.child.incoming.conversations import MOST, Conversations, key_of, named
from jackfield_proxy.plan import Concurrency, ProxyLimits, Refusal, Stickiness, Target
from jackfield_proxy.routing.choosing import Candidate
from jackfield_proxy.routing.thresholds import doubtful, thresholds_of


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


class Gate:
    """A provider that answers when it is told to."""

    def __init__(self, provider: Provider_) -> None:
        self.open = asyncio.Event()
        self.now = self.most = 0
        provider.answer = self.answer

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await self.open.wait()
            return await default_answer(request)
        finally:
            self.now -= 1


# ---------------------------------------------------------------------------------------------------------- concurrency


async def test_no_more_requests_at_once_than_the_provider_may_have(north: Provider_) -> None:
    gate = Gate(north)
    limited = upstream(north, concurrency=Concurrency(2, queue=10, timeout=10))
    async with proxy_of(plan({"north": limited})) as proxy:
        asked = [asyncio.create_task(proxy.post(ASKED)) for _ in range(6)]
        await until(lambda: gate.now == 2)
        gate.open.set()
        assert [status for status, _ in await asyncio.gather(*asked)] == [200] * 6
    assert gate.most == 2


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [("/v1/messages", 429, "rate_limit_error"), ("/v1/chat/completions", 429, "rate_limit_error")],
)
async def test_a_full_queue_is_told_in_the_dialect_of_the_client(
    north: Provider_, path: str, status: int, kind: str
) -> None:
    gate = Gate(north)
    limited = upstream(north, concurrency=Concurrency(1, queue=1, timeout=10))
    async with proxy_of(plan({"north": limited})) as proxy:
        asked = [asyncio.create_task(proxy.post(ASKED)) for _ in range(2)]
        await until(lambda: gate.now == 1 and len(proxy.sender.limiter._queues["north"].waiting) == 1)
        async with proxy.client.post(path, json=ASKED) as answer:
            body = await answer.json()
            assert (answer.status, body["error"]["type"], answer.headers["Retry-After"]) == (status, kind, "1")
        assert "proxy_config.providers.north" in body["error"]["message"]
        gate.open.set()
        await asyncio.gather(*asked)


@pytest.mark.parametrize(("path", "status"), [("/v1/messages", 529), ("/v1/responses", 503)])
async def test_a_turn_that_does_not_come_is_overload(north: Provider_, path: str, status: int) -> None:
    gate = Gate(north)
    limited = upstream(north, concurrency=Concurrency(1, queue=1, timeout=0.05))
    async with proxy_of(plan({"north": limited})) as proxy:
        first = asyncio.create_task(proxy.post(ASKED))
        await until(lambda: gate.now == 1)
        async with proxy.client.post(path, json={**ASKED, "input": "ping"}) as answer:
            assert answer.status == status
            assert "none ended within 0.05 s" in await answer.text()
        gate.open.set()
        assert (await first)[0] == 200
        assert (await proxy.post(ASKED))[0] == 200, "the turn that was given up is nobody's"


async def test_a_client_that_leaves_the_queue_gives_up_its_turn(north: Provider_) -> None:
    gate = Gate(north)
    limited = upstream(north, concurrency=Concurrency(1, queue=5, timeout=10))
    async with proxy_of(plan({"north": limited})) as proxy:
        first, second = (asyncio.create_task(proxy.post(ASKED)) for _ in range(2))
        queue = proxy.sender.limiter._queues
        await until(lambda: "north" in queue and len(queue["north"].waiting) == 1)
        second.cancel()
        await until(lambda: not queue["north"].waiting or first.done())
        gate.open.set()
        await asyncio.gather(first, second, return_exceptions=True)
        assert (await proxy.post(ASKED))[0] == 200
        assert queue["north"].busy == 0


async def test_a_new_limit_counts_for_those_that_wait(north: Provider_) -> None:
    gate = Gate(north)
    limited = plan({"north": upstream(north, concurrency=Concurrency(1, queue=5, timeout=10))})
    async with proxy_of(limited) as proxy:
        asked = [asyncio.create_task(proxy.post(ASKED)) for _ in range(3)]
        await until(lambda: gate.now == 1)
        proxy.server.plan = plan({"north": upstream(north)})
        await until(lambda: gate.now == 3)
        gate.open.set()
        await asyncio.gather(*asked)


async def test_another_target_takes_what_has_no_room(north: Provider_) -> None:
    gate = Gate(north)
    async with Provider_().serving() as south:
        upstreams = {
            "north": upstream(north, concurrency=Concurrency(1, queue=0)),
            "south": upstream(south, "south"),
        }
        rules = (rule("first", "north/n", 9), rule("second", "south/s", 1))
        async with proxy_of(plan(upstreams, *rules, strategy="Fallback")) as proxy:
            first = asyncio.create_task(proxy.post(ASKED))
            await until(lambda: gate.now == 1)
            assert (await proxy.post(ASKED))[0] == 200
            gate.open.set()
            await first
            assert [one.rule for one in proxy.pipe.served] == ["second", "first"]
            assert not proxy.sender.health.open_for(Target("north", "n")), "having no room is no failure"


# -------------------------------------------------------------------------------------------------------------- budgets


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/v1/responses"])
async def test_a_used_up_budget_refuses_until_it_resets(north: Provider_, path: str) -> None:
    made = plan({"north": upstream(north)})
    over = Refusal("The profile p has used up its budget of 2 USD a day.", round(time.time() * 1000) + 90_000)
    async with proxy_of(replace(made, refusal=over)) as proxy:
        async with proxy.client.post(path, json={**ASKED, "input": "x"}) as answer:
            body = await answer.json()
            assert (answer.status, body["error"]["message"]) == (429, over.message)
            assert 80 <= int(answer.headers["Retry-After"]) <= 90
        assert not north.asked
        assert proxy.pipe.served[0].status == 429
        proxy.server.plan = replace(made, refusal=replace(over, until_ms=round(time.time() * 1000) - 1))
        assert (await proxy.post(ASKED))[0] == 200


# -------------------------------------------------------------------------------------------------------------- sticky


def balanced(north: Provider_, **more: Any) -> Any:
    upstreams = {"north": upstream(north), "south": upstream(north, "south")}
    rules = (rule("a", "north/a"), rule("b", "south/b"))
    return plan(upstreams, *rules, strategy="RoundRobin", **more)


def turn(session: str) -> dict[str, Any]:
    return {**ASKED, "metadata": {"user_id": f"user_1_account__session_{session}"}}


async def test_a_conversation_stays_with_its_target(north: Provider_) -> None:
    async with proxy_of(balanced(north, sticky=Stickiness(60))) as proxy:
        for session in ("one", "two", "one", "one", "two", "two"):
            await proxy.post(turn(session))
    served = proxy.pipe.served
    assert [one.rule for one in served] == ["a", "b", "a", "a", "b", "b"]
    assert any("its conversation was there before" in one.reason for one in served)
    assert {one.session for one in served} == {"one", "two"}


async def test_without_it_targets_take_turns(north: Provider_) -> None:
    async with proxy_of(balanced(north)) as proxy:
        for _ in range(4):
            await proxy.post(turn("one"))
    assert [one.rule for one in proxy.pipe.served] == ["a", "b", "a", "b"]


async def test_a_conversation_leaves_a_target_that_fails_and_one_that_is_busy(north: Provider_) -> None:
    limits = ProxyLimits(retries=0, breaker_failures=1, breaker_open=60, stop_grace=0)
    async with proxy_of(balanced(north, sticky=Stickiness(60), limits=limits)) as proxy:
        await proxy.post(turn("one"))
        proxy.sender.health.failed(Target("north", "a"), limits)
        for _ in range(3):
            await proxy.post(turn("one"))
    assert [one.rule for one in proxy.pipe.served] == ["a", "b", "b", "b"]
    gate = Gate(north)
    busy = balanced(north, sticky=Stickiness(60))
    crowded = {name: replace(one, concurrency=Concurrency(1)) for name, one in busy.upstreams.items()}
    async with proxy_of(replace(busy, upstreams=crowded)) as proxy:
        first = asyncio.create_task(proxy.post(turn("one")))
        await until(lambda: gate.now == 1)
        second = asyncio.create_task(proxy.post(turn("one")))
        await until(lambda: gate.now == 2)
        gate.open.set()
        await asyncio.gather(first, second)
    assert {one.rule for one in proxy.pipe.served} == {"a", "b"}


def test_conversations_are_forgotten_in_time_and_number() -> None:
    clock = [0.0]
    kept = Conversations(lambda: clock[0])
    one, other = Candidate(Target("n", "a"), "a"), Candidate(Target("s", "b"), "b")
    kept.served("x", other, 10)
    assert kept.led("x", [one, other], lambda _: True)[0].target == other.target
    assert kept.led("x", [one, other], lambda _: False)[0] is one
    assert kept.led("x", [one], lambda _: True)[0] is one, "rules have changed"
    kept.served("x", Candidate(Target("s", "c"), "c", fallback=True), 10)
    assert kept.led("x", [one, other], lambda _: True)[0].target == other.target, "nothing stays at a fallback"
    clock[0] = 11.0
    assert kept.led("x", [one, other], lambda _: True)[0] is one
    for number in range(MOST + 5):
        kept.served(str(number), one, 10)
    assert len(kept) == MOST


def test_what_names_a_conversation() -> None:
    assert named({}, {"session_id": "s1"}) == "s1"
    assert named({"prompt_cache_key": "k"}, {"session-id": "parent", "thread-id": "own"}) == "own"
    assert named({"prompt_cache_key": "k"}, {}) == "k"
    assert named({"metadata": {"user_id": "user_x_account_y_session_abc-1"}}, {}) == "abc-1"
    assert named({"metadata": {"user_id": '{"device_id":"d","session_id":"abc-2"}'}}, {}) == "abc-2"
    assert named({"metadata": 7, "prompt_cache_key": 3}, {}) == ""
    first = [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}]
    assert key_of({"messages": first}, {}) == key_of({"messages": [*first, {"role": "assistant", "content": "x"}]}, {})
    assert key_of({"messages": first}, {}) != key_of({"messages": [{"role": "user", "content": "ho"}]}, {})
    assert key_of({"input": "hi"}, {}) != key_of({"input": "ho"}, {})
    blocks = [{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image", "source": {}}, 7]}]
    assert key_of({"messages": blocks}, {}) == key_of({"messages": [{"role": "user", "content": "hi"}]}, {})
    assert [key_of({"messages": odd}, {}) for odd in (7, [7], [{"content": 7}], [])] == [""] * 4
    assert key_of({}, {}) == ""


# ------------------------------------------------------------------------------------------------------------- counting


def sized(tokens: int) -> dict[str, Any]:
    """About so many by the estimate."""
    return {**ASKED, "messages": [{"role": "user", "content": "word, " * round(tokens * 3.5 / 6)}]}


def test_doubt_is_where_the_error_of_the_estimate_may_matter() -> None:
    made = plan({}, rule("a", "n/m", type="any", conditions=[{"type": "token_count", "min": 1000, "max": 9000}]))
    found = thresholds_of(made)
    assert found == (1000, 9000)
    assert [doubtful(tokens, found) for tokens in (500, 700, 1000, 1900, 2100, 5000, 6000, 17000, 19000)] == [
        False, True, True, True, False, False, True, True, False,
    ]  # fmt: skip
    assert not doubtful(1000, ())


async def test_the_provider_counts_only_near_a_threshold(north: Provider_) -> None:
    counted: list[dict[str, Any]] = []

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path.endswith("/count_tokens"):
            counted.append(json.loads(await request.read()))
            return web.json_response({"input_tokens": 4711})
        return await default_answer(request)

    north.answer = answer
    rules = (rule("long", "north/long", 9, type="token_count", min=4000), rule("rest", "north/rest"))
    async with proxy_of(plan({"north": upstream(north)}, *rules)) as proxy:
        await proxy.post(sized(500))
        await proxy.post(sized(50_000))
        assert not counted
        await proxy.post({**sized(3000), "stream": True})
        await proxy.post({**sized(3000), "model": "gpt"}, "/v1/chat/completions")
    assert [(one.rule, one.counted) for one in proxy.pipe.served] == [
        ("rest", False), ("long", False), ("long", True), ("long", True),
    ]  # fmt: skip
    assert [one.estimated_tokens for one in proxy.pipe.served[2:]] == [4711, 4711]
    assert [sorted(one) for one in counted] == [["messages", "model"]] * 2


async def test_counts_take_no_turn(north: Provider_) -> None:
    """Neither one that decides which rules fit, nor one that a client asks for."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        counts = request.path.endswith("/count_tokens")
        return web.json_response({"input_tokens": 3900}) if counts else await default_answer(request)

    north.answer = answer
    long = rule("long", "north/long", 9, type="token_count", min=4000)
    made = plan({"north": upstream(north)}, long, rule("a", "north/a"), rule("b", "north/b"), strategy="RoundRobin")
    asked = {**ASKED, "messages": [{"role": "user", "content": "x " * 8000}]}
    async with proxy_of(made) as proxy:
        for _ in range(4):
            assert (await proxy.post(asked))[0] == 200
            assert (await proxy.post(ASKED, "/v1/messages/count_tokens"))[0] == 200
    assert [(one.rule, one.counted) for one in proxy.pipe.served] == [("a", True), ("b", True)] * 2


@pytest.mark.parametrize("status", [404, 500])
async def test_a_provider_that_does_not_count_is_not_asked_again_for_a_while(north: Provider_, status: int) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        counts = request.path.endswith("/count_tokens")
        return await (failing(status) if counts else default_answer)(request)

    north.answer = answer
    rules = (rule("long", "north/long", 9, type="token_count", min=4000), rule("rest", "north/rest"))
    async with proxy_of(plan({"north": upstream(north)}, *rules)) as proxy:
        for _ in range(3):
            assert (await proxy.post(sized(3000)))[0] == 200
    assert sum(one.path.endswith("/count_tokens") for one in north.asked) == 1
    assert {one.rule for one in proxy.pipe.served} == {"rest"}


async def test_a_count_that_takes_too_long_is_an_estimate(north: Provider_) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path.endswith("/count_tokens"):
            await asyncio.sleep(60)
        return await default_answer(request)

    north.answer = answer
    limits = ProxyLimits(count_timeout=0.05, stop_grace=0)
    made = plan({"north": upstream(north)}, rule("long", "north/l", type="token_count", min=4000), limits=limits)
    async with proxy_of(made) as proxy:
        assert (await proxy.post(sized(3000)))[0] == 200
    assert not proxy.pipe.served[0].counted


# --------------------------------------------------------------------------------------------- what does not pass as is


async def test_what_another_provider_has_left_in_a_conversation_does_not_pass(north: Provider_) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "jackfield:responses:secret-reasoning"}
    turns = [
        {"role": "user", "content": "ping"},
        {"role": "assistant", "content": [thinking, {"type": "text", "text": "pong"}]},
        {"role": "user", "content": "again"},
    ]
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        status, _ = await proxy.post({**ASKED, "messages": turns, "unknown_field": 1})
        assert status == 200
        assert proxy.pipe.served[0].translated
        await proxy.post({**ASKED, "unknown_field": 1})
    assert b"secret-reasoning" not in north.asked[0].body
    assert b"pong" in north.asked[0].body
    assert json.loads(north.asked[1].body)["unknown_field"] == 1


async def test_prompts_that_come_from_elsewhere_are_marked_for_anthropics_cache(north: Provider_) -> None:
    body = {"model": "m", "messages": [{"role": "system", "content": "s " * 5000}, {"role": "user", "content": "hi"}]}
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        assert (await proxy.post(body, "/v1/chat/completions"))[0] == 200
    assert b"cache_control" in north.asked[0].body
