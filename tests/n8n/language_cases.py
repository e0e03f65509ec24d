"""DeepL, Google Translate, Perplexity, Google BigQuery."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer, Row

GOOGLE = {"oauthTokenData": {"access_token": "t"}}
ASKED: Row = {
    "simplify": True,
    "options": {"temperature": 0.5, "searchDomainFilter": "a.example, b.example", "returnImages": True},
}
REPLY = {
    "id": "r1",
    "created": 5,
    "citations": ["c"],
    "choices": [{"message": {"content": "Yes", "role": "assistant"}}],
    "note": None,
}
OUTPUT: Row = {
    "id": "r1",
    "model": "m",
    "output": [
        {"type": "search_results", "results": [{"title": "T", "url": "https://a.example", "snippet": "x"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Yes"}]},
    ],
}


def perplexity(
    version: float, resource: str, operation: str, path: str, body: Any, name: str = "", **more: Any
) -> ActionCase:
    given = {"resource": resource, "operation": operation, **more}
    return ActionCase(
        "perplexity",
        given,
        [Answer(path, body, "POST")],
        version,
        {"perplexityApi": {"apiKey": "key-of-perplexity"}},
        name=name,
    )


MESSAGES = {"message": [{"role": "user", "content": "Is it so?"}]}
TABLE = "/bigquery/v2/projects/p1/datasets/d1/tables/t1"
PLACE = {
    "projectId": {"__rl": True, "mode": "id", "value": "p1"},
    "datasetId": {"__rl": True, "mode": "id", "value": "d1"},
    "tableId": {"__rl": True, "mode": "id", "value": "t1"},
}
FIELDS: list[Row] = [
    {"name": "id", "type": "INTEGER"},
    {"name": "at", "type": "TIMESTAMP"},
    {"name": "tags", "type": "STRING", "mode": "REPEATED"},
    {"name": "data", "type": "JSON"},
    {"name": "who", "type": "RECORD", "fields": [{"name": "n", "type": "STRING"}]},
]
CELLS = [
    {"v": "7"},
    {"v": "1.7672256E9"},
    {"v": [{"v": "a"}, {"v": "b"}]},
    {"v": '{"x": 1}'},
    {"v": {"f": [{"v": "Ada"}]}},
]
RESULT: Row = {"jobComplete": True, "schema": {"fields": FIELDS}, "rows": [{"f": CELLS}], "totalRows": "1"}
JOB: Row = {"jobReference": {"jobId": "j1", "location": "EU"}, "status": {"state": "RUNNING"}}
DONE: Row = {**JOB, "status": {"state": "DONE"}}
SCHEMA = {
    "schema": {
        "fields": [
            {"name": "id", "type": "INTEGER", "mode": "REQUIRED"},
            {"name": "name", "type": "STRING"},
            {"name": "more", "type": "RECORD"},
        ]
    }
}


def query(version: float, *answers: Answer, name: str = "", **options: Any) -> ActionCase:
    given = {
        "resource": "database",
        "operation": "executeQuery",
        "projectId": PLACE["projectId"],
        "sqlQuery": "SELECT 1",
        "options": options,
    }
    return ActionCase(
        "googleBigQuery",
        {"authentication": "oAuth2", **given},
        [Answer("/bigquery/v2/projects/p1/jobs", DONE, "POST"), *answers],
        version,
        {"googleBigQueryOAuth2Api": GOOGLE},
        hidden=frozenset({"dryRun"}),
        name=name,
    )


def rows(operation: str, version: float, *answers: Answer, items: Any = (), name: str = "", **more: Any) -> ActionCase:
    resource = "record" if version == 1 else "database"
    place = {"projectId": "p1", "datasetId": "d1", "tableId": "t1"} if version == 1 else PLACE
    return ActionCase(
        "googleBigQuery",
        {"authentication": "oAuth2", "resource": resource, "operation": operation, **place, **more},
        answers,
        version,
        {"googleBigQueryOAuth2Api": GOOGLE},
        items,
        hidden=frozenset({"traceId"}),
        name=name,
    )


PATH = "/bigquery/v2/projects/p1/queries/j1"
CASES = [
    ActionCase(
        "deepL",
        {"text": "Hello", "translateTo": "DE", "additionalFields": {"sourceLang": "EN-GB"}},
        [Answer("/v2/translate", {"translations": [{"text": "Hallo", "detected_source_language": "EN"}]})],
        credentials={"deepLApi": {"apiKey": "key-of-deepl", "apiPlan": "pro"}},
        unlike="n8n sends a form with GET, which the service has ended",
    ),
    ActionCase(
        "googleTranslate",
        {"authentication": "oAuth2", "text": "Hello", "translateTo": "de"},
        [Answer("/language/translate/v2", {"data": {"translations": [{"translatedText": "Hallo"}]}}, "POST")],
        2,
        {"googleTranslateOAuth2Api": GOOGLE},
    ),
    perplexity(1, "chat", "complete", "/chat/completions", REPLY, messages=MESSAGES, **ASKED),
    perplexity(
        2,
        "chat",
        "complete",
        "/chat/completions",
        REPLY,
        messages=MESSAGES,
        options={"reasoningEffort": "low", "stop": "a, b", "webSearchOptions": '{"x": 1}'},
    ),
    perplexity(
        3,
        "agent",
        "createResponse",
        "/v1/agent",
        OUTPUT,
        input="Hi",
        model={"__rl": True, "mode": "id", "value": "m"},
        simplify=True,
    ),
    perplexity(
        3,
        "agent",
        "createResponse",
        "/v1/agent",
        OUTPUT,
        name="whole",
        input="Hi",
        preset="fast-search",
        options={"maxSteps": 2, "modelsFallback": "a, b"},
    ),
    perplexity(3, "embedding", "createEmbedding", "/v1/embeddings", {"data": [{"embedding": "x"}]}, input="a\n\n b "),
    perplexity(
        3,
        "embedding",
        "createContextualized",
        "/v1/contextualizedembeddings",
        {"data": [{"embedding": "x"}]},
        input='[["a", "b"]]',
    ),
    perplexity(
        3,
        "search",
        "search",
        "/search",
        {"id": "s1", "results": [{"title": "T"}], "more": 1},
        query="x",
        simplify=True,
        options={"maxResults": 3, "country": "US"},
    ),
    query(2, Answer(PATH, RESULT)),
    query(2.1, Answer(PATH, RESULT), name="times"),
    query(
        2.1,
        Answer(PATH, RESULT),
        name="with schema",
        includeSchema=True,
        location="US",
        maxResults=5,
        useLegacySql=True,
    ),
    query(2.1, Answer(PATH, {"jobComplete": True, "schema": {"fields": []}}), name="nothing"),
    query(
        2.1,
        Answer(PATH, RESULT),
        name="parameters",
        defaultDataset="d1",
        queryParameters={"namedParameters": [{"name": "a", "value": "x"}]},
    ),
    query(2.1, Answer(PATH, {**RESULT, "pageToken": "2"}), Answer(PATH, RESULT), name="pages"),
    rows(
        "insert",
        2.1,
        Answer(TABLE, SCHEMA, "GET"),
        Answer(f"{TABLE}/insertAll", {"kind": "x"}, "POST"),
        items=[{"json": {"id": 1, "name": "a", "more": '{"x": 1}', "none": 1}}],
        dataMode="autoMap",
    ),
    rows(
        "insert",
        2.1,
        Answer(TABLE, SCHEMA, "GET"),
        Answer(f"{TABLE}/insertAll", {"kind": "x"}, "POST"),
        name="chosen",
        dataMode="define",
        fieldsUi={"values": [{"fieldId": "id", "fieldValue": ""}, {"fieldId": "more", "fieldValue": '{"x": 1}'}]},
        options={"ignoreUnknownValues": True},
    ),
    rows(
        "insert",
        2.1,
        Answer(TABLE, SCHEMA, "GET"),
        Answer(
            f"{TABLE}/insertAll",
            {"insertErrors": [{"index": 0, "errors": [{"reason": "invalid", "message": "bad"}]}]},
            "POST",
        ),
        items=[{"json": {"id": 1, "more": "{}"}}],
        name="refused",
        dataMode="autoMap",
    ),
    rows(
        "create",
        1,
        Answer(f"{TABLE}/insertAll", {"kind": "x"}, "POST"),
        items=[{"json": {"id": 1, "b": 2}}],
        columns="id, c",
    ),
    rows(
        "getAll",
        1,
        Answer(TABLE, SCHEMA, "GET"),
        Answer(f"{TABLE}/data", {"rows": [{"f": [{"v": "1"}, {"v": None}, {"v": "x"}]}]}),
        limit=5,
    ),
    rows("getAll", 1, Answer(f"{TABLE}/data", {"rows": [{"f": [{"v": "1"}]}]}), name="raw", limit=5, simple=False),
]
CASES = [
    one if one.name != "refused" else ActionCase(**{**vars(one), "fails": "problem inserting item(s) [0]"})
    for one in CASES
]
