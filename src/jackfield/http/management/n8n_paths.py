"""Requests of n8n's clients: a path of `/api/v1` means n8n's operation where there is one."""

from __future__ import annotations

from quart import Quart
from werkzeug.exceptions import HTTPException

from jackfield.api.asgi import Scope
from jackfield.api.n8n_api import ABSENT_RULE, N8N_HEADER, N8N_PREFIX, SERVICE_PREFIX

_HEADER = N8N_HEADER.encode()
_ABSENT = N8N_PREFIX + ABSENT_RULE


def as_n8n_has_it(app: Quart, scope: Scope) -> Scope:
    """The scope with the path of n8n's operation, for a request with n8n's header; else as it is. Operations that n8n
    does not have stay reachable with that header."""
    if scope["type"] != "http" or not scope["path"].startswith(f"{SERVICE_PREFIX}/"):
        return scope
    if not any(name.lower() == _HEADER for name, _ in scope["headers"]):
        return scope
    path = N8N_PREFIX + scope["path"].removeprefix(SERVICE_PREFIX)
    adapter = app.url_map.bind("localhost")
    try:
        rule, _ = adapter.match(path, scope["method"], return_rule=True)
    except HTTPException:
        return scope
    if rule.rule == _ABSENT and adapter.test(scope["path"], scope["method"]):
        return scope
    return {**scope, "path": path}
