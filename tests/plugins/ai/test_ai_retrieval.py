"""Documents: split, embedded, stored, found."""

from __future__ import annotations

from typing import Any

import pytest
from ai_lab import AiLab, flow, model, node
from hypothesis import given
from hypothesis import strategies as st
from loopback import Seen, reply

from jackfield.api.ai import Document
from jackfield.api.nodes import NodeError
from jackfield_ai.retrieval.file_texts import text_of_file
from jackfield_ai.retrieval.splitting import RecursiveSplitter
from jackfield_ai.retrieval.vectors import Vectors, VectorStores

WORDS = ("sun", "moon", "sea")


def vector(text: str) -> list[float]:
    return [float(text.count(word)) for word in WORDS] + [0.01]


def embedded(seen: Seen) -> bytes:
    body = seen.json
    if "requests" in body:
        texts = [request["content"]["parts"][0]["text"] for request in body["requests"]]
        return reply({"embeddings": [{"values": vector(text)} for text in texts]})
    if seen.target == "/api/embed":
        return reply({"embeddings": [vector(text) for text in body["input"]]})
    rows = [{"index": place, "embedding": vector(text)} for place, text in enumerate(body["input"])]
    return reply({"data": rows[::-1]})


def embeddings(kind: str = "embeddingsOpenAi", credential: str = "openAiApi") -> dict[str, Any]:
    return node("Embed", kind, {}, typeVersion=1, credentials={credential: {"id": credential}})


def storing(kind: str = "embeddingsOpenAi", credential: str = "openAiApi") -> Any:
    insert = node("Insert", "vectorStoreInMemory", {"mode": "insert", "clearStore": True}, typeVersion=1.1)
    load = node("Load", "vectorStoreInMemory", {"mode": "load", "prompt": "moon", "topK": 2}, typeVersion=1.1)
    loader = node(
        "Loader",
        "documentDefaultDataLoader",
        {
            "jsonMode": "expressionData",
            "jsonData": "={{ $json.t }}",
            "options": {"metadata": {"metadataValues": [{"name": "id", "value": "={{ $json.id }}"}]}},
        },
        typeVersion=1,
    )
    splitter = node("Split", "textSplitterCharacterTextSplitter", {"separator": "|", "chunkSize": 5}, typeVersion=1)
    once = {**load, "executeOnce": True}
    return flow(
        insert,
        once,
        parts=[
            (embeddings(kind, credential), "ai_embedding", "Insert"),
            (embeddings(kind, credential), "ai_embedding", "Load"),
            (loader, "ai_document", "Insert"),
            (splitter, "ai_textSplitter", "Loader"),
        ],
    )


@pytest.mark.parametrize(
    ("kind", "credential"),
    [
        ("embeddingsOpenAi", "openAiApi"),
        ("embeddingsGoogleGemini", "googlePalmApi"),
        ("embeddingsOllama", "ollamaApi"),
        ("embeddingsMistralCloud", "mistralCloudApi"),
    ],
)
async def test_what_is_stored_is_found(lab: AiLab, kind: str, credential: str) -> None:
    await lab.credential(credential)
    lab.says = [embedded] * 3
    found = await lab.items(storing(kind, credential), {"t": "sun|moon", "id": 1}, {"t": "sea", "id": 2})
    assert [row["document"]["pageContent"] for row in found] == ["moon", "sun"] or [
        row["document"]["pageContent"] for row in found
    ] == ["moon", "sea"]
    assert found[0]["document"]["metadata"]["id"] == 1
    assert found[0]["score"] > 0.99 > found[1]["score"]


