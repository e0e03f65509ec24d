"""The listener that all proxies share, and what is left of reservations when processes are killed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anthropic
import httpx
import openai
import pytest
from gateway_lab import INPUT, OUTPUT, GatewayLab, gateway_lab

from jackfield.testing.daemon import poll


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayLab]:
    """A daemon of its own, which is killed in the middle."""
    with gateway_lab(tmp_path_factory.mktemp("shared")) as made:
        made.profile("left")
        made.profile("right", "south", model_aliases={"mine": "south/gpt-4o-mini"})
        poll(lambda: made.data(made.api.get("/api/proxy/shared"))["status"] == "running", "the shared listener runs")
        yield made


def test_a_key_reaches_every_profile_by_its_models(lab: GatewayLab) -> None:
    key, key_id = lab.key("every")
    claude = anthropic.Anthropic(api_key=key, base_url=lab.shared_url, max_retries=0)
    gpt = openai.OpenAI(api_key=key, base_url=f"{lab.shared_url}/v1", max_retries=0)
    turn = [{"role": "user", "content": "?"}]
    assert claude.messages.create(model="claude-haiku-4-5", max_tokens=9, messages=turn).id  # type: ignore[arg-type]
    assert gpt.chat.completions.create(model="mine", messages=turn).model == "gpt-4o-mini"  # type: ignore[arg-type]
    crossed = gpt.chat.completions.create(model="claude-haiku-4-5", messages=turn)  # type: ignore[arg-type]
    assert crossed.choices[0].message.content == "pong"
    assert {one.id for one in gpt.models.list()} >= {"mine", "gpt-4o", "claude-haiku-4-5"}
    rows = lab.settled(key_id, 3)
    assert sorted((row["profile"], row["model"], row["requests"]) for row in rows) == [
        ("left", "claude-haiku-4-5", 2),
        ("right", "gpt-4o-mini", 1),
    ]
    (newest, *_) = lab.data(lab.api.get("/api/proxy/left/requests"))
    assert newest["key"] == key_id


def test_a_request_may_name_its_profile(lab: GatewayLab) -> None:
    key, _ = lab.key("named")
    assert lab.ask(lab.shared_url, key, "/left/v1/messages", model="unlisted").status_code == 200
    assert lab.ask(lab.shared_url, key, profile="left", model="unlisted").status_code == 200
    assert "x-jackfield-profile" not in lab.provider.asked[-1][1]
    unlisted = lab.ask(lab.shared_url, key, "/v1/chat/completions", model="unlisted")
    assert (unlisted.status_code, unlisted.json()["error"]["code"]) == (404, "model_not_found")
    assert "x-jackfield-profile" in unlisted.text
    assert lab.ask(lab.shared_url, key, profile="nobody").status_code == 404
    narrow, _ = lab.key("one profile", profiles=["right"])
    assert lab.ask(lab.shared_url, narrow, profile="left").status_code == 403
    assert lab.ask(lab.shared_url, narrow, model="unlisted").status_code == 200
    listed = openai.OpenAI(api_key=narrow, base_url=f"{lab.shared_url}/v1").models.list()
    assert "claude-haiku-4-5" not in {one.id for one in listed}


def test_what_names_no_model_goes_to_the_first_profile_that_has_such_an_endpoint(lab: GatewayLab) -> None:
    key, _ = lab.key("two profiles", profiles=["left", "right"])
    gpt = openai.OpenAI(api_key=key, base_url=f"{lab.shared_url}/v1", max_retries=0)
    made = gpt.files.create(purpose="batch", file=("a.jsonl", b"{}", "application/jsonl"))
    assert lab.provider.asked[-1][0] == "/south/v1/files"
    assert [one.id for one in gpt.files.list()] == [made.id]
    strict, _ = lab.key("no JSON")
    headers = {"Authorization": f"Bearer {strict}", "Content-Type": "application/json", "x-jackfield-profile": "right"}
    for body in (b'{"input_file_id": "x", "y": NaN}', b'{"input_file_id": "x",}'):
        asked = httpx.post(f"{lab.shared_url}/v1/batches", content=body, headers=headers, trust_env=False)
        assert asked.status_code == 400


def test_it_takes_virtual_keys_alone(lab: GatewayLab) -> None:
    for key in ("", "jf_vk_" + "c" * 43):
        assert lab.ask(lab.shared_url, key).status_code == 401
    assert httpx.head(lab.shared_url, trust_env=False).status_code == 200


def test_profiles_come_and_go_while_it_runs(lab: GatewayLab) -> None:
    key, _ = lab.key("new")
    lab.profile("later")
    poll(lambda: lab.ask(lab.shared_url, key, "/later/v1/messages").status_code == 200, "the new profile is served")
    lab.data(lab.api.put("/api/proxy/later/config", json={"enabled": False}))
    poll(lambda: lab.ask(lab.shared_url, key, "/later/v1/messages").status_code == 404, "it is served no more")


async def test_20_parallel_requests_of_both_official_clients_with_room_for_2(lab: GatewayLab) -> None:
    """Each reserves about 1,010 tokens. Refused ones reach no provider, and what was used is counted to the token."""
    key, key_id = lab.key("twenty", budgets={"total": {"tokens": 2100}})
    before = len(lab.provider.asked)
    lab.provider.gate.clear()
    turn: Any = [{"role": "user", "content": "ping"}]
    async with (
        anthropic.AsyncAnthropic(api_key=key, base_url=lab.shared_url, max_retries=0) as claude,
        openai.AsyncOpenAI(api_key=key, base_url=f"{lab.shared_url}/v1", max_retries=0) as gpt,
    ):
        calls: list[Any] = []
        for _ in range(10):
            calls.append(claude.messages.create(model="claude-haiku-4-5", max_tokens=1000, messages=turn))
            calls.append(gpt.chat.completions.create(model="gpt-4o", max_tokens=1000, messages=turn))
        asked = [asyncio.ensure_future(one) for one in calls]
        async with asyncio.timeout(30):
            while sum(one.done() for one in asked) < 18:
                await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED, timeout=0.1)
        lab.provider.gate.set()
        answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [one for one in answers if isinstance(one, anthropic.RateLimitError | openai.RateLimitError)]
    assert (len(refused), len(answers) - len(refused)) == (18, 2)
    assert not [one for one in answers if isinstance(one, BaseException) and one not in refused]
    assert len(lab.provider.asked) - before == 2
    lab.settled(key_id, 20)
    (budget,) = lab.shown(key_id)["budgets"]
    assert (budget["used"], budget["reserved"]) == (2 * (INPUT + OUTPUT), 0)


def shared_process(lab: GatewayLab) -> int:
    """Its process id: the child of the daemon that holds no profile's proxy."""
    known = {one["pid"] for one in lab.data(lab.api.get("/api/proxy/status"))}
    children = Path(f"/proc/{lab.daemon.pid}/task/{lab.daemon.pid}/children").read_text().split()
    proxies = [int(one) for one in children if b"jackfield_proxy.child" in Path(f"/proc/{one}/cmdline").read_bytes()]
    (found,) = set(proxies) - known
    return found


