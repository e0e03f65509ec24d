"""Names of what Google keeps from now on, read off its answers, as `made_objects` does for the other dialects.

Source: the Gemini API's reference, of November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jackfield_proxy.child.incoming.references import file_of_google

_OBJECT = re.compile(r"(batches|cachedContents|fileSearchStores|files|operations|tunedModels)/[^/]+").match
_OPERATION = re.compile(r"models/[^/]+/operations/[^/]+").fullmatch
_LISTS = (("generateVideoResponse", "generatedSamples"), ("generateVideoResponse", "generatedVideos"))


def ids_in(value: Mapping[str, object]) -> Iterator[str]:
    """Of an object, of one that was uploaded, of a job and what it has made."""
    yield from _named(value)
    yield from _named(value.get("file"))
    for file in _list(value, "files"):  # of `files:register`
        yield from _named(file)
    metadata, response = _object(value, "metadata"), _object(value, "response")
    for one in (response, _object(metadata, "output")):
        found = one.get("responsesFile")
        if isinstance(found, str) and found.startswith("files/"):
            yield found
    for within, listed in _LISTS:
        for sample in _list(_object(response, within), listed):
            uri = _object(sample, "video").get("uri")
            if isinstance(uri, str):
                yield file_of_google(uri)


def _named(value: object) -> Iterator[str]:
    name = value.get("name") if isinstance(value, Mapping) else None
    if not isinstance(name, str):
        return
    if (found := _OBJECT(name)) is not None:
        yield found[0]
    elif _OPERATION(name):
        yield name


def _object(value: object, name: str) -> Mapping[str, object]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _list(value: object, name: str) -> list[object]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, list) else []
