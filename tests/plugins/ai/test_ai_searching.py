"""Tools that look things up, embeddings and rerankers of Cohere, embeddings of Azure: doubles with the shapes of the
services' own documentation."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from ai_lab import SECRET, AiLab, flow, model, node
from hypothesis import given
from hypothesis import strategies as st
from loopback import Seen, reply
from test_ai_retrieval import vector

from jackfield.api.credentials import CredentialField, CredentialKind, Placement
from jackfield.api.http_client import Authorization, HttpCall, HttpClient, HttpReply
from jackfield.api.records import replace
from jackfield_ai.tools.searxng import told as told_by_searxng
from jackfield_ai.tools.serpapi import told as told_by_serpapi

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


class Redirected:
    """`HttpClient` for which public services are at the lab's server."""

    def __init__(self, lab: AiLab) -> None:
        self._lab = lab
        self._inner = lab.context.port(HttpClient)
        self.hosts: list[str] = []

    async def send(self, call: HttpCall, authorization: Authorization | None = None) -> HttpReply:
        parts = urlsplit(call.url)
        if parts.hostname != "127.0.0.1":
            self.hosts.append(f"{parts.scheme}://{parts.hostname}")
            call = replace(call, url=self._lab.server.url(parts.path))
        return await self._inner.send(call, authorization)


@pytest.fixture
async def web(lab: AiLab) -> Redirected:
    made = Redirected(lab)
    lab.context.ports["HttpClient"] = made
    await lab.credential("openAiApi")
    return made


async def told(lab: AiLab, kind: str, answer: Any, credential: str = "", **parameters: Any) -> str:
    """What an agent's model is told of its tool's answer."""
    seen: list[Any] = []

    def answered(request: Seen) -> bytes:
        if "/chat/completions" not in request.target:
            return answer(request)  # type: ignore[no-any-return]  # bytes of a test
        seen.append(request.json)
        return lab.answer(request)

    lab.server.answer = answered
    lab.says = [lambda request: {"calls": [(request.json["tools"][0]["function"]["name"], {"input": "a b"})]}]
    lab.says.append({"text": "done"})
    agent = node("Agent", "agent", {"promptType": "define", "text": "?"}, typeVersion=2)
    keys = {credential: {"id": credential}} if credential else {}
    tool = node("Tool", kind, parameters, typeVersion=1, credentials=keys)
    parts = [(model(), "ai_languageModel", "Agent"), (tool, "ai_tool", "Agent")]
    assert await lab.items(flow(agent, parts=parts), {"x": 1}) == [{"output": "done"}]
    return str(seen[-1]["messages"][-1]["content"])


async def test_wikipedia(lab: AiLab, web: Redirected) -> None:
    def answer(seen: Seen) -> bytes:
        assert seen.headers["user-agent"].startswith("jackfield/")
        asked = parse_qs(urlsplit(seen.target).query)
        if asked.get("list") == ["search"]:
            assert asked["srsearch"] == ["a b"]
            return reply({"batchcomplete": "", "query": {"search": [{"ns": 0, "title": f"T{n}"} for n in range(5)]}})
        title = asked["titles"][0]
        return reply({"query": {"pages": {"1": {"pageid": 1, "title": title, "extract": f"About {title}."}}}})

    found = await told(lab, "toolWikipedia", answer)
    assert found == "\n\n".join(f"Page: T{n}\nSummary: About T{n}." for n in range(3))
    assert web.hosts[0] == "https://en.wikipedia.org"
    nothing = await told(lab, "toolWikipedia", lambda _: reply({"query": {"search": []}}))
    assert nothing == "No good Wikipedia Search Result was found"
    assert "503" in await told(lab, "toolWikipedia", lambda _: reply("", "503 Busy"))


async def test_wolfram(lab: AiLab, web: Redirected) -> None:
    await lab.sealed("wolframAlphaApi", {"appId": SECRET})

    def answer(seen: Seen) -> bytes:
        assert parse_qs(urlsplit(seen.target).query) == {"input": ["a b"], "appid": [SECRET]}
        return reply("Query:\na b", "501 Not Implemented")

    assert await told(lab, "toolWolframAlpha", answer, "wolframAlphaApi") == "Query:\na b"
    refused = await told(lab, "toolWolframAlpha", lambda _: reply(f"bad {SECRET}", "403 Forbidden"), "wolframAlphaApi")
    assert "403" in refused
    assert SECRET not in refused


async def test_searxng(lab: AiLab, web: Redirected) -> None:
    await lab.sealed("searXngApi", {"apiUrl": lab.server.url("/deep/")})

    def answer(seen: Seen) -> bytes:
        parts = urlsplit(seen.target)
        assert parts.path == "/deep/search"
        asked = parse_qs(parts.query)
        assert asked == {"q": ["a b"], "format": ["json"], "pageno": ["2"], "safesearch": ["0"], "language": ["de"]}
        return reply({"results": [{"title": "T", "url": "u", "content": "c"}] * 3})

    options = {"pageNumber": 2, "language": "de", "numResults": 2}
    found = await told(lab, "toolSearXng", answer, "searXngApi", options=options)
    assert found == ",".join(['{"title":"T","link":"u","snippet":"c"}'] * 2)


