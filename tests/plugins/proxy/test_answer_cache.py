"""The cache of answers: bounded, for a while, by the bytes of a request."""

from __future__ import annotations

import time

import pytest
from aiohttp import web
from proxy_lab import ASKED, Pipe, Provider_, default_answer, failing, plan, profile, proxy_of, rule, upstream

from jackfield.api.dialects.model import DialectName
from jackfield.api.gateway import CallerPass
from jackfield.api.records import replace
from jackfield_proxy.child.answers.answer_cache import ENTRY, AnswerCache, CachedFor, name_of
from jackfield_proxy.child.incoming import client_request
from jackfield_proxy.child.incoming.addressing import Pairs
from jackfield_proxy.child.incoming.client_request import ClientRequest
from jackfield_proxy.child.serving.tenants import Tenants
from jackfield_proxy.client_routes import NamedInPath
from jackfield_proxy.daemon.planning import with_cache_part
from jackfield_proxy.plan import ProxyPlan, Refusal, Rule, Target
from jackfield_proxy.routing.choosing import Candidate
from jackfield_proxy.settings import ProxySettings

TARGET = Target("north", "m")
MINE = CachedFor("k", "p", 10.0)


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_an_answer_is_kept_for_its_time() -> None:
    time = Time()
    cache = AnswerCache(10_000, 0.5, time)
    cache.keep(b"a", MINE, TARGET, [("Content-Type", "text/plain"), ("Date", "now")], b"x")
    time.now += 9.5
    found = cache.find(b"a")
    assert found is not None
    assert (found.body, found.headers, cache.age(found)) == (b"x", [("Content-Type", "text/plain")], 9)
    time.now += 0.5
    assert cache.find(b"a") is None


def test_the_answer_that_was_used_longest_ago_gives_way() -> None:
    cache = AnswerCache(3 * (ENTRY + 100), 0.5, Time())
    for name in (b"a", b"b", b"c"):
        cache.keep(name, MINE, TARGET, [], bytes(100))
    assert cache.find(b"a") is not None
    cache.keep(b"d", MINE, TARGET, [], bytes(100))
    assert [cache.find(name) is not None for name in (b"a", b"b", b"c", b"d")] == [True, False, True, True]
    cache.keep(b"a", MINE, TARGET, [], bytes(50))
    cache.keep(b"large", MINE, TARGET, [], bytes(10_000))
    assert cache.find(b"large") is None
    assert cache.find(b"a") is not None
    cache.clear("other")
    assert cache.find(b"a") is not None
    cache.clear("p")
    assert cache.find(b"a") is None


def test_a_copy_that_grows_too_large_is_none() -> None:
    copy = AnswerCache(80, 0.5, Time()).copy()
    copy.add(bytes(10))
    assert copy.whole() == bytes(10)
    copy.add(b"x")
    assert copy.whole() is None
    copy.add(b"x")
    assert copy.whole() is None


def asked(
    pairs: Pairs | None = None, query: str = "", dialect: DialectName = "anthropic", end: bytes = b""
) -> ClientRequest:
    return ClientRequest(dialect, b'{"model":"m"}' + end, pairs or [], query)


def test_names_tell_requests_apart() -> None:
    mine, here, pairs = ("k", "p"), Candidate(TARGET), [("Anthropic-Beta", "one"), ("X-Trace", "1")]
    name = name_of(mine, asked(pairs), here)
    assert name == name_of(mine, asked([("anthropic-beta", "one")]), here)
    others = [
        name_of(("l", "p"), asked(pairs), here),
        name_of(("k", "q"), asked(pairs), here),
        name_of(mine, asked(pairs, dialect="chat"), here),
        name_of(mine, asked(pairs, "beta=true"), here),
        name_of(mine, asked([("anthropic-beta", "two")]), here),
        name_of(mine, asked(pairs, end=b" "), here),
    ]
    assert len({name, *others}) == 7


