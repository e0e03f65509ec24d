"""How the official clients read a stream: each is given its bytes in place of a network."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from recorded import Meaning, meaning, meaning_of_answer

from jackfield.api.dialects.model import DialectName

ASK: Any = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


class _Answers:
    """What is answered next."""

    data = b""

    @classmethod
    def answer(cls, request: Any) -> Any:
        import httpx2

        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=cls.data)


def _transport() -> Any:
    import httpx2

    return httpx2.Client(transport=httpx2.MockTransport(_Answers.answer))


@cache
def _claude() -> Any:
    anthropic = pytest.importorskip("anthropic", reason="the official client is not installed")
    return anthropic.Anthropic(api_key="key", base_url="http://provider", max_retries=0, http_client=_transport())


@cache
def _gpt() -> Any:
    openai = pytest.importorskip("openai", reason="the official client is not installed")
    return openai.OpenAI(api_key="key", base_url="http://provider", max_retries=0, http_client=_transport())


def _messages(data: bytes) -> Meaning:
    claude = _claude()
    import anthropic

    _Answers.data = data
    try:
        with claude.messages.stream(**ASK, max_tokens=9) as stream:
            return meaning_of_answer("anthropic", stream.get_final_message().model_dump(warnings=False))
    except anthropic.APIError as exc:
        return Meaning(failed=exc.message)


def _chat(data: bytes) -> Meaning:
    """The helper that builds the whole completion takes a limit for an error, and knows no freeform tools."""
    gpt = _gpt()
    import openai

    _Answers.data = data
    try:
        chunks = [chunk.model_dump() for chunk in gpt.chat.completions.create(**ASK, stream=True)]
        read = meaning("chat", chunks)
        if read.stop in ("limit", "refusal") or b'"type":"custom"' in data:
            return read
        with gpt.chat.completions.stream(**ASK) as stream:
            return meaning_of_answer("chat", stream.get_final_completion().model_dump(warnings=False))
    except openai.APIError as exc:
        return Meaning(failed=exc.message)


def _responses(data: bytes) -> Meaning:
    """The helper that builds the whole response knows no incomplete one."""
    gpt = _gpt()
    import openai

    _Answers.data = data
    try:
        events = list(gpt.responses.create(model="m", input="hi", stream=True))
    except openai.APIError as exc:
        return Meaning(failed=exc.message)
    if events[-1].type != "response.completed":
        return meaning("responses", [event.model_dump() for event in events])
    with gpt.responses.stream(model="m", input="hi") as stream:
        return meaning_of_answer("responses", stream.get_final_response().model_dump(warnings=False))


READERS: dict[DialectName, Callable[[bytes], Meaning]] = {
    "anthropic": _messages,
    "chat": _chat,
    "responses": _responses,
}
