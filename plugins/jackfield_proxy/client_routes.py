"""What clients may ask of a proxy: which path is which dialect."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from jackfield.api.dialects.model import DialectName
from jackfield.api.proxy import KEYED_PATH
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


_AZURE = re.compile(r"/openai(?:/deployments/[^/]+|/v1)?(?=/)").match


def token_in(path: str) -> tuple[str, str]:
    """The token that the client's base URL has, and the rest of the path."""
    if not path.startswith(KEYED_PATH):
        return "", path
    token, slash, rest = path.removeprefix(KEYED_PATH).partition("/")
    return token, slash + rest


def short_of(path: str) -> str:
    """The path below `/v1`, or below what Azure's clients have in its place."""
    found = _AZURE(path)
    return (path[found.end() :] if found else path.removeprefix("/v1")).rstrip("/")


def route_of(method: str, path: str) -> ClientRoute:
    """The paths are the vendors' own; those of the second family are taken without `/v1` as well, since their clients
    are given a base URL with or without it."""
    short = short_of(token_in(path)[1])
    if method == "POST" and short in _POSTS:
        return _POSTS[short]
    dialect: DialectName = "anthropic" if short.startswith("/messages") else "chat"
    if method in ("GET", "HEAD"):
        if not short:
            return ClientRoute("probe", dialect)
        if short == "/models" or short.startswith("/models/"):
            return ClientRoute("models", dialect)
    return ClientRoute("none", dialect)
