"""Presets of strangers: whatever their code does, no call is let through, nobody else waits, and forms go on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import pytest

from jackfield.api.errors import AccessDenied, WebhookUnauthorized
from jackfield.api.extensions import Given
from jackfield.api.webhooks import PresetField, PresetMistake, VerifiedCall, WebhookCall, preset_mistakes
from jackfield_webhooks.authentication.senders import PRESETS
from jackfield_webhooks.node import WebhookNode

Bench = Any


class Verifier:
    headers: Collection[str] = ("X-Proof",)

    def __init__(self, verify: Callable[[WebhookCall], Any]) -> None:
        self._verify = verify

    def verify(self, call: WebhookCall) -> VerifiedCall:
        found: VerifiedCall = self._verify(call)
        return found

    def sign(self, call: WebhookCall) -> Mapping[str, str]:
        return {"X-Proof": "good"}


class Preset:
    name = "odd"
    label = "Odd"
    description = ""
    key_label = ""
    fields: Sequence[PresetField] = (PresetField("mode", "Mode", options=("a", "b")),)

    def __init__(self, verify: Callable[[WebhookCall], Any], made: Callable[[], None] = lambda: None) -> None:
        self._verify = verify
        self._made = made

    def verifier(self, values: Mapping[str, str]) -> Verifier:
        self._made()
        return Verifier(self._verify)


Odd = Callable[..., Any]


@pytest.fixture
def odd(make_bench: Callable[..., Bench]) -> Odd:
    """A bench with the preset `odd` of another plugin, and a live webhook that uses it."""

    async def made(preset: object, settings: dict[str, Any] | None = None, **config: str) -> Bench:
        bench = make_bench({"preset_timeout": 0.2, "preset_threads": 2, **(settings or {})})
        named = {one.name.lower(): one for one in PRESETS}
        given = {**named, "odd": Given("stranger", "stranger:Plugin", preset)}
        bench.context.ports["jackfield_webhook_presets"] = given
        await bench.hook("odd", authentication="hmac", authConfig={"preset": "odd", **config})
        return bench

    return made


def fail(error: BaseException) -> Callable[..., Any]:
    def failing(*_: object) -> Any:
        raise error

    return failing


@pytest.mark.parametrize(
    "verify",
    [
        fail(WebhookUnauthorized("Wrong.")), fail(AccessDenied("Wrong.")), fail(KeyError("x-proof")),
        fail(SystemExit(0)), fail(KeyboardInterrupt()), fail(TimeoutError()), fail(asyncio.CancelledError()),
        fail(StopIteration()), lambda call: None, lambda call: True, lambda call: False, lambda call: {"ok": True},
        lambda call: VerifiedCall(delivery=7), lambda call: VerifiedCall(event=None),
    ],
)  # fmt: skip
async def test_nothing_but_a_verified_call_lets_a_call_through(odd: Odd, verify: Callable[[WebhookCall], Any]) -> None:
    bench = await odd(Preset(verify))
    answer = await bench.call("odd", json={})
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")
    assert bench.engine.requests == []


async def test_a_good_proof_has_an_id_and_a_name(odd: Odd) -> None:
    bench = await odd(Preset(lambda call: VerifiedCall(call.headers["x-id"], "e" * 500, {"sub": "me"})))
    headers = {"x-id": "1", "x-proof": "good"}
    first = await bench.call("odd", json={}, headers=headers)
    again = await bench.call("odd", json={}, headers={**headers, "idempotency-key": "fresh"})
    assert (first.status, again.body) == (200, first.body)
    assert [request.delivery.key for request in bench.engine.requests] == ["odd:1", "odd:1"]
    assert (bench.item["event"], bench.item["jwtPayload"]) == ("e" * 200, {"sub": "me"})
    assert bench.item["headers"]["x-proof"] == "good"


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Opened at the end, so that no thread of a test outlasts it."""
    event = threading.Event()
    yield event
    event.set()


