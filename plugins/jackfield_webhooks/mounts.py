"""The applications that the plugin mounts beside Quart."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.resume import WEBHOOK as WAITING
from jackfield_webhooks.paths import PRODUCTION, TEST

_BUILT = "jackfield_webhooks.ingress.applications"


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """All are public: a webhook authenticates its own callers."""
    return [
        AsgiMount(PRODUCTION, LaterApp.at(f"{_BUILT}:live", context), "public", "ingress"),
        AsgiMount(TEST, LaterApp.at(f"{_BUILT}:testing", context), "public", "ingress"),
        AsgiMount(WAITING, LaterApp.at(f"{_BUILT}:waiting", context), "public", "ingress"),
    ]
