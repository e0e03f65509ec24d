"""SearXNG. Source: its documentation of the search API; answers as those of LangChain.js's tool."""

from __future__ import annotations

import re
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.urls import joined
from jackfield_ai.reading import list_at, text_at
from jackfield_ai.tools.form import SEARXNG_OPTIONS
from jackfield_ai.tools.searching import SearchToolNode, Web

_TAG = re.compile(r"<[^>]+>")


class SearXngOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SEARXNG_OPTIONS

    num_results: int = Field(10, ge=1)
    page_number: int = Field(1, ge=1)
    language: str = ""
    safesearch: int = Field(0, ge=0, le=2)


class SearXngParameters(Parameters):
    options: SearXngOptions = Field(default_factory=SearXngOptions)


class SearXng:
    kind = "langchain.toolSearXng"
    title = "SearXNG"
    name = "searxng-search"
    about = (
        "A meta search engine. Useful for when you need to answer questions about current events. Input should be a "
        "search query. Output is a JSON array of the query results"
    )
    credential = "searXngApi"
    parameters = SearXngParameters

    async def answer(self, web: Web, parameters: SearXngParameters, query: str) -> str:
        base = (await web.values()).get("apiUrl", "")
        if not base:
            raise NodeError("The credential searXngApi has no apiUrl; fill it in.")
        options = parameters.options
        asked = [("q", query), ("format", "json"), ("pageno", str(options.page_number))]
        asked += [("safesearch", str(options.safesearch))]
        asked += [("language", options.language)] if options.language else []
        return told(await web.json(joined(base, "/search"), asked), options.num_results)


def told(answer: Json, most: int) -> str:
    """The text for the model: results, or else an answer, an infobox, suggestions."""
    results = list_at(answer, "results")
    if results:
        return ",".join(_result(row) for row in results[:most])
    answers = list_at(answer, "answers")
    if answers:
        return answers[0] if isinstance(answers[0], str) else text_at(answers[0], "answer")
    boxes = list_at(answer, "infoboxes")
    if boxes:
        return _TAG.sub("", text_at(boxes[0], "content"))
    suggestions = [one for one in list_at(answer, "suggestions") if isinstance(one, str)]
    return f"Suggestions: {', '.join(suggestions)}" if suggestions else "No good results found."


def _result(row: Json) -> str:
    return dumps(
        {"title": text_at(row, "title"), "link": text_at(row, "url"), "snippet": text_at(row, "content")}
    ).decode()


def searxng(context: PluginContext, kind: str) -> SearchToolNode:
    return SearchToolNode(context, SearXng())
