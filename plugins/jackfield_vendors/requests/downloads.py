"""Answers that are files, which go to the execution's files while they arrive."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import unquote, urlsplit

from jackfield.api.binary import DEFAULT_TYPE, stream_of
from jackfield.api.http_client import HttpReply
from jackfield.api.nodes import NodeRun
from jackfield.api.nodes.files import kept_file, with_file
from jackfield.api.nodes.items import new_item
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData, Item
from jackfield_vendors.operations import CompiledOperation, CompiledRequest
from jackfield_vendors.requests.calls import raise_for_status
from jackfield_vendors.requests.sending import ServiceSender
from jackfield_vendors.templates import MISSING, Missing, TemplateScope, as_text, at, value_of


@record
class Keeper:
    """`jackfield.api.http_client.BodyKeeper`. name: of the file; None: the address says it."""

    run: NodeRun
    name: str | None

    def wants(self, head: HttpReply) -> bool:
        return True

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        """Raises `NodeError`."""
        kind = head.header("content-type").partition(";")[0].strip() or DEFAULT_TYPE
        name = unquote(urlsplit(head.url).path).rpartition("/")[2] if self.name is None else self.name
        return await kept_file(self.run, chunks, mime_type=kind, file_name=name)


async def downloaded(
    sender: ServiceSender, operation: CompiledOperation, request: CompiledRequest, scope: TemplateScope
) -> Item:
    """The item with the answer's body as a file. Raises `NodeError`."""
    response, item = operation.described.response, sender.run.items[sender.index]
    named = MISSING if operation.file_name is None else value_of(operation.file_name, scope)
    keeper = Keeper(sender.run, None if isinstance(named, Missing) else as_text(named))
    reply = await sender.send(request, scope, keeper)
    raise_for_status(reply, sender.node.errors, sender.node.title)
    file = reply.file or await keeper.keep(reply, stream_of(reply.body))
    wanted = at(dict(scope.parameters), response.property.split(".")) if response.property else None
    answer = scope.special.get("$response")
    json = answer if isinstance(answer, dict) else item["json"]
    return new_item(json, sender.index, with_file(item, str(wanted or "data"), file))