def test_what_a_killed_process_held_counts_as_used(lab: GatewayLab) -> None:
    key, key_id = lab.key("killed proxy", budgets={"total": {"tokens": 50_000}})
    lab.provider.gate.clear()
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(lab.ask, lab.shared_url, key) for _ in range(3)]
        poll(lambda: lab.shown(key_id)["in_flight"] == 3, "three hold a reservation")
        os.kill(shared_process(lab), signal.SIGKILL)
        assert [one.result().status_code for one in asked] == [502] * 3
    lab.provider.gate.set()
    (budget,) = poll(lambda: lab.shown(key_id)["in_flight"] == 0 and lab.shown(key_id)["budgets"], "they are over")
    assert budget["reserved"] == 0
    assert 3 * 1000 < budget["used"] < 3 * 1100
    (row,) = lab.settled(key_id, 3)
    assert (row["estimated"], row["failures"]) == (3, 3)
    poll(lambda: lab.ask(lab.shared_url, key).status_code == 200, "it is served again")


def test_what_a_killed_daemon_held_counts_as_used_and_nothing_else_is_lost(lab: GatewayLab) -> None:
    key, key_id = lab.key("killed daemon", budgets={"total": {"tokens": 50_000}})
    assert lab.ask(lab.shared_url, key).status_code == 200
    lab.settled(key_id, 1)
    lab.provider.gate.clear()
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(lab.ask, lab.shared_url, key) for _ in range(2)]
        poll(lambda: lab.shown(key_id)["in_flight"] == 2, "two hold a reservation")
        lab.daemon.kill()
        for one in asked:
            assert one.exception() is not None or one.result().status_code >= 500
    lab.provider.gate.set()
    lab.daemon.start()
    (budget,) = lab.shown(key_id)["budgets"]
    assert INPUT + OUTPUT + 2 * 1000 < budget["used"] < INPUT + OUTPUT + 2 * 1100
    (row,) = lab.usage(key_id)
    assert (row["requests"], row["estimated"]) == (3, 2)
    poll(lambda: _served(lab, key), "the key is still good")


