"""Models of AWS Bedrock, Google Vertex and Hugging Face: requests as the platforms' own descriptions have them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import pytest
from ai_lab import SECRET, AiLab, flow, model, node
from loopback import Seen, reply

from jackfield.api.ai import Message, Picture, ToolCall, ToolSpec
from jackfield.api.http_client import Authorization, HttpCall, HttpReply
from jackfield.api.nodes import NodeError
from jackfield_ai.platforms.bedrock import BedrockOptions, further
from jackfield_ai.platforms.bedrock_client import base_of
from jackfield_ai.platforms.converse import completion_of, request_of
from jackfield_ai.platforms.vertex import VertexParameters, VertexPlace

botocore_session = pytest.importorskip("botocore.session")
from botocore.auth import SigV4Auth  # noqa: E402
from botocore.awsrequest import AWSRequest  # noqa: E402
from botocore.credentials import Credentials  # noqa: E402
from botocore.validate import ParamValidator  # noqa: E402

PIXEL = base64.b64encode(b"\x89PNG").decode()
KEY = {"accessKeyId": "AKIDEXAMPLE", "secretAccessKey": SECRET, "region": "eu-central-1"}
SCHEMA = {"type": "object", "properties": {"a": {"type": "number"}}}


def converse_shape() -> Any:
    service = botocore_session.get_session().get_service_model("bedrock-runtime")
    return service.operation_model("Converse").input_shape


def test_requests_fit_amazons_description_of_converse() -> None:
    messages = [
        Message("system", "Be brief."),
        Message("user", "What is it?", [Picture("image/png", PIXEL)]),
        Message("assistant", "Let me see.", calls=[ToolCall("c1", "look", {"a": 1})]),
        Message("tool", "a pixel", call_id="c1", name="look"),
        Message("tool", "", call_id="c2", name="look"),
    ]
    options = BedrockOptions.model_validate(
        {
            "temperature": 0.5,
            "topP": 0.9,
            "maxTokensToSample": 100,
            "latency": "optimized",
            "additionalModelRequestFields": '{"top_k": 5}',
            "guardrail": {"values": {"guardrailIdentifier": "abcdefgh", "guardrailVersion": "1", "trace": "enabled"}},
        }
    )
    body = request_of(messages, options.members(), [ToolSpec("look", "Looks.", SCHEMA), ToolSpec("bare", "", SCHEMA)])
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]  # type: ignore[index, union-attr, call-overload]
    found = ParamValidator().validate({"modelId": "m", **_with_bytes(body)}, converse_shape())
    assert not found.has_errors(), found.generate_report()


def _with_bytes(value: Any) -> Any:
    """Blobs are base64 on the wire, and bytes in botocore."""
    if isinstance(value, dict):
        return {name: base64.b64decode(one) if name == "bytes" else _with_bytes(one) for name, one in value.items()}
    return [_with_bytes(one) for one in value] if isinstance(value, list) else value


def test_answers_of_converse() -> None:
    content = [{"text": "Hm."}, {"toolUse": {"toolUseId": "t", "name": "look", "input": {"a": 1}}}]
    answer: Any = {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": "tool_use",
        "usage": {"inputTokens": 3, "outputTokens": 4},
    }
    found = completion_of(answer, "m")
    assert (found.message.text, found.finish, found.usage.input, found.usage.output) == ("Hm.", "tool_calls", 3, 4)
    assert [(call.id, call.name, call.arguments) for call in found.message.calls] == [("t", "look", {"a": 1})]
    again = request_of([Message("user", "x"), found.message], {}, [])
    assert again["messages"][1] == {"role": "assistant", "content": content}  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("picture", "told"), [(Picture(url="https://x"), "as files"), (Picture("image/tiff", "x"), "PNG, JPEG")]
)
def test_pictures_that_bedrock_does_not_take(picture: Picture, told: str) -> None:
    with pytest.raises(NodeError, match=told):
        request_of([Message("user", "x", [picture])], {}, [])


def test_addresses_come_from_the_model_or_the_credential() -> None:
    arn = "arn:aws:bedrock:us-west-2:1:inference-profile/x"
    assert base_of(arn, KEY) == "https://bedrock-runtime.us-west-2.amazonaws.com"
    assert base_of("amazon.titan", KEY) == "https://bedrock-runtime.eu-central-1.amazonaws.com"
    with pytest.raises(NodeError, match="region"):
        base_of("m", {"region": "x/../y"})


async def signed_as_botocore(lab: AiLab, seen: Seen) -> bool:
    """The signature covers host, type, time and token, over the address as it was sent."""
    url = lab.server.url(seen.target)
    theirs = AWSRequest("POST", url, data=seen.body, headers={"Content-Type": seen.headers["content-type"]})
    theirs.context["timestamp"] = seen.headers["x-amz-date"]
    signer = SigV4Auth(Credentials("AKIDEXAMPLE", SECRET, "a-token"), "bedrock", "eu-central-1")
    theirs.headers["X-Amz-Date"] = seen.headers["x-amz-date"]
    theirs.headers["X-Amz-Security-Token"] = seen.headers["x-amz-security-token"]
    text = signer.string_to_sign(theirs, signer.canonical_request(theirs))
    return str(seen.headers["authorization"]).endswith(signer.signature(text, theirs))


def test_further_fields_must_be_an_object() -> None:
    assert further("{}") == further(None) == {}
    with pytest.raises(NodeError, match="must be a JSON object"):
        further("[1]")


async def bedrock(lab: AiLab) -> dict[str, Any]:
    own = {"customEndpoints": "true", "bedrockRuntimeEndpoint": lab.server.url("").rstrip("/")}
    more = {"temporaryCredentials": "true", "sessionToken": "a-token"}
    await lab.sealed("aws", {**KEY, **own, **more})
    return {"aws": {"id": "aws", "name": "c"}}


async def test_a_chain_asks_bedrock(lab: AiLab) -> None:
    credentials = await bedrock(lab)
    said = {"output": {"message": {"role": "assistant", "content": [{"text": "hello"}]}}, "stopReason": "end_turn"}
    lab.says = [reply({"message": "slow down"}, "429 Too Many Requests"), reply(said)]
    part = node(
        "Model", "lmChatAwsBedrock", {"model": "eu.anthropic.claude:0"}, typeVersion=1.2, credentials=credentials
    )
    chain = node("Chain", "chainLlm", {"promptType": "define", "text": "go"}, typeVersion=1.4)
    assert await lab.items(flow(chain, parts=[(part, "ai_languageModel", "Chain")]), {"x": 1}) == [{"text": "hello"}]
    seen = lab.server.seen[-1]
    assert seen.target == "/model/eu.anthropic.claude%3A0/converse"
    assert seen.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert await signed_as_botocore(lab, seen)
    assert seen.json["messages"] == [{"role": "user", "content": [{"text": "go"}]}]
    part["parameters"]["authentication"] = "assumeRole"
    assert "assumeRole is not available" in await lab.failure(
        flow(chain, parts=[(part, "ai_languageModel", "Chain")]), {"x": 1}
    )


async def stored(lab: AiLab, part: dict[str, Any]) -> str:
    """What an in-memory store finds whose documents this model embeds; empty: it failed."""
    mode = {"mode": "insert", "memoryKey": "k"}
    store = node("Store", "vectorStoreInMemory", mode, typeVersion=1.1)
    loader = node(
        "Loader",
        "documentDefaultDataLoader",
        {"jsonMode": "expressionData", "jsonData": "={{ $json.x }}"},
        typeVersion=1,
    )
    document = flow(store, parts=[(part, "ai_embedding", "Store"), (loader, "ai_document", "Store")])
    rows = await lab.items(document, {"x": "one"}, {"x": "two\nlines"})
    return ",".join(str(row["pageContent"]) for row in rows)


@pytest.mark.parametrize(
    ("name", "answer", "wanted"),
    [
        ("amazon.titan-embed-text-v2:0", {"embedding": [1, 2]}, {"inputText": "two lines", "normalize": True}),
        (
            "amazon.titan-embed-text-v2:0",
            {"embeddingsByType": {"float": [1, 2]}},
            {"inputText": "two lines", "normalize": True},
        ),
        (
            "cohere.embed-v4:0",
            {"embeddings": {"float": [[1, 2]]}},
            {"texts": ["two lines"], "input_type": "search_document", "normalize": True},
        ),
        (
            "cohere.embed-english-v3",
            {"embeddings": [[1, 2]]},
            {"texts": ["two lines"], "input_type": "search_document", "normalize": True},
        ),
    ],
)
async def test_bedrock_embeds(lab: AiLab, name: str, answer: Any, wanted: Any) -> None:
    lab.server.answer = lambda seen: reply(answer)
    options = {"additionalModelRequestFields": '{"normalize": true}'}
    given = {"model": name, "options": options}
    part = node("Embeddings", "embeddingsAwsBedrock", given, typeVersion=1, credentials=await bedrock(lab))
    assert await stored(lab, part) == "one,two\nlines"
    assert wanted in [seen.json for seen in lab.server.seen]


def answering(lab: AiLab) -> list[Any]:
    """Functions of which the last one answers; the server looks for it with each request."""
    answers: list[Any] = []
    lab.server.answer = lambda seen: answers[-1](seen)
    return answers


async def test_a_text_that_bedrock_does_not_embed_fails_the_node(lab: AiLab) -> None:
    lab.server.answer = lambda _: reply({"message": "no such model"}, "400 Bad Request")
    part = node("Embeddings", "embeddingsAwsBedrock", {"model": "m"}, typeVersion=1, credentials=await bedrock(lab))
    with pytest.raises(AssertionError, match="AWS Bedrock answered 400: no such model"):
        await stored(lab, part)


async def test_hugging_face_embeds_and_writes(lab: AiLab) -> None:
    await lab.credential("huggingFaceApi")
    answers = answering(lab)
    credentials = {"huggingFaceApi": {"id": "huggingFaceApi", "name": "c"}}
    answers.append(lambda seen: reply([[1.0, 2.0]] * len(seen.json["inputs"])))
    part = node(
        "Embeddings", "embeddingsHuggingFaceInference", {"modelName": "a/b"}, typeVersion=1, credentials=credentials
    )
    assert await stored(lab, part) == "one,two\nlines"
    seen = lab.server.seen[-1]
    assert seen.target == "/v1/hf-inference/models/a/b/pipeline/feature-extraction"
    assert seen.json == {"inputs": ["one", "two lines"]}
    assert seen.headers["authorization"] == f"Bearer {SECRET}"

    part["parameters"]["options"] = {"endpointUrl": lab.server.url("/mine")}
    await stored(lab, part)
    assert lab.server.seen[-1].target == "/mine"

    answers.append(lambda _: reply([{"generated_text": "and so on"}]))
    given = {"model": "a/c", "options": {"maxTokens": 5}}
    writer = node("Model", "lmOpenHuggingFaceInference", given, typeVersion=1, credentials=credentials)
    chain = node("Chain", "chainLlm", {"promptType": "define", "text": "Once"}, typeVersion=1.4)
    assert await lab.items(flow(chain, parts=[(writer, "ai_languageModel", "Chain")]), {}) == [{"text": "and so on"}]
    assert lab.server.seen[-1].json == {
        "inputs": "Once",
        "parameters": {"max_new_tokens": 5, "return_full_text": False},
    }


async def test_hugging_face_answers_that_are_no_vectors(lab: AiLab) -> None:
    await lab.credential("huggingFaceApi")
    credentials = {"huggingFaceApi": {"id": "huggingFaceApi", "name": "c"}}
    part = node("Embeddings", "embeddingsHuggingFaceInference", {}, typeVersion=1, credentials=credentials)
    answers = answering(lab)
    for answer, told in (([[[1.0]]] * 2, "no vector"), ({"error": "x"}, "0 embeddings for 2")):
        answers.append(lambda _, answer=answer: reply(answer))
        with pytest.raises(AssertionError, match=told):
            await stored(lab, part)
    part["parameters"] = {"options": {"provider": "together"}}
    with pytest.raises(AssertionError, match="provider together"):
        await stored(lab, part)


class Vertex:
    """`HttpClient` that notes requests to Google, and gives what a test says."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls: list[HttpCall] = []

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        self.calls.append(call)
        return HttpReply(200, "OK", [("content-type", "application/json")], json.dumps(self.answer).encode(), call.url)


