"""`GET /api/daemon/status`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.http import operation, success
from jackfield.api.profiles import Profiles
from jackfield.api.proxy import Proxies
from jackfield_events import log_routes


class StatusRoutes:
    """The daemon about itself."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._since = context.clock.monotonic()

    @operation(
        "Read the daemon's status",
        operation_id="getDaemonStatus",
        scope=None,
        response="jackfield_events.schemas:DaemonStatusAnswer",
        tags=("daemon",),
    )
    async def read(self) -> Response:
        return success(
            {
                "status": "running",
                "pid": os.getpid(),
                "uptime_secs": int(self._context.clock.monotonic() - self._since),
                "version": self._context.service.version,
                "profiles_count": await self._profiles(),
                "active_proxies": proxies.running() if (proxies := self._context.built_port(Proxies)) else 0,
            }
        )

    async def _profiles(self) -> int:
        try:
            profiles = self._context.port(Profiles)
        except LookupError:  # a daemon without this plugin has none
            return 0
        return len(await profiles.all())


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = StatusRoutes(context)
    made = Blueprint("daemon", __name__, url_prefix="/api/daemon")
    made.add_url_rule("/status", view_func=views.read, methods=["GET"])
    return [made, log_routes.blueprint(context)]
