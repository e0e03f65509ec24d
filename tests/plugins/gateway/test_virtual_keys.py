"""Virtual keys with a real daemon, real proxies and the official clients."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import anthropic
import httpx
import openai
import pytest
from gateway_lab import ASKED, INPUT, OUTPUT, GatewayLab

from jackfield.testing.daemon import poll


@pytest.fixture(scope="session")
def north(gateway: GatewayLab) -> str:
    """The base address of a profile's proxy before a provider of Anthropic's dialect."""
    return gateway.profile("keys-north")


@pytest.fixture(scope="session")
def south(gateway: GatewayLab) -> str:
    return gateway.profile("keys-south", "south")


def test_official_clients_use_a_key_and_its_usage_is_counted(gateway: GatewayLab, north: str, south: str) -> None:
    key, key_id = gateway.key("clients", owner="somebody")
    claude = anthropic.Anthropic(api_key=key, base_url=north, max_retries=0)
    said = claude.messages.create(model="claude-sonnet-4-5", max_tokens=99, messages=[{"role": "user", "content": "?"}])
    assert said.content[0].type == "text"
    gpt = openai.OpenAI(api_key=key, base_url=f"{south}/v1", max_retries=0)
    whole = gpt.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "?"}])
    assert whole.choices[0].message.content == "pong"
    stream = gpt.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": "?"}], stream=True, stream_options={"include_usage": True}
    )
    assert "".join(one.choices[0].delta.content or "" for one in stream if one.choices) == "pong"
    rows = gateway.settled(key_id, 3)
    assert {(row["profile"], row["model"], row["requests"]) for row in rows} == {
        ("keys-north", "claude-sonnet-4-5", 1),
        ("keys-south", "gpt-4o", 2),
    }
    assert sum(row["input_tokens"] for row in rows) == 3 * INPUT
    assert sum(row["output_tokens"] for row in rows) == 3 * OUTPUT
    assert all(row["cost_usd"] > 0 and row["owner"] == "somebody" for row in rows)
    assert gateway.shown(key_id)["last_used_at"] is not None
    (newest, *_) = gateway.data(gateway.api.get("/api/proxy/keys-south/requests"))
    assert newest["key"] == key_id


def test_the_provider_sees_no_key_of_ours_and_no_file_holds_it(gateway: GatewayLab, north: str) -> None:
    key, key_id = gateway.key("hidden")
    assert gateway.ask(north, key).status_code == 200
    assert gateway.ask(north, key[:-1] + "~").status_code == 401
    assert all(key not in str(headers) for _, headers in gateway.provider.asked)
    gateway.settled(key_id, 1)
    assert key.encode() not in gateway.files()
    assert key not in gateway.api.get("/api/gateway/keys").text
    assert gateway.shown(key_id)["prefix"] == key[:12]


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/v1/responses"])
def test_refusals_have_the_envelope_of_the_client(gateway: GatewayLab, north: str, path: str) -> None:
    unknown = gateway.ask(north, "jf_vk_" + "a" * 43, path)
    assert unknown.status_code == 401
    key, _ = gateway.key("narrow", models=["claude-haiku-*"])
    denied = gateway.ask(north, key, path)
    assert denied.status_code == 403
    if path == "/v1/messages":
        assert unknown.json()["error"]["type"] == "authentication_error"
        assert denied.json()["error"]["type"] == "permission_error"
    else:
        assert unknown.json()["error"]["code"] == "invalid_api_key"
        assert denied.json()["error"]["param"] == "model"
    assert "claude-sonnet-4-5" in denied.text
    assert gateway.ask(north, key, path, model="claude-haiku-4-5").status_code == 200


def test_official_clients_raise_what_fits(gateway: GatewayLab, north: str, south: str) -> None:
    key, _ = gateway.key("nothing", models=["other"])
    claude = anthropic.Anthropic(api_key=key, base_url=north, max_retries=0)
    with pytest.raises(anthropic.PermissionDeniedError):
        claude.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "?"}])
    gpt = openai.OpenAI(api_key=key, base_url=f"{south}/v1", max_retries=0)
    with pytest.raises(openai.PermissionDeniedError):
        gpt.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}])
    bad = openai.OpenAI(api_key="jf_vk_" + "b" * 43, base_url=f"{south}/v1", max_retries=0)
    with pytest.raises(openai.AuthenticationError):
        bad.models.list()
    limited, _ = gateway.key("one a minute", requests_per_minute=1)
    gpt = openai.OpenAI(api_key=limited, base_url=f"{south}/v1", max_retries=0)
    assert gpt.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "?"}]).id
    with pytest.raises(openai.RateLimitError) as raised:
        gpt.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "?"}])
    assert 0 < int(raised.value.response.headers["retry-after"]) <= 60


def test_a_key_is_for_its_profiles_and_lists_its_models_alone(gateway: GatewayLab, north: str, south: str) -> None:
    key, _ = gateway.key("south only", profiles=["keys-south"], models=["*-mini"])
    refused = gateway.ask(north, key)
    assert (refused.status_code, refused.json()["error"]["type"]) == (403, "permission_error")
    listed = openai.OpenAI(api_key=key, base_url=f"{south}/v1").models.list()
    assert [one.id for one in listed] == ["gpt-4o-mini"]
    wrong = gateway.api.post("/api/gateway/keys", json={"label": "x", "profiles": ["nobody"]})
    assert wrong.status_code == 400
    assert "keys-south" in wrong.json()["details"]["profiles"]


def test_revoked_rotated_and_expired_keys_end_at_once(gateway: GatewayLab, north: str) -> None:
    key, key_id = gateway.key("short")
    assert gateway.ask(north, key).status_code == 200
    fresh = gateway.data(gateway.api.post(f"/api/gateway/keys/{key_id}/rotate"))["key"]
    assert [gateway.ask(north, one).status_code for one in (key, fresh)] == [401, 200]
    assert gateway.data(gateway.api.delete(f"/api/gateway/keys/{key_id}"))["status"] == "revoked"
    refused = gateway.ask(north, fresh)
    assert (refused.status_code, "revoked" in refused.text) == (401, True)
    assert gateway.api.post(f"/api/gateway/keys/{key_id}/rotate").status_code == 409
    assert key_id not in gateway.api.get("/api/gateway/keys").text
    assert key_id in gateway.api.get("/api/gateway/keys?revoked=true").text
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    key, _ = gateway.key("passing", expires_at=soon)
    assert gateway.ask(north, key).status_code == 200
    poll(lambda: gateway.ask(north, key).status_code == 401, "the key has expired")


def test_a_minute_counts_requests_that_cost_nothing(gateway: GatewayLab, north: str) -> None:
    key, key_id = gateway.key("free", requests_per_minute=3, parallel_requests=1, budgets={"total": {"tokens": 1}})

    def listed() -> httpx.Response:
        headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
        return httpx.get(f"{north}/v1/messages/batches", headers=headers, trust_env=False)

    assert listed().status_code == 200
    poll(lambda: gateway.shown(key_id)["in_flight"] == 0, "the list is settled")
    assert gateway.ask(north, key).status_code == 200
    poll(lambda: gateway.shown(key_id)["in_flight"] == 0, "the answer is settled")
    count = "/v1/messages/count_tokens"
    assert gateway.ask(north, key, count).status_code == 200, "a used up budget is no matter"
    poll(lambda: gateway.shown(key_id)["in_flight"] == 0, "the count is settled")
    refused = [gateway.ask(north, key, count), listed()]
    assert [one.status_code for one in refused] == [429, 429]
    assert all("x-should-retry" not in one.headers for one in refused)
    assert sum(row["requests"] for row in gateway.settled(key_id, 5)) == 5


def test_tokens_of_a_minute_are_reserved(gateway: GatewayLab, north: str) -> None:
    key, key_id = gateway.key("tokens", tokens_per_minute=2500)
    assert [gateway.ask(north, key).status_code for _ in range(3)] == [200, 200, 429]
    assert sum(row["requests"] for row in gateway.settled(key_id, 3)) == 3


def test_of_20_that_come_together_as_many_pass_as_the_budget_has_room_for(gateway: GatewayLab, north: str) -> None:
    """Each reserves about 1,010 tokens."""
    key, key_id = gateway.key("together", budgets={"total": {"tokens": 2100}})
    gateway.provider.gate.clear()
    before = len(gateway.provider.asked)
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(gateway.ask, north, key) for _ in range(20)]
        poll(lambda: sum(one.done() for one in asked) == 18, "18 are refused while 2 wait")
        assert gateway.shown(key_id)["in_flight"] == 2
        gateway.provider.gate.set()
        answers = [one.result() for one in asked]
    assert sorted(one.status_code for one in answers) == [200] * 2 + [429] * 18
    assert len(gateway.provider.asked) - before == 2
    assert all(one.headers["retry-after"] == "1" for one in answers if one.status_code == 429)
    poll(lambda: gateway.shown(key_id)["in_flight"] == 0, "both are settled, a moment after their answers")
    (budget,) = gateway.shown(key_id)["budgets"]
    assert (budget["used"], budget["reserved"]) == (2 * (INPUT + OUTPUT), 0)
    assert gateway.ask(north, key).status_code == 200, "what is left serves one alone"
    used_up = gateway.ask(north, key)
    assert (used_up.status_code, used_up.json()["error"]["type"]) == (402, "billing_error")


def test_a_profiles_own_budget_reserves_too(gateway: GatewayLab) -> None:
    base = gateway.profile("keys-budget", budgets={"day": {"tokens": 2100}})
    key, _ = gateway.key("unlimited")
    gateway.provider.gate.clear()
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(gateway.ask, base, key) for _ in range(20)]
        poll(lambda: sum(one.done() for one in asked) == 18, "18 are refused while 2 wait")
        gateway.provider.gate.set()
        answers = [one.result() for one in asked]
    assert sorted(one.status_code for one in answers) == [200] * 2 + [429] * 18


def test_a_budget_that_comes_back_is_told_so_and_not_tried_again(gateway: GatewayLab, south: str) -> None:
    key, _ = gateway.key("daily", budgets={"day": {"usd": 0.0001}})
    tries: list[str] = []
    noting = openai.DefaultHttpxClient(event_hooks={"request": [lambda request: tries.append(request.method)]})
    gpt = openai.OpenAI(api_key=key, base_url=f"{south}/v1", max_retries=2, http_client=noting)
    ask = {"model": "gpt-4o", "messages": [{"role": "user", "content": "?"}], "max_tokens": 1000}
    assert gpt.chat.completions.create(**ask).id  # type: ignore[call-overload]
    poll(lambda: gateway.ask(south, key, "/v1/chat/completions", model="gpt-4o").status_code == 429, "it is used up")
    tries.clear()
    with pytest.raises(openai.RateLimitError) as raised:
        gpt.chat.completions.create(**ask)  # type: ignore[call-overload]
    assert raised.value.code == "budget_exceeded"
    assert 0 < int(raised.value.response.headers["retry-after"]) <= 90_000
    assert tries == ["POST"], "the client has not tried again"


def test_a_stream_that_breaks_off_costs_what_was_reserved(gateway: GatewayLab, north: str) -> None:
    key, key_id = gateway.key("cut", budgets={"total": {"tokens": 100_000}})
    gateway.provider.cut = True
    try:
        assert gateway.ask(north, key, stream=True).status_code == 200
    finally:
        gateway.provider.cut = False
    (row,) = gateway.settled(key_id, 1)
    assert row["estimated"] == 1
    (budget,) = gateway.shown(key_id)["budgets"]
    assert budget["used"] >= 1000


def test_a_client_that_leaves_before_the_answer_pays_what_was_reserved(gateway: GatewayLab, north: str) -> None:
    """Its provider answers, and counts, all the same."""
    key, key_id = gateway.key("left", budgets={"total": {"tokens": 100_000}})
    before = len(gateway.provider.asked)
    gateway.provider.gate.clear()
    try:
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                f"{north}/v1/messages",
                json=ASKED,
                headers={"x-api-key": key},
                trust_env=False,
                timeout=httpx.Timeout(20, read=1),
            )
        assert len(gateway.provider.asked) > before
        (row,) = gateway.settled(key_id, 1)
    finally:
        gateway.provider.gate.set()
    assert (row["requests"], row["estimated"]) == (1, 1)
    (budget,) = gateway.shown(key_id)["budgets"]
    assert budget["used"] >= 1000
    assert budget["reserved"] == 0


def test_limits_change_from_the_next_request_on(gateway: GatewayLab, north: str) -> None:
    key, key_id = gateway.key("changing", requests_per_minute=1)
    assert [gateway.ask(north, key).status_code for _ in range(2)] == [200, 429]
    changed = gateway.data(gateway.api.patch(f"/api/gateway/keys/{key_id}", json={"requests_per_minute": None}))
    assert (changed["requests_per_minute"], changed["label"]) == (None, "changing")
    assert gateway.ask(north, key).status_code == 200


def test_an_empty_list_of_profiles_does_not_open_all_of_them(gateway: GatewayLab, north: str, south: str) -> None:
    key, key_id = gateway.key("narrow for good", profiles=["keys-south"])
    refused = gateway.api.patch(f"/api/gateway/keys/{key_id}", json={"profiles": []})
    assert refused.status_code == 400
    assert "null, for the proxies of all profiles" in refused.json()["details"]["profiles"]
    assert gateway.shown(key_id)["profiles"] == ["keys-south"]
    assert gateway.ask(north, key).status_code == 403
    for given, status in (({"profiles": []}, 400), ({"profiles": None}, 200), ({}, 200)):
        made = gateway.api.post("/api/gateway/keys", json={"label": "new", **given})
        assert made.status_code == status, made.text
    gateway.command("key", "change", "narrow for good", "--clear", "profiles")
    assert gateway.shown(key_id)["profiles"] == []
    assert gateway.ask(north, key).status_code == 200


def test_the_command_makes_lists_changes_and_revokes(gateway: GatewayLab, north: str) -> None:
    made = gateway.command("key", "create", "by command", "--budget", "month.usd=5", "--expires", "30d", "--rpm", "60")
    key = made.split()[0]
    assert gateway.ask(north, key).status_code == 200
    assert "month.usd=" in gateway.command("key", "list")
    assert "unused" in gateway.command("key", "change", "by command", "--owner", "unused", "--clear", "rpm")
    assert "60" not in gateway.command("key", "show", "by command").split("requests_per_minute")[1].split("\n")[0]
    poll(lambda: "claude-sonnet-4-5" in gateway.command("key", "usage", "by command"), "its usage is counted")
    gateway.command("key", "revoke", "by command")
    assert gateway.ask(north, key).status_code == 401
    gateway.command("key", "show", "by command", code=1)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "label"),
        ({"label": "x", "requests_per_minute": 0}, "requests_per_minute"),
        ({"label": "x", "expires_at": "2001-01-01"}, "expires_at"),
        ({"label": "x", "expires_at": "soon"}, "expires_at"),
        ({"label": "x", "budgets": {"week": {"usd": 1}}}, "budgets.week"),
        ({"label": "x", "key": "mine"}, "key"),
    ],
)
def test_mistakes_name_their_field(gateway: GatewayLab, body: dict[str, object], field: str) -> None:
    refused = gateway.api.post("/api/gateway/keys", json=body)
    assert refused.status_code == 400
    assert field in refused.json()["details"]


def test_a_proxy_takes_its_own_token_as_before(gateway: GatewayLab, north: str) -> None:
    answer = httpx.post(f"{north}/v1/messages", json=ASKED, headers={"x-api-key": "wrong"}, trust_env=False)
    assert (answer.status_code, "virtual key" in answer.text) == (401, True)


def test_metrics_tell_statuses_times_and_keys(gateway: GatewayLab) -> None:
    base = gateway.profile("keys-metrics")
    key, key_id = gateway.key("measured")
    assert gateway.ask(base, key).status_code == 200
    assert gateway.ask(base, key, stream=True).status_code == 200
    gateway.settled(key_id, 2)
    lines = gateway.api.get("/metrics").text.splitlines()
    about = 'model="claude-sonnet-4-5",profile="keys-metrics",provider="north"'
    assert f'jackfield_proxy_requests_total{{{about},status="200"}} 2' in lines
    assert f'jackfield_proxy_tokens_total{{kind="output",{about}}} {2 * OUTPUT}' in lines
    for name, count in (("proxy_request_seconds", 2), ("proxy_first_token_seconds", 1)):
        assert f"# TYPE jackfield_{name} histogram" in lines
        buckets = [line for line in lines if line.startswith(f"jackfield_{name}_bucket") and "keys-metrics" in line]
        counts = [int(line.rpartition(" ")[2]) for line in buckets]
        assert counts == sorted(counts)
        assert 'le="+Inf"' in buckets[-1]
        assert counts[-1] == count
        assert f"jackfield_{name}_count{{{about}}} {count}" in lines
    (own,) = [line for line in lines if line.startswith("jackfield_virtual_key_requests_total") and key_id in line]
    assert own.endswith(" 2")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions"])
def test_the_same_request_of_a_key_with_a_cache_is_sent_once(
    gateway: GatewayLab, north: str, path: str, stream: bool
) -> None:
    """Passed through, and translated."""
    key, key_id = gateway.key("cached", cache_seconds=60, budgets={"total": {"tokens": 1_000_000}})
    before = len(gateway.provider.asked)
    first, second = (gateway.ask(north, key, path, stream=stream) for _ in range(2))
    assert len(gateway.provider.asked) - before == 1
    assert first.content == second.content
    assert second.headers["content-type"] == first.headers["content-type"]
    assert ("x-jackfield-cache" in first.headers, second.headers["x-jackfield-cache"]) == (False, "hit")
    assert second.headers["x-jackfield-target"] == "north/claude-sonnet-4-5"
    gateway.ask(north, key, path, stream=stream, temperature=0.5)
    other, _ = gateway.key("cached too", cache_seconds=60)
    gateway.ask(north, other, path, stream=stream)
    assert len(gateway.provider.asked) - before == 3, "another body, and another key"
    (row,) = gateway.settled(key_id, 3)
    assert (row["cached"], row["output_tokens"]) == (1, 2 * OUTPUT)
    (budget,) = gateway.shown(key_id)["budgets"]
    assert budget["used"] == 2 * (INPUT + OUTPUT)


def test_official_clients_read_a_stream_from_the_cache(gateway: GatewayLab, north: str) -> None:
    key, _ = gateway.key("streams", cache_seconds=60)
    claude = anthropic.Anthropic(api_key=key, base_url=north, max_retries=0)
    for _ in range(2):
        with claude.messages.stream(
            model="claude-haiku-4-5", max_tokens=99, messages=[{"role": "user", "content": "again"}]
        ) as stream:
            assert stream.get_final_text() == "pong"


def test_failures_and_answers_that_break_off_are_not_kept(gateway: GatewayLab, north: str) -> None:
    key, _ = gateway.key("careful", cache_seconds=60)
    gateway.provider.cut = True
    try:
        gateway.ask(north, key, stream=True)
    finally:
        gateway.provider.cut = False
    whole = gateway.ask(north, key, stream=True)
    assert ("x-jackfield-cache" in whole.headers, "message_stop" in whole.text) == (False, True)


def test_a_request_holds_what_it_allows_however_much_that_is(gateway: GatewayLab, north: str, south: str) -> None:
    """More than `proxy.reserved_output`, and for each of several answers where it does not say how much."""
    for base, path, changes, least in (
        (north, "/v1/messages", {"max_tokens": 30_000}, 30_000),
        (south, "/v1/chat/completions", {"max_tokens": None, "n": 5, "model": "gpt-4o"}, 5 * 4096),
        (south, "/v1/completions", {"max_tokens": 900, "best_of": 7, "model": "gpt-4o"}, 6300),
    ):
        key, key_id = gateway.key("allows", budgets={"total": {"tokens": 1_000_000}})
        gateway.provider.gate.clear()
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(gateway.ask, base, key, path, **changes)
            (budget,) = poll(
                lambda found=key_id: gateway.shown(found)["in_flight"] and gateway.shown(found)["budgets"], "held"
            )
            gateway.provider.gate.set()
            asked.result()
        assert least <= budget["reserved"] < least + 100


def test_the_dearest_target_that_may_serve_is_held_and_the_one_that_serves_is_paid(gateway: GatewayLab) -> None:
    rules = [
        {"name": "cheap", "priority": 2, "condition": {"type": "always"}, "target": "south/gpt-4o-mini"},
        {"name": "dear", "priority": 1, "condition": {"type": "always"}, "target": "north/claude-sonnet-4-5"},
    ]
    base = gateway.profile("keys-dearest", routing={"strategy": "Fallback", "rules": rules})
    key, key_id = gateway.key("dearest", budgets={"total": {"usd": 1}})
    gateway.provider.gate.clear()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(gateway.ask, base, key)
        (budget,) = poll(lambda: gateway.shown(key_id)["in_flight"] and gateway.shown(key_id)["budgets"], "it is held")
        gateway.provider.gate.set()
        assert asked.result().status_code == 200
    (row,) = gateway.settled(key_id, 1)
    assert row["model"] == "gpt-4o-mini"
    assert budget["reserved"] > 0.01 > row["cost_usd"] > 0
    (budget,) = gateway.shown(key_id)["budgets"]
    assert (budget["used"], budget["reserved"]) == (pytest.approx(row["cost_usd"]), 0)
