"""Files of rows and events, which are fetched and stand beside the item's JSON."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.http_addresses import HttpAddress
from jackfield.api.http_client import host_named
from jackfield.api.nodes.files import FileRun, kept_file
from jackfield.api.workflows import BinaryData, Item
from jackfield_vendors.requests.calls import same_origin
from jackfield_vendors.requests.sending import ServiceSteps, with_special
from jackfield_vendors.templates import TemplateScope, value_of
from jackfield_vendors.triggering.compiled import CompiledRowFile, is_true, of_row, text_in


async def with_files(
    item: Item, file: CompiledRowFile | None, steps: ServiceSteps, scope: TemplateScope, run: FileRun
) -> Item:
    """The item with its files, if it has any. Raises `NodeError`."""
    if file is None or not is_true(file.needs, scope):
        return item
    scopes = [scope]
    if file.each is not None:
        listed = value_of(file.each, scope)
        rows = listed if isinstance(listed, list) else []
        scopes = [of_row(with_special(scope, "$index", index), row) for index, row in enumerate(rows)]
    fetched = [(text_in(file.property, one), await _fetched(file, steps, one, run)) for one in scopes]
    kept = {name: one for name, one in fetched if one is not None}
    return {**item, "binary": kept} if kept else item


async def _fetched(file: CompiledRowFile, steps: ServiceSteps, scope: TemplateScope, run: FileRun) -> BinaryData | None:
    """None: it is where the credential does not belong."""
    call = await steps.call(file.request, scope)
    if not same_origin(call.url, text_in(steps.base, scope)) and not _at_home(call.url, file.hosts):
        return None
    reply = await steps.exchange.send(call)
    mime_type = reply.header("content-type").partition(";")[0]
    return await kept_file(run, reply.body, mime_type=mime_type, file_name=text_in(file.name, scope))


def _at_home(url: str, hosts: Sequence[str]) -> bool:
    """Whether this is an https address, read as the client reads it, at one of these hosts."""
    try:
        found = HttpAddress.of(url.strip())
    except ValueError:
        return False
    return found.scheme == "https" and found.port is None and any(host_named(found.host, one) for one in hosts)
