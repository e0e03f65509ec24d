"""Anthropic Messages (`/v1/messages`)."""

from __future__ import annotations

from .. import errors
from ..base import EventReader, EventWriter, Headers
from ..fields import body_object, dumps
from ..model import DialectError, DialectName, ModelRequest, ModelResponse, Object, UpstreamModel
from .answer import build_message, parse_message
from .build import build_body
from .parse import parse_body
from .reader import MessagesReader
from .writer import MessagesWriter


class Anthropic:
    name: DialectName = "anthropic"

    def parse_request(self, body: bytes) -> ModelRequest:
        return parse_body(body_object(body))

    def parse_object(self, body: Object) -> ModelRequest:
        return parse_body(body)

    def build_request(self, request: ModelRequest, target: UpstreamModel) -> bytes:
        return dumps(build_body(request, target))

    def parse_response(self, body: bytes) -> ModelResponse:
        return parse_message(body)

    def build_response(self, response: ModelResponse, asked: ModelRequest) -> bytes:
        return dumps(build_message(response, asked))

    def reader(self) -> EventReader:
        return MessagesReader()

    def writer(self, asked: ModelRequest) -> EventWriter:
        return MessagesWriter(asked)

    def error_body(self, error: DialectError, request_id: str = "") -> tuple[int, bytes, Headers]:
        return errors.anthropic_answer(error, request_id)

    def parse_error(self, status: int, body: bytes, retry_after: str | None = None) -> DialectError:
        return errors.parse(status, body, retry_after)