async def test_vertex_answers_and_embeds(lab: AiLab) -> None:
    await lab.sealed("googleApi", {"email": "a@b", "privateKey": "x", "region": "europe-west4"})
    credentials = {"googleApi": {"id": "googleApi", "name": "c"}}
    google = Vertex({"candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}]})
    lab.context.ports["HttpClient"] = google
    given = {"projectId": {"__rl": True, "mode": "list", "value": "my-project"}, "options": {"thinkingBudget": 0}}
    part = node("Model", "lmChatGoogleVertex", given, typeVersion=1, credentials=credentials)
    chain = node("Chain", "chainLlm", {"promptType": "define", "text": "go"}, typeVersion=1.4)
    assert await lab.items(flow(chain, parts=[(part, "ai_languageModel", "Chain")]), {}) == [{"text": "hi"}]
    models = "https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4/publishers/google/models"
    assert google.calls[-1].url == f"{models}/gemini-2.5-flash:generateContent"
    body = json.loads(google.calls[-1].body.content)  # type: ignore[union-attr, arg-type]
    assert body["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 0}

    google.answer = {"predictions": [{"embeddings": {"values": [1, 2]}}] * 2}
    embedding = node("E", "embeddingsGoogleVertex", {"projectId": "my-project"}, typeVersion=1, credentials=credentials)
    assert await stored(lab, embedding) == "one,two\nlines"
    assert google.calls[-1].url == f"{models}/text-embedding-005:predict"
    sent = json.loads(google.calls[-1].body.content)  # type: ignore[union-attr, arg-type]
    assert sent["instances"][0] == {"content": "one", "task_type": "RETRIEVAL_DOCUMENT"}


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("global", "aiplatform.googleapis.com"),
        ("eu", "aiplatform.eu.rep.googleapis.com"),
        ("", "us-central1-aiplatform.googleapis.com"),
    ],
)
def test_vertex_hosts(location: str, host: str) -> None:
    place = VertexPlace(VertexParameters(project_id="p", location=location), "m")
    assert place.url({}, "predict").startswith(f"https://{host}/v1/projects/p/")


@pytest.mark.parametrize("given", [{"project_id": "a/b"}, {}, {"project_id": "p", "model_name": "../x"}])
def test_vertex_names_stay_names(given: Mapping[str, Any]) -> None:
    with pytest.raises(NodeError, match="is empty or no name"):
        VertexPlace(VertexParameters(**given), "m")


@pytest.mark.parametrize("location", ["evil.example", "a@b", "a:443", "A", "-" * 41])
def test_vertex_locations_stay_regions(location: str) -> None:
    with pytest.raises(NodeError, match="location is no region"):
        VertexPlace(VertexParameters(project_id="p", location=location), "m").url({}, "predict")


async def test_cohere_answers(lab: AiLab) -> None:
    await lab.credential("cohereApi")
    lab.says = [{"text": "hello"}]
    chain = node("Chain", "chainLlm", {"promptType": "define", "text": "go"}, typeVersion=1.4)
    part = model("lmChatCohere", "cohereApi")
    part["typeVersion"] = 1
    assert await lab.items(flow(chain, parts=[(part, "ai_languageModel", "Chain")]), {}) == [{"text": "hello"}]
    (seen,) = lab.server.seen
    assert isinstance(seen, Seen)
    assert seen.target == "/v1/compatibility/v1/chat/completions"
    assert seen.json["model"] == "command-a-03-2025"
