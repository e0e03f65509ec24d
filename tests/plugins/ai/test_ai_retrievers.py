"""Retrievers that ask a model or a workflow, older document loaders, and the lists of what vector stores have."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Mapping
from typing import Any

import pytest
from ai_lab import SECRET, AiLab, flow, model, node
from hypothesis import given
from hypothesis import strategies as st
from loopback import Seen, reply
from pdf_files import pdf

from jackfield.api.context import WorkflowReader
from jackfield.api.credentials import CredentialField, CredentialKind, Placement
from jackfield.api.nodes import NodeCatalog, NodeError
from jackfield.api.nodes.lists import ListQuestion, LoadedPage, listing_node
from jackfield.api.storage import StoredWorkflow
from jackfield_ai.retrieval.file_texts import FileReading, documents_of_file, pointed
from jackfield_ai.retrieval.item_texts import in_pieces
from jackfield_credentials.service import CredentialService

FACTS = ["The sky is blue.", "Grass is green.", "The sky is above."]


def vector(text: str) -> list[float]:
    return [1.0 if "sky" in text else 0.0, 1.0 if "rass" in text else 0.0, 0.1]


class Providers:
    """Embeds texts by their words, and says what the test says to everything else."""

    def __init__(self, *said: str) -> None:
        self.said = list(said)
        self.prompts: list[str] = []

    def __call__(self, seen: Seen) -> bytes:
        if "/embeddings" in seen.target:
            rows = [{"index": place, "embedding": vector(text)} for place, text in enumerate(seen.json["input"])]
            return reply({"data": rows})
        self.prompts.append(seen.json["messages"][-1]["content"])
        message = {"role": "assistant", "content": self.said.pop(0)}
        return reply({"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


async def asked(lab: AiLab, retriever: dict[str, Any], providers: Providers, *more: Any) -> list[str]:
    """The pieces of context that a retrieval chain gives its model."""
    await lab.credential("openAiApi")
    lab.server.answer = providers
    credentials = {"openAiApi": {"id": "openAiApi", "name": "c"}}
    embedding = node("E", "embeddingsOpenAi", {}, typeVersion=1, credentials=credentials)
    loader = node("L", "documentDefaultDataLoader", {}, typeVersion=1)
    fill = node("Fill", "vectorStoreInMemory", {"mode": "insert", "memoryKey": "k"}, typeVersion=1.1)
    chain = node("QA", "chainRetrievalQa", {"promptType": "define", "text": "sky?"}, typeVersion=1.4)
    chain["executeOnce"] = True
    store = node("Store", "vectorStoreInMemory", {"mode": "retrieve", "memoryKey": "k"}, typeVersion=1.1)
    base = node("Base", "retrieverVectorStore", {"topK": 2}, typeVersion=1)
    parts = [
        *((embedding, "ai_embedding", name) for name in ("Fill", "Store")),
        (loader, "ai_document", "Fill"),
        (store, "ai_vectorStore", "Base"),
        (base, "ai_retriever", retriever["name"]),
        *((model(), "ai_languageModel", name) for name in ("QA", retriever["name"])),
        (retriever, "ai_retriever", "QA"),
    ]
    await lab.items(flow(fill, chain, parts=parts), *({"fact": fact} for fact in FACTS))
    return [message["content"] for message in lab.asked[-1]["messages"] if message["role"] == "system"]


async def test_several_wordings_find_each_document_once(lab: AiLab) -> None:
    providers = Providers("1. What of the sky?\n2. What of the grass?\n\n3) Sky again", "answer")
    retriever = node("Multi", "retrieverMultiQuery", {"options": {"queryCount": 3}}, typeVersion=1)
    (context,) = await asked(lab, retriever, providers)
    assert all(context.count(fact) == 1 for fact in FACTS)
    assert "3 different versions" in providers.prompts[0]
    embedded = [seen.json["input"] for seen in lab.server.seen if "/embeddings" in seen.target][-3:]
    assert sorted(embedded) == [["Sky again"], ["What of the grass?"], ["What of the sky?"]]


async def test_documents_are_shortened_or_left_out(lab: AiLab) -> None:
    providers = Providers("blue", "NOTHING_RELEVANT", "answer")
    retriever = node("Short", "retrieverContextualCompression", {}, typeVersion=1)
    (context,) = await asked(lab, retriever, providers)
    assert context.endswith("Context: blue")
    assert all("sky?" in prompt for prompt in providers.prompts[:2])


async def test_a_workflow_finds(lab: AiLab) -> None:
    called = {
        "name": "Called",
        "nodes": [
            node("Start", "n8n-nodes-base.executeWorkflowTrigger", {"inputSource": "passthrough"}, typeVersion=1.1),
            node(
                "Set",
                "n8n-nodes-base.set",
                {"mode": "raw", "jsonOutput": "={{ { found: $json.query, where: { to: $json.more } } }}"},
                typeVersion=3.4,
            ),
        ],
        "connections": {"Start": {"main": [[{"node": "Set", "type": "main", "index": 0}]]}},
    }
    ident = "0197a000-0000-7000-8000-000000000009"
    await lab.store.add_workflow(StoredWorkflow(ident, "Called", True, 1, called, 0, 0), [], None)
    await lab.credential("openAiApi")
    providers = Providers("answer")
    lab.server.answer = providers
    fields = {"values": [{"name": "more", "type": "stringValue", "stringValue": "x"}]}
    given = {"source": "database", "workflowId": {"__rl": True, "mode": "list", "value": ident}, "fields": fields}
    retriever = node("Flow", "retrieverWorkflow", given, typeVersion=1.1)
    chain = node("QA", "chainRetrievalQa", {"promptType": "define", "text": "sky?"}, typeVersion=1.4)
    parts = [(model(), "ai_languageModel", "QA"), (retriever, "ai_retriever", "QA")]
    await lab.items(flow(chain, parts=parts), {"x": 1})
    system = lab.asked[-1]["messages"][0]["content"]
    assert system.endswith('### 1. Context data:\n- "found": "sky?"\n- "where":\n  - "to": "x"\n')


# -- loaders. JSONLoader and CSVLoader of LangChain.js 1 gave these texts for the same. Where there is no pointer n8n
# asks JSONLoader for the pointer "", and gets texts below objects again.


@pytest.mark.parametrize(
    ("pointers", "texts"),
    [
        ("", ["a", "b", "c", "d"]),
        ("/title", ["a"]),
        ("/title, /inner/text", ["a", "b"]),
        ("/inner", ["b", "c"]),
        ("/text", ["b"]),
        ("/none", []),
    ],
)
def test_pointers_choose_texts(pointers: str, texts: list[str]) -> None:
    value: Any = {"title": "a", "inner": {"text": "b", "more": "c"}, "list": [{"x": "d"}], "number": 3}
    assert [document.text for document in pointed(value, pointers)] == texts


def test_a_pointer_that_is_none() -> None:
    with pytest.raises(NodeError, match="begins with /"):
        pointed({"a": "b"}, "a")


async def loaded(lab: AiLab, kind: str, parameters: Mapping[str, Any], item: Any) -> list[Any]:
    await lab.credential("openAiApi")
    lab.server.answer = Providers()
    credentials = {"openAiApi": {"id": "openAiApi", "name": "c"}}
    embedding = node("E", "embeddingsOpenAi", {}, typeVersion=1, credentials=credentials)
    fill = node("Fill", "vectorStoreInMemory", {"mode": "insert"}, typeVersion=1)
    document = flow(
        fill, parts=[(embedding, "ai_embedding", "Fill"), (node("L", kind, parameters), "ai_document", "Fill")]
    )
    outcome = await lab.started(lab.context.port(WorkflowReader).parse(document), [item])
    assert outcome.status == "success", outcome.failure
    return [row["json"] for row in outcome.items]


async def test_the_json_loader_takes_pointers_and_metadata(lab: AiLab) -> None:
    options = {"metadata": {"metadataValues": [{"name": "of", "value": "us"}]}}
    rows = await loaded(
        lab, "documentJsonInputLoader", {"pointers": "/a", "options": options}, {"json": {"a": "x", "b": "y"}}
    )
    assert rows == [{"metadata": {"source": "blob", "blobType": "application/json", "of": "us"}, "pageContent": "x"}]


def rows_of(texts: list[str]) -> list[tuple[str, dict[str, Any]]]:
    source = {"source": "blob", "blobType": "text/csv"}
    if len(texts) == 1:
        return [(texts[0], source)]
    return [(text, {**source, "line": line}) for line, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("text", "reading", "texts"),
    [
        ("name,age\nAnn,3\nBob,4\n", FileReading(), ["name: Ann\nage: 3", "name: Bob\nage: 4"]),
        ("name,age\nAnn,3\nBob,4\n", FileReading(column="name"), ["Ann", "Bob"]),
        ('a;b\n1;"x;""y\nz"\n', FileReading(separator=";"), ['a: 1\nb: x;"y\nz']),
        ("a,b\n1\n\n2,3,4", FileReading(), ["a: 1\nb: ", "a: \nb: ", "a: 2\nb: 3"]),
        ("\ufeff a , b \r\n x , y \r\n", FileReading(), ["a: x\nb: y"]),
        ("a,a\n1,2", FileReading(), ["a: 2"]),
        ("a,b", FileReading(), []),
        ("", FileReading(), []),
    ],
)
def test_rows_of_csv_are_documents(text: str, reading: FileReading, texts: list[str]) -> None:
    found = documents_of_file(text.encode(), "text/csv", reading)
    assert [(one.text, dict(one.metadata)) for one in found] == rows_of(texts)


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(NodeError, match=r"no column c \(column\); it has a, b"):
        documents_of_file(b"a,b\n1,2", "text/csv", FileReading(column="c"))


@given(st.text(), st.text(max_size=2), st.text(max_size=3))
def test_any_text_is_csv_or_refused(text: str, separator: str, column: str) -> None:
    with contextlib.suppress(NodeError):
        documents_of_file(text.encode("utf-8", "replace"), "text/csv", FileReading(separator=separator, column=column))


def test_json_with_a_byte_order_mark_is_json() -> None:
    assert [one.text for one in documents_of_file(b'\xef\xbb\xbf{"a": "x"}', "application/json", FileReading())] == [
        "x"
    ]


def test_pages_of_a_pdf_are_documents_or_one() -> None:
    content = pdf("one", "", "three")
    kind = {"source": "blob", "blobType": "application/pdf"}
    split = documents_of_file(content, "application/pdf", FileReading(split_pages=True))
    assert [(one.text.strip(), one.metadata) for one in split] == [
        ("one", {**kind, "pdf": {"totalPages": 3}, "loc": {"pageNumber": 1}}),
        ("three", {**kind, "pdf": {"totalPages": 3}, "loc": {"pageNumber": 3}}),
    ]
    (whole,) = documents_of_file(content, "application/pdf", FileReading())
    assert whole.text.split() == ["one", "three"]
    assert whole.metadata == kind
    (piece,) = in_pieces(split[1], ["three"])
    assert piece.metadata["loc"] == {"pageNumber": 3, "lines": {"from": 1, "to": 1}}


async def test_the_loaders_read_rows_and_pages_as_their_options_say(lab: AiLab) -> None:
    files = {"data": {"data": base64.b64encode(b"a;b\n1;2\n3;4").decode(), "mimeType": "text/csv"}}
    item = {"json": {}, "binary": files}
    rows = await loaded(lab, "documentBinaryInputLoader", {"column": "b", "separator": ";"}, item)
    assert [row["pageContent"] for row in rows] == ["2", "4"]
    options = {"options": {"column": "b", "separator": ";"}}
    rows = await loaded(lab, "documentDefaultDataLoader", {"dataType": "binary", **options}, item)
    assert [row["pageContent"] for row in rows] == ["2", "4"]
    files = {"data": {"data": base64.b64encode(pdf("one", "two")).decode(), "mimeType": "application/pdf"}}
    for kind, parameters, pages in (
        ("documentBinaryInputLoader", {}, 2),
        ("documentBinaryInputLoader", {"splitPages": False}, 1),
        ("documentDefaultDataLoader", {"dataType": "binary"}, 1),
        ("documentDefaultDataLoader", {"dataType": "binary", "options": {"splitPages": True}}, 2),
    ):
        assert len(await loaded(lab, kind, parameters, {"json": {}, "binary": files})) == pages


async def test_the_binary_loader_reads_its_field(lab: AiLab) -> None:
    files = {"doc": {"data": "aGVsbG8=", "mimeType": "text/plain"}, "other": {"data": "eA==", "mimeType": "text/plain"}}
    rows = await loaded(lab, "documentBinaryInputLoader", {"binaryDataKey": "doc"}, {"json": {}, "binary": files})
    assert [row["pageContent"] for row in rows] == ["hello"]
    files = {"data": {"data": "eyJhIjoieCJ9", "mimeType": "application/json"}}
    rows = await loaded(lab, "documentBinaryInputLoader", {"pointers": "/a"}, {"json": {}, "binary": files})
    assert [row["pageContent"] for row in rows] == ["x"]


def github(files: Mapping[str, bytes], **tree: Any) -> Any:
    """GitHub's REST API as far as trees and raw contents go."""

    def answer(seen: Seen) -> bytes:
        path, _, query = seen.target.partition("?")
        if path == "/v1/repos/octo/hello/git/trees/main":
            rows = [{"path": name, "type": "blob"} for name in files if "recursive=1" in query or "/" not in name]
            return reply({"tree": [*rows, {"path": "docs", "type": "tree"}], "truncated": False, **tree})
        name = path.removeprefix("/v1/repos/octo/hello/contents/")
        if name not in files:
            return reply({"message": "Not Found"}, "404 Not Found")
        assert seen.headers["accept"] == "application/vnd.github.raw+json"
        assert query == "ref=main"
        return reply(files[name])

    return answer


