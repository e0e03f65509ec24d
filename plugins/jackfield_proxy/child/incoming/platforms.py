"""Clouds that serve models under their own paths: the model stands in the path, and the version of Anthropic's
dialect in the body. Gemini's needs nothing more; see `google_paths`.

Source: 'Claude on Vertex AI' and 'Claude on Amazon Bedrock (legacy)' of Anthropic's documentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import quote

import msgspec

from jackfield.api.dialects.model import DialectError
from jackfield.api.urls import joined
from jackfield_proxy.plan import Upstream

_VERSIONS: Mapping[str, str] = {"bedrock": "bedrock-2023-05-31", "vertex": "vertex-2023-10-16"}
_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NOT_SENT = {"bedrock": ("anthropic-version", "anthropic-beta"), "vertex": ("anthropic-version",)}


def address(upstream: Upstream, model: str, *, stream: bool) -> str:
    """Raises `DialectError` for a name that would lead elsewhere."""
    if upstream.platform == "bedrock":
        verb = "invoke-with-response-stream" if stream else "invoke"
        return joined(upstream.url, f"/model/{in_path(model)}/{verb}")
    name = in_path(model, safe="@")
    return joined(upstream.url, f"/publishers/anthropic/models/{name}:{_vertex_verb(stream=stream)}")


def in_path(model: str, *, safe: str = "") -> str:
    """The name as one part of a path. safe: characters that stay as they are. Raises `DialectError` for a name that
    would lead elsewhere."""
    if model in (".", ".."):
        raise DialectError(400, f"There is no model {model}.", "not_found_error", param="model")
    return quote(model, safe=safe)


def _vertex_verb(*, stream: bool) -> str:
    return "streamRawPredict" if stream else "rawPredict"


def body(upstream: Upstream, content: bytes, betas: str) -> bytes:
    """Without what the path says. betas: of the header `anthropic-beta`, which Bedrock reads in the body. Raises
    `DialectError` 400."""
    if upstream.family == "gemini":
        return content
    try:
        value = _DECODER.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise DialectError(400, "The request body is not valid JSON.", "invalid_request_error") from None
    value.pop("model", None)
    value.setdefault("anthropic_version", _raw(_VERSIONS[upstream.platform]))
    if upstream.platform == "bedrock":
        value.pop("stream", None)
        if betas:
            value.setdefault("anthropic_beta", _raw([beta.strip() for beta in betas.split(",")]))
    return msgspec.json.encode(value)


def headers(upstream: Upstream, given: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without those whose values are in the body."""
    dropped = () if upstream.family == "gemini" else _NOT_SENT[upstream.platform]
    return [(name, value) for name, value in given if name.lower() not in dropped]


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
