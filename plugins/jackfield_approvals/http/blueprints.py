"""Every route of the plugin."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield_approvals.http import agent_routes, inbox_routes


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    return [*agent_routes.blueprints(context), *inbox_routes.blueprints(context)]
