"""All pages of a list: cursors, numbers, or links."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from math import isfinite
from urllib.parse import urljoin

from jackfield.api.http_client import HttpBody, HttpCall
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield_vendors.described.description import DescribedNode, DescribedPaging
from jackfield_vendors.requests.calls import answer_of, listed, next_link, same_origin
from jackfield_vendors.requests.exchange import ServiceExchange
from jackfield_vendors.templates import as_text, at

LIMIT = 50
"""n8n's default of the parameter `limit`."""
MOST_PAGES = 1000
MOST_BYTES = 256 * 2**20
"""Of the answers of all pages."""


async def collected(
    exchange: ServiceExchange,
    node: DescribedNode,
    paging: DescribedPaging,
    path: str,
    call: HttpCall,
    given: Mapping[str, Json],
) -> list[Json]:
    """The rows, at `path` of the answers, of as many pages as the parameters `returnAll` and `limit` ask for. Raises
    `NodeError`."""
    most = None if paging.all or given.get("returnAll") is True else _limit(given)
    rows: list[Json] = []
    async for page in pages(exchange, node, paging, path, call, most):
        rows += page
        if most is not None and len(rows) >= most:
            return rows[:most]
    return rows


async def pages(
    exchange: ServiceExchange, node: DescribedNode, paging: DescribedPaging, path: str, call: HttpCall, most: int | None
) -> AsyncIterator[list[Json]]:
    """The rows of each page. most: rows that are wanted; None: all. Raises `NodeError`."""
    rows: list[Json] = []
    size = max(paging.least, min(paging.most, most or paging.most))
    sized = call if paging.size is None else placed(call, paging.place, paging.size, size)
    page, read = _begun(sized, paging), 0
    for number in range(1, MOST_PAGES + 1):
        reply = await exchange.send(page)
        read += len(reply.body)
        if read > MOST_BYTES:
            raise NodeError(f"The pages of {node.title} have more than {MOST_BYTES} bytes; set a limit.")
        value = answer_of(reply, node.errors, node.title)
        found = at(value, path.split(".")) if path else value
        new = listed(_rows_of(found), reply)
        rows += new
        yield new
        short = not new or (paging.size is not None and len(new) < size and paging.kind != "span")
        following = _next(paging, sized, value, number, rows, next_link(page, reply))
        if following is None or (short and paging.kind in ("page", "offset", "last", "span")):
            return
        if following == page:
            raise NodeError(f"{node.title} names the same page as the next one again and again.")
        page = following
    raise NodeError(f"{node.title} has more than {MOST_PAGES} pages; set a limit.")


def _rows_of(found: Json) -> Json:
    """An object of rows by their ids counts as their list."""
    if isinstance(found, dict) and found and all(isinstance(row, dict) for row in found.values()):
        return list(found.values())
    return found


def _limit(given: Mapping[str, Json]) -> int:
    value = given.get("limit")
    return max(1, int(value)) if isinstance(value, int | float) and isfinite(value) else LIMIT


def _begun(call: HttpCall, paging: DescribedPaging) -> HttpCall:
    first = paging.first if paging.first is not None or paging.kind != "page" else 1
    return call if first is None else placed(call, paging.place, paging.send, first)


def _next(
    paging: DescribedPaging, call: HttpCall, value: Json, number: int, rows: list[Json], link: str | None
) -> HttpCall | None:
    if paging.kind == "link":
        return replace(call, url=link, query=[]) if link else None
    if paging.kind == "page":
        return placed(call, paging.place, paging.send, number + (1 if paging.first is None else paging.first))
    if paging.kind == "offset":
        return placed(call, paging.place, paging.send, len(rows) + (paging.first or 0))
    if paging.kind == "span":
        begin = number * paging.most
        ended = call if paging.size is None else placed(call, paging.place, paging.size, begin + paging.most)
        return placed(ended, paging.place, paging.send, begin)
    if paging.kind == "last":
        mark = at(rows[-1], paging.read.split(".")) if rows else None
        return placed(call, paging.place, paging.send, mark) if mark is not None else None
    if paging.kind == "url":
        address = value.get(paging.read) if isinstance(value, dict) else None
        if address is None:
            address = at(value, paging.read.split("."))
        target = _target(call.url, address) if isinstance(address, str) and address else ""
        return replace(call, url=target, query=[]) if same_origin(target, call.url) else None
    cursor, total = at(value, paging.read.split(".")), at(value, paging.total.split(".")) if paging.total else None
    if not cursor or (isinstance(total, int | float) and len(rows) >= total):
        return None
    call = placed(call, paging.place, paging.send, cursor)
    for name, path in paging.also.items():
        call = placed(call, paging.place, name, at(value, path.split(".")))
    return call


def _target(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return ""


def placed(call: HttpCall, place: str, name: str, value: Json) -> HttpCall:
    """The request with the value in its query or its body."""
    if place == "query":
        others = [pair for pair in call.query if pair[0] != name]
        return replace(call, query=[*others, (name, as_text(value))])
    body = loads(call.body.whole or b"", max_depth=200) if call.body else {}
    media_type = call.body.content_type if call.body else "application/json"
    return replace(call, body=HttpBody(dumps(_with(body, name.split("."), value)), media_type))


def _with(body: Json, path: Sequence[str], value: Json) -> Json:
    """The object with the value at the path; `last` is the last element of a list."""
    if path and isinstance(body, list) and body and path[0] == "last":
        return [*body[:-1], _with(body[-1], path[1:], value)]
    inner = body if isinstance(body, dict) else {}
    return {**inner, path[0]: _with(inner.get(path[0]), path[1:], value)} if path else value
