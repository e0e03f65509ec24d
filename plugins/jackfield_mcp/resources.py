"""Resources: workflows, executions, the documentation of node types, and that of Jackfield, by URI."""

from __future__ import annotations

import asyncio
import re

from mcp.types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from jackfield.api.errors import NotFound
from jackfield.api.json_values import Json
from jackfield_mcp.caller import ApiCaller, segment, segments
from jackfield_mcp.documentation.pages import DocPages, shipped_pages
from jackfield_mcp.marking import NOTICE, bounded, marked_text

_URI = re.compile(r"jackfield://(workflows|executions|node-types|docs)/([^\s/?#]{1,200}(?:/[^\s/?#]{1,200})?)")
_PAGE = 50
_EXECUTIONS = 20
_ITEMS = 3
TEMPLATES = (
    ("workflows", "Workflow", "A workflow's document: jackfield://workflows/ID", "application/json"),
    ("executions", "Execution", "An execution with its node runs and their first items.", "application/json"),
    (
        "node-types",
        "Node type",
        "The documentation of a node type, such as jackfield://node-types/set",
        "text/markdown",
    ),
    (
        "docs",
        "Documentation",
        "A page of Jackfield's documentation: jackfield://docs/PAGE, or a part of it: jackfield://docs/PAGE/SECTION.",
        "text/markdown",
    ),
)


def list_templates() -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=f"jackfield://{kind}/{{id}}", name=kind, title=title, description=text, mime_type=media
            )
            for kind, title, text, media in TEMPLATES
        ]
    )


async def list_resources(api: ApiCaller, cursor: str | None) -> ListResourcesResult:
    """A page of the workflows, behind the first page the latest executions, and the pages of the documentation.
    Workflows and executions are there as far as the caller may see them. Raises `ToolFailed`."""
    offset = int(cursor) if cursor and cursor.isascii() and cursor.isdecimal() and len(cursor) < 10 else 0
    found: list[Resource] = []
    following = None
    if api.principal.may("workflows:read"):
        page = await api.mapping("GET", "/workflows", query={"offset": offset, "limit": _PAGE})
        rows = page.get("data")
        known = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        found += [_resource("workflows", row, str(row.get("name", ""))) for row in known]
        total = page.get("total")
        following = str(offset + _PAGE) if isinstance(total, int) and total > offset + _PAGE else None
    if not offset and api.principal.may("executions:read"):
        latest = await api.rows("/executions", query={"limit": _EXECUTIONS})
        found += [_resource("executions", row, f"Execution {row.get('id')} ({row.get('status')})") for row in latest]
    if not offset:
        found += await asyncio.to_thread(_documentation)
    return ListResourcesResult(resources=found, next_cursor=following)


def _documentation() -> list[Resource]:
    return [
        Resource(uri=f"jackfield://docs/{name}", name=name, title=title, mime_type="text/markdown")
        for name, title in DocPages(shipped_pages()).titles().items()
    ]


def _resource(kind: str, row: dict[str, Json], title: str) -> Resource:
    ident = str(row.get("id", ""))
    return Resource(uri=f"jackfield://{kind}/{ident}", name=ident, title=title[:200], mime_type="application/json")


async def read_resource(api: ApiCaller, uri: str, limit: int) -> ReadResourceResult:
    """limit: bytes of its JSON. Raises `NotFound`, `ToolFailed`."""
    found = _URI.fullmatch(uri)
    if found is None:
        raise NotFound("There is no such resource; resources/templates/list names the forms.")
    kind, ident = found[1], found[2]
    if kind == "node-types":
        page = await api.ask("GET", f"/node-types/{segments(ident)}/page")
        return _read(uri, "text/markdown", f"{NOTICE}\n\n{str(page)[:limit]}")
    if kind == "docs":
        page, _, section = ident.partition("/")
        text = await asyncio.to_thread(_documented, page, section)
        return _read(uri, "text/markdown", f"{NOTICE}\n\n{text[:limit]}")
    query = {"items": _ITEMS} if kind == "executions" else None
    value = await api.ask("GET", f"/{kind}/{segment(ident)}", query=query)
    text = await asyncio.to_thread(lambda: marked_text(bounded(value, limit)))
    return _read(uri, "text/plain", text)


def _documented(page: str, section: str) -> str:
    pages = DocPages(shipped_pages())
    return pages.section(page, section) if section else pages.text(page)


def _read(uri: str, media: str, text: str) -> ReadResourceResult:
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=media, text=text)])
