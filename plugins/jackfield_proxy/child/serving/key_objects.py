"""The objects that a key makes at a provider, and which of the things there it may see."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from jackfield.api.dialects.model import DialectError
from jackfield.api.gateway import CallerPass, StoredObject
from jackfield.api.records import replace
from jackfield_proxy.child.answers import google_made
from jackfield_proxy.child.answers.made_objects import MadeIds
from jackfield_proxy.child.serving import uploads
from jackfield_proxy.child.serving.batch_input import BatchInput
from jackfield_proxy.child.serving.own_list import ListPage, ListRefused, OwnList
from jackfield_proxy.messages import FromChild, MadeObjects

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aiohttp import web

    from jackfield_proxy.child.answers.relay import RelayContext
    from jackfield_proxy.child.incoming.client_request import ClientRequest
    from jackfield_proxy.child.incoming.endpoint_request import EndpointRequest
    from jackfield_proxy.child.serving.tenants import ExchangeServices
    from jackfield_proxy.child.upstream.sending import Opened
    from jackfield_proxy.plan import ProxyPlan
    from jackfield_proxy.routing.choosing import Candidate


class KeyObjects:
    """Of one request. context: in which an answer is relayed."""

    def __init__(
        self, plan: ProxyPlan, caller: CallerPass, shared: ExchangeServices, context: Callable[[Opened], RelayContext]
    ) -> None:
        self._plan = plan
        self._caller = caller
        self._shared = shared
        self._context = context

    def made(self, call: ClientRequest, opened: Opened) -> MadeIds:
        """Tells the daemon of what the answer says was made."""
        find = google_made.ids_in if call.dialect == "gemini" else None
        return MadeIds(partial(self._tell_made, "answer" if call.answers else "object", opened), find)

    def uploading(self, request: web.BaseRequest, opened: Opened, call: EndpointRequest) -> Opened:
        """With our address for the rest of an upload, where its provider has given one."""
        known, reply = self._shared.uploads, opened.reply
        if call.upload is not None and uploads.is_over(reply):
            known.end(call.upload.name)
        if not (address := uploads.address_in(reply)):
            return opened
        provider = opened.candidate.target.provider
        url = uploads.rest_of(self._plan.upstreams[provider].url, address)
        begun = call.upload or known.begin(
            url, call.credential, self._caller.key, self._plan.alias, provider, opened.account
        )
        return replace(opened, reply=uploads.replied(reply, request, call.path, begun.name))

    async def listed(self, request: web.BaseRequest, opened: Opened, call: EndpointRequest) -> web.StreamResponse:
        """The part of a list that the key may see. Raises `ListRefused`, `UpstreamFailure`, `DialectError`."""

        async def read(page: EndpointRequest) -> web.Response:
            other = await self._shared.sender.attempt(self._plan, page, opened.candidate, opened.attempts)
            try:
                return await self._page(request, other)
            finally:
                self._shared.sender.closed(other)

        usable = partial(self._usable, opened.account)
        return await OwnList(read, usable).answer(call, await self._page(request, opened))

    async def look_at(self, request: web.BaseRequest, file: EndpointRequest, candidate: Candidate) -> None:
        """At a batch's input, before the batch is made. Raises `InputRefused`, `UpstreamFailure`, `DialectError`."""
        opened = await self._shared.sender.attempt(self._plan, file, candidate, 1)
        try:
            usable = partial(self._usable, opened.account)
            await BatchInput(self._context(opened), opened, usable, file.helpers).carry(request)
        finally:
            self._shared.sender.closed(opened)

    def _tell_made(self, kind: Literal["object", "answer"], opened: Opened, ids: Sequence[str]) -> None:
        provider = opened.candidate.target.provider
        objects = [StoredObject(_text(one), self._plan.alias, provider, opened.account, kind) for one in ids]
        self._shared.pipe.send(FromChild(made=MadeObjects(self._caller.key, objects)))

    async def _page(self, request: web.BaseRequest, opened: Opened) -> web.Response:
        return cast("web.Response", await ListPage(self._context(opened), opened).carry(request))

    async def _usable(self, account: str, ids: Sequence[str]) -> frozenset[str]:
        """Which of these the key may use. account: of the provider. Raises `ListRefused`."""
        try:
            found = await self._shared.pipe.objects(self._plan.limits.key_timeout, self._caller.key, ids)
        except DialectError as exc:
            raise ListRefused(exc.status, exc.message, exc.kind) from None
        return frozenset(one.id for one in found if one.account == account)


def _text(given: str) -> str:
    """As the pipe takes it: half surrogates, which providers do send, are no text to it."""
    return given.encode("utf-8", "replace").decode()