async def test_an_agent_looks_things_up(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [embedded, {"calls": [("Facts", {"input": "sea"})]}, embedded, {"text": "salty"}]
    insert = node("Insert", "vectorStoreInMemory", {"mode": "insert"}, typeVersion=1)
    loader = node(
        "Loader", "documentDefaultDataLoader", {"jsonMode": "expressionData", "jsonData": "the sea"}, typeVersion=1
    )
    agent = node("Agent", "agent", {"promptType": "define", "text": "?"}, typeVersion=2)
    facts = node(
        "Facts",
        "vectorStoreInMemory",
        {
            "mode": "retrieve-as-tool",
            "toolDescription": "Facts about water",
        },
        typeVersion=1.1,
    )
    document = flow(
        insert,
        agent,
        parts=[
            (embeddings(), "ai_embedding", "Insert"),
            (loader, "ai_document", "Insert"),
            (model(), "ai_languageModel", "Agent"),
            (facts, "ai_tool", "Agent"),
            (embeddings(), "ai_embedding", "Facts"),
        ],
    )
    assert await lab.items(document, {"x": 1}) == [{"output": "salty"}]
    assert "the sea" in lab.asked[-1]["messages"][-1]["content"]


async def test_questions_are_answered_from_documents(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    lab.says = [embedded, embedded, {"text": "blue"}]
    insert = node("Insert", "vectorStoreInMemory", {"mode": "insert"}, typeVersion=1)
    loader = node(
        "Loader", "documentDefaultDataLoader", {"jsonMode": "expressionData", "jsonData": "the sea"}, typeVersion=1
    )
    chain = node("Qa", "chainRetrievalQa", {"promptType": "define", "text": "colour of the sea?"}, typeVersion=1.4)
    document = flow(
        insert,
        chain,
        parts=[
            (embeddings(), "ai_embedding", "Insert"),
            (loader, "ai_document", "Insert"),
            (model(), "ai_languageModel", "Qa"),
            (node("Find", "retrieverVectorStore", typeVersion=1), "ai_retriever", "Qa"),
            (node("Store", "vectorStoreInMemory", typeVersion=1), "ai_vectorStore", "Find"),
            (embeddings(), "ai_embedding", "Store"),
        ],
    )
    assert await lab.items(document, {"x": 1}) == [{"response": {"text": "blue"}}]
    assert "the sea" in lab.asked[-1]["messages"][0]["content"]


@given(st.text(alphabet="ab \n", max_size=300), st.integers(1, 40), st.integers(0, 39))
def test_pieces_fit_and_lose_no_word(text: str, size: int, overlap: int) -> None:
    pieces = RecursiveSplitter(size, overlap).split(text)
    assert all(0 < len(piece) <= size for piece in pieces)
    assert set("".join(text.split())) == set("".join("".join(pieces).split()))
    assert len("".join("".join(pieces).split())) >= len("".join(text.split()))


def test_a_huge_text_makes_a_bounded_number_of_pieces() -> None:
    assert len(RecursiveSplitter(1000, 999).split("x" * 1_000_000)) == 100_000


def test_a_broken_pdf_is_told() -> None:
    with pytest.raises(NodeError, match="cannot be read"):
        text_of_file(b"%PDF-1.7 broken", "application/pdf")


def test_room_is_asked_for_before_embeddings_are_paid() -> None:
    with pytest.raises(NodeError, match="more than 3 documents"):
        Vectors(3).check_room(4)


def test_pieces_overlap() -> None:
    assert RecursiveSplitter(10, 4, (" ", "")).split("aaa bbb ccc ddd") == ["aaa bbb", "bbb ccc", "ccc ddd"]


def test_the_nearest_come_first_and_stores_are_bounded() -> None:
    vectors = Vectors(3)
    vectors.add([Document("a"), Document("b"), Document("c")], [[1, 0], [0, 1], [1, 1]])
    assert [found.text for found in vectors.nearest([2, 0.1], 2)] == ["a", "c"]
    with pytest.raises(NodeError, match="more than 3 documents"):
        vectors.add([Document("d")], [[1, 2]])
    with pytest.raises(NodeError, match="another length"):
        vectors.nearest([1, 2, 3], 1)
    stores = VectorStores(1, 5)
    first = stores.of("w", "a")
    assert stores.of("w", "a") is first
    stores.of("w", "b")
    assert stores.of("w", "a") is not first
