"""The requests that clients may send to a proxy: which path is which dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from jackfield.api.dialects.model import DialectName
from jackfield.api.proxy import KEYED_PATH
from jackfield.api.records import record

Action: TypeAlias = Literal["complete", "count", "models", "probe", "pass", "none"]


@record
class NamedInPath:
    """The facts that bodies of other dialects say and those of Gemini leave to the path: model and stream, and the
    version of the API.
    """

    model: str = ""
    stream: bool = False
    version: str = ""


@record
class ClientRoute:
    """dialect: in which the client speaks, errors included."""

    action: Action
    dialect: DialectName
    named: NamedInPath = NamedInPath()


_NO_HEADERS: Mapping[str, str] = {}
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
_OF_ANTHROPIC = frozenset({"files", "messages", "skills"})
_OF_OPENAI = frozenset({
    "assistants", "audio", "batches", "chat", "completions", "containers", "conversations", "embeddings", "evals",
    "files", "fine_tuning", "images", "models", "moderations", "realtime", "rerank", "responses", "skills", "threads",
    "uploads", "vector_stores", "videos",
})  # fmt: skip
"""The first parts of the paths that pass through: what a key of a project may do, and nothing of an organisation's
administration."""
_ELSEWHERE = re.compile(r"/(?:\.|%2e){1,2}(?=[/:]|$)|//|%2f|%5c", re.IGNORECASE).search
"""Servers differ in where such a path leads, and in which part of it is an id."""
_POSTS = {
    "/messages": ClientRoute("complete", "anthropic"),
    "/messages/count_tokens": ClientRoute("count", "anthropic"),
    "/chat/completions": ClientRoute("complete", "chat"),
    "/responses": ClientRoute("complete", "responses"),
}


_WHOLE_POSTS = {f"/v1{short}": route for short, route in _POSTS.items()}
"""As most clients write them: nothing else can be meant."""
_CALL = re.compile(r"/(?:models/|(?=tunedModels/))(?P<model>.+):(?P<verb>[A-Za-z]+)").fullmatch
_VERBS: Mapping[str, tuple[Action, bool]] = {
    "generateContent": ("complete", False),
    "streamGenerateContent": ("complete", True),
    "countTokens": ("count", False),
    "embedContent": ("pass", False),
    "asyncBatchEmbedContent": ("pass", False),
    "batchEmbedContents": ("pass", False),
    "batchGenerateContent": ("pass", False),
    "predict": ("pass", False),
    "predictLongRunning": ("pass", False),
}
"""Of Gemini's dialect: what is asked of a model, and whether its answer streams."""
_THINGS = (
    r"/(?:batches|cachedContents|fileSearchStores|files|operations|tunedModels|models/[^/]+/operations)(?:[/:].*)?"
)
"""The paths of objects that Google keeps for an account."""
_KEPT = re.compile(_THINGS).fullmatch
_WITH_KEY = re.compile(rf"/(?P<version>v1)(?P<rest>{_THINGS})").fullmatch
"""The paths that are Google's below `v1` for a client with Google's header alone: others have such paths, too."""
_UPLOAD = re.compile(r"/upload/(?P<version>v1\w*)/(?:files|fileSearchStores/[^/]+:uploadToFileSearchStore)/?").fullmatch
_GOOGLE = re.compile(
    rf"/(?P<version>v1(?:alpha|beta)\d*|v1(?=/(?:models|tunedModels)/.+:(?:{'|'.join(_VERBS)})$))(?P<rest>/.*|$)"
).match
"""`v1` alone is the others' as well, whose models may have a colon in their names."""
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


def route_of(method: str, path: str, headers: Mapping[str, str] = _NO_HEADERS) -> ClientRoute:
    """The paths are the vendors' own.

    Those of the second family are taken without `/v1` as well, since their clients get a base URL with or without it.
    `headers`: tell the dialect of a path that both families have.
    """
    if method == "POST" and path in _WHOLE_POSTS:
        return _WHOLE_POSTS[path]
    whole = token_in(path)[1]
    google = _GOOGLE(whole)
    if google is None and "x-goog-api-key" in headers:
        google = _WITH_KEY(whole)
    if google is not None:
        return _of_google(method, google["version"], google["rest"])
    short = short_of(whole)
    if method == "POST" and short in _POSTS:
        return _POSTS[short]
    dialect: DialectName = "anthropic" if short.startswith("/messages") else "chat"
    if method in ("GET", "HEAD"):
        if not short:
            return ClientRoute("probe", dialect)
        if short == "/models" or short.startswith("/models/"):
            return ClientRoute("models", "gemini" if "x-goog-api-key" in headers else dialect)
    if method in _METHODS and not _ELSEWHERE(short):
        upload = _UPLOAD(whole) if method in ("POST", "PUT") else None
        if upload is not None:
            return ClientRoute("pass", "gemini", NamedInPath(version=upload["version"]))
        return _endpoint(short, headers)
    return ClientRoute("none", dialect)


def _endpoint(short: str, headers: Mapping[str, str]) -> ClientRoute:
    first = short[1:].partition("/")[0]
    if first in _OF_ANTHROPIC and (first == "messages" or "anthropic-version" in headers):
        return ClientRoute("pass", "anthropic")
    if first in _OF_OPENAI and (first != "chat" or short.startswith("/chat/completions")):
        return ClientRoute("pass", "responses" if first in ("responses", "conversations") else "chat")
    return ClientRoute("none", "anthropic" if "anthropic-version" in headers else "chat")


def _of_google(method: str, version: str, rest: str) -> ClientRoute:
    call = _CALL(rest) if method == "POST" else None
    if call is not None and call["verb"] in _VERBS and not _ELSEWHERE(rest):
        action, stream = _VERBS[call["verb"]]
        return ClientRoute(action, "gemini", NamedInPath(call["model"], stream, version))
    if method in _METHODS and _KEPT(rest) and not _ELSEWHERE(rest):
        return ClientRoute("pass", "gemini", NamedInPath(version=version))
    lists = method in ("GET", "HEAD") and (rest.rstrip("/") == "/models" or rest.startswith("/models/"))
    return ClientRoute("models" if lists else "none", "gemini")
