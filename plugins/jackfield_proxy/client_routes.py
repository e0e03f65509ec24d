"""What clients may ask of a proxy: which path is which dialect."""

from __future__ import annotations

from typing import Literal, TypeAlias

from jackfield.api.dialects.model import DialectName
from jackfield.api.records import record

Action: TypeAlias = Literal["complete", "count", "models", "probe", "none"]


@record
class ClientRoute:
    """dialect: in which the client speaks, errors included."""

    action: Action
    dialect: DialectName


_POSTS = {
    "/messages": ClientRoute("complete", "anthropic"),
    "/messages/count_tokens": ClientRoute("count", "anthropic"),
    "/chat/completions": ClientRoute("complete", "chat"),
    "/responses": ClientRoute("complete", "responses"),
}


def route_of(method: str, path: str) -> ClientRoute:
    """The paths are the vendors' own; those of the second family are taken without `/v1` as well, since their clients
    are given a base URL with or without it."""
    short = path.removeprefix("/v1").rstrip("/")
    if method == "POST" and short in _POSTS:
        return _POSTS[short]
    dialect: DialectName = "anthropic" if short.startswith("/messages") else "chat"
    if method in ("GET", "HEAD"):
        if not short:
            return ClientRoute("probe", dialect)
        if short == "/models" or short.startswith("/models/"):
            return ClientRoute("models", dialect)
    return ClientRoute("none", dialect)