def test_what_stands_in_the_path_tells_requests_apart() -> None:
    paths = [
        NamedInPath("gemini-x", False, "v1beta"),
        NamedInPath("gemini-y", False, "v1beta"),
        NamedInPath("gemini-x", True, "v1beta"),
        NamedInPath("gemini-x", False, "v1alpha"),
    ]
    calls = [ClientRequest("gemini", b"{}", [], "", named=one) for one in paths]
    assert len({name_of(("k", "p"), one, Candidate(TARGET)) for one in calls}) == len(paths)


def test_other_rules_tell_requests_apart() -> None:
    one, two = rule("gold", TARGET.text), rule("all", "south/m")
    fitting = [[one, two], [two], [one], [one, rule("all", TARGET.text)], Candidate(TARGET)]
    assert len({name_of(("k", "p"), asked(), found) for found in fitting}) == len(fitting)


async def test_what_the_cache_answers_takes_no_turn() -> None:
    made = plan({}, rule("a", "north/a"), rule("b", "north/b"), keys=True, strategy="RoundRobin")
    async with Provider_().serving() as north, proxy_of(replace(made, upstreams={"north": upstream(north)})) as proxy:
        proxy.pipe.caller = CallerPass("k", cache_seconds=60)
        for number in range(4):
            for _ in range(2):
                question = {**ASKED, "messages": [{"role": "user", "content": f"question {number}"}]}
                assert (await proxy.post(question, Authorization="Bearer jf_vk_x"))[0] == 200
    served = [(one.rule, one.cached) for one in proxy.pipe.served]
    assert served == [("a", False), (None, True), ("b", False), (None, True)] * 2


LONG = {**ASKED, "messages": [{"role": "user", "content": "x " * 5000}]}
"""Its length is estimated as less than 4000 tokens, but not as less than half of that."""


async def counting(request: web.BaseRequest) -> web.StreamResponse:
    counts = request.path.endswith("/count_tokens")
    return web.json_response({"input_tokens": 9000}) if counts else await default_answer(request)


async def test_what_the_cache_answers_asks_no_provider_and_no_budget() -> None:
    """Near a threshold too, where the provider is asked for the exact length of what is sent."""
    north = Provider_()
    north.answer = counting
    long = [{"type": "token_count", "min": 4000}, {"type": "header", "name": "x-tier", "equals": "gold"}]
    rules = [rule("long gold", "north/long", 9, type="all", conditions=long), rule("else", "north/basic")]
    async with north.serving():
        made = plan({"north": upstream(north)}, *rules, keys=True)
        async with proxy_of(made) as proxy:
            proxy.pipe.caller = CallerPass("k", cache_seconds=60)
            key = {"Authorization": "Bearer jf_vk_x"}
            for tier in ("gold", "basic"):
                assert (await proxy.post(LONG, **key, **{"x-tier": tier}))[0] == 200
            assert len(north.asked) == 4
            refusal = Refusal("The budget is used up.", int((time.time() + 3600) * 1000))
            proxy.server.plan = replace(made, refusal=refusal)
            for tier in ("gold", "basic"):
                assert (await proxy.post(LONG, **key, **{"x-tier": tier}))[0] == 200
            assert (await proxy.post({**LONG, "max_tokens": 8}, **key))[0] == 429
    assert [(one.model, one.cached) for one in proxy.pipe.served[:4]] == [
        ("long", False), ("basic", False), ("long", True), ("basic", True),
    ]  # fmt: skip
    assert len(north.asked) == 4


@pytest.mark.parametrize("all_are_fallbacks", [False, True])
async def test_the_answer_of_a_fallback_is_not_kept(*, all_are_fallbacks: bool) -> None:
    """Unless there is nothing else: else a hiccup of the first choice would last as long as the cache."""
    north, south = Provider_(), Provider_()
    north.answer = failing(500)
    first = replace(rule("first", "north/m", 1), fallback=all_are_fallbacks)
    second = replace(rule("second", "south/m"), fallback=True)
    async with north.serving(), south.serving():
        upstreams = {"north": upstream(north), "south": upstream(south, "south")}
        made = plan(upstreams, first, second, keys=True, strategy="Fallback")
        async with proxy_of(made) as proxy:
            proxy.pipe.caller = CallerPass("k", cache_seconds=60)
            key = {"Authorization": "Bearer jf_vk_x"}
            await proxy.post(ASKED, **key)
            north.answer = default_answer
            for _ in range(2):
                assert (await proxy.post(ASKED, **key))[0] == 200
    first_choice = [("south", False), ("north", False), ("north", True)]
    nothing_else = [("south", False), ("south", True), ("south", True)]
    expected = nothing_else if all_are_fallbacks else first_choice
    assert [(one.provider, one.cached) for one in proxy.pipe.served] == expected


