"""Chat models whose dialect the proxies speak as well; the codecs are those of `jackfield.api.dialects`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jackfield.api import dialects
from jackfield.api.ai import Completion, Message, ToolSpec
from jackfield.api.dialects.model import DialectError, DialectName, UpstreamModel
from jackfield.api.http_client import Pairs
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.models.conversation import completion_of, request_of

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
        codec = dialects.of(self.dialect)
        asked = request_of(self.dialect, self.name, messages, self._members, tools=tools, json=self._json(json, tools))
        try:
            body = codec.build_request(asked, UpstreamModel(self.name))
        except DialectError as exc:
            raise NodeError(exc.message) from None
        url = self._address(await self._client.values(), self.name)
        reply = await self._client.answer(url, body, self._headers)
        raw = self._client.object_in(reply)
        try:
            return completion_of(self.dialect, codec.parse_response(reply.body), raw)
        except DialectError:
            raise NodeError(f"{self._client.title} answered without a message.") from None

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
