"""Which stored objects a request names, and where its provider keeps them."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from proxy_lab import Provider_, plan, proxy_of, upstream

from jackfield.api.dialects.model import DialectError, DialectName
from jackfield_proxy.child.answers.made_objects import FileLines, MadeIds, ids_in
from jackfield_proxy.child.incoming.references import StoredPath, of_body, stored_path

PATHS = {
    "/files": StoredPath("files"),
    "/files/file-1": StoredPath("files", "file-1"),
    "/files/file%2D1/content": StoredPath("files", "file-1", True),
    "/messages/batches/b_1/results": StoredPath("messages/batches", "b_1", True),
    "/messages/batches": StoredPath("messages/batches"),
    "/responses/compact": StoredPath("responses"),
    "/responses/resp_1/cancel": StoredPath("responses", "resp_1", True),
    "/fine_tuning/jobs/ft_1": StoredPath("fine_tuning/jobs", "ft_1"),
    "/chat/completions/c_1": StoredPath("chat/completions", "c_1"),
    "/embeddings": StoredPath(""),
    "/audio/speech": StoredPath(""),
    "/audio/voices": StoredPath("audio", "voices"),
    "/unheard_of/x": StoredPath("unheard_of", "x"),
}
NAMED: dict[str, tuple[Any, list[str]]] = {
    "vector stores": ({"tools": [{"type": "file_search", "vector_store_ids": ["vs_1", "vs_2"]}]}, ["vs_1", "vs_2"]),
    "a container": ({"tools": [{"type": "code_interpreter", "container": "cntr_1"}]}, ["cntr_1"]),
    "a container that is made": ({"tools": [{"container": {"type": "auto", "file_ids": ["f"]}}]}, ["f"]),
    "a skill": ({"container": {"skills": [{"type": "custom", "skill_id": "skill_1"}]}}, ["skill_1"]),
    "a vendor's skill": ({"container": {"skills": [{"type": "anthropic", "skill_id": "pptx"}]}}, []),
    "a text for a picture": ({"prompt": "conversation of cats"}, []),
    "a stored prompt": ({"prompt": {"id": "pmpt_1", "variables": {"conversation": "hi"}}}, ["pmpt_1"]),
    "a tool's input": ({"messages": [{"content": [{"type": "tool_use", "input": {"file_id": "x"}}]}]}, []),
    "a tool's result": (
        {"messages": [{"content": [{"type": "tool_result", "content": [{"source": {"file_id": "x"}}]}]}]},
        ["x"],
    ),
    "a result of the provider's own tool": (
        {"content": [{"type": "code_execution_tool_result", "content": {"content": [{"file_id": "x"}]}}]},
        [],
    ),
    "Gemini's cache": ({"cachedContent": "cachedContents/a", "contents": []}, ["cachedContents/a"]),
    "Gemini's file": (
        {"contents": [{"parts": [{"fileData": {"fileUri": "https://g/v1beta/files/a"}}]}]},
        ["files/a"],
    ),
    "Gemini's file, written otherwise": (
        {"contents": [{"parts": [{"file_data": {"file_uri": "gs://a"}}]}]},
        ["gs://a"],
    ),
    "Gemini's file behind another": (
        {"contents": [{"parts": [{"fileData": {"fileUri": "https://g/v1beta/files/theirs:x/files/mine"}}]}]},
        ["https://g/v1beta/files/theirs:x/files/mine"],
    ),
    "Gemini's file, written in other signs": (
        {"parts": [{"fileData": {"fileUri": "HTTPS://generativelanguage.googleapis.com/v1beta/%66iles/a"}}]},
        ["HTTPS://generativelanguage.googleapis.com/v1beta/%66iles/a"],
    ),
    "what a video job has made": (
        {"video": {"id": "v"}, "fileUri": "https://g.example/v1beta/files/a:download?alt=media"},
        ["v", "files/a"],
    ),
    "Gemini's file, addressed as no browser would": (
        {"parts": [{"fileData": {"fileUri": "\n//generativelanguage.googleapis.com/v1beta/fi%6ces/a"}}]},
        ["\n//generativelanguage.googleapis.com/v1beta/fi%6ces/a"],
    ),
    "a web site": ({"contents": [{"parts": [{"fileData": {"fileUri": "https://acme.example/a.png"}}]}]}, []),
    "arguments of Gemini's call": ({"contents": [{"parts": [{"functionCall": {"args": {"file_id": "x"}}}]}]}, []),
    "words about it": ({"messages": [{"role": "user", "content": '"file_id": "x"'}]}, []),
}


@pytest.mark.parametrize("path", PATHS)
def test_paths(path: str) -> None:
    assert stored_path(path) == PATHS[path]


@pytest.mark.parametrize("case", NAMED)
def test_bodies(case: str) -> None:
    value, ids = NAMED[case]
    assert list(of_body(value, json.dumps(value).encode(), "anthropic")) == ids


RESULT = {"type": "code_execution_tool_result", "previous_response_id": "x", "content": {"file_id": "y"}}
HIDDEN: dict[str, tuple[DialectName, Any, list[str]]] = {
    "the video that a video job extends": (
        "gemini",
        {"instances": [{"video": {"uri": "https://g.example/v1beta/files/a:download?alt=media"}}]},
        ["files/a"],
    ),
    "a body of a result's type": ("responses", {"type": "x_tool_result", "previous_response_id": "x"}, ["x"]),
    "a batch of a result's type": ("chat", {"type": "mcp_tool_result", "input_file_id": "x"}, ["x"]),
    "a body of a call's type": (
        "responses",
        {"type": "tool_use", "input": [{"type": "item_reference", "id": "x"}]},
        ["x"],
    ),
    "the same in Anthropic's": ("anthropic", {"type": "tool_use", "input": [{"file_id": "x"}]}, ["x"]),
    "a line of a batch": ("chat", {"type": "mcp_tool_result", "body": {**RESULT, "content": []}}, ["x"]),
    "a result in another dialect": ("responses", {"input": [{"content": [RESULT]}]}, ["x", "y"]),
    "a type that nobody has": (
        "anthropic",
        {"content": [{"type": "a_tool_result", "content": [{"file_id": "x"}]}]},
        ["x"],
    ),
    "more than a result has": ("anthropic", {"messages": [{"content": [RESULT]}]}, ["x"]),
    "a result at another place": ("anthropic", {"messages": [RESULT]}, ["x", "y"]),
    "a type that is no text": ("anthropic", {"content": [{"type": ["tool_use"], "input": {"file_id": "x"}}]}, ["x"]),
    "an item in other letters": ("responses", {"input": [{"Type": "item_reference", "Id": "x"}]}, ["x"]),
    "an item of an id alone": ("responses", {"input": [{"ID": "x"}]}, ["x"]),
    "a conversation in other letters": ("responses", {"conversation": {"ID": "x"}}, ["x"]),
}


@pytest.mark.parametrize("case", HIDDEN)
def test_nothing_hides_behind_a_type(case: str) -> None:
    dialect, value, ids = HIDDEN[case]
    assert sorted(of_body(value, json.dumps(value).encode(), dialect)) == ids


json_values = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc_", max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(st.sampled_from(["a", "b", "content", "input", "tools"]), max_size=5), json_values, st.booleans())
def test_a_file_is_found_however_deep_it_lies(way: list[str], beside: Any, escaped: bool) -> None:
    value: Any = {"file_id": "file-1", "beside": beside}
    for name in way:
        value = {name: [beside, value]}
    body = json.dumps(value).encode()
    body = body.replace(b"file_id", b"\\u0066ile_i\\u0064") if escaped else body
    assert "file-1" in of_body(json.loads(body), body, "anthropic")


@pytest.mark.parametrize(
    ("inside", "field"),
    [
        ('"file_id": "mine", "File_id": "theirs"', "file_id"),
        ('"file_id": "theirs", "file_id": null', "file_id"),
        ('"file_id": "theirs", "type": "input_file", "type": "x_tool_result"', "type"),
        ('"source": {"file_id": "theirs"}, "source": {}', "source"),
    ],
)
def test_two_readings_inside_are_refused(inside: str, field: str) -> None:
    body = f'{{"messages": [{{{inside}}}]}}'.encode()
    with pytest.raises(DialectError) as refused:
        of_body(json.loads(body), body, "anthropic")
    assert refused.value.param == field


def test_how_deep_a_body_is_nested_breaks_nothing() -> None:
    value: Any = {"file_id": "file-1"}
    for _ in range(300):
        value = {"x": [value]}
    assert of_body(value, json.dumps(value).encode(), "anthropic") == ["file-1"]
    deep = b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(DialectError) as refused:
        of_body({}, deep, "anthropic")
    assert refused.value.status == 400


def test_what_an_answer_repeats_of_a_client_is_not_made_by_it() -> None:
    answer = {"id": "resp_1", "metadata": {"file_id": "x"}, "output": [{"id": "msg_1", "container_id": "cntr_1"}]}
    assert list(ids_in({"type": "response.completed", "response": answer})) == ["resp_1", "msg_1", "cntr_1"]
    assert list(ids_in({**answer, "store": False})) == []
    assert list(ids_in({"type": "message", "id": "msg_1", "container": {"id": "container_1"}})) == ["container_1"]
    assert list(ids_in({"type": "message_delta", "delta": {"container": {"id": "container_2"}}})) == ["container_2"]


@given(st.data())
def test_files_that_tools_make_within_a_stream_are_seen_however_it_is_cut(data: st.DataObject) -> None:
    result = {"type": "bash_code_execution_tool_result", "content": {"content": [{"file_id": "file_1"}]}}
    theirs = {"type": "tool_use", "input": {"content": [{"file_id": "file_2"}]}}
    events = [{"type": "content_block_start", "content_block": one} for one in (theirs, result)]
    stream = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in events)
    told: list[str] = []
    lines = FileLines(MadeIds(told.extend))
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=4))), len(stream)]
    for start, end in itertools.pairwise(cuts):
        lines.feed(stream[start:end])
    assert told == ["file_1"]


async def test_a_conversation_stays_with_the_account_that_keeps_it() -> None:
    """Each of three keys has its turn, and keeps its own answers."""
    numbers = itertools.count(1)
    kept: dict[str, str] = {}

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        account = request.headers["Authorization"]
        body = json.loads(await request.read() or b"{}")
        before = body.get("previous_response_id") or request.path.partition("/responses/")[2]
        if before and kept.get(before) != account:
            return web.json_response({"error": {"message": f"{before} is not found"}}, status=404)
        made = before if request.method == "GET" else f"resp_{next(numbers)}"
        kept[made] = account
        usage = {"input_tokens": 1, "output_tokens": 1}
        return web.json_response(
            {"id": made, "object": "response", "status": "completed", "output": [], "usage": usage}
        )

    async with Provider_().serving() as north:
        north.answer = answer
        one = upstream(north, family="openai", native=True, keys=("key-1", "key-2", "key-3"))
        async with proxy_of(plan({"north": one})) as proxy:
            asked = {"model": "m", "input": "hi"}
            made = [json.loads((await proxy.post(asked, "/v1/responses"))[1])["id"] for _ in range(6)]
            assert len({kept[one] for one in made}) == 3
            for one_id in made:
                status, _ = await proxy.post({**asked, "previous_response_id": one_id}, "/v1/responses")
                assert status == 200
                async with proxy.client.get(f"/v1/responses/{one_id}") as found:
                    assert found.status == 200
            status, _ = await proxy.post({**asked, "previous_response_id": "resp_older"}, "/v1/responses")
            assert status == 404, "one that is not known is asked for all the same"
