"""Wikipedia: the beginnings of the articles that a search finds. Source: MediaWiki's Action API; answers as those of
LangChain.js's tool."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NoParameters
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.tools.searching import SearchToolNode, Web

API = "https://en.wikipedia.org/w/api.php"
_ARTICLES, _CHARACTERS = 3, 4_000


class Wikipedia:
    kind = "langchain.toolWikipedia"
    title = "Wikipedia"
    name = "wikipedia-api"
    about = "A tool for interacting with and fetching data from the Wikipedia API."
    credential = ""
    parameters = NoParameters

    async def answer(self, web: Web, parameters: NoParameters, query: str) -> str:
        asked = [("action", "query"), ("list", "search"), ("srsearch", query), ("format", "json")]
        found = list_at(await web.json(API, asked), "query", "search")
        parts = []
        for row in found[:_ARTICLES]:
            title = text_at(row, "title")
            parts.append(f"Page: {title}\nSummary: {await self._text(web, title)}")
        return "\n\n".join(parts)[:_CHARACTERS] or "No good Wikipedia Search Result was found"

    async def _text(self, web: Web, title: str) -> str:
        wanted = [("prop", "extracts"), ("explaintext", "true"), ("redirects", "1"), ("titles", title)]
        answer = await web.json(API, [("action", "query"), ("format", "json"), *wanted])
        pages = at(answer, "query", "pages")
        first = next(iter(pages.values()), None) if isinstance(pages, dict) else None
        return text_at(first, "extract")


def wikipedia(context: PluginContext, kind: str) -> SearchToolNode:
    return SearchToolNode(context, Wikipedia())
