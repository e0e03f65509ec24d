"""SerpApi: results of Google. Source: SerpApi's documentation; answers as those of LangChain.js's tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.tools.form import SERP_OPTIONS
from jackfield_ai.tools.searching import SearchToolNode, Web

API = "https://serpapi.com/search"
_WHOLE = ("events_results", "sports_results", "top_stories", "news_results", "questions_and_answers")
_INNER = (("jobs_results", "jobs"), ("popular_destinations", "destinations"))
_OF_RESULT = ("snippet", "snippet_highlighted_words", "rich_snippet", "rich_snippet_table", "link")
_SIGHTS, _GOODS, _PICTURES = 8, 3, 10


class SerpOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SERP_OPTIONS

    gl: str = ""
    device: str = ""
    no_cache: bool = Field(False, alias="no_cache")
    google_domain: str = Field("", alias="google_domain")
    hl: str = ""


class SerpParameters(Parameters):
    options: SerpOptions = Field(default_factory=SerpOptions)


class SerpApi:
    kind = "langchain.toolSerpApi"
    title = "SerpApi (Google Search)"
    name = "search"
    about = (
        "a search engine. useful for when you need to answer questions about current events. input should be a search "
        "query."
    )
    credential = "serpApi"
    parameters = SerpParameters

    async def answer(self, web: Web, parameters: SerpParameters, query: str) -> str:
        options = parameters.options
        asked = [("q", query)]
        asked += [(name, getattr(options, name)) for name in ("gl", "device", "google_domain", "hl")]
        asked += [("no_cache", "true")] if options.no_cache else []
        answer = await web.json(API, [pair for pair in asked if pair[1]])
        if error := text_at(answer, "error"):
            raise NodeError(f"Got error from serpAPI: {error[:500]}")
        return told(answer)


def told(answer: Json) -> str:
    """The text for the model: the first of what Google shows that answers a question."""
    box = at(answer, "answer_box_list", 0) or at(answer, "answer_box")
    if isinstance(box, dict) and box:
        return _boxed(box)
    for found in _parts(answer):
        return _text(found)
    snippets = [*_known(at(answer, "knowledge_graph")), *_first(at(answer, "organic_results", 0))]
    snippets += [part for part in (at(answer, "buying_guide"), at(answer, "local_results", "places")) if part]
    return _text(snippets) if snippets else "No good search result found"


def _boxed(box: dict[str, Json]) -> str:
    for name in ("result", "answer", "snippet"):
        if box.get(name):
            found = box[name]
            return found if isinstance(found, str) else _text(found)
    words = box.get("snippet_highlighted_words")
    if isinstance(words, list) and words:
        return ",".join(str(word) for word in words)
    plain: dict[str, Json] = {
        name: value
        for name, value in box.items()
        if not isinstance(value, list | dict) and not (isinstance(value, str) and value.startswith("http"))
    }
    return _text(plain)


def _parts(answer: Json) -> Iterator[Json]:
    """Parts of a page of results that the tool gives as they are."""
    yield from (found for name in _WHOLE if (found := at(answer, name)))
    yield from (found for path in _INNER if (found := at(answer, *path)))
    sights = list_at(answer, "top_sights", "sights")
    if sights:
        yield [{name: at(one, name) for name in ("title", "description", "price")} for one in sights[:_SIGHTS]]
    goods = list_at(answer, "shopping_results")
    if text_at(goods, 0, "title"):
        yield goods[:_GOODS]
    pictures = list_at(answer, "images_results")
    if text_at(pictures, 0, "thumbnail"):
        yield ",".join(text_at(one, "thumbnail") for one in pictures[:_PICTURES])


def _known(graph: Json) -> Iterator[Json]:
    if not isinstance(graph, dict):
        return
    if graph.get("description"):
        yield graph["description"]
    title = text_at(graph, "title")
    for name, value in graph.items():
        odd = name in ("title", "description") or name.endswith(("_stick", "_link")) or name.startswith("http")
        if isinstance(value, str) and not odd:
            yield f"{title} {name}: {value}"


def _first(result: Json) -> Iterator[Json]:
    found = next((value for name in _OF_RESULT if (value := at(result, name))), None)
    if found:
        yield found


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value).decode()


def serpapi(context: PluginContext, kind: str) -> SearchToolNode:
    return SearchToolNode(context, SerpApi())
