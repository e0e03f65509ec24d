"""The parts of aiohttp that a proxy's process extends, or uses although they are private; see
docs/replaced-parts.md."""

from __future__ import annotations

from jackfield.api.replaced_parts import PatchPoint, misfit

_HANDLER = "aiohttp.web:RequestHandler"
_RESPONSE = "aiohttp.web:StreamResponse"

PARTS = (
    # `ClientConnection`.
    PatchPoint(
        f"{_HANDLER}.__init__",
        accepts=(
            "self", "manager", "loop", "access_log", "logger", "keepalive_timeout", "max_line_size", "max_field_size",
        ),
    ),
    PatchPoint("aiohttp.base_protocol:BaseProtocol.__init__", names=("_loop", "transport")),
    PatchPoint(f"{_HANDLER}.connection_made", ("self", "transport")),
    PatchPoint(f"{_HANDLER}.connection_lost", ("self", "exc")),
    PatchPoint(f"{_HANDLER}.data_received", ("self", "data")),
    PatchPoint(f"{_HANDLER}.finish_response", ("self", "request", "resp", "start_time")),
    PatchPoint(f"{_HANDLER}._handle_request", names=("finish_response",)),
    PatchPoint(f"{_HANDLER}.force_close", ("self",)),
    # `StreamedAnswer`.
    PatchPoint(f"{_RESPONSE}.prepare", ("self", "request")),
    PatchPoint(f"{_RESPONSE}._send_headers_immediately"),
    PatchPoint(f"{_RESPONSE}._write_headers", names=("_send_headers_immediately",)),
    PatchPoint(f"{_RESPONSE}.write", ("self", "data")),
    PatchPoint(f"{_RESPONSE}.write_eof", ("self", "data")),
    # `WholeAnswer`.
    PatchPoint("aiohttp.http_writer:_serialize_headers"),
    PatchPoint("aiohttp.helpers:rfc822_formatted_time", ()),
    PatchPoint("aiohttp.web:Response.write_eof", ("self", "data"), names=("_eof_sent",)),
    PatchPoint(f"{_RESPONSE}._prepare_headers", names=("_keep_alive",)),
    # The server.
    PatchPoint("aiohttp.web:Server.__init__", accepts=("handler", "request_factory", "handler_cancellation")),
    PatchPoint("aiohttp.web:Server.pre_shutdown", ("self",)),
    PatchPoint("aiohttp.web:Server.shutdown", ("self", "timeout")),
    PatchPoint(
        "aiohttp.web:BaseRequest.__init__",
        accepts=("message", "payload", "protocol", "payload_writer", "task", "loop", "client_max_size"),
    ),
    PatchPoint("aiohttp.abc:AbstractStreamWriter.output_size"),
    PatchPoint("aiohttp:EMPTY_PAYLOAD"),
    # Answers of providers.
    PatchPoint("aiohttp:StreamReader.set_exception", accepts=("self", "exc")),
    PatchPoint("aiohttp:StreamReader.read_nowait", accepts=("self",)),
    # `KeptConnections`.
    PatchPoint("aiohttp:BaseConnector._get", ("self", "key", "traces")),
    PatchPoint("aiohttp:ClientRequest.__init__", accepts=("self", "method", "url", "loop", "session")),
    PatchPoint("aiohttp:ClientRequest.connection_key"),
    PatchPoint("aiohttp.connector:Connection.release", ("self",)),
    PatchPoint("aiohttp.connector:Connection.close", ("self",)),
    PatchPoint("aiohttp.connector:Connection.protocol"),
    PatchPoint(
        "aiohttp.client_proto:ResponseHandler.set_response_params",
        accepts=("self", "read_until_eof", "auto_decompress", "max_line_size", "max_field_size"),
    ),
    PatchPoint("aiohttp.client_proto:ResponseHandler.read", ("self",)),
    PatchPoint("aiohttp.client_proto:ResponseHandler.set_exception", accepts=("self", "exc")),
)  # fmt: skip


def problem() -> str | None:
    """A sentence for the user; None: the installed aiohttp fits."""
    return misfit("aiohttp", PARTS)
