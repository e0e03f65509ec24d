"""Lists of what a store has, for the fields that choose a collection. Sources: the stores' API references (Qdrant,
Pinecone, PostgREST, Chroma v2, Weaviate, Milvus v2, MongoDB, Redis)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes.lists import CredentialAccess, ListQuestion, ListRow, LoadedPage
from jackfield_ai.databases import databases, member
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.retrieval.stores.chroma import CHROMA_CREDENTIALS, collections_path
from jackfield_ai.retrieval.stores.http import StoreApi
from jackfield_ai.retrieval.stores.weaviate import address

Lister: TypeAlias = "Callable[[PluginContext, CredentialAccess, ListQuestion], Awaitable[Sequence[str]]]"
"""Names of what a store has. Raises `NodeError`."""


async def _api(
    context: PluginContext, access: CredentialAccess, kind: str, title: str, base: Callable[[Mapping[str, str]], str]
) -> StoreApi:
    client = ProviderClient(context, access, kind, title, retries=0)
    return StoreApi(client, base(await client.values()))


async def _qdrant(context: PluginContext, access: CredentialAccess, question: ListQuestion) -> Sequence[str]:
    api = await _api(context, access, "qdrantApi", "Qdrant", lambda values: values.get("qdrantUrl", ""))
    return _named(list_at(await api.ask("GET", "/collections"), "result", "collections"))


async def _pinecone(context: PluginContext, access: CredentialAccess, question: ListQuestion) -> Sequence[str]:
    api = await _api(context, access, "pineconeApi", "Pinecone", lambda values: values.get("url", ""))
    return _named(list_at(await api.ask("GET", "/indexes"), "indexes"))


async def _supabase(context: PluginContext, access: CredentialAccess, question: ListQuestion) -> Sequence[str]:
    """PostgREST describes itself: a path for each table and view, and one for each function."""
    api = await _api(context, access, "supabaseApi", "Supabase", lambda values: values.get("host", ""))
    paths = at(await api.ask("GET", "/rest/v1/"), "paths")
    names = [path.strip("/") for path in paths] if isinstance(paths, dict) else []
    return [name for name in names if name and "/" not in name]


async def _chroma(context: PluginContext, access: CredentialAccess, question: ListQuestion) -> Sequence[str]:
    given = question.values.get("authentication")
    kind = given if isinstance(given, str) and given in CHROMA_CREDENTIALS else CHROMA_CREDENTIALS[0]
    client = ProviderClient(context, access, kind, "Chroma", retries=0)
    values = await client.values()
    api = StoreApi(client, values.get("baseUrl", ""))
    found = await api.ask("GET", await collections_path(api, kind, values))
    return _named(found if isinstance(found, list) else [])


async def _weaviate(context: PluginContext, access: CredentialAccess, question: ListQuestion) -> Sequence[str]:
    api = await _api(context, access, "weaviateApi", "Weaviate", address)
    return _named(list_at(await api.ask("GET", "/v1/schema"), "classes"), "class")


async def _milvus(context: PluginContext, access: CredentialAccess, question: ListQuestion) -> Sequence[str]:
    def base(values: Mapping[str, str]) -> str:
        found = values.get("baseUrl", "")
        return found if "://" in found else f"http://{found}"

    api = await _api(context, access, "milvusApi", "Milvus", base)
    return _texts(list_at(await api.ask("POST", "/v2/vectordb/collections/list", {}), "data"))


async def _mongo(context: PluginContext, access: CredentialAccess, question: ListQuestion) -> Sequence[str]:
    async with databases(context).mongo(await access.credential("mongoDb")) as database:
        answer = await database.command(database.database, {"listCollections": 1, "nameOnly": True})
    rows = member(answer, "cursor", "firstBatch")
    return _texts(member(row, "name") for row in rows) if isinstance(rows, list) else []


async def _redis(context: PluginContext, access: CredentialAccess, question: ListQuestion) -> Sequence[str]:
    async with databases(context).redis(await access.credential("redis")) as database:
        found = await database.command("FT._LIST")
    return _texts(found) if isinstance(found, list | set | tuple) else []


def _named(rows: Sequence[Json], field: str = "name") -> list[str]:
    return [name for row in rows if (name := text_at(row, field))]


def _texts(rows: Iterable[object]) -> list[str]:
    return [row for row in rows if isinstance(row, str) and row]


LISTERS: Mapping[str, Lister] = {
    "langchain.vectorStoreQdrant": _qdrant,
    "langchain.vectorStorePinecone": _pinecone,
    "langchain.vectorStoreSupabase": _supabase,
    "langchain.vectorStoreChromaDB": _chroma,
    "langchain.vectorStoreWeaviate": _weaviate,
    "langchain.vectorStoreMilvus": _milvus,
    "langchain.vectorStoreMongoDBAtlas": _mongo,
    "langchain.vectorStoreRedis": _redis,
}


async def listed(
    kind: str, context: PluginContext, question: ListQuestion, access: CredentialAccess
) -> LoadedPage | None:
    """As `ListingNode.listed`. Raises `NodeError`."""
    lister = LISTERS.get(kind)
    if lister is None:
        return None
    wanted = question.search.casefold()
    names = sorted(name for name in await lister(context, access, question) if wanted in name.casefold())
    start = int(question.cursor) if question.cursor.isdecimal() else 0
    end = start + question.limit
    return LoadedPage([ListRow(name, name) for name in names[start:end]], str(end) if end < len(names) else "")