async def test_rules_on_headers_and_the_time_count_before_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same body of the same key, to which other rules apply."""
    minute = 0
    monkeypatch.setattr(client_request, "minute_of_day", lambda _: minute)
    rules = [
        Rule("gold", {"type": "header", "name": "x-tier", "equals": "gold"}, Target("north", "gold"), 2),
        rule("night", "north/night", 1, type="time", **{"from": "22:00", "to": "23:00"}),
        rule("else", "north/basic"),
    ]
    async with Provider_().serving() as north, proxy_of(plan({"north": upstream(north)}, *rules, keys=True)) as proxy:
        proxy.pipe.caller = CallerPass("k", cache_seconds=60)
        key = {"Authorization": "Bearer jf_vk_x"}

        async def served(**headers: str) -> str:
            assert (await proxy.post(ASKED, **key, **headers))[0] == 200
            last = proxy.pipe.served[-1]
            return f"{last.model} {'kept' if last.cached else 'sent'}"

        assert [await served(**{"x-tier": tier}) for tier in ("basic", "gold", "other", "gold")] == [
            "basic sent", "gold sent", "basic kept", "gold kept",
        ]  # fmt: skip
        minute = 22 * 60 + 30
        assert [await served(), await served()] == ["night sent", "night kept"]


def test_a_profile_that_leaves_the_shared_listener_keeps_no_answers() -> None:
    member = ProxyPlan("p", "", "north")
    tenants = Tenants(ProxyPlan("", "", "", members={"p": member}), Pipe())  # type: ignore[arg-type]
    cache = tenants._tenants["p"].services.cache
    cache.keep(b"a", MINE, TARGET, [], b"x")
    tenants.follow(ProxyPlan("", "", ""))
    assert cache.find(b"a") is None


def test_a_key_that_fills_the_cache_leaves_others_their_share() -> None:
    one = ENTRY + 100
    cache = AnswerCache(8 * one, 0.25, Time())
    small, large = CachedFor("small", "p", 10.0), CachedFor("large", "q", 10.0)
    for number in range(2):
        cache.keep(b"small%d" % number, small, TARGET, [], bytes(100))
    for number in range(50):
        cache.keep(b"large%d" % number, large, TARGET, [], bytes(100))
    assert all(cache.find(b"small%d" % number) for number in range(2))
    assert sum(cache.find(b"large%d" % number) is not None for number in range(50)) == 6
    cache.resize(3 * one, 0.25)
    kept = [name for name in (*(b"small%d" % one for one in range(2)), *(b"large%d" % one for one in range(50)))
            if cache.find(name)]  # fmt: skip
    assert len(kept) == 3
    assert any(name.startswith(b"small") for name in kept)


def test_the_daemons_bound_is_that_of_all_processes_together() -> None:
    settings = ProxySettings(cache_size=1200, shared_port=4010)
    profiles = [profile("a"), profile("b"), profile("c", enabled=False)]
    part = with_cache_part(ProxyPlan("a", "", "north"), settings, profiles).limits.cache_size
    assert part * 3 == settings.cache_size


def test_new_limits_leave_answers_and_new_rules_do_not() -> None:
    plan = ProxyPlan("p", "", "north")
    tenants = Tenants(plan, Pipe())  # type: ignore[arg-type]
    cache = tenants._cache
    cache.keep(b"a", MINE, TARGET, [], b"x")
    tenants.follow(replace(plan, limits=replace(plan.limits, cache_size=5000)))
    assert cache.find(b"a") is not None
    tenants.follow(replace(plan, strategy="Fallback"))
    assert cache.find(b"a") is None
