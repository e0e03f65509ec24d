"""Chat models whose dialect the proxies speak as well; the codecs are those of `jackfield.api.dialects`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from jackfield.api import dialects
from jackfield.api.ai import Completion, Message, ModelUsage, ToolSpec
from jackfield.api.binary import stream_of
from jackfield.api.dialects.model import DialectError, DialectName, ModelRequest, UpstreamModel
from jackfield.api.http_client import Pairs
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.models.conversation import completion_of, request_of
from jackfield_ai.models.spoken import SpokenAnswer
from jackfield_ai.reading import count_at, text_at

Address = Callable[[Mapping[str, str], str], str]
"""Credential, model -> where completions are asked for."""
VERSION = "2023-06-01"
"""Of Anthropic's API."""


class DialectModel:
    """`ChatModel`. members: further ones of each request's body."""

    dialect: DialectName

    def __init__(
        self,
        client: ProviderClient,
        name: str,
        members: Mapping[str, Json],
        address: Address,
        headers: Pairs | None = None,
    ) -> None:
        self._client = client
        self.name = name
        self._members = members
        self._address = address
        self._headers = headers

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        asked = self._asked(messages, tools, json)
        reply = await self._client.answer(await self._url(), self._body(asked), self._headers)
        raw = self._client.object_in(reply)
        try:
            return completion_of(self.dialect, dialects.of(self.dialect).parse_response(reply.body), raw)
        except DialectError as exc:
            return self._unanswered(exc, raw)

    async def stream(
        self,
        messages: Sequence[Message],
        said: Callable[[str], Awaitable[None]],
        *,
        tools: Sequence[ToolSpec] = (),
        json: bool = False,
    ) -> Completion:
        asked = replace(self._asked(messages, tools, json), stream=True)
        spoken = SpokenAnswer(self.dialect, said, self._client.max_answer_bytes)
        reply = await self._client.answer(await self._stream_url(), self._body(asked), self._headers, spoken)
        if reply.file is None:  # a client that keeps nothing
            await spoken.keep(reply, stream_of(reply.body))
        try:
            found = spoken.response()
        except DialectError as exc:
            raise NodeError(f"{self._client.title} broke off its answer: {exc.message}") from None
        whole = loads(dialects.of(self.dialect).build_response(found, asked))
        return completion_of(self.dialect, found, whole if isinstance(whole, dict) else {})

    def _asked(self, messages: Sequence[Message], tools: Sequence[ToolSpec], json: bool) -> ModelRequest:
        return request_of(self.dialect, self.name, messages, self._members, tools=tools, json=self._json(json, tools))

    def _body(self, asked: ModelRequest) -> bytes:
        """Raises `NodeError`."""
        try:
            return dialects.of(self.dialect).build_request(asked, UpstreamModel(self.name.removeprefix("models/")))
        except DialectError as exc:
            raise NodeError(exc.message) from None

    async def _url(self) -> str:
        return self._address(await self._client.values(), self.name)

    async def _stream_url(self) -> str:
        return await self._url()

    def _unanswered(self, error: DialectError, raw: dict[str, Json]) -> Completion:
        """For an answer that has none. Raises `NodeError`."""
        raise NodeError(f"{self._client.title} answered without a message.") from error

    def _json(self, wanted: bool, tools: Sequence[ToolSpec]) -> bool:
        return wanted


class OpenAiModel(DialectModel):
    """Chat completions, which many providers speak."""

    dialect = "chat"

    def _json(self, wanted: bool, tools: Sequence[ToolSpec]) -> bool:
        """Beside tools not every provider takes the format of an answer."""
        return wanted and not tools


class AnthropicModel(DialectModel):
    """members: `max_tokens` among them."""

    dialect = "anthropic"

    def __init__(self, client: ProviderClient, name: str, members: Mapping[str, Json]) -> None:
        super().__init__(client, name, members, _messages_url, [("anthropic-version", VERSION)])


def _messages_url(values: Mapping[str, str], _: str) -> str:
    return joined(values.get("url", ""), "/v1/messages", without="/v1")


class GeminiModel(DialectModel):
    """members: `generationConfig` and `safetySettings` among them."""

    dialect = "gemini"

    def __init__(self, client: ProviderClient, name: str, members: Mapping[str, Json]) -> None:
        super().__init__(client, name, members, _generate_url)

    def _json(self, wanted: bool, tools: Sequence[ToolSpec]) -> bool:
        """Beside functions older models refuse the format of an answer."""
        return wanted and not tools

    def _asked(self, messages: Sequence[Message], tools: Sequence[ToolSpec], json: bool) -> ModelRequest:
        if any(picture.url for message in messages for picture in message.pictures):
            raise NodeError(
                "Gemini takes images as files, not as addresses; fetch the image with an HTTP Request before."
            )
        return super()._asked(messages, tools, json)

    async def _stream_url(self) -> str:
        values = await self._client.values()
        return joined(values.get("host", ""), f"{_gemini_path(self.name)}:streamGenerateContent", "alt=sse")

    def _unanswered(self, error: DialectError, raw: dict[str, Json]) -> Completion:
        if error.code != "content_filter":
            raise NodeError(f"{self._client.title} answered without a candidate: {error.message}") from error
        reason, model = text_at(raw, "promptFeedback", "blockReason"), text_at(raw, "modelVersion")
        told = f"The prompt was blocked ({reason})."
        usage = ModelUsage(count_at(raw, "usageMetadata", "promptTokenCount"), 0)
        return Completion(Message("assistant"), usage, "content_filter", model, told, raw)


def _generate_url(values: Mapping[str, str], name: str) -> str:
    return joined(values.get("host", ""), f"{_gemini_path(name)}:generateContent")


def _gemini_path(name: str) -> str:
    return f"/v1beta/{name}" if name.startswith(("models/", "tunedModels/")) else f"/v1beta/models/{name}"
