"""What a provider keeps for one account belongs to the key that has made it, whoever asks."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import httpx
import openai
import pytest
from gateway_lab import GatewayLab


def gpt(base: str, key: str) -> openai.OpenAI:
    return openai.OpenAI(api_key=key, base_url=f"{base}/v1", max_retries=0)


@pytest.fixture(scope="module")
def west(gateway: GatewayLab) -> str:
    """The base address of a profile's proxy before OpenAI."""
    return gateway.profile("stored", "west")


@pytest.fixture(scope="module")
def two(gateway: GatewayLab, west: str) -> tuple[openai.OpenAI, openai.OpenAI]:
    """Clients of two keys."""
    one, other = gateway.key("one")[0], gateway.key("other")[0]
    return gpt(west, one), gpt(west, other)


Pair = tuple[openai.OpenAI, openai.OpenAI]


def test_a_file_is_its_makers_alone(gateway: GatewayLab, two: Pair) -> None:
    one, other = two
    made = one.files.create(purpose="batch", file=("a.jsonl", b"{}", "application/jsonl"))
    assert one.files.retrieve(made.id).id == made.id
    before = len(gateway.provider.asked)
    for ask in (other.files.retrieve, other.files.delete, other.files.content):
        with pytest.raises(openai.NotFoundError) as refused:
            ask(made.id)
        assert refused.value.code == "object_not_found"
    with pytest.raises(openai.NotFoundError):
        one.files.retrieve("file-nobodys")
    assert len(gateway.provider.asked) == before, "the provider is not asked"
    assert one.files.delete(made.id).deleted


def test_lists_have_what_is_ones_own_on_whatever_page_it_lies(gateway: GatewayLab, two: Pair) -> None:
    one, other = two
    send: dict[str, Any] = {"purpose": "batch", "file": ("a.jsonl", b"{}", "application/jsonl")}
    first = other.files.create(**send)
    for _ in range(5):
        one.files.create(**send)
    last = other.files.create(**send)
    assert [file.id for file in other.files.list(limit=2)] == [first.id, last.id]
    assert first.id not in [file.id for file in one.files.list(limit=3)]
    assert gpt(str(one.base_url).removesuffix("/v1/"), gateway.key("third")[0]).files.list().data == []


def test_batches_name_files_and_give_files(two: Pair) -> None:
    one, other = two
    mine = one.files.create(purpose="batch", file=("a.jsonl", b"{}", "application/jsonl"))
    with pytest.raises(openai.NotFoundError):
        other.batches.create(input_file_id=mine.id, endpoint="/v1/responses", completion_window="24h")
    made = one.batches.create(input_file_id=mine.id, endpoint="/v1/responses", completion_window="24h")
    assert one.files.retrieve(str(made.output_file_id)).id == made.output_file_id
    with pytest.raises(openai.NotFoundError):
        other.files.retrieve(str(made.output_file_id))


def test_the_requests_of_a_batch_speak_of_nothing_of_others(gateway: GatewayLab, two: Pair) -> None:
    one, other = two
    theirs = one.responses.create(model="gpt-5", input="ping")

    def batch(client: openai.OpenAI, *bodies: dict[str, Any]) -> Any:
        lines = [{"custom_id": "a", "url": "/v1/responses", "body": {"model": "gpt-5", **body}} for body in bodies]
        content = "\n".join(json.dumps(line) for line in lines).encode()
        made = client.files.create(purpose="batch", file=("a.jsonl", content, "application/jsonl"))
        return client.batches.create(input_file_id=made.id, endpoint="/v1/responses", completion_window="24h")

    assert batch(one, {"input": "?"}, {"previous_response_id": theirs.id}).id
    before = len(gateway.provider.stored.kept["batches"])
    with pytest.raises(openai.NotFoundError, match=theirs.id):
        batch(other, {"input": "?"}, {"previous_response_id": theirs.id})
    broken = other.files.create(purpose="batch", file=("a.jsonl", b'{"a": 1}\n{"b"', "application/jsonl"))
    with pytest.raises(openai.BadRequestError, match="Line 2"):
        other.batches.create(input_file_id=broken.id, endpoint="/v1/responses", completion_window="24h")
    assert len(gateway.provider.stored.kept["batches"]) == before


