"""Vector stores: one contract for all of them, beside real servers where these can be installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import database_servers
import pytest
import servers
from ai_lab import SECRET, AiLab, flow, model, node
from integration_fakes import free_port
from loopback import Seen, reply
from search_doubles import MilvusDouble, Searching, WeaviateDouble
from store_doubles import PineconeDouble, PostgrestDouble, QdrantDouble

from jackfield.api.credentials import CredentialField, CredentialKind, Placement

WORDS = ("sun", "moon", "sea")
ITEMS = [{"t": "the sun", "k": "day"}, {"t": "the moon", "k": "night"}, {"t": "the sea", "k": "day"}]
Double = Callable[[Seen], bytes]


def vector(text: str) -> list[float]:
    return [float(text.count(word)) for word in WORDS] + [0.01]


class Store:
    """A store of one kind in a lab. parameters: of its nodes; double: answers what is not for the embedding model."""

    def __init__(self, lab: AiLab, kind: str, credential: str, double: Double | None = None, **parameters: Any) -> None:
        self.lab = lab
        self.kind = kind
        self.credential = credential
        self.parameters = parameters
        self.double = double
        self.name = kind

        def answer(seen: Seen) -> bytes:
            if seen.target.endswith("/embeddings"):
                rows = [{"index": place, "embedding": vector(text)} for place, text in enumerate(seen.json["input"])]
                return reply({"data": rows})
            if "/chat/completions" in seen.target or double is None:
                return lab.answer(seen)
            return double(seen)

        lab.server.answer = answer

    def node(self, name: str, mode: str, **parameters: Any) -> dict[str, Any]:
        version = parameters.pop("version", 1.3)
        kind = {self.credential: {"id": self.credential}}
        return node(
            name, self.kind, {"mode": mode, **self.parameters, **parameters}, typeVersion=version, credentials=kind
        )

    def part(self, name: str) -> tuple[dict[str, Any], str, str]:
        key = {"openAiApi": {"id": "openAiApi"}}
        return node(f"Embed {name}", "embeddingsOpenAi", {}, typeVersion=1, credentials=key), "ai_embedding", name

    async def insert(self, *items: Mapping[str, Any], **parameters: Any) -> list[Any]:
        main = self.node("Insert", "insert", **parameters)
        rows = [{"name": "k", "value": "={{ $json.k }}"}]
        loading = {"jsonMode": "expressionData", "jsonData": "={{ $json.t }}"}
        loading["options"] = {"metadata": {"metadataValues": rows}}
        loader = node("Loader", "documentDefaultDataLoader", loading, typeVersion=1)
        document = flow(main, parts=[self.part("Insert"), (loader, "ai_document", "Insert")])
        return await self.lab.items(document, *(items or ITEMS))

    async def find(self, text: str, **parameters: Any) -> list[Any]:
        main = self.node("Load", "load", prompt=text, **parameters)
        return await self.lab.items(flow(main, parts=[self.part("Load")]), {"x": 1})


def texts(found: list[Any]) -> list[str]:
    return [row["document"]["pageContent"] for row in found]


@pytest.fixture(scope="session")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = os.environ.get("JACKFIELD_TEST_CHROMA") or shutil.which("chroma")
    if not program:
        pytest.skip("Chroma is not installed; JACKFIELD_TEST_CHROMA names its program `chroma`")
    port, place = free_port(), tmp_path_factory.mktemp("chroma")
    command = [program, "run", "--path", str(place), "--port", str(port), "--host", "127.0.0.1"]
    with servers.running(command, None, lambda: servers.answers(port)):
        yield f"http://127.0.0.1:{port}"


async def of_qdrant(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    pytest.importorskip("qdrant_client")
    await lab.sealed("qdrantApi", {"apiKey": SECRET, "qdrantUrl": lab.server.url("")})
    collection = {"mode": "id", "value": "facts"}
    return Store(lab, "vectorStoreQdrant", "qdrantApi", QdrantDouble(SECRET), qdrantCollection=collection)


async def of_pinecone(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    await lab.sealed("pineconeApi", {"apiKey": SECRET, "url": lab.server.url("")})
    double = PineconeDouble(lab.server.port)
    return Store(lab, "vectorStorePinecone", "pineconeApi", double, pineconeIndex={"mode": "id", "value": "facts"})


async def of_pgvector(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    values = request.getfixturevalue("vector_postgres")
    await lab.sealed("postgres", values)
    table = f"facts_{abs(hash(request.node.name))}"
    return Store(lab, "vectorStorePGVector", "postgres", tableName=table)


async def of_supabase(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    run = request.getfixturevalue("supabase")
    kind = CredentialKind(
        "supabaseApi",
        "Supabase",
        (CredentialField("host", "Host"), CredentialField("serviceRole", "Key", secret=True)),
        Placement(headers={"apikey": "{serviceRole}", "Authorization": "Bearer {serviceRole}"}),
    )
    lab.context.ports["jackfield_credential_kinds"]["supabaseApi"] = kind  # type: ignore[index]  # the lab's own
    await lab.sealed("supabaseApi", {"serviceRole": SECRET, "host": lab.server.url("")})
    return Store(
        lab,
        "vectorStoreSupabase",
        "supabaseApi",
        PostgrestDouble(run, SECRET),
        tableName={"mode": "list", "value": "documents"},
    )


async def of_chroma(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    await lab.sealed("chromaSelfHostedApi", {"baseUrl": request.getfixturevalue("chroma")})
    name = f"facts-{abs(hash(request.node.name))}"
    return Store(lab, "vectorStoreChromaDB", "chromaSelfHostedApi", chromaCollection={"mode": "id", "value": name})


async def of_memory(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    return Store(lab, "vectorStoreInMemory", "none")


async def of_redis(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    values = request.getfixturevalue("redis")
    await lab.sealed("redis", values)
    lab.context.ports["DatabaseConnections"] = Searching(lab.context.ports["DatabaseConnections"])
    return Store(
        lab, "vectorStoreRedis", "redis", redisIndex={"mode": "id", "value": f"i{abs(hash(request.node.name))}"}
    )


async def of_mongo(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    await lab.sealed("mongoDb", request.getfixturevalue("mongo"))
    lab.context.ports["DatabaseConnections"] = Searching(lab.context.ports["DatabaseConnections"])
    name = f"c{abs(hash(request.node.name))}"
    return Store(lab, "vectorStoreMongoDBAtlas", "mongoDb", mongoCollection=name, vectorIndexName="vectors")


async def of_weaviate(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    pytest.importorskip("graphql")
    port = {"custom_connection_http_host": "127.0.0.1", "custom_connection_http_port": str(lab.server.port)}
    await lab.sealed("weaviateApi", {"connection_type": "custom_connection", "weaviate_api_key": SECRET, **port})
    return Store(lab, "vectorStoreWeaviate", "weaviateApi", WeaviateDouble(SECRET), weaviateCollection="facts")


async def of_milvus(lab: AiLab, request: pytest.FixtureRequest) -> Store:
    pytest.importorskip("pymilvus")
    pytest.importorskip("milvus_lite")
    await lab.sealed("milvusApi", {"baseUrl": lab.server.url(""), "username": "root", "password": SECRET})
    double = MilvusDouble(str(request.getfixturevalue("tmp_path") / "milvus.db"), SECRET)
    return Store(lab, "vectorStoreMilvus", "milvusApi", double, milvusCollection={"mode": "list", "value": "facts"})


MAKERS = {
    "qdrant": of_qdrant,
    "pinecone": of_pinecone,
    "pgvector": of_pgvector,
    "supabase": of_supabase,
    "chroma": of_chroma,
    "redis": of_redis,
    "mongo": of_mongo,
    "weaviate": of_weaviate,
    "milvus": of_milvus,
}
MAKES_ITSELF = ("qdrant", "pgvector", "chroma", "weaviate")
FILTERS = ("pinecone", "pgvector", "supabase", "chroma")
UPDATES = ("pinecone", "supabase", "redis", "mongo")


@pytest.fixture
def supabase(vector_postgres: Mapping[str, str]) -> Iterator[Callable[[str, list[Any]], Any]]:
    """Runs statements in a database that is set up as Supabase's guide for LangChain says."""
    import psycopg

    with ExitStack() as stack:
        connection = stack.enter_context(psycopg.connect(database_servers.dsn(vector_postgres), autocommit=True))
        connection.execute("DROP TABLE IF EXISTS documents CASCADE")
        connection.execute(
            "CREATE TABLE documents (id bigserial PRIMARY KEY, content text, metadata jsonb, embedding vector(4))"
        )
        connection.execute(
            """CREATE OR REPLACE FUNCTION match_documents (
              query_embedding vector(4), match_count int DEFAULT null, filter jsonb DEFAULT '{}'
            ) RETURNS TABLE (id bigint, content text, metadata jsonb, similarity float) LANGUAGE plpgsql AS $$
            #variable_conflict use_column
            BEGIN
              RETURN QUERY SELECT id, content, metadata, 1 - (documents.embedding <=> query_embedding) AS similarity
              FROM documents WHERE metadata @> filter
              ORDER BY documents.embedding <=> query_embedding LIMIT match_count;
            END; $$;"""
        )

        def run(statement: str, values: list[Any]) -> Any:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchone()[0] if cursor.description else None  # type: ignore[index]  # an aggregate

        yield run


