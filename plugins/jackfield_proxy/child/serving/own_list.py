"""A list of what a provider's account keeps, with that alone which the asking key may use.

Pages on which there is nothing of the key's are skipped: clients take an empty page for the end.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import parse_qsl, urlencode

from aiohttp import web

from jackfield.api.dialects import fields
from jackfield.api.dialects.model import DialectError
from jackfield.api.jsontext import Json
from jackfield_proxy.child.answers.relay import Carrier

if TYPE_CHECKING:
    from jackfield_proxy.child.incoming.endpoint_request import EndpointRequest

MOST_PAGES = 50
"""Of the provider's for one of the client's."""
LARGEST = 16 * 2**20
"""Bytes of one page."""
Page: TypeAlias = "dict[str, Json]"
_NO_LIST = "The provider's answer is no list, and is not shown to a virtual key."
_NAMES: Mapping[str, str] = {"batches": "operations"}
"""Of Google's lists those that have not the name of what they list."""


class ListRefused(DialectError):
    """It is not shown, and its provider has done nothing wrong."""


class ListPage(Carrier):
    """One page, read whole."""

    async def _carry(self, request: web.BaseRequest) -> web.StreamResponse:
        parts, size = [], 0
        async for chunk in self._plain():
            size += len(chunk)
            if size > LARGEST:
                raise ListRefused(502, f"The provider's list has more than {LARGEST} bytes.")
            parts.append(chunk)
        headers = [("Content-Type", "application/json"), *self._marks()]
        return web.Response(body=b"".join(parts), headers=headers)


class OwnList:
    """read: gets the page that a request asks for. usable: which of these ids are the key's."""

    def __init__(
        self,
        read: Callable[[EndpointRequest], Awaitable[web.Response]],
        usable: Callable[[Sequence[str]], Awaitable[frozenset[str]]],
    ) -> None:
        self._read = read
        self._usable = usable

    async def answer(self, call: EndpointRequest, first: web.Response) -> web.Response:
        """first: the page that the client asks for. Raises `ListRefused`, and what `read` and `usable` raise."""
        response = first
        found: web.Response | None = None
        for _ in range(MOST_PAGES):
            page = _page_of(response)
            name = _listed(page, call)
            ids = [_id_of(one) for one in fields.arr(page[name])]
            own = (await self._usable([one for one in ids if one])).intersection(ids)
            following = _following(call, page, ids)
            if found is not None and (own or following is None):
                return found if own else _last(found)
            if found is None and (own or following is None):
                found = _with(response, _filtered(page, name, own))
                if following is None or call.dialect != "gemini":
                    return found
            call = call.of_page(str(following))
            response = await self._read(call)
        if found is not None:
            return found
        message = f"None of the first {MOST_PAGES} pages has anything of this key; ask by id."
        raise ListRefused(404, message, "not_found_error")


def _last(response: web.Response) -> web.Response:
    """Of Google's pages the last one of the key: Google's client fails over an empty one behind it."""
    return _with(response, {name: value for name, value in _page_of(response).items() if name != "nextPageToken"})


def _page_of(response: web.Response) -> Page:
    """Raises `ListRefused` 502 for what is no object."""
    body = response.body
    try:
        found = fields.loads(body) if isinstance(body, bytes) else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ListRefused(502, _NO_LIST)
    return found


def _listed(page: Page, call: EndpointRequest) -> str:
    """Under which name the list stands in its page. Raises `ListRefused` 502 for what is no list: nobody knows what is
    in it."""
    name = _NAMES.get(call.place.collection, call.place.collection) if call.dialect == "gemini" else "data"
    if call.dialect == "gemini" and not page.keys() - {"nextPageToken"}:
        page[name] = []  # Google leaves an empty list out
    if not isinstance(page.get(name), list) or (call.dialect == "gemini" and page.keys() - {name, "nextPageToken"}):
        raise ListRefused(502, _NO_LIST)
    return name


def _id_of(one: Json) -> str:
    found = one.get("id", one.get("name")) if isinstance(one, dict) else None
    return found if isinstance(found, str) else ""


def _filtered(page: Page, name: str, own: frozenset[str]) -> Page:
    kept = [one for one in fields.arr(page[name]) if _id_of(one) in own]
    ends: Mapping[str, Json] = {
        "first_id": _id_of(kept[0]) if kept else None,
        "last_id": _id_of(kept[-1]) if kept else None,
    }
    return {**page, name: kept, **{end: value for end, value in ends.items() if end in page}}


def _following(call: EndpointRequest, page: Page, ids: Sequence[str]) -> str | None:
    """The query of the page behind this one; None: there is none."""
    query = dict(parse_qsl(call.query, keep_blank_values=True))
    if call.dialect == "gemini":
        token = page.get("nextPageToken")
        return urlencode({**query, "pageToken": token}) if isinstance(token, str) and token else None
    token = page.get("next_page")
    if isinstance(token, str) and token:
        return urlencode({**query, "page": token})
    if page.get("has_more") is not True or not ids or not all(ids):
        return None
    suffix = "_id" if call.dialect == "anthropic" else ""
    if f"before{suffix}" in query:
        return urlencode({**query, f"before{suffix}": ids[0]})
    return urlencode({**query, f"after{suffix}": ids[-1]})


def _with(response: web.Response, page: Page) -> web.Response:
    kept = [(name, value) for name, value in response.headers.items() if name.lower() != "content-length"]
    return web.Response(body=fields.dumps(page), headers=kept)