@pytest.mark.parametrize("stream", [False, True])
def test_answers_and_conversations_are_not_gone_on_with_by_others(two: Pair, stream: bool) -> None:
    one, other = two
    if stream:
        *_, last = one.responses.create(model="gpt-5", input="ping", stream=True)
        made = last.response  # type: ignore[union-attr]
    else:
        made = one.responses.create(model="gpt-5", input="ping")
    assert one.responses.create(model="gpt-5", input="ping", previous_response_id=made.id).id != made.id
    item: Any = {"type": "item_reference", "id": made.output[0].id}
    assert one.responses.create(model="gpt-5", input=[item]).id
    for given in ({"previous_response_id": made.id, "input": "?"}, {"input": [item]}, {"input": [{"id": item["id"]}]}):
        with pytest.raises(openai.NotFoundError):
            other.responses.create(model="gpt-5", **given)
    for ask in (other.responses.retrieve, other.responses.delete, other.responses.cancel):
        with pytest.raises(openai.NotFoundError):
            ask(made.id)
    talk = one.conversations.create()
    assert one.responses.create(model="gpt-5", input="ping", conversation=talk.id).id
    for conversation in (talk.id, {"id": talk.id}):
        with pytest.raises(openai.NotFoundError):
            other.responses.create(model="gpt-5", input="ping", conversation=conversation)  # type: ignore[arg-type]


def test_a_files_id_in_a_message_is_looked_at_and_a_tools_argument_is_not(two: Pair) -> None:
    one, other = two
    mine = one.files.create(purpose="user_data", file=("a.pdf", b"%", "application/pdf"))
    turn: Any = [{"role": "user", "content": [{"type": "input_file", "file_id": mine.id}]}]
    assert one.responses.create(model="gpt-5", input=turn).id
    with pytest.raises(openai.NotFoundError):
        other.responses.create(model="gpt-5", input=turn)
    tool: Any = {"type": "function", "name": "open", "strict": False}
    tool["parameters"] = {"type": "object", "properties": {"file_id": {"enum": ["file-of-theirs"]}}, "file_id": "x"}
    metadata = {"file_id": mine.id}
    assert other.responses.create(model="gpt-5", input="?", tools=[tool], metadata=metadata).id
    with pytest.raises(openai.NotFoundError):
        other.files.retrieve(mine.id)  # what an answer repeats makes nobody the owner


def test_keys_of_one_owner_share_what_they_have_made(gateway: GatewayLab, west: str) -> None:
    one, other = (gpt(west, gateway.key(name, owner="ann")[0]) for name in ("laptop", "server"))
    made = one.files.create(purpose="batch", file=("a.jsonl", b"{}", "application/jsonl"))
    assert other.files.retrieve(made.id).id == made.id
    assert made.id in [file.id for file in other.files.list()]


def test_anthropics_batches_and_errors(gateway: GatewayLab) -> None:
    base = gateway.profile("stored-north")
    one, other = (
        anthropic.Anthropic(api_key=gateway.key(name)[0], base_url=base, max_retries=0) for name in ("a", "b")
    )
    params: Any = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "?"}]}
    made = one.messages.batches.create(requests=[{"custom_id": "a", "params": params}])
    assert one.messages.batches.retrieve(made.id).id == made.id
    with pytest.raises(anthropic.NotFoundError) as refused:
        other.messages.batches.retrieve(made.id)
    assert refused.value.body["error"]["type"] == "not_found_error"  # type: ignore[index]
    assert [batch.id for batch in one.messages.batches.list()] == [made.id]
    assert other.messages.batches.list().data == []
    params["messages"][0]["content"] = [{"type": "document", "source": {"type": "file", "file_id": "file_theirs"}}]
    with pytest.raises(anthropic.NotFoundError):
        other.messages.batches.create(requests=[{"custom_id": "a", "params": params}])


def test_nothing_is_slipped_past(gateway: GatewayLab, west: str, two: Pair) -> None:
    one, _ = two
    mine = one.responses.create(model="gpt-5", input="ping")
    headers = {"Authorization": f"Bearer {gateway.key('sly')[0]}"}

    def ask(path: str, body: str, kind: str = "application/json") -> int:
        given = {**headers, "Content-Type": kind}
        return httpx.post(west + path, content=body, headers=given, trust_env=False).status_code

    escaped = mine.id.replace("resp", "\\u0072esp")
    bodies = (
        f'{{"model": "gpt-5", "input": "?", "previous\\u005fresponse_id": "{escaped}"}}',
        f'{{"model": "gpt-5", "input": "?", "x": [{{"FILE_ID": "{mine.id}"}}]}}',
    )
    assert [ask("/v1/responses", body) for body in bodies] == [404, 404]
    twice = f'{{"model": "gpt-5", "input": [{{"type": "input_file", "file_id": "a", "file_id": "{mine.id}"}}]}}'
    assert ask("/v1/responses", twice) == 400
    assert ask("/v1/batches", f'{{"input_file_id": "{mine.id}"}}', "text/plain") == 413
    assert ask("/v1/realtime/client_secrets", "{}") == 403
    path = f"/v1/responses/{mine.id.replace('_', '%5F')}"
    assert httpx.get(west + path, headers=headers, trust_env=False).status_code == 404
