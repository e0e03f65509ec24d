"""What a request says of objects that a provider keeps for an account: in its path, and anywhere in its body.

Sources: the API references of OpenAI, Anthropic and Google, of November 2026.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from jackfield.api.dialects import fields
from jackfield.api.dialects.model import DialectError
from jackfield.api.jsontext import Json
from jackfield.api.records import record

_NOTHING_KEPT = re.compile(
    r"/(?:audio/(?:speech|transcriptions|translations)|completions|embeddings|images|moderations|realtime|rerank)\b"
).match
"""Where a provider keeps nothing, so that any account does."""
_OF_TWO_PARTS = frozenset({
    "chat/completions", "fine_tuning/alpha", "fine_tuning/checkpoints", "fine_tuning/jobs", "messages/batches",
})  # fmt: skip
_VERBS = frozenset({
    "responses/compact", "responses/input_tokens", "threads/runs", "videos/characters", "videos/edits",
    "videos/extensions",
})  # fmt: skip
"""Where what follows the collection is no id."""
_NAMES = frozenset({
    "assistant_id", "batch_id", "cached_content", "cachedcontent", "container", "container_id", "conversation",
    "error_file_id", "eval_id", "file_id", "file_ids", "file_search_store_names", "file_uri", "filesearchstorenames",
    "fileuri", "input_file_id", "output_file_id", "previous_response_id", "prompt", "skill_id", "thread_id",
    "training_file", "validation_file", "vector_store_id", "vector_store_ids", "video", "video_id",
})  # fmt: skip
_DECIDING = _NAMES | {"file", "filedata", "id", "input", "items", "source", "type"}
"""Names of which a second value could hide the first one."""
_TEXTS = frozenset({"prompt", "video"})
"""Of these a text is no id, and only an object has one."""
_ADDRESSES = frozenset({"file_uri", "fileuri"})
_OF_GOOGLE = re.compile(r"gs:|.*/files/|files/").match
"""Addresses that name a file that Google keeps."""
_WITH_ID = frozenset({"file_id", "item_reference"})
"""Values of `type` whose `id` is one."""
_ITEM = frozenset({"id", "type", "status"})
"""Of an item in `_LISTS` that has nothing else the provider looks up the rest."""
_LISTS = frozenset({"input", "items"})
_OPAQUE = frozenset({
    "annotations", "args", "arguments", "citations", "client_metadata", "filters", "input_examples", "input_schema",
    "json_schema", "metadata", "parameters", "parametersjsonschema", "response", "responsejsonschema", "responseschema",
    "results", "schema",
})  # fmt: skip
"""Values that clients and tools give a meaning, and no provider looks anything up by."""
_CALLS = frozenset({"mcp_tool_use", "server_tool_use", "tool_use"})
"""Types of blocks whose `input` is a tool's."""
_RESULTS = "_tool_result"
"""The end of the type of what a provider's own tool has given; a client sends it back as it was."""
_OURS = "skill_"
"""Skills of a vendor's own have other ids, and are everybody's."""


_LIKELY = (
    b'file_id"', b'file_ids"', b'"previous_response_id"', b'"conversation"', b'"container"', b'"vector_store_id',
    b'"item_reference"', b'"fileUri"', b'"cachedContent"',
)  # fmt: skip


@record
class StoredPath:
    """collection: such as `files`, empty where nothing is kept; id: of an object in it, empty: the collection itself;
    deeper: there is more behind the id."""

    collection: str
    id: str = ""
    deeper: bool = False


def stored_path(path: str) -> StoredPath:
    """path: below `/v1`, encoded."""
    if _NOTHING_KEPT(path):
        return StoredPath("")
    parts = [unquote(part) for part in path.strip("/").split("/")]
    length = 2 if "/".join(parts[:2]) in _OF_TWO_PARTS else 1
    collection, rest = "/".join(parts[:length]), parts[length:]
    if not rest or f"{collection}/{rest[0]}" in _VERBS:
        return StoredPath(collection)
    return StoredPath(collection, rest[0], len(rest) > 1)


def of_body(value: Mapping[str, Json], body: bytes) -> Sequence[str]:
    """Ids that a body names, each once. value: as it was read. Raises `DialectError` 400 for one that has two readings
    inside."""
    _require_one_reading(body)
    return list(dict.fromkeys(_found(value)))


def likely_in(body: bytes) -> bool:
    """Whether a body that hides nothing may name any: a look that costs next to nothing."""
    return any(mark in body for mark in _LIKELY)


def _found(value: Mapping[str, Json]) -> Iterator[str]:
    """Without recursion: how deep a body is nested is its sender's affair."""
    waiting: list[Json] = [dict(value)]
    for one in waiting:  # which grows meanwhile
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            yield from _own(one, waiting)


def _own(value: Mapping[str, Json], waiting: list[Json]) -> Iterator[str]:
    """Of one object; what lies in it waits."""
    kind = value.get("type")
    kind = kind if isinstance(kind, str) else ""
    if kind.endswith(_RESULTS):
        return
    if kind in _WITH_ID and isinstance(own := value.get("id"), str):
        yield own
    for written, part in value.items():
        name = written.casefold()
        if name in _OPAQUE or (name == "input" and kind in _CALLS):
            continue
        if name in _NAMES:
            yield from _ids(name, part)
        elif name in _LISTS and isinstance(part, list):
            yield from _items(part)
        # Variables of a stored prompt have names of the client's own.
        waiting += part.values() if name == "variables" and isinstance(part, dict) else (part,)


def _items(value: list[Json]) -> Iterator[str]:
    """Items of which the provider looks up all but the id."""
    for one in value:
        if isinstance(one, dict) and _ITEM.issuperset(one) and isinstance(own := one.get("id"), str):
            yield own


def _ids(name: str, value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from () if isinstance(one, list) else _ids(name, one)
    elif isinstance(value, dict):
        inner = value.get("id")
        if isinstance(inner, str):
            yield inner
    elif name in _ADDRESSES and not (isinstance(value, str) and _OF_GOOGLE(value)):
        return  # of anybody's web site
    elif isinstance(value, str) and value and name not in _TEXTS and (name != "skill_id" or value.startswith(_OURS)):
        yield value


def _require_one_reading(body: bytes) -> None:
    """Parsers differ in which of two values counts. Raises `DialectError` 400."""
    try:
        json.loads(body.decode("utf-8", "surrogatepass"), object_pairs_hook=_require_each_once)
    except RecursionError:
        raise DialectError(400, fields.TOO_DEEP, "invalid_request_error") from None


def _require_each_once(pairs: list[tuple[str, object]]) -> None:
    if len({name.casefold() for name, _ in pairs}) == len(pairs):
        return
    seen: set[str] = set()
    for name, _ in pairs:
        plain = name.casefold()
        if plain in seen and plain in _DECIDING:
            raise fields.invalid(plain, "stands in one object more than once; send it once")
        seen.add(plain)
