"""Envelopes, request ids, scopes, OpenAPI, metrics."""

from __future__ import annotations

import asyncio
import errno

import pytest
from quart import Blueprint

from jackfield.api.diagnosis import Metric
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.hosts import Slots
from jackfield.api.plugin import Plugin
from jackfield.http.app import create_app
from jackfield.http.management import loading
from jackfield.http.system import samples

from .conftest import Client, FakePlugin, MakeKernel, a_plugin

ADA = ("Authorization", "Bearer ada")
VIC = ("Authorization", "Bearer vic")
JSON = ("Content-Type", "application/json")


async def test_every_answer_has_its_own_request_id(client: Client) -> None:
    answers = [await client("GET", path, ADA) for path in ("/health", "/api/v1/things", "/api/v1/nope", "/webhook/x")]
    ids = [answer.header("x-request-id") for answer in answers]
    assert len(set(ids)) == len(ids)
    assert None not in ids
    assert answers[2].json["requestId"] == ids[2]


async def test_the_two_envelopes(client: Client) -> None:
    service = await client("GET", "/api/v1/nope", ADA)
    assert set(service.json) == {"error", "code", "message", "requestId"}
    daemon = await client("GET", "/api/nope", ADA)
    assert daemon.json == {"success": False, "error": "There is nothing at this address.", "code": "NOT_FOUND"}


async def test_an_unexpected_error_shows_nothing(client: Client) -> None:
    answer = await client("GET", "/api/broken", ADA)
    assert (answer.status, answer.json["code"]) == (500, "INTERNAL")
    assert b"secret detail" not in answer.body


async def test_a_wrong_method_names_the_right_ones(client: Client) -> None:
    answer = await client("DELETE", "/api/v1/things", ADA)
    assert (answer.status, answer.json["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert answer.json["allowed"] == ["GET", "HEAD", "POST"]
    assert answer.header("allow") == "GET, HEAD, POST"


async def test_the_scope_is_checked_before_the_body_is_read(client: Client) -> None:
    assert (await client("GET", "/api/v1/things", VIC)).json == {"caller": "vic"}
    refused = await client("POST", "/api/v1/things", VIC, JSON, body=b"{")
    assert refused.status == 403
    assert refused.json["details"]["scope"] == "workflows:write"


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/json", b'{"a":1}', 201),
        ("application/json; charset=utf-8", b'{"a":1}', 201),
        ("application/vnd.x+json", b'{"a":1}', 201),
        ("text/plain", b'{"a":1}', 415),
        ("application/x-www-form-urlencoded", b"a=1", 415),
        ("application/json", b'{"a":', 400),
        ("application/json", b'{"a":NaN}', 400),
        ("application/json", b'{"a":"\xff"}', 400),
        ("application/json", b"[" * 65 + b"]" * 65, 400),
        ("application/json", b"[" * 64 + b"]" * 64, 201),
        ("application/json", b"", 400),
    ],
)
async def test_bodies(client: Client, kind: str, body: bytes, status: int) -> None:
    assert (await client("POST", "/api/v1/things", ADA, ("Content-Type", kind), body=body)).status == status


async def test_a_large_body_is_413(make_kernel: MakeKernel) -> None:
    kernel = make_kernel({"server": {"body_limit": 1024}})
    await kernel.start()
    answer = await Client(create_app(kernel))("POST", "/api/v1/things", ADA, JSON, body=b'"' + b"x" * 2000 + b'"')
    assert (answer.status, answer.json["code"]) == (413, "PAYLOAD_TOO_LARGE")
    await kernel.stop()


async def test_a_large_body_of_nobody_is_not_parsed(client: Client) -> None:
    json = ("Content-Type", "application/json")
    assert (await client("POST", "/api/v1/said", json, body=b'"' + b"a" * 500_000 + b'"')).status == 200
    for more in ((), (("Transfer-Encoding", "chunked"),)):
        answer = await client("POST", "/api/v1/said", json, *more, body=b'"' + b"a" * 530_000 + b'"')
        assert (answer.status, answer.json["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert (await client("POST", "/api/v1/things", json, ADA, body=b'"' + b"a" * 530_000 + b'"')).status == 201


async def test_public_operations_need_no_credential(client: Client) -> None:
    assert (await client("POST", "/api/v1/open")).status == 200
    assert (await client("POST", "/api/v1/open", ("Authorization", "Bearer stale"))).status == 200


async def test_ready_names_its_checks(client: Client) -> None:
    answer = await client("GET", "/ready")
    assert answer.json["checks"] == {"store": "ok", "data": "ok", "plugins": "ok", "engine": "ok"}
    await client.app.kernel.stop()
    assert (await client("GET", "/ready")).status == 503


async def test_nothing_is_below_the_probes(client: Client) -> None:
    for path in ("/health/", "/health/x", "/ready/x"):
        answer = await client("GET", path, ADA)
        assert (answer.status, answer.json["code"]) == (404, "NOT_FOUND")


async def test_openapi_describes_every_operation(client: Client) -> None:
    document = (await client("GET", "/openapi.json", ADA)).json
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]["/api/v1/things"]) == {"get", "post"}
    assert document["paths"]["/api/v1/things"]["post"]["x-scope"] == "workflows:write"
    assert "security" not in document["paths"]["/api/v1/open"]["post"]
    page = await client("GET", "/docs", ADA)
    assert b"/api/v1/things" in page.body
    assert b"<script" not in page.body


async def test_metrics_count_answers(client: Client) -> None:
    await client("GET", "/health")
    text = (await client("GET", "/metrics", ADA)).body.decode()
    assert 'jackfield_http_requests_total{status="200"} 1' in text
    assert "# TYPE jackfield_executions gauge" in text