async def test_serpapi(lab: AiLab, web: Redirected) -> None:
    kind = CredentialKind(
        "serpApi", "SerpApi", (CredentialField("apiKey", "Key", secret=True),), Placement(query={"api_key": "{apiKey}"})
    )
    lab.context.ports["jackfield_credential_kinds"]["serpApi"] = kind  # type: ignore[index]  # the lab's own
    await lab.sealed("serpApi", {"apiKey": SECRET})

    def answer(seen: Seen) -> bytes:
        asked = parse_qs(urlsplit(seen.target).query)
        assert asked == {"q": ["a b"], "gl": ["at"], "google_domain": ["google.at"], "api_key": [SECRET]}
        return reply({"organic_results": [{"position": 1, "title": "T", "snippet": "It is so."}]})

    options = {"gl": "at", "google_domain": "google.at"}
    assert await told(lab, "toolSerpApi", answer, "serpApi", options=options) == '["It is so."]'
    assert "Google hasn't" in await told(lab, "toolSerpApi", lambda _: reply({"error": "Google hasn't"}), "serpApi")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"answer_box": {"type": "weather", "result": "9 °C"}}, "9 °C"),
        ({"answer_box_list": [{"answer": "42"}]}, "42"),
        ({"answer_box": {"type": "x", "a": 1, "l": [1], "u": "http://x"}}, '{"type":"x","a":1}'),
        ({"news_results": [{"a": 1}]}, '[{"a":1}]'),
        ({"jobs_results": {"jobs": [1]}}, "[1]"),
        ({"shopping_results": [{"title": str(n)} for n in range(5)]}, '[{"title":"0"},{"title":"1"},{"title":"2"}]'),
        ({"images_results": [{"thumbnail": "a"}, {"thumbnail": "b"}]}, "a,b"),
        (
            {"knowledge_graph": {"title": "V", "description": "D", "born": "1900", "x_link": "l"}},
            '["D","V born: 1900"]',
        ),
        ({}, "No good search result found"),
    ],
)
def test_what_google_shows(answer: Any, text: str) -> None:
    """As LangChain.js 1.1 tells it."""
    assert told_by_serpapi(answer) == text


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"results": [], "answers": ["A"]}, "A"),
        ({"results": [], "answers": [{"answer": "A"}]}, "A"),
        ({"infoboxes": [{"content": "<b>x</b> y"}]}, "x y"),
        ({"suggestions": ["a", "b"]}, "Suggestions: a, b"),
        ({}, "No good results found."),
    ],
)
def test_what_searxng_finds(answer: Any, text: str) -> None:
    assert told_by_searxng(answer, 10) == text


@given(st.dictionaries(st.sampled_from(["answer_box", "knowledge_graph", "organic_results", "top_sights"]), VALUES))
def test_odd_answers_raise_nothing(answer: Any) -> None:
    assert isinstance(told_by_serpapi(answer), str)
    assert isinstance(told_by_searxng(answer, 3), str)


def storing(kind: str, credential: str, model_name: str, rerank: bool) -> Any:
    insert = node("Insert", "vectorStoreInMemory", {"mode": "insert", "clearStore": True}, typeVersion=1.1)
    load = {"mode": "load", "prompt": "moon", "topK": 3, "useReranker": rerank}
    loader = node(
        "Loader",
        "documentDefaultDataLoader",
        {"jsonMode": "expressionData", "jsonData": "={{ $json.t }}"},
        typeVersion=1,
    )
    keys = {credential: {"id": credential}}
    embed = node("Embed", kind, {"model": model_name}, typeVersion=1, credentials=keys)
    parts = [(embed, "ai_embedding", "Insert"), (embed, "ai_embedding", "Load"), (loader, "ai_document", "Insert")]
    if rerank:
        reranker = node(
            "Rank", "rerankerCohere", {"topN": 2}, typeVersion=1, credentials={"cohereApi": {"id": "cohereApi"}}
        )
        parts.append((reranker, "ai_reranker", "Load"))
    once = {**node("Load", "vectorStoreInMemory", load, typeVersion=1.1), "executeOnce": True}
    return flow(insert, once, parts=parts)


async def test_cohere_embeds_and_reranks(lab: AiLab) -> None:
    await lab.sealed("cohereApi", {"apiKey": SECRET, "url": lab.server.url("")})
    kinds: list[str] = []

    def answer(seen: Seen) -> bytes:
        assert seen.headers["authorization"] == f"Bearer {SECRET}"
        body = seen.json
        if seen.target == "/v2/rerank":
            assert (body["model"], body["query"], body["top_n"]) == ("rerank-v3.5", "moon", 2)
            rows = [{"index": body["documents"].index(text), "relevance_score": 0.5} for text in ("sea", "moon")]
            return reply({"id": "1", "results": rows, "meta": {}})
        kinds.append(body["input_type"])
        vectors = [vector(text) for text in body["texts"]]
        return reply({"id": "1", "embeddings": {"float": vectors}, "texts": body["texts"]})

    lab.server.answer = answer
    found = await lab.items(
        storing("embeddingsCohere", "cohereApi", "embed-v4.0", True), {"t": "sun"}, {"t": "moon"}, {"t": "sea"}
    )
    assert [(row["document"]["pageContent"], row["score"]) for row in found] == [("sea", 0.5), ("moon", 0.5)]
    assert kinds == ["search_document", "search_query"]


async def test_azure_embeds(lab: AiLab) -> None:
    await lab.sealed("azureOpenAiApi", {"apiKey": SECRET, "endpoint": lab.server.url(""), "apiVersion": "v"})

    def answer(seen: Seen) -> bytes:
        assert seen.target == "/openai/deployments/mine/embeddings?api-version=v"
        assert seen.headers["api-key"] == SECRET
        return reply({"data": [{"index": n, "embedding": vector(text)} for n, text in enumerate(seen.json["input"])]})

    lab.server.answer = answer
    found = await lab.items(
        storing("embeddingsAzureOpenAi", "azureOpenAiApi", "mine", False), {"t": "sun"}, {"t": "moon"}
    )
    assert found[0]["document"]["pageContent"] == "moon"
