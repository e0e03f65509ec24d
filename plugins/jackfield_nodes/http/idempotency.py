"""The header by which a service notices that it has had a request before.

Source: draft-ietf-httpapi-idempotency-key-header. The key stands there without quotes, as services have it.
"""

from __future__ import annotations

from jackfield.api.nodes import NodeRun
from jackfield.api.records import replace
from jackfield_nodes.http.call import Call


def with_key(call: Call, run: NodeRun, header: str, item: int, page: int = 0) -> Call:
    """header: empty for none.

    A header of this name that the node has itself stays. page: each is a separate request.
    """
    name = header.strip()
    if not name or any(given.lower() == name.lower() for given, _ in call.headers):
        return call
    return replace(call, headers=[*call.headers, (name, run.idempotency_key(item, page))])