GITHUB = CredentialKind(
    "githubApi",
    "GitHub",
    (CredentialField("server", "Server"), CredentialField("accessToken", "Token", secret=True)),
    Placement(headers={"Authorization": "Bearer {accessToken}"}),
)
FILES = {"README.md": b"# Hello", "logo.png": b"\x89PNG\0", "docs/a.md": b"Deep", "src/b.py": b"x = 1"}


async def of_github(lab: AiLab, files: Any, **parameters: Any) -> Any:
    lab.context.ports["jackfield_credential_kinds"]["githubApi"] = GITHUB
    await lab.sealed("githubApi", {"server": lab.server.url("/v1"), "accessToken": SECRET})
    await lab.credential("openAiApi")
    embed = Providers()
    lab.server.answer = lambda seen: embed(seen) if "/embeddings" in seen.target else files(seen)
    given = {"repository": "https://github.com/octo/hello.git", **parameters}
    loader = node(
        "L", "documentGithubLoader", given, typeVersion=1, credentials={"githubApi": {"id": "githubApi", "name": "c"}}
    )
    credentials = {"openAiApi": {"id": "openAiApi", "name": "c"}}
    embedding = node("E", "embeddingsOpenAi", {}, typeVersion=1, credentials=credentials)
    fill = node("Fill", "vectorStoreInMemory", {"mode": "insert"}, typeVersion=1)
    outcome = await lab.run(
        flow(fill, parts=[(embedding, "ai_embedding", "Fill"), (loader, "ai_document", "Fill")]), {}
    )
    if outcome.failure is not None:
        return outcome.failure.message
    return [(row["json"]["metadata"]["source"], row["json"]["pageContent"]) for row in outcome.items]  # type: ignore[index, call-overload]


