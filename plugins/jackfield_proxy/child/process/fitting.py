"""What a proxy's process extends in aiohttp, and uses although it is private; see docs/replaced-parts.md."""

from __future__ import annotations

from jackfield.api.parts import Part, misfit

_HANDLER = "aiohttp.web:RequestHandler"
_RESPONSE = "aiohttp.web:StreamResponse"

PARTS = (
    # `ClientConnection`.
    Part(
        f"{_HANDLER}.__init__",
        accepts=(
            "self", "manager", "loop", "access_log", "logger", "keepalive_timeout", "max_line_size", "max_field_size",
        ),
    ),
    Part("aiohttp.base_protocol:BaseProtocol.__init__", names=("_loop", "transport")),
    Part(f"{_HANDLER}.connection_made", ("self", "transport")),
    Part(f"{_HANDLER}.connection_lost", ("self", "exc")),
    Part(f"{_HANDLER}.data_received", ("self", "data")),
    Part(f"{_HANDLER}.finish_response", ("self", "request", "resp", "start_time")),
    Part(f"{_HANDLER}._handle_request", names=("finish_response",)),
    Part(f"{_HANDLER}.force_close", ("self",)),
    # `StreamedAnswer`.
    Part(f"{_RESPONSE}.prepare", ("self", "request")),
    Part(f"{_RESPONSE}._send_headers_immediately"),
    Part(f"{_RESPONSE}._write_headers", names=("_send_headers_immediately",)),
    Part(f"{_RESPONSE}.write", ("self", "data")),
    Part(f"{_RESPONSE}.write_eof", ("self", "data")),
    # The server.
    Part("aiohttp.web:Server.__init__", accepts=("handler", "request_factory", "handler_cancellation")),
    Part("aiohttp.web:Server.pre_shutdown", ("self",)),
    Part("aiohttp.web:Server.shutdown", ("self", "timeout")),
    Part(
        "aiohttp.web:BaseRequest.__init__",
        accepts=("message", "payload", "protocol", "payload_writer", "task", "loop", "client_max_size"),
    ),
    Part("aiohttp.abc:AbstractStreamWriter.output_size"),
    Part("aiohttp:EMPTY_PAYLOAD"),
    # Answers of providers.
    Part("aiohttp:StreamReader.set_exception", accepts=("self", "exc")),
    Part("aiohttp:StreamReader.read_nowait", accepts=("self",)),
)  # fmt: skip


def problem() -> str | None:
    """A sentence for the user; None: the installed aiohttp fits."""
    return misfit("aiohttp", PARTS)
