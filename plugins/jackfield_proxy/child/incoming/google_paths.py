"""Addresses of Gemini's dialect: version, model and what is asked of it stand in the path.

Source: the references of the Gemini API and of Vertex AI.
"""

from __future__ import annotations

from urllib.parse import unquote_plus

from jackfield.api.urls import joined
from jackfield_proxy.child.incoming import platforms

VERSION = "v1beta"
_TUNED = "tunedModels/"
_NOT_PASSED = ("key", "alt", "$alt")


def verb_of(*, stream: bool) -> str:
    return "streamGenerateContent" if stream else "generateContent"


def address(url: str, model: str, verb: str, query: str = "", version: str = "") -> str:
    """url: the provider's, with or without a version. query: as the client has sent it. Raises `DialectError` for a
    model whose name would lead elsewhere."""
    kind, name = (_TUNED, model.removeprefix(_TUNED)) if model.startswith(_TUNED) else ("models/", model)
    path = f"/{version or VERSION}/{kind}{platforms.in_path(name.removeprefix('models/'))}:{verb}"
    return joined(url, path, _query(query, streams=verb.startswith("stream")), without=f"/{VERSION}")


def on_vertex(url: str, model: str, verb: str, query: str = "") -> str:
    """The same at Vertex AI, whose address has version, project and location. Raises as `address`."""
    name = platforms.in_path(model.removeprefix("models/"))
    path = f"/publishers/google/models/{name}:{verb}"
    return joined(url, path, _query(query, streams=verb.startswith("stream")))


def endpoint(url: str, path: str, model: str, query: str) -> str:
    """Of what passes. path: with its version, encoded. model: in place of the one that it names; empty: it names none.
    Raises as `address`."""
    if not model:
        kept = [pair for pair in query.split("&") if pair and unquote_plus(pair.partition("=")[0]) != "key"]
        return joined(url, path, "&".join(kept), without=f"/{VERSION}")
    version, verb = path[1:].partition("/")[0], path.rpartition(":")[2]
    return address(url, model, verb, query, version)


def _query(query: str, *, streams: bool) -> str:
    """Without the client's key, and with the one form of a stream that is read here."""
    kept = [pair for pair in query.split("&") if pair and unquote_plus(pair.partition("=")[0]) not in _NOT_PASSED]
    return "&".join([*kept, "alt=sse"] if streams else kept)