async def test_the_github_loader_reads_texts(lab: AiLab) -> None:
    assert await of_github(lab, github(FILES)) == [("README.md", "# Hello")]
    everything = {"recursive": True, "ignorePaths": "docs, *.txt"}
    found = await of_github(lab, github(FILES), additionalOptions=everything)
    assert found == [("README.md", "# Hello"), ("src/b.py", "x = 1")]


async def test_repositories_that_are_none_or_too_large(lab: AiLab) -> None:
    assert "is no repository" in await of_github(lab, github(FILES), repository="https://github.com/octo/../x")
    assert "more files than" in await of_github(lab, github(FILES, truncated=True))
    assert "answered 404" in await of_github(lab, github(FILES), branch="other")


# -- lists


class Stored:
    """`CredentialAccess` to the lab's credentials."""

    def __init__(self, lab: AiLab) -> None:
        self._service = lab.context.port(CredentialService)

    async def credential(self, kind: str) -> Mapping[str, str]:
        return await self._service.values(kind, kind)

    async def authorization(self, kind: str) -> Any:
        return await self._service.authorization(kind, kind)


SUPABASE = CredentialKind(
    "supabaseApi",
    "Supabase",
    (CredentialField("host", "Host"), CredentialField("serviceRole", "Key", secret=True)),
    Placement(headers={"apikey": "{serviceRole}"}),
)
STORES: list[tuple[str, str, dict[str, str], str, Any]] = [
    (
        "Qdrant",
        "qdrantApi",
        {"qdrantUrl": ""},
        "GET /collections",
        {"result": {"collections": [{"name": "b"}, {"name": "a"}]}},
    ),
    (
        "Pinecone",
        "pineconeApi",
        {"url": "", "apiKey": SECRET},
        "GET /indexes",
        {"indexes": [{"name": "a"}, {"name": "b"}]},
    ),
    (
        "Supabase",
        "supabaseApi",
        {"host": "", "serviceRole": SECRET},
        "GET /rest/v1/",
        {"paths": {"/": {}, "/b": {}, "/a": {}, "/rpc/match_documents": {}}},
    ),
    (
        "ChromaDB",
        "chromaSelfHostedApi",
        {"baseUrl": ""},
        "GET /api/v2/tenants/default_tenant/databases/default_database/collections",
        [{"name": "a", "id": "1"}, {"name": "b", "id": "2"}],
    ),
    ("Weaviate", "weaviateApi", {}, "GET /v1/schema", {"classes": [{"class": "a"}, {"class": "b"}]}),
    ("Milvus", "milvusApi", {"baseUrl": ""}, "POST /v2/vectordb/collections/list", {"code": 0, "data": ["b", "a"]}),
]


