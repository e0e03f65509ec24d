"""Where a provider sends its users back to. The application that answers there is loaded with the first of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from jackfield.api.asgi import AsgiApp, AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.object_references import load

CALLBACK = "/rest/oauth2-credential/callback"
"""n8n's path, so that clients that are registered for n8n need only another host."""


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Public: the caller is a browser on its way back from the provider."""
    return [AsgiMount(CALLBACK.split("/")[1], LaterApp(partial(_built, context)), "public", area="api")]


def _built(context: PluginContext) -> AsgiApp:
    return cast(
        "Callable[[PluginContext], AsgiApp]", load("jackfield_credentials.http.callback:AuthorizationCallback")
    )(context)
