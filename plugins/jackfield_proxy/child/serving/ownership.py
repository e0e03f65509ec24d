"""Which requests may speak of an object that a provider keeps, and which of the provider's keys keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.dialects.model import DialectError
from jackfield.api.gateway import CallerPass, StoredObject
from jackfield_proxy.child.incoming.endpoint_request import EndpointRequest
from jackfield_proxy.child.incoming.references import likely_in

if TYPE_CHECKING:
    from jackfield_proxy.child.incoming.client_request import ClientRequest
    from jackfield_proxy.child.incoming.google_kept import BegunUpload
    from jackfield_proxy.child.process.pipe import Pipe
    from jackfield_proxy.plan import ProxyPlan

_REALTIME = "/realtime"
_UPLOAD = "the upload"
MOST_IDS = 1000
"""Of stored objects that a request of a key may name."""


async def kept_by(call: ClientRequest, caller: CallerPass, plan: ProxyPlan, pipe: Pipe) -> StoredObject | None:
    """The object that decides where the request goes; None: nothing does. plan: of the process.

    Raises `DialectError`: 404 for an object that a virtual key may not speak of. The codes 400, 403 and 413 are for a
    request that it may not send.
    """
    if not caller.key:
        return await _own(call, plan, pipe) if plan.several_accounts else None
    _require_looked_at(call)
    ids = await call.references()
    if not ids:
        return None
    if len(ids) > MOST_IDS:
        raise DialectError(400, f"The request names more than {MOST_IDS} stored objects.", "invalid_request_error")
    found = await pipe.objects(plan.limits.key_timeout, caller.key, ids)
    known = {one.id: one for one in found}
    for one in ids:
        if one not in known:
            raise DialectError(
                404,
                f"There is no {one[:100]} of this key.",
                "not_found_error",
                code="object_not_found",
            )
    first = known[ids[0]]
    for one in ids:
        if all(other.account != first.account for other in found if other.id == one):
            message = f"{one[:100]} is kept by another account of the provider than {ids[0][:100]}."
            raise DialectError(404, message, "not_found_error", code="object_not_found")
    return first


def goes_on(call: ClientRequest, caller: CallerPass, upload: BegunUpload) -> StoredObject:
    """Where the rest of an upload goes. Raises `DialectError` 404 for somebody else's."""
    if not isinstance(call, EndpointRequest) or caller.key != upload.key:
        message = "There is no such upload of this key; begin it again."
        raise DialectError(404, message, "not_found_error", code="object_not_found")
    call.upload = upload
    return StoredObject(_UPLOAD, upload.profile, upload.provider, upload.account)


async def _own(call: ClientRequest, plan: ProxyPlan, pipe: Pipe) -> StoredObject | None:
    """Of a request with the profile's own token, which nothing restricts, and which need not be looked at closely."""
    if not isinstance(call, EndpointRequest) and not likely_in(call.body, call.dialect):
        return None
    try:
        ids = await call.references()
    except DialectError:  # its provider says where the mistake is
        return None
    found = await pipe.objects(plan.limits.key_timeout, "", ids)
    return found[0] if found else None


def _require_looked_at(call: ClientRequest) -> None:
    """Raises `DialectError`."""
    if not isinstance(call, EndpointRequest):
        return
    if call.path.startswith(_REALTIME):
        message = "A virtual key may not have the provider's own credentials, which this would give it."
        raise DialectError(403, message, "permission_error")
    if call.draws_answers:
        message = "A virtual key's eval may not take the answers that the provider keeps of everybody: give it a file."
        raise DialectError(403, message, "permission_error", param="data_source")
    if call.unread and call.is_form:
        message = "A virtual key may send a form only with a file's content. Send application/json here."
        raise DialectError(400, message, "invalid_request_error")
    if call.unread:
        message = (
            "A virtual key's request is looked at for what it names: send application/json of at most 4 MiB, or a form."
        )
        raise DialectError(413, message, "request_too_large")
