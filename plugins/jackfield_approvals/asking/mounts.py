"""The applications that the plugin mounts beside Quart."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield_approvals.paths import ASKING


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Agents in a sandbox have no credential but the token of their launch, which is asked for here."""
    return [AsgiMount(ASKING, LaterApp.at("jackfield_approvals.asking.app:build", context), "open")]
