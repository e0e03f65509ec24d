"""How Redis, Weaviate, MongoDB Atlas and Milvus are asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from ai_lab import SECRET, AiLab, flow
from hypothesis import given
from hypothesis import strategies as st
from loopback import Seen, reply
from search_doubles import WeaviateDouble
from test_ai_vector_stores import Store, of_milvus, of_mongo, of_redis, texts, vector

from jackfield.api.databases import DatabaseConnections
from jackfield.api.nodes import NodeError
from jackfield_ai.retrieval.stores.graphql import Name, rendered, where_of
from jackfield_ai.retrieval.stores.http import StoreApi
from jackfield_ai.retrieval.stores.qdrant import QdrantCollection, QdrantOptions
from jackfield_ai.retrieval.stores.redis import RedisStoreParameters, blob, escaped, unescaped
from jackfield_ai.retrieval.stores.weaviate import address, flat

VALUES = st.recursive(
    st.booleans() | st.integers(-(2**31), 2**31 - 1) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), inner, max_size=3)
    ),
    max_leaves=8,
)


async def test_redis_is_asked_as_by_its_own_client(lab: AiLab, request: pytest.FixtureRequest) -> None:
    query = pytest.importorskip("redis.commands.search.query")
    field = pytest.importorskip("redis.commands.search.field")
    await lab.credential("openAiApi")
    store = await of_redis(lab, request)
    options = {"keyPrefix": "p:", "contentKey": "c", "metadataKey": "m", "vectorKey": "v"}
    await store.insert(options={**options, "ttl": 90})
    found = await store.find("moon", options={**options, "metadataFilter": "day, other-1"})
    assert sorted(texts(found)) == ["the sea", "the sun"]
    server: Any = lab.context.port(DatabaseConnections)
    words = {asked[0]: asked for asked in server.asked}
    theirs = [
        *field.VectorField("v", "HNSW", {"TYPE": "FLOAT32", "DIM": 4, "DISTANCE_METRIC": "COSINE"}).redis_args(),
        *field.TextField("c").redis_args(),
        *field.TextField("m").redis_args(),
    ]
    ours = words["FT.CREATE"][words["FT.CREATE"].index("SCHEMA") + 1 :]
    weighed = ("WEIGHT", "1.0")  # the server's default, which their client says
    assert [str(word) for word in ours] == [str(word) for word in theirs if str(word) not in weighed]
    wanted = "@m:(day|other\\-1) => [KNN 4 @v $vector AS vector_score]"
    made = query.Query(wanted).return_fields("m", "c", "vector_score").sort_by("vector_score").paging(0, 4).dialect(2)
    own = [str(word) for word in words["FT.SEARCH"][2:] if not isinstance(word, bytes)]
    assert sorted(own) == sorted([str(word) for word in made.get_args() if word != "ASC"] + ["PARAMS", "2", "vector"])
    assert words["FT.SEARCH"][words["FT.SEARCH"].index("vector") + 1] == blob(vector("moon"))
    assert words["EXPIRE"][2] == 90


async def test_a_redis_without_search_says_so(lab: AiLab, redis: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    await lab.sealed("redis", redis)
    store = Store(lab, "vectorStoreRedis", "redis", redisIndex="i")
    main = store.node("Load", "load", prompt="x")
    assert "FT.SEARCH" in await lab.failure(flow(main, parts=[store.part("Load")]), {"x": 1})


async def test_redis_starts_anew(lab: AiLab, request: pytest.FixtureRequest) -> None:
    await lab.credential("openAiApi")
    store = await of_redis(lab, request)
    await store.insert(options={"overwriteDocuments": True})
    await store.insert({"t": "sea", "k": "x"}, options={"overwriteDocuments": True})
    assert texts(await store.find("sea", topK=9)) == ["sea"]


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers()))
def test_metadata_in_redis_come_back(metadata: dict[str, Any]) -> None:
    """LangChain.js does not escape backslashes, so that a text with one before `-`, `:` or `"` would not."""
    text = json.dumps(metadata)
    if "\\" not in text:
        assert unescaped(escaped(text)) == text


async def test_documents_of_mongodb(lab: AiLab, request: pytest.FixtureRequest, mongo: Mapping[str, str]) -> None:
    await lab.credential("openAiApi")
    store = await of_mongo(lab, request)
    fields = {"embedding": "v", "metadata_field": "body"}
    options = {"namespace": "n", "clearNamespace": True}
    await store.insert(**fields, options=options)
    await store.insert({"t": "sun", "k": "day"}, **fields, options=options)
    found = await store.find("sun", **fields, topK=9, options={"preFilter": '{"k": "day"}'})
    assert texts(found) == ["sun"]
    about = found[0]["document"]["metadata"]
    assert {"k", "namespace", "_id"} <= set(about)
    assert "v" not in about
    assert found[0]["score"] == pytest.approx(1)
    missing = store.node("Load", "load", prompt="x", vectorIndexName="")
    assert "vectorIndexName" in await lab.failure(flow(missing, parts=[store.part("Load")]), {"x": 1})


async def weaviate(lab: AiLab, **options: Any) -> Store:
    await lab.credential("openAiApi")
    await lab.sealed("weaviateApi", {"weaviate_cloud_endpoint": lab.server.url(""), "weaviate_api_key": SECRET})
    return Store(
        lab, "vectorStoreWeaviate", "weaviateApi", WeaviateDouble(SECRET), weaviateCollection="facts", options=options
    )


async def test_objects_of_weaviate(lab: AiLab) -> None:
    pytest.importorskip("graphql")
    store = await weaviate(lab)
    await store.insert()
    double: Any = store.double
    row = next(iter(double.rows.values()))
    assert (row["class"], row["properties"]["text"]) == ("Facts", "the sun")
    wanted = {"OR": [{"path": ["k"], "operator": "Equal", "valueString": name} for name in ("night", "dusk")]}
    assert texts(await store.find("sun", options={"searchFilterJson": json.dumps(wanted)})) == ["the moon"]
    hybrid = {
        "hybridQuery": "moon",
        "alpha": 0.5,
        "hybridExplainScore": True,
        "metadataKeys": "k",
        "fusionType": "Ranked",
    }
    found = await store.find("moon", topK=1, options=hybrid)
    assert found[0]["document"]["metadata"] == {"k": "night", "explainScore": "why"}
    assert found[0]["score"] == pytest.approx(1)
    await store.insert({"t": "sea", "k": "x"}, options={"clearStore": True})
    assert texts(await store.find("sea", topK=9)) == ["sea"]


async def test_weaviate_says_what_it_did_not_keep(lab: AiLab) -> None:
    pytest.importorskip("graphql")
    store = await weaviate(lab)
    plain = lab.server.answer

    def failing(seen: Seen) -> bytes:
        if seen.target == "/v1/batch/objects":
            return reply([{"result": {"status": "FAILED", "errors": {"error": [{"message": "vector lengths"}]}}}])
        return plain(seen) or b""

    lab.server.answer = failing
    with pytest.raises(AssertionError, match="did not keep a document: vector lengths"):
        await store.insert()


@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), VALUES))
def test_literals_are_graphql(value: dict[str, Any]) -> None:
    graphql = pytest.importorskip("graphql")
    utilities = pytest.importorskip("graphql.utilities")
    assert utilities.value_from_ast_untyped(graphql.parse_value(rendered(value))) == value


def test_filters_of_weaviate() -> None:
    number = {"path": ["n"], "operator": "GreaterThan", "valueNumber": 2.0}
    assert where_of(number, {"n": "int"}) == {"path": ["n"], "operator": Name("GreaterThan"), "valueInt": 2}
    assert where_of({"AND": [number]}, {}) == {
        "operator": Name("And"),
        "operands": [{"path": ["n"], "operator": Name("GreaterThan"), "valueNumber": 2.0}],
    }
    for wrong in ({}, {"path": ["a"], "operator": "Near", "valueString": "x"}, {"path": ["a"], "operator": "Equal"}):
        with pytest.raises(NodeError, match="searchFilterJson"):
            where_of(wrong, {})


def test_a_name_in_a_filter_of_weaviate_cannot_end_it() -> None:
    area = {"path": ["p"], "operator": "WithinGeoRange", "valueGeoCoordinates": {"a: 1}) { secret }": 1}}
    with pytest.raises(NodeError, match="searchFilterJson has the name"):
        rendered(where_of(area, {}))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("tenant-1, b:c", ["tenant-1", "b:c"]),
        ("a) | (*", ["a"]),
        ("a|b", ["a b"]),
        ("x => [KNN 5 @v $u]", ["x KNN 5 v u"]),
        ('"a\\" é*', ['"a " é']),
        ("%a%", ["a"]),
    ],
)
def test_words_of_redis_filters_mean_nothing_else(given: str, words: list[str]) -> None:
    parameters = RedisStoreParameters.model_validate({"options": {"metadataFilter": given}})
    assert parameters.condition() == {"words": words}


@pytest.mark.parametrize("name", ["..", "."])
async def test_a_collection_s_name_leads_nowhere_else(name: str) -> None:
    """`DELETE /collections/..` would be `DELETE /`."""

    async def nothing(seen: Any) -> Any:
        raise AssertionError

    client: Any = SimpleNamespace(title="Qdrant", send=nothing)
    with pytest.raises(NodeError, match="give another name"):
        await QdrantCollection(StoreApi(client, "http://x.example"), name, QdrantOptions()).clear()


def test_a_filter_of_redis_without_a_word_is_refused() -> None:
    """Without it every document would be found."""
    with pytest.raises(NodeError, match="metadataFilter has"):
        RedisStoreParameters.model_validate({"options": {"metadataFilter": "a, *"}}).condition()


def test_properties_of_weaviate_are_flat() -> None:
    """As LangChain.js 1.0 makes them."""
    given = {"a b": {"c-d": 1, "e": {"f": "g"}}, "l": [], "m": ["x"], "n": ["x", 1], "o": [{"p": 1}], "q": None}
    assert dict(flat(given)) == {"a_b_c_d": 1, "a_b_e_f": "g", "l": [], "m": ["x"], "q": None}


def test_addresses_of_weaviate() -> None:
    assert address({"weaviate_cloud_endpoint": "x.weaviate.cloud"}) == "https://x.weaviate.cloud"
    own = {"custom_connection_http_host": "h", "custom_connection_http_port": "8080"}
    assert address(own) == "http://h:8080"
    assert address({**own, "custom_connection_http_secure": "true"}) == "https://h:8080"


async def test_entities_of_milvus(lab: AiLab, request: pytest.FixtureRequest) -> None:
    await lab.credential("openAiApi")
    store = await of_milvus(lab, request)
    main = store.node("Load", "load", prompt="x")
    assert "no collection facts" in await lab.failure(flow(main, parts=[store.part("Load")]), {"x": 1})
    await store.insert({"t": "sun", "k": {"deep": 1}})
    found = await store.find("sun")
    assert found[0]["document"]["metadata"]["k"] == {"deep": 1}
    assert found[0]["score"] == pytest.approx(0)
    await store.insert({"t": "sea", "k": "x"}, options={"clearCollection": True})
    assert texts(await store.find("sun", topK=9)) == ["sea"]