@pytest.fixture(params=MAKERS)
async def store(request: pytest.FixtureRequest, lab: AiLab) -> Store:
    await lab.credential("openAiApi")
    made = await MAKERS[request.param](lab, request)
    made.name = request.param
    return made


async def test_what_is_inserted_is_found(store: Store) -> None:
    inserted = await store.insert()
    assert [row["pageContent"] for row in inserted] == [item["t"] for item in ITEMS]
    found = await store.find("moon", topK=2)
    assert texts(found)[0] == "the moon"
    assert len(found) == 2
    assert found[0]["document"]["metadata"]["k"] == "night"
    assert [set(row["document"]) for row in await store.find("sea", topK=1, includeDocumentMetadata=False)] == [
        {"pageContent"}
    ]


async def test_first_version_inserts_item_by_item(store: Store) -> None:
    await store.insert(version=1)
    assert sorted(texts(await store.find("x", topK=10))) == ["the moon", "the sea", "the sun"]


async def test_small_batches_keep_all(store: Store) -> None:
    await store.insert(*({"t": f"sun {n}", "k": str(n)} for n in range(7)), embeddingBatchSize=3)
    assert len(await store.find("sun", topK=100)) == 7
    asked = [seen.json["input"] for seen in store.lab.server.seen if seen.target.endswith("/embeddings")]
    assert [len(batch) for batch in asked[:3]] == [3, 3, 1]


