"""Bodies of a virtual key's requests to endpoints that pass: which may go on, and where they are looked at."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from proxy_lab import TOKEN, VIRTUAL, Provider_, Proxy, plan, proxy_of, upstream

from jackfield.api.gateway import StoredObject
from jackfield_proxy.child.incoming import references
from jackfield_proxy.child.incoming.helpers import HelperProcesses
from jackfield_proxy.child.incoming.large import LARGE
from jackfield_proxy.child.incoming.raw_model import model_in

KEY = {"Authorization": f"Bearer {VIRTUAL}"}


class Watched(HelperProcesses):
    """Without processes. asked: names of what would have been done by one."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def run(self, work: Callable[..., Any], *given: object) -> Any:
        self.asked.append(work.__name__)
        return work(*given)


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({"id": "x_1"})

    async with Provider_().serving() as made:
        made.answer = answer
        yield made


@pytest.fixture
async def proxy(north: Provider_) -> AsyncIterator[Proxy]:
    async with proxy_of(plan({"north": upstream(north, family="openai", native=True)}, keys=True)) as made:
        made.server._helpers = Watched()
        yield made


def run_of(source: dict[str, Any]) -> dict[str, Any]:
    return {"name": "a", "data_source": {"type": "completions", "source": source}}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/evals/x_1/runs", run_of({"type": "stored_completions", "metadata": {}}), 403),
        ("/v1/evals/x_1/runs", run_of({"Type": "Responses"}), 403),
        ("/v1/evals", {"data_source_config": {"type": "logs"}}, 403),
        ("/v1/evals", {"data_source_config": {"type": "stored_completions"}}, 403),
        ("/v1/evals", {"Data_Source_Config": {"type": "logs"}}, 403),
        ("/v1/evals", {"data_source_config": {"type": "custom", "item_schema": {"type": "logs"}}}, 200),
        ("/v1/evals/x_1/runs", run_of({"type": "file_content", "content": [{"item": {"type": "logs"}}]}), 200),
        ("/v1/evals/x_1/runs", {"data_source": {"type": "responses", "source": {"type": "file_content"}}}, 200),
    ],
)
async def test_evals_of_other_requests_answers_are_refused(
    proxy: Proxy, north: Provider_, path: str, body: dict[str, Any], status: int
) -> None:
    proxy.pipe.kept["x_1"] = StoredObject("x_1", "p", "north", "")
    got, answer = await proxy.post(body, path, **KEY)
    assert (got, len(north.asked)) == (status, int(status == 200)), answer
    assert (await proxy.post(body, path, Authorization=f"Bearer {TOKEN}"))[0] == 200, "the profile's own token"


@pytest.mark.parametrize(
    ("path", "passes"),
    [
        ("files", True),
        ("uploads/x_1/parts", True),
        ("containers/x_1/files", True),
        ("images/edits", True),
        ("audio/transcriptions", True),
        ("videos", True),
        ("skills", True),
        ("skills/x_1/versions", True),
        ("responses/compact", False),
        ("batches", False),
        ("vector_stores", False),
        ("videos/edits", False),
        ("fine_tuning/jobs", False),
        ("evals", False),
        ("uploads/x_1/complete", False),
    ],
)
async def test_forms_pass_where_files_are_sent(proxy: Proxy, north: Provider_, path: str, passes: bool) -> None:
    proxy.pipe.kept["x_1"] = StoredObject("x_1", "p", "north", "")
    form = aiohttp.FormData({"input_file_id": "file-of-theirs"}, default_to_multipart=True)
    base = str(proxy.client._base_url)
    async with aiohttp.ClientSession(base, headers=KEY) as client, client.post(f"/v1/{path}", data=form) as answer:
        told = await answer.text()
    assert (answer.status, len(north.asked)) == ((200, 1) if passes else (400, 0)), told
    assert passes or "Send application/json" in json.loads(told)["error"]["message"]


async def test_large_bodies_are_looked_at_elsewhere_or_not_at_all(proxy: Proxy, north: Provider_) -> None:
    helpers = proxy.server._helpers
    assert isinstance(helpers, Watched)
    body = {"model": "m", "input": [{}] * (LARGE // 2)}
    assert (await proxy.post(body, "/v1/embeddings", **KEY))[0] == 200
    assert helpers.asked == ["require_one_reading"], "embeddings name nothing"
    body["input"][-1] = {"file_id": "file-of-theirs"}
    assert (await proxy.post(body, "/v1/responses/compact", **KEY))[0] == 404
    assert helpers.asked == [*["require_one_reading"] * 2, "of_text"]
    assert (await proxy.post({"model": "m", "input": [{}]}, "/v1/responses/compact", **KEY))[0] == 200
    assert len(helpers.asked) == 3, "a small one is read at once"


@pytest.mark.parametrize(("last", "status"), [("file-1", 200), ("file-of-theirs", 404)])
async def test_large_lines_of_a_batch_are_looked_at_elsewhere(
    proxy: Proxy, north: Provider_, last: str, status: int
) -> None:
    lines = [{"body": {"input": "x" * LARGE}}, {"body": {}}, {"body": {"input": [{"file_id": last, "x": "x" * LARGE}]}}]

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "GET":
            return web.Response(text="\n".join(map(json.dumps, lines)))
        return web.json_response({"id": "batch_1"})

    north.answer = answer
    proxy.pipe.kept["file-1"] = StoredObject("file-1", "p", "north", (await made_by(proxy, north)))
    got, told = await proxy.post({"input_file_id": "file-1"}, "/v1/batches", **KEY)
    assert got == status, told
    helpers = proxy.server._helpers
    assert isinstance(helpers, Watched)
    assert helpers.asked == ["of_text", "of_text"]


async def test_the_input_of_a_batch_has_one_name(proxy: Proxy, north: Provider_) -> None:
    """By another one its lines would not be looked at."""
    status, told = await proxy.post({"Input_File_Id": "file-1"}, "/v1/batches", **KEY)
    assert (status, json.loads(told)["error"]["param"]) == (400, "input_file_id")
    assert not north.asked


async def made_by(proxy: Proxy, north: Provider_) -> str:
    """The mark of the provider's one key."""
    await proxy.post({}, "/v1/conversations", **KEY)
    return proxy.pipe.kept["batch_1"].account


@pytest.mark.parametrize("model", ["[{}]", "{}", "1", "null"])
def test_what_is_no_text_is_no_model(model: str) -> None:
    assert model_in(b'{"model": %b}' % model.encode()) == ""


def test_a_text_that_is_no_object_is_told() -> None:
    with pytest.raises(Exception, match="not a JSON object"):
        references.of_text(b"[]", "chat")
