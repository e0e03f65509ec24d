"""The cache of answers: bounded, for a while, by the bytes of a request."""

from __future__ import annotations

from proxy_lab import Pipe

from jackfield_proxy.child.answers.answer_cache import ENTRY, AnswerCache, name_of
from jackfield_proxy.child.serving.tenants import Tenants
from jackfield_proxy.plan import ProxyPlan, Target

TARGET = Target("north", "m")


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_an_answer_is_kept_for_its_time() -> None:
    time = Time()
    cache = AnswerCache(10_000, time)
    cache.keep(b"a", TARGET, [("Content-Type", "text/plain"), ("Date", "now")], b"x", 10.0)
    time.now += 9.5
    found = cache.find(b"a")
    assert found is not None
    assert (found.body, found.headers, cache.age(found)) == (b"x", [("Content-Type", "text/plain")], 9)
    time.now += 0.5
    assert cache.find(b"a") is None


def test_the_answer_that_was_used_longest_ago_gives_way() -> None:
    cache = AnswerCache(3 * (ENTRY + 100), Time())
    for name in (b"a", b"b", b"c"):
        cache.keep(name, TARGET, [], bytes(100), 10.0)
    assert cache.find(b"a") is not None
    cache.keep(b"d", TARGET, [], bytes(100), 10.0)
    assert [cache.find(name) is not None for name in (b"a", b"b", b"c", b"d")] == [True, False, True, True]
    cache.keep(b"a", TARGET, [], bytes(50), 10.0)
    cache.keep(b"large", TARGET, [], bytes(10_000), 10.0)
    assert cache.find(b"large") is None
    assert cache.find(b"a") is not None
    cache.clear()
    assert cache.find(b"a") is None


def test_a_copy_that_grows_too_large_is_none() -> None:
    copy = AnswerCache(80, Time()).copy()
    copy.add(bytes(10))
    assert copy.whole() == bytes(10)
    copy.add(b"x")
    assert copy.whole() is None
    copy.add(b"x")
    assert copy.whole() is None


def test_names_tell_requests_apart() -> None:
    pairs = [("Anthropic-Beta", "one"), ("X-Trace", "1")]
    name = name_of("k", "anthropic", "", pairs, b"{}")
    assert name == name_of("k", "anthropic", "", [("anthropic-beta", "one")], b"{}")
    others = [
        name_of("l", "anthropic", "", pairs, b"{}"),
        name_of("k", "chat", "", pairs, b"{}"),
        name_of("k", "anthropic", "beta=true", pairs, b"{}"),
        name_of("k", "anthropic", "", [("anthropic-beta", "two")], b"{}"),
        name_of("k", "anthropic", "", pairs, b"{ }"),
    ]
    assert len({name, *others}) == 6


def test_a_profile_that_leaves_the_shared_listener_keeps_no_answers() -> None:
    member = ProxyPlan("p", "", "north")
    tenants = Tenants(ProxyPlan("", "", "", members={"p": member}), Pipe())  # type: ignore[arg-type]
    cache = tenants._tenants["p"].services.cache
    cache.keep(b"a", TARGET, [], b"x", 10.0)
    tenants.follow(ProxyPlan("", "", ""))
    assert cache.find(b"a") is None