async def test_one_that_hangs_refuses_its_calls_and_keeps_nobody_waiting(odd: Odd, gate: threading.Event) -> None:
    bench = await odd(Preset(lambda call: gate.wait(60)))
    await bench.hook("mine", authentication="headerAuth", authConfig={"headerName": "X-A", "headerValue": "s"})
    calls = [asyncio.create_task(bench.call("odd", json={})) for _ in range(20)]
    await asyncio.sleep(0)
    start = time.monotonic()
    assert (await bench.call("mine", json={}, headers={"x-a": "s"})).status == 200
    assert time.monotonic() - start < 0.2, "the event loop waited"
    assert {answer.status for answer in await asyncio.gather(*calls)} == {401}
    assert sum(thread.name == "webhook preset odd" for thread in threading.enumerate()) == 2
    assert len(bench.engine.requests) == 1


async def test_threads_that_end_late_are_used_again(odd: Odd, gate: threading.Event) -> None:
    bench = await odd(Preset(lambda call: VerifiedCall() if gate.wait(60) else None))
    assert [(await bench.call("odd", json={})).status for _ in range(3)] == [401] * 3
    gate.set()
    deadline = time.monotonic() + 10
    while (await bench.call("odd", json={})).status != 200:
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    "made",
    [fail(PresetMistake("mode", "No.")), fail(RuntimeError("no")), fail(SystemExit()), lambda: time.sleep(0.5)],
)
async def test_one_that_gives_no_verifier_keeps_its_webhook_closed(odd: Odd, made: Callable[[], None]) -> None:
    bench = await odd(Preset(lambda call: VerifiedCall(), made))
    assert (await bench.call("odd", json={})).status == 401


async def test_its_fields_are_checked(odd: Odd, parse: Callable[..., Any], node_of: Callable[..., Any]) -> None:
    bench = await odd(Preset(lambda call: VerifiedCall()), mode="c")
    assert (await bench.call("odd", json={})).status == 401
    workflow = parse(node_of("a", authentication="hmac", authConfig={"preset": "odd", "mode": "c"}))
    (problem,) = await bench.trigger.activation_problems(workflow)
    assert problem.path == "nodes[0].parameters.authConfig.mode"
    assert problem.message == "mode must be one of a, b."


async def test_the_form_names_presets_and_their_fields(odd: Odd) -> None:
    bench = await odd(Preset(lambda call: VerifiedCall()))
    for version in (None, 2.0):
        schema = WebhookNode(bench.context).parameters(version).model_json_schema()
        form = schema["properties"]["authConfig"]["properties"]
        assert [one["const"] for one in form["preset"]["anyOf"]] == [*(one.name for one in PRESETS), "odd"]
        assert form["mode"]["enum"] == ["a", "b"]
        assert form["secret"]["secret"] is True


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", ""), ("name", "a b"), ("name", None), ("label", " "), ("label", 7), ("description", None),
        ("key_label", None), ("fields", "account"), ("fields", 7), ("fields", ["account"]),
        ("fields", [PresetField("secret", "Mine")]), ("fields", [PresetField("a b", "Mine")]),
        ("fields", [PresetField("account", "")]), ("fields", [PresetField("account", "Account", options="ab")]),
    ],
)  # fmt: skip
def test_an_unfit_member_is_named(member: str, value: object) -> None:
    preset = Preset(lambda call: VerifiedCall())
    setattr(preset, member, value)
    (mistake,) = preset_mistakes(preset)
    assert member.removesuffix("s") in mistake


async def call_at(bench: Bench, headers: dict[str, str]) -> int:
    status: int = (await bench.call("sender", body=b'{"type":"paid"}', headers=headers)).status
    return status


@pytest.mark.parametrize("name", [one.name for one in PRESETS])
async def test_ours_verify_what_they_sign_and_know_the_event(bench: Bench, name: str) -> None:
    config = {"preset": name, "secret": "whsec_c2VjcmV0"}
    await bench.hook("sender", authentication="hmac", authConfig=config)
    preset = next(one for one in PRESETS if one.name == name)
    call = WebhookCall("POST", "http://x", {}, b'{"type":"paid"}', bench.clock.now_ms() / 1000)
    signed = dict(preset.verifier(config).sign(call))
    named = {"github": {"x-github-event": "paid"}, "shopify": {"x-shopify-topic": "paid"}}.get(name, {})
    headers = {"content-type": "application/json", **signed, **named}
    assert await call_at(bench, headers) == 200
    assert bench.item["event"] == "paid"
    wrong = {key: value[:-2] + "xx" if "sign" in key or "hmac" in key else value for key, value in headers.items()}
    assert await call_at(bench, wrong) == 401
