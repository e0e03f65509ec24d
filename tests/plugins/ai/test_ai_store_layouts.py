"""What is in a vector store: as n8n 2.41 (LangChain.js) leaves it there, and looks for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from ai_lab import SECRET, AiLab, flow
from hypothesis import given
from hypothesis import strategies as st
from store_doubles import PineconeDouble, QdrantDouble
from test_ai_vector_stores import Store, texts, vector

from jackfield.api.ai import Document
from jackfield.api.credentials import Credentials
from jackfield.api.databases import DatabaseConnections
from jackfield.api.nodes import NodeError
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.retrieval.item_texts import texts_of
from jackfield_ai.retrieval.stores.chroma import _document as chroma_document
from jackfield_ai.retrieval.stores.chroma import _properties as chroma_properties
from jackfield_ai.retrieval.stores.conditions import conditions_of
from jackfield_ai.retrieval.stores.http import StoreApi
from jackfield_ai.retrieval.stores.pinecone import _properties as pinecone_properties
from jackfield_ai.retrieval.stores.qdrant import QdrantCollection, QdrantOptions

PLAIN = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)


async def qdrant(lab: AiLab, **options: Any) -> Store:
    pytest.importorskip("qdrant_client")
    await lab.credential("openAiApi")
    await lab.sealed("qdrantApi", {"apiKey": SECRET, "qdrantUrl": lab.server.url("")})
    return Store(lab, "vectorStoreQdrant", "qdrantApi", QdrantDouble(SECRET), qdrantCollection="facts", options=options)


async def test_points_of_qdrant(lab: AiLab) -> None:
    store = await qdrant(lab)
    await store.insert({"t": "sun", "k": {"deep": [1]}})
    double: Any = store.double
    points, _ = double.client.scroll("facts", with_vectors=True)
    assert points[0].payload == {"content": "sun", "metadata": {**points[0].payload["metadata"], "k": {"deep": [1]}}}
    assert double.client.get_collection("facts").config.params.vectors.distance == "Cosine"
    double.client.delete_collection("facts")
    assert await store.find("sun") == []


async def test_qdrant_with_names_and_filters_of_ones_own(lab: AiLab) -> None:
    config = '{"vectors": {"size": 4, "distance": "Dot"}}'
    store = await qdrant(lab, contentPayloadKey="body", metadataPayloadKey="about", collectionConfig=config)
    await store.insert()
    double: Any = store.double
    assert double.client.get_collection("facts").config.params.vectors.distance == "Dot"
    assert set(double.client.scroll("facts")[0][0].payload) == {"body", "about"}
    wanted = '{"must": [{"key": "about.k", "match": {"value": "day"}}]}'
    options = {"contentPayloadKey": "body", "metadataPayloadKey": "about", "searchFilterJson": wanted}
    assert sorted(texts(await store.find("moon", options=options))) == ["the sea", "the sun"]
    main = store.node("Load", "load", prompt="x", options={"searchFilterJson": "{"})

    assert "searchFilterJson" in await lab.failure(flow(main, parts=[store.part("Load")]), {"x": 1})


class Holder:
    """Who asks Qdrant, with the lab's credential."""

    def __init__(self, lab: AiLab) -> None:
        self._lab = lab

    async def credential(self, kind: str) -> Mapping[str, str]:
        return {"apiKey": SECRET}

    async def authorization(self, kind: str) -> Any:
        return await self._lab.context.port(Credentials).authorization(kind, kind)


async def test_what_has_an_id_is_replaced(lab: AiLab) -> None:
    store = await qdrant(lab)
    api = StoreApi(ProviderClient(lab.context, Holder(lab), "qdrantApi", "Qdrant"), lab.server.url(""))
    collection = QdrantCollection(api, "facts", QdrantOptions())
    key = str(uuid4())
    for text in ("sun", "moon"):
        await collection.insert([Document(text)], [vector(text)], [key])
    double: Any = store.double
    assert double.client.count("facts").count == 1
    assert [(found.text, found.id) for found in await collection.nearest(vector("sun"), 5, {})] == [("moon", key)]


async def test_records_of_pinecone(lab: AiLab) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("pineconeApi", {"apiKey": SECRET, "url": lab.server.url("")})
    double = PineconeDouble(lab.server.port)
    options = {"pineconeNamespace": "n", "clearNamespace": True}
    store = Store(lab, "vectorStorePinecone", "pineconeApi", double, pineconeIndex="facts", options=options)
    await store.insert({"t": "sun", "k": {"deep": [1, {"a": "b"}], "tags": ["x", "y"], "none": None}})
    await store.insert({"t": "moon", "k": "v"})
    assert [row["metadata"]["text"] for row in double.rows["n"].values()] == ["moon"]
    assert all(seen.headers["api-key"] == SECRET for seen in lab.server.seen if "embeddings" not in seen.target)
    missing = Store(lab, "vectorStorePinecone", "pineconeApi", double, pineconeIndex="other")

    main = missing.node("Load", "load", prompt="x")
    assert "no index other" in await lab.failure(flow(main, parts=[missing.part("Load")]), {"x": 1})


def test_properties_of_pinecone_are_flat() -> None:
    document = Document("t", {"a": {"b": 1, "c": [1, {"d": True}], "e": ["x"]}, "n": None, "m": {}, "l": []})
    assert pinecone_properties(document) == {"a.b": 1, "a.c.0": 1, "a.c.1.d": True, "a.e": ["x"], "text": "t"}


@given(st.dictionaries(st.text(), VALUES))
def test_pinecone_gets_nothing_that_it_refuses(metadata: dict[str, Any]) -> None:
    for value in pinecone_properties(Document("t", metadata)).values():
        assert isinstance(value, str | bool | int | float) or (
            isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        )