async def test_metrics_have_the_slots_of_each_role(client: Client) -> None:
    client.app.kernel.hosts.count("flows", lambda: Slots(3, 64))
    text = (await client("GET", "/metrics", ADA)).body.decode()
    assert 'jackfield_host_slots{role="flows"} 64' in text
    assert 'jackfield_host_slots_used{role="flows"} 3' in text
    assert 'role="agents"' not in text  # nobody counts them


async def test_plugins_are_listed_with_what_is_wrong(make_kernel: MakeKernel) -> None:
    def jackfield_auth_methods() -> None:
        raise RuntimeError("its key is hunter2-hunter2")

    kernel = make_kernel({}, FakePlugin, a_plugin(jackfield_auth_methods=jackfield_auth_methods))
    kernel.redactor.add("hunter2-hunter2")
    await kernel.start()
    answer = await Client(create_app(kernel))("GET", "/api/plugins", ADA)
    await kernel.stop()
    good, bad = answer.json["data"]
    assert (good["name"], good["status"], good["error"]) == ("fake0", "loaded", "")
    assert (bad["name"], bad["status"]) == ("fake1", "failed")
    assert bad["error"].startswith("failed in jackfield_auth_methods: RuntimeError: its key is ")
    assert "hunter2" not in bad["error"]


async def test_a_route_without_an_operation_stops_the_daemon(make_kernel: MakeKernel) -> None:
    bare = Blueprint("bare", __name__)

    @bare.get("/api/v1/bare")
    async def view() -> str:
        return ""

    def jackfield_blueprints() -> list[Blueprint]:
        return [bare]

    kernel = make_kernel({}, FakePlugin, a_plugin(jackfield_blueprints=jackfield_blueprints))
    await kernel.start()
    create_app(kernel).management.begin()
    await asyncio.wait_for(kernel.stop_requested.wait(), 10)
    assert isinstance(kernel.failure, ConfigurationError)
    assert "/api/v1/bare has no @operation" in kernel.failure.message
    await kernel.stop()


def lacking(error: Exception) -> type[Plugin]:
    """A plugin whose routes cannot be loaded the first time."""
    errors = [error]

    def jackfield_blueprints() -> list[Blueprint]:
        if errors:
            raise errors.pop()
        return []

    return a_plugin(jackfield_blueprints=jackfield_blueprints)


async def test_without_memory_for_the_routes_the_caller_is_told_and_the_next_one_is_served(
    make_kernel: MakeKernel,
) -> None:
    kernel = make_kernel({}, FakePlugin, lacking(MemoryError()))
    await kernel.start()
    client = Client(create_app(kernel))
    refused = await client("GET", "/api/v1/things", ADA)
    assert (refused.status, refused.json["code"]) == (503, "MEMORY_SHORT")
    assert (await client("POST", "/webhook/x")).status == 200
    assert (await client("GET", "/api/v1/things", ADA)).status == 200
    assert not kernel.stop_requested.is_set()
    assert kernel.plugins.failures() == []
    await client.app.management.close()
    await kernel.stop()


async def test_routes_wait_for_descriptors(make_kernel: MakeKernel) -> None:
    kernel = make_kernel({}, FakePlugin, lacking(OSError(errno.EMFILE, "Too many open files")))
    await kernel.start()
    client = Client(create_app(kernel))
    assert (await client("GET", "/api/v1/things", ADA)).status == 200
    assert kernel.plugins.failures() == []
    await client.app.management.close()
    await kernel.stop()


async def test_a_stop_does_not_wait_for_descriptors(make_kernel: MakeKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = asyncio.Event()

    async def forever(make: object) -> None:
        waits.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(loading, "while_files_lack", forever)
    kernel = make_kernel()
    await kernel.start()
    app = create_app(kernel)
    app.management.begin()
    await waits.wait()
    async with asyncio.timeout(5):
        await app.management.close()
    with pytest.raises(JackfieldError, match="about to end"):
        await app.management.quart()
    await kernel.stop()


async def test_a_large_head_is_431_whatever_the_server_lets_through(client: Client) -> None:
    for path in ("/health", "/webhook/x", "/api/v1/things"):
        answer = await client("GET", path, ("X-Large", "a" * 70_000))
        assert (answer.status, answer.json["code"]) == (431, "HEADERS_TOO_LARGE")
        assert (await client("GET", f"{path}?a=" + "b" * 70_000)).status == 431


async def test_a_refusal_is_a_line_of_the_log_with_the_code_alone(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", "jackfield.http"):
        await client("POST", "/api/v1/things", ADA, JSON, body=b'{"a": "of the caller",')
        await client("GET", "/api/v1/nope", ADA)
    lines = [record.getMessage() for record in caplog.records if record.name == "jackfield.http"]
    assert lines == [
        "POST /api/v1/things was refused: 400 VALIDATION_ERROR.",
        "GET /api/v1/nope was refused: 404 NOT_FOUND.",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1_234_567, "1234567"), (2**60 + 1, str(2**60 + 1)), (1_234_567.25, "1234567.25"), (3.0, "3")],
)
def test_metrics_keep_every_digit(value: float, text: str) -> None:
    assert samples([Metric("bytes", "Bytes.", "gauge", value)])[-1] == f"jackfield_bytes {text}"
    assert (
        samples([Metric("bytes", "Bytes.", "gauge", value, labels={"of": "a"})])[-1]
        == f'jackfield_bytes{{of="a"}} {text}'
    )
