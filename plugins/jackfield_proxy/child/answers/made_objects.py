"""Ids of what a provider keeps from now on, read off its answers. Only places that the provider alone writes count: a
client's own words, which many answers repeat, make nobody the owner of anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import orjson

_FILES = ("output_file_id", "error_file_id", "fine_tuned_model")
_WITHIN = ("container", "conversation")
_RUN_BY_PROVIDER = frozenset({"bash_code_execution_tool_result", "code_execution_tool_result"})
_FILE = b'"file_id"'
_LONGEST_LINE = 2**20
"""Bytes of an event that is looked at."""
_MOST = 1000
"""Ids of one answer."""


class MadeIds:
    """Feed it each answer and event that is read.

    `tell`: gets those that are new, as soon as they are known. `find`: the ids in one of a dialect.
    """

    def __init__(
        self, tell: Callable[[Sequence[str]], None], find: Callable[[Mapping[str, object]], Iterator[str]] | None = None
    ) -> None:
        self._tell = tell
        self._find = find or ids_in
        self._told: set[str] = set()

    def __call__(self, value: Mapping[str, object]) -> None:
        new = [one for one in dict.fromkeys(self._find(value)) if one not in self._told]
        new = new[: _MOST - len(self._told)]
        if new:
            self._told.update(new)
            self._tell(new)


def ids_in(value: Mapping[str, object]) -> Iterator[str]:
    """Of an answer, or of an event of a stream."""
    source = _inner(value)
    if source.get("type") == "message":  # of Anthropic, which keeps no answers
        if "container" in source:
            yield from _text(source["container"], "id")
        yield from _files_of_tools(source.get("content"))
        return
    if source.get("store") is False:
        return
    yield from _text(source, "id")
    for name in _FILES:
        yield from _text(source, name)
    yield from (one for one in _list(source, "result_files") if isinstance(one, str) and one)
    for name in _WITHIN:
        yield from _text(source.get(name), "id")
    for item in _list(source, "output"):
        yield from _text(item, "id")
        yield from _text(item, "container_id")
    yield from _files_of_tools(source.get("content"))


def _files_of_tools(content: object) -> Iterator[str]:
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") in _RUN_BY_PROVIDER:
            for file in _list(block.get("content"), "content"):
                yield from _text(file, "file_id")


class FileLines:
    """Feed it a stream of Anthropic's dialect: events in the middle tell of files that tools have made.

    `seen`: gets the events that name any.
    """

    def __init__(self, seen: Callable[[Mapping[str, object]], None]) -> None:
        self._seen = seen
        self._rest = b""

    def feed(self, data: bytes) -> None:
        text = self._rest + data
        end = text.rfind(b"\n") + 1
        self._rest = text[end:] if len(text) - end <= _LONGEST_LINE else b""
        if _FILE not in text[:end]:
            return
        for line in text[:end].split(b"\n"):
            if line.startswith(b"data:") and _FILE in line:
                self._event(line[5:])

    def _event(self, text: bytes) -> None:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            return
        if isinstance(value, dict) and value.get("type") == "content_block_start":
            self._seen(value)


def _inner(value: Mapping[str, object]) -> Mapping[str, object]:
    if "content_block" in value:
        return {"type": "message", "content": [value["content_block"]]}
    for name in ("response", "message", "delta"):
        inner = value.get(name)
        if isinstance(inner, dict) and "type" in value:
            return inner if name != "delta" else {"container": inner.get("container")}
    return {} if "delta" in value else value


def _text(source: object, name: str) -> Iterator[str]:
    found = source.get(name) if isinstance(source, dict) else None
    if isinstance(found, str) and found:
        yield found


def _list(source: object, name: str) -> Sequence[object]:
    found = source.get(name) if isinstance(source, dict) else None
    return found if isinstance(found, list) else ()