async def test_rows_of_pgvector(lab: AiLab, vector_postgres: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("postgres", vector_postgres)
    columns = {"idColumnName": "Key", "vectorColumnName": "v", "contentColumnName": "c", "metadataColumnName": "m"}
    values = {"useCollection": True, "collectionName": "mine", "collectionTableName": "public.piles"}
    options = {"columnNames": {"values": columns}, "collection": {"values": values}}
    store = Store(lab, "vectorStorePGVector", "postgres", tableName="public.Own_Rows", options=options)
    assert await store.find("sun") == []
    await store.insert()
    other = {"columnNames": {"values": columns}, "collection": {"values": {**values, "collectionName": "other"}}}
    await store.insert({"t": "sun sun", "k": "x"}, options=other)
    assert len(await store.find("sun", topK=10)) == 3
    assert texts(await store.find("sun", topK=10, options=other)) == ["sun sun"]
    near = await store.find("sun", topK=1, options={**options, "distanceStrategy": "euclidean"})
    assert near[0]["score"] == pytest.approx(0, abs=1e-6)
    async with lab.context.port(DatabaseConnections).postgres(vector_postgres) as database:
        rows = await database.query('SELECT "Key", c, m, v::text, collection_id FROM own_rows ORDER BY c OFFSET 1')
        names = await database.query("SELECT name FROM piles ORDER BY 1")
    assert rows[0][1] == "the moon"
    assert isinstance(rows[0][2], dict)
    assert rows[0][3] == "[0,1,0,0.01]"
    assert [row[0] for row in names] == ["mine", "other"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ({}, ["a", "b", "c"]),
        ({"n": 1}, ["a"]),
        ({"n": "1"}, ["a"]),
        ({"n": {"gte": 2}}, ["b", "c"]),
        ({"n": {"gt": 1, "lt": 3}}, ["b"]),
        ({"n": {"in": [1, "3"]}}, ["a", "c"]),
        ({"n": {"notIn": [1]}}, ["b", "c"]),
        ({"n": {"neq": "2"}}, ["a", "c"]),
        ({"t": {"arrayContains": ["x"]}}, ["a", "b"]),
        ({"on": True}, ["a"]),
        ({"'); DROP TABLE facts; --": "1"}, []),
    ],
)
async def test_conditions_in_sql(
    lab: AiLab, postgres: Mapping[str, str], condition: dict[str, Any], found: list[str]
) -> None:
    async with lab.context.port(DatabaseConnections).postgres(postgres) as database:
        rows = """(VALUES ('a', '{"n": 1, "t": ["x"], "on": true}'::jsonb), ('b', '{"n": 2, "t": ["x", "y"]}'),
            ('c', '{"n": 3}')) AS rows (name, metadata)"""
        wheres, values = conditions_of(condition, '"metadata"')
        where = f"WHERE {' AND '.join(wheres)}" if wheres else ""
        assert [row[0] for row in await database.query(f"SELECT name FROM {rows} {where} ORDER BY 1", values)] == found


@pytest.mark.parametrize("wanted", [{}, {"eq": "a"}, {"in": "a"}, {"gt": "1"}, {"notIn": None}, {"arrayContains": "a"}])
def test_a_condition_that_says_nothing_is_refused(wanted: Any) -> None:
    """Left out, it would let every row through."""
    with pytest.raises(NodeError, match="The filter of 'tenant'"):
        conditions_of({"tenant": wanted}, '"metadata"')


def test_lines_in_chroma_are_properties() -> None:
    metadata = {"loc": {"lines": {"from": 1, "to": 2}}, "a": "b", "n": None}
    kept = chroma_properties(Document("t", metadata))
    assert kept == {"locFrom": 1, "locTo": 2, "a": "b"}
    answer: Any = {"ids": [["i"]], "documents": [["t"]], "metadatas": [[kept]], "distances": [[0.5]]}
    assert chroma_document(answer, 0) == Document("t", {"loc": metadata["loc"], "a": "b"}, 0.5, "i")
    with pytest.raises(NodeError, match="the property deep"):
        chroma_properties(Document("t", {"deep": {"a": 1}}))


def test_the_texts_of_an_item() -> None:
    found = texts_of({"a": "x", "n": 1, "e": "", "l": [{"b": "y"}, "z"], "t": True, "o": None})
    assert [one.text for one in found] == ["x", "y", "z"]
    assert [one.metadata["line"] for one in found] == [1, 2, 3]
    assert texts_of({"a": "x"}) == [Document("x", {"source": "blob", "blobType": "application/json"})]


@given(VALUES)
def test_every_text_is_taken_once(value: Any) -> None:
    def count(one: Any) -> int:
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        return bool(isinstance(one, str) and one) + sum(map(count, inner))

    assert len(texts_of(value)) == count(value)


async def test_pinecones_own_client_agrees_with_the_double(lab: AiLab) -> None:
    """So that the double is no picture of our own reading."""
    pinecone = pytest.importorskip("pinecone")
    await lab.credential("openAiApi")
    await lab.sealed("pineconeApi", {"apiKey": SECRET, "url": lab.server.url("")})
    store = Store(lab, "vectorStorePinecone", "pineconeApi", PineconeDouble(lab.server.port), pineconeIndex="facts")
    await store.insert()

    def ask() -> Any:
        index = pinecone.Pinecone(api_key=SECRET).Index(host=lab.server.url("").rstrip("/"))
        index.upsert(vectors=[{"id": "theirs", "values": vector("sea sea"), "metadata": {"text": "sea sea", "k": "x"}}])
        return index.query(vector=vector("moon"), top_k=1, include_metadata=True)

    answer = await asyncio.to_thread(ask)
    assert answer.matches[0].metadata["text"] == "the moon"
    assert texts(await store.find("sea", topK=4)).count("sea sea") == 1
