"""The variable `request` of condition scripts, for scripts that are only tried. The plugin of the proxies makes the
real one; a test compares their keys."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json

CONDITION_REQUEST: Mapping[str, Json] = {
    "model": "sample-model",
    "path": "/v1/messages",
    "dialect": "anthropic",
    "tokens": 1000,
    "tools": 1,
    "thinking": False,
    "image": False,
    "web_search": False,
    "background": False,
    "minute": 720,
    "headers": {"user-agent": "sample"},
}
