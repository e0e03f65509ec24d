"""The references of a request to objects that a provider keeps for an account: in its path, and anywhere in its body.

Sources: the API references of OpenAI, Anthropic and Google, of November 2026.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from jackfield.api.dialects import fields
from jackfield.api.dialects.model import DialectError, DialectName
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
_DECIDING = _NAMES | {"batch", "file", "filedata", "id", "input", "items", "source", "type"}
"""Names of which a second value could hide the first one."""
_TEXTS = frozenset({"prompt", "video"})
"""Of these a text is no id, and only an object has one."""
_OF_GOOGLE_ALONE = frozenset({"file_name", "filename", "uri", "uris"})
"""Names of the same in Gemini's dialect; elsewhere they are a client's own words."""
_NAMES_BY_DIALECT: Mapping[str, frozenset[str]] = {"gemini": _NAMES | _OF_GOOGLE_ALONE}
_ADDRESSES = frozenset({"file_uri", "fileuri", *_OF_GOOGLE_ALONE})
_OF_GOOGLE = re.compile(
    r"gs:|.*/files/|files/|(?:https?:)?//[^/]*(?:generativelanguage|aiplatform)[^/]*\.googleapis\.com",
    re.IGNORECASE | re.DOTALL,
).match
"""Addresses that name a file that Google keeps."""
_FILE_OF_GOOGLE = re.compile(r"(?:https?://[^/?#]+/v1\w*/)?(files/[^/?#:]+)(?::download(?:\?alt=media)?)?").fullmatch
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
"""Types of Anthropic's blocks whose `input` is a tool's."""
_RESULTS = frozenset({
    "advisor_tool_result", "bash_code_execution_tool_result", "code_execution_tool_result", "mcp_tool_result",
    "text_editor_code_execution_tool_result", "tool_search_tool_result", "web_fetch_tool_result",
    "web_search_tool_result",
})  # fmt: skip
"""Types of what Anthropic's own tools have given; a client sends their `content` back as it was."""
_OURS = "skill_"
"""Skills of a vendor's own have other ids, and are everybody's."""


_ANSWERS = frozenset({"responses", "stored_completions"})
_ANSWER_LOGS = frozenset({"logs", "stored_completions"})
"""Types of sources of an eval's data: all of an account's kept answers."""
_LIKELY: Mapping[DialectName, tuple[bytes, ...]] = {
    "anthropic": (b'file_id"', b'"container"'),
    "chat": (b'file_id"', b'file_ids"'),
    "responses": (
        b'file_id"', b'file_ids"', b'"previous_response_id"', b'"conversation"', b'"container"', b'"vector_store_id',
        b'"item_reference"',
    ),
    "gemini": (b'"fileUri"', b'"file_uri"', b'"cachedContent"', b'"cached_content"'),
}  # fmt: skip


@record
class StoredPath:
    """`collection`: such as `files`, empty where nothing is kept. `id`: of an object in it, empty: the collection
    itself. `deeper`: there is more behind the id.
    """

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


def of_body(value: Mapping[str, Json], body: bytes, dialect: DialectName) -> Sequence[str]:
    """Ids that a body names, each once. value: as it was read. Raises `DialectError` 400 for one that has two readings
    inside."""
    _require_one_reading(body)
    return list(dict.fromkeys(_found(value, dialect)))


def of_text(body: bytes, dialect: DialectName) -> Sequence[str]:
    """The same of a body that was not read yet. Raises `DialectError` 400, also for what is no JSON object."""
    return of_body(fields.body_object(body), body, dialect)


def draws_answers(value: Mapping[str, Json]) -> bool:
    """Whether an eval takes the answers that its provider has kept, whoever has asked for them."""
    source = _named(_object(_named(value, "data_source")), "source")
    config = _named(value, "data_source_config")
    return _kind(source) in _ANSWERS or _kind(config) in _ANSWER_LOGS


def file_of_google(address: str) -> str:
    """The name of the file that an address of Google's own means (`files/x`); any other address as it is."""
    found = _FILE_OF_GOOGLE(address)
    return found[1] if found is not None else address


def likely_in(body: bytes, dialect: DialectName) -> bool:
    """Whether a body that hides nothing may name any: a look that costs next to nothing."""
    for mark in _LIKELY[dialect]:  # noqa: SIM110 - a generator costs more than the looks
        if mark in body:
            return True
    return False


@record
class _Waiting:
    """A value that is to be looked at. block: it is one of those that a message's `content` lists."""

    value: Json
    block: bool = False


def _found(value: Mapping[str, Json], dialect: DialectName) -> Iterator[str]:
    """Without recursion: how deep a body is nested is its sender's affair."""
    waiting = [_Waiting(dict(value))]
    for one in waiting:  # which grows meanwhile
        if isinstance(one.value, list):
            waiting += [_Waiting(part, one.block and isinstance(part, dict)) for part in one.value]
        elif isinstance(one.value, dict):
            given = _of_tools(one.value) if one.block and dialect == "anthropic" else ""
            yield from _own(one.value, given, waiting, _NAMES_BY_DIALECT.get(dialect, _NAMES))


def _of_tools(block: Mapping[str, Json]) -> str:
    """The name of what a tool was given, or has given, in a block; empty: it has none."""
    kind = block.get("type")
    if not isinstance(kind, str):
        return ""
    return "input" if kind in _CALLS else "content" if kind in _RESULTS else ""


def _own(value: dict[str, Json], skipped: str, waiting: list[_Waiting], names: frozenset[str]) -> Iterator[str]:
    """Of one object; what lies in it waits, but for what is skipped. names: of ids."""
    if _kind(value) in _WITH_ID and isinstance(own := _named(value, "id"), str):
        yield own
    for written, part in value.items():
        name = written.casefold()
        if name in _OPAQUE or (skipped and written == skipped):
            continue
        if name in names:
            yield from _ids(name, part)
        elif name in _LISTS and isinstance(part, list):
            yield from _items(part)
        if name == "variables" and isinstance(part, dict):  # of a stored prompt: names are the client's own
            waiting += [_Waiting(one) for one in part.values()]
        else:
            waiting.append(_Waiting(part, written == "content" and isinstance(part, list)))


def _named(value: Mapping[str, Json], name: str) -> Json:
    """By a name in whatever case, as lenient parsers read it; of two `_require_one_reading` lets none pass."""
    if name in value:
        return value[name]
    return next((part for written, part in value.items() if written.casefold() == name), None)


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _kind(value: Json) -> str:
    kind = _named(_object(value), "type")
    return kind.casefold() if isinstance(kind, str) else ""


def _items(value: list[Json]) -> Iterator[str]:
    """Items of which the provider looks up all but the id."""
    for one in value:
        if isinstance(one, dict) and len(one) <= len(_ITEM) and _ITEM.issuperset(name.casefold() for name in one):
            own = _named(one, "id")
            if isinstance(own, str):
                yield own


def _ids(name: str, value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from () if isinstance(one, list) else _ids(name, one)
    elif isinstance(value, dict):
        inner = _named(value, "id")
        if isinstance(inner, str):
            yield inner
    elif name in _ADDRESSES:
        if isinstance(value, str) and _OF_GOOGLE(unquote(value).strip()):  # else of anybody's web site
            yield file_of_google(value)
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
