"""Jackfield's documentation: found by words, and read by page and section. It is public, so no scope is needed."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from jackfield.api.json_values import Json
from jackfield_mcp.documentation.pages import DocPages, shipped_pages
from jackfield_mcp.documentation.searching import FoundSection, search
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import PageArguments

_WHOLE = 24_000
"""Characters of a page that a tool gives without a section."""


class SearchDocs(PageArguments):
    query: Annotated[str, Field(min_length=2, max_length=200)] = Field(
        description="Words, such as `webhook authentication` or `mcp.body_limit`."
    )
    limit: Annotated[int, Field(ge=1, le=50)] = 8


class ReadDocs(ToolArguments):
    page: Annotated[str, Field(min_length=1, max_length=100)] = Field(description="Such as `webhooks`.")
    section: Annotated[str, Field(max_length=200)] = Field(
        "", description="As search_docs names it. Without it: the page, or the sections of one that is long."
    )


async def _search(run: ToolRun, given: SearchDocs) -> Json:
    pages = DocPages(shipped_pages())
    found = await asyncio.to_thread(lambda: search(pages.every_section(), given.query))
    rows: list[Json] = [_shown(one) for one in found[given.offset : given.offset + given.limit]]
    return {"total": len(found), "offset": given.offset, "sections": rows}


def _shown(found: FoundSection) -> dict[str, Json]:
    one = found.section
    return {
        "page": one.page,
        "section": one.anchor,
        "heading": one.heading,
        "uri": one.uri,
        "excerpt": found.excerpt,
    }


async def _read(run: ToolRun, given: ReadDocs) -> Json:
    return await asyncio.to_thread(_told, DocPages(shipped_pages()), given)


def _told(pages: DocPages, given: ReadDocs) -> Json:
    if given.section:
        return {"page": given.page, "section": given.section, "text": pages.section(given.page, given.section)}
    text = pages.text(given.page)
    if len(text) <= _WHOLE:
        return {"page": given.page, "text": text}
    sections = pages.sections(given.page)
    listed: list[Json] = [{"section": one.anchor, "heading": one.heading} for one in sections if one.anchor]
    return {"page": given.page, "text": sections[0].text, "sections": listed}


DOC_TOOLS: tuple[AnyTool, ...] = (
    McpTool(
        "search_docs",
        "Search the documentation",
        "Find sections of Jackfield's documentation by words: settings, commands, webhooks, expressions, agents, "
        "proxies, operations.",
        (),
        SearchDocs,
        _search,
        reads=True,
    ),
    McpTool(
        "read_docs",
        "Read the documentation",
        "Read a page of Jackfield's documentation, or one of its sections, as Markdown.",
        (),
        ReadDocs,
        _read,
        reads=True,
    ),
)
