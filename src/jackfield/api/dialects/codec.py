"""A codec from the functions of one dialect: all dialects put their bodies into JSON in the same way."""

from __future__ import annotations

from collections.abc import Callable

from ..records import record
from . import errors
from .base import EventReader, EventWriter, Headers
from .fields import body_object, dumps
from .model import DialectError, DialectName, ModelRequest, ModelResponse, Object, UpstreamModel


@record
class JsonCodec:
    """`DialectCodec`. Each field is what the dialect does in its own way:

    `read_request`, `write_request`: a body of a request. `read_response`, `write_response`: of an answer.
    `make_reader`, `make_writer`: for a stream. `write_error`: an answer, from the error and the request's id.
    """

    name: DialectName
    read_request: Callable[[Object], ModelRequest]
    write_request: Callable[[ModelRequest, UpstreamModel], Object]
    read_response: Callable[[bytes], ModelResponse]
    write_response: Callable[[ModelResponse, ModelRequest], Object]
    make_reader: Callable[[], EventReader]
    make_writer: Callable[[ModelRequest], EventWriter]
    write_error: Callable[[DialectError, str], tuple[int, bytes, Headers]]

    def parse_request(self, body: bytes) -> ModelRequest:
        return self.read_request(body_object(body))

    def parse_object(self, body: Object) -> ModelRequest:
        return self.read_request(body)

    def build_request(self, request: ModelRequest, target: UpstreamModel) -> bytes:
        return dumps(self.write_request(request, target))

    def parse_response(self, body: bytes) -> ModelResponse:
        return self.read_response(body)

    def build_response(self, response: ModelResponse, asked: ModelRequest) -> bytes:
        return dumps(self.write_response(response, asked))

    def reader(self) -> EventReader:
        return self.make_reader()

    def writer(self, asked: ModelRequest) -> EventWriter:
        return self.make_writer(asked)

    def error_body(self, error: DialectError, request_id: str = "") -> tuple[int, bytes, Headers]:
        return self.write_error(error, request_id)

    def parse_error(self, status: int, body: bytes, retry_after: str | None = None) -> DialectError:
        return errors.parse(status, body, retry_after)
