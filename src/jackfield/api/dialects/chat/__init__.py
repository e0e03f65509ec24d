"""OpenAI Chat Completions (`/v1/chat/completions`)."""

from __future__ import annotations

from .. import errors
from ..base import EventReader, EventWriter, Headers
from ..fields import body_object, dumps
from ..model import DialectError, DialectName, ModelRequest, ModelResponse, Object, UpstreamModel
from .answer import build_completion, parse_completion
from .build import build_body
from .parse import parse_body
from .reader import ChatReader
from .writer import ChatWriter


class Chat:
    name: DialectName = "chat"

    def parse_request(self, body: bytes) -> ModelRequest:
        return parse_body(body_object(body))

    def parse_object(self, body: Object) -> ModelRequest:
        return parse_body(body)

    def build_request(self, request: ModelRequest, target: UpstreamModel) -> bytes:
        return dumps(build_body(request, target))

    def parse_response(self, body: bytes) -> ModelResponse:
        return parse_completion(body)

    def build_response(self, response: ModelResponse, asked: ModelRequest) -> bytes:
        return dumps(build_completion(response, asked))

    def reader(self) -> EventReader:
        return ChatReader()

    def writer(self, asked: ModelRequest) -> EventWriter:
        return ChatWriter(asked)

    def error_body(self, error: DialectError, request_id: str = "") -> tuple[int, bytes, Headers]:
        return errors.openai_answer(error, request_id)

    def parse_error(self, status: int, body: bytes, retry_after: str | None = None) -> DialectError:
        return errors.parse(status, body, retry_after)
