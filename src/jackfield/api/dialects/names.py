"""Names and ids that one dialect allows and another does not: fitted, and found again.

Fitting is a pure function of the name, so that nothing needs to be remembered between requests.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import blake2s

from .model import DialectName, ModelRequest, ToolDefinition

MAX_NAME = 64  # Chat and Responses; Anthropic takes more
MAX_CALL_ID = {"anthropic": 128, "chat": 40, "responses": 64, "gemini": 128}
_FIT = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_UNFIT = re.compile(r"[^a-zA-Z0-9_-]")
_HIDDEN = "jfid_"  # before the hex of an id that Anthropic's pattern refuses
_TAG = "jackfield:"  # before a signature that is not of the client's dialect: jackfield:<origin>:<signature>
MARK = _TAG.encode()
_PLAIN_MARK, _CODED_MARK = re.compile(b"j(?:ackfield:|fid_)").search, b64encode(MARK)[:13]
"""A mark in a request that must not pass as it is. It is either of the two above, in the form in which a search skips
to the next j. Gemini has signatures in base64: the tag fills the first 13 characters."""


def _digest(text: str) -> str:
    return blake2s(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def fit_name(name: str, longest: int = MAX_NAME) -> str:
    """The name, or 55 characters of it, an underscore and 8 hex of its hash."""
    if len(name) <= longest and _FIT(name):
        return name
    return f"{_UNFIT.sub('_', name)[: longest - 9]}_{_digest(name)}"


def upstream_name(tool: ToolDefinition) -> str:
    """The name of a tool before a provider that has no namespaces."""
    return fit_name(f"{tool.namespace}__{tool.name}" if tool.namespace else tool.name)


def tools_by_upstream_name(tools: Iterable[ToolDefinition]) -> dict[str, ToolDefinition]:
    return {upstream_name(tool): tool for tool in tools}


def called_name(name: str, namespace: str | None) -> str:
    """The name of an earlier call's tool before a provider that has no namespaces."""
    return fit_name(f"{namespace}__{name}" if namespace else name)


def chosen_name(request: ModelRequest) -> str | None:
    """None: a hosted tool, which a provider without it cannot be made to call."""
    wanted = request.tool_choice.name if request.tool_choice else ""
    for tool in request.tools:
        if tool.name == wanted:
            return None if tool.kind == "hosted" else upstream_name(tool)
    return fit_name(wanted)


def fit_call_id(call_id: str, dialect: DialectName) -> str:
    """Both a call and its result go through here, so that they stay a pair."""
    longest = MAX_CALL_ID[dialect]
    if len(call_id) <= longest and (dialect != "anthropic" or _FIT(call_id)):
        return call_id
    return f"{_UNFIT.sub('_', call_id)[: longest - 9]}_{_digest(call_id)}"


def hide_call_id(call_id: str) -> str:
    """An id of the pattern that Anthropic's clients send back; `reveal_call_id` gives the first one again."""
    return call_id if _FIT(call_id) else _HIDDEN + call_id.encode("utf-8", "surrogatepass").hex()


def reveal_call_id(call_id: str) -> str:
    if call_id.startswith(_HIDDEN):
        try:
            return bytes.fromhex(call_id[len(_HIDDEN) :]).decode("utf-8", "surrogatepass")
        except ValueError:
            return call_id
    return call_id


def new_id(prefix: str) -> str:
    return prefix + os.urandom(12).hex()


def tag_signature(signature: str, origin: DialectName, client: DialectName) -> str:
    """A signature as the client keeps it: says whose it is, unless it is of the client's own dialect."""
    return signature if origin == client and signature else f"{_TAG}{origin}:{signature}"


def untag_signature(signature: str, client: DialectName) -> tuple[str, DialectName]:
    """(signature, origin) of what the client sends back."""
    if signature.startswith(_TAG):
        origin, colon, rest = signature[len(_TAG) :].partition(":")
        if colon:
            for known in _ANSWER_IDS:
                if origin == known:
                    return rest, known
    return signature, client


def is_mixed(body: bytes) -> bool:
    """Whether a request carries what another provider's answer left in it, so that it must not pass byte for byte."""
    return _CODED_MARK in body or _PLAIN_MARK(body) is not None


def asked_tools(asked: ModelRequest) -> dict[str, ToolDefinition]:
    """The client's tools by the name that the provider knows them by."""
    return tools_by_upstream_name(tool for tool in asked.tools if tool.kind != "hosted")


_ANSWER_IDS: Mapping[DialectName, str] = {
    "anthropic": "msg_",
    "chat": "chatcmpl-",
    "responses": "resp_",
    "gemini": "",
}


def answer_id(upstream_id: str, client: DialectName) -> str:
    """An answer's id as the client sees it: the provider's own with the dialect's prefix, or a new one."""
    prefix = _ANSWER_IDS[client]
    if not upstream_id:
        return new_id(prefix)
    for other in _ANSWER_IDS.values():
        upstream_id = upstream_id.removeprefix(other)
    return prefix + upstream_id