@pytest.mark.parametrize(("store", "kind", "values", "request_", "answer"), STORES, ids=[row[0] for row in STORES])
async def test_stores_list_what_they_have(
    lab: AiLab, store: str, kind: str, values: dict[str, str], request_: str, answer: Any
) -> None:
    lab.context.ports["CredentialService"] = CredentialService(lab.context)
    lab.context.ports["jackfield_credential_kinds"]["supabaseApi"] = SUPABASE
    base = lab.server.url("").rstrip("/")
    given = {name: value or base for name, value in values.items()}
    if store == "Weaviate":
        given = {"custom_connection_http_host": "127.0.0.1", "custom_connection_http_port": str(lab.server.port)}
    await lab.sealed(kind, given)
    lab.server.answer = lambda _: reply(answer)
    found = listing_node(lab.context.port(NodeCatalog).find(f"langchain.vectorStore{store}"))
    assert found is not None

    async def page(**more: Any) -> LoadedPage:
        listed = await found.listed(ListQuestion("collections", 1.3, **more), Stored(lab))
        assert listed is not None
        return listed

    assert [row.value for row in (await page()).rows] == ["a", "b"]
    seen = lab.server.seen[-1]
    assert f"{seen.method} {seen.target}" == request_
    first = await page(limit=1)
    assert [row.value for row in first.rows] == ["a"]
    assert [row.value for row in (await page(limit=1, cursor=first.cursor)).rows] == ["b"]
    assert [row.value for row in (await page(search="B")).rows] == ["b"]
    assert await found.listed(ListQuestion("other", 1.3), Stored(lab)) is None
    assert json.dumps([row.value for row in first.rows])


async def test_mongo_lists_what_it_has(lab: AiLab, mongo: Mapping[str, str]) -> None:
    lab.context.ports["CredentialService"] = CredentialService(lab.context)
    await lab.sealed("mongoDb", mongo)
    found = listing_node(lab.context.port(NodeCatalog).find("langchain.vectorStoreMongoDBAtlas"))
    assert found is not None
    async with lab.context.ports["DatabaseConnections"].mongo(mongo) as database:
        await database.command(database.database, {"create": "facts"})
    page = await found.listed(ListQuestion("collections", 1.3, search="fact"), Stored(lab))
    assert page is not None
    assert [row.value for row in page.rows] == ["facts"]
