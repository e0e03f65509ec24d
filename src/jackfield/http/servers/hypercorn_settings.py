"""Hypercorn as the daemon's settings have it: for all connections, or beside uvicorn for WebSockets alone."""

from __future__ import annotations

import logging

from jackfield.api.admission.connections import Admission
from jackfield.core.tables import DaemonSettings, ServerSettings

from ..app import Application
from ..hypercorn_connections.settings import OwnConfig


def configured(app: Application, admission: Admission, server: ServerSettings) -> OwnConfig:
    """It listens nowhere yet."""
    config = OwnConfig(admission)
    config.application = app
    config.accesslog = None
    config.errorlog = logging.getLogger("hypercorn.error")
    config.graceful_timeout = app.kernel.settings.get(DaemonSettings).shutdown_timeout
    config.shutdown_timeout = config.graceful_timeout + 30
    config.startup_timeout = 120
    config.h11_max_incomplete_size = server.header_limit
    config.websocket_max_message_size = 1024 * 1024
    config.websocket_ping_interval = 20
    config.websocket_compression = server.websocket_compression
    config.send_timeout = server.send_timeout
    config.websocket_send_timeout = server.websocket_send_timeout
    config.include_server_header = False
    config.backlog = server.backlog
    return config