@pytest.mark.parametrize("store", FILTERS, indirect=True)
async def test_properties_choose(store: Store) -> None:
    await store.insert()
    options = {"metadata": {"metadataValues": [{"name": "k", "value": "={{ 'day' }}"}]}}
    assert sorted(texts(await store.find("moon", topK=5, options=options))) == ["the sea", "the sun"]


@pytest.mark.parametrize("store", MAKES_ITSELF, indirect=True)
async def test_a_collection_that_is_not_there_yet_is_empty(store: Store) -> None:
    assert await store.find("moon") == []


async def test_an_agent_looks_things_up(store: Store) -> None:
    await store.insert()
    store.lab.says = [{"calls": [("Facts", {"input": "sea"})]}, {"text": "salty"}]
    agent = node("Agent", "agent", {"promptType": "define", "text": "?"}, typeVersion=2)
    facts = store.node("Facts", "retrieve-as-tool", toolDescription="Facts", toolName="other", topK=1)
    parts = [(model(), "ai_languageModel", "Agent"), (facts, "ai_tool", "Agent"), store.part("Facts")]
    assert await store.lab.items(flow(agent, parts=parts), {"x": 1}) == [{"output": "salty"}]
    told = [seen.json for seen in store.lab.server.seen if "/chat/completions" in seen.target]
    assert "the sea" in told[-1]["messages"][-1]["content"]
    assert "the sun" not in told[-1]["messages"][-1]["content"]


async def test_a_chain_looks_things_up(store: Store) -> None:
    await store.insert()
    store.lab.says = [{"text": "blue"}]
    chain = node("Qa", "chainRetrievalQa", {"promptType": "define", "text": "colour of the sea?"}, typeVersion=1.4)
    parts = [
        (model(), "ai_languageModel", "Qa"),
        (node("Find", "retrieverVectorStore", {"topK": 1}, typeVersion=1), "ai_retriever", "Qa"),
        (store.node("Store", "retrieve"), "ai_vectorStore", "Find"),
        store.part("Store"),
    ]
    assert await store.lab.items(flow(chain, parts=parts), {"x": 1}) == [{"response": {"text": "blue"}}]


@pytest.mark.parametrize("store", UPDATES, indirect=True)
async def test_a_document_is_updated(store: Store) -> None:
    await store.insert()
    key = "1" if store.name == "supabase" else "own-id"
    main = store.node("Update", "update", id=key)
    items = await store.lab.items(flow(main, parts=[store.part("Update")]), {"t": "moon moon"})
    assert items == [{"metadata": {"source": "blob", "blobType": "application/json"}, "pageContent": "moon moon"}]
    assert "moon moon" in texts(await store.find("moon moon", topK=2))
    failed = await store.lab.failure(flow(main, parts=[store.part("Update")]), {"a": "x", "b": "y"})
    assert "this one has 2" in failed


@pytest.mark.parametrize("store", ["qdrant", "pinecone", "supabase", "weaviate", "milvus"], indirect=True)
async def test_a_server_that_refuses_is_told_without_its_key(store: Store) -> None:
    store.lab.server.answer = lambda seen: reply({"error": {"message": f"no {SECRET}"}}, "403 Forbidden")
    main = store.node("Load", "load", prompt="x")
    said = await store.lab.failure(flow(main, parts=[store.part("Load")]), {"x": 1})
    assert "403" in said