def test_what_a_killed_daemon_held_of_a_profiles_budget_is_free_again(lab: GatewayLab) -> None:
    base = lab.profile("own-budget", budgets={"day": {"tokens": 2100}})
    key, _ = lab.key("unlimited")
    lab.provider.gate.clear()
    with ThreadPoolExecutor(2) as pool:
        before = len(lab.provider.asked)
        asked = [pool.submit(lab.ask, base, key) for _ in range(2)]
        poll(lambda: len(lab.provider.asked) == before + 2, "two are under way")
        assert lab.ask(base, key).status_code == 429
        lab.daemon.kill()
        for one in asked:
            assert one.exception() is not None or one.result().status_code >= 500
    lab.provider.gate.set()
    lab.daemon.start()
    base = lab.start("own-budget")
    assert [lab.ask(base, key).status_code for _ in range(2)] == [200, 200]


def _served(lab: GatewayLab, key: str) -> bool:
    try:
        return lab.ask(lab.shared_url, key).status_code == 200
    except httpx.TransportError:
        return False


def test_a_daemon_that_is_stopped_knows_afterwards_what_its_requests_have_used(lab: GatewayLab) -> None:
    key, key_id = lab.key("stopped", budgets={"total": {"tokens": 50_000}})
    for _ in range(3):
        assert lab.ask(lab.shared_url, key).status_code == 200
    lab.daemon.stop()
    lab.daemon.start()
    (row,) = lab.usage(key_id)
    assert (row["requests"], row["estimated"], row["output_tokens"]) == (3, 0, 3 * OUTPUT)


def test_who_has_made_what_outlives_the_daemon_and_says_which_profile_serves(lab: GatewayLab) -> None:
    lab.profile("far", "west")
    maker, other = (
        openai.OpenAI(api_key=lab.key(name)[0], base_url=f"{lab.shared_url}/v1", max_retries=0) for name in ("a", "b")
    )
    made = poll(lambda: _made(maker), "the new profile is served")
    lab.daemon.stop()
    lab.daemon.start()
    poll(lambda: lab.data(lab.api.get("/api/proxy/shared"))["status"] == "running", "the shared listener runs")
    assert maker.responses.retrieve(made).id == made
    with pytest.raises(openai.NotFoundError):
        other.responses.retrieve(made)


def _made(client: openai.OpenAI) -> str | None:
    try:
        return client.responses.create(model="gpt-5", input="ping").id
    except openai.NotFoundError:
        return None


def test_a_port_that_was_taken_at_the_start_is_tried_again(lab: GatewayLab) -> None:
    lab.daemon.stop()
    with socket.create_server(("127.0.0.1", lab.shared)):
        lab.daemon.start()
        told = poll(lambda: _shared(lab) if _shared(lab)["failures"] > 1 else None, "it was tried again")
        assert str(lab.shared) in told["error"]
        assert told["status"] in ("failed", "starting")
        ready = lab.api.get("/ready")
        assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
        assert ready.json()["checks"]["proxy.shared"].endswith("tried again")
        assert "jackfield_proxy_shared_listener_up 0" in lab.api.get("/metrics").text
    poll(lambda: _shared(lab)["status"] == "running", "the shared listener runs")
    assert (_shared(lab)["error"], _shared(lab)["retry_at"]) == (None, None)
    assert lab.api.get("/ready").json()["checks"]["proxy.shared"] == "ok"
    assert "jackfield_proxy_shared_listener_up 1" in lab.api.get("/metrics").text
    key, _ = lab.key("after")
    poll(lambda: _served(lab, key), "it serves")


def _shared(lab: GatewayLab) -> dict[str, Any]:
    found: dict[str, Any] = lab.data(lab.api.get("/api/proxy/shared"))
    return found
