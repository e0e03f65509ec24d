"""Where providers send browsers back to. The page is loaded with the first of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from jackfield.api.asgi import AsgiApp, AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.object_references import load

CALLBACK = "/auth/callback"
"""The login's name is the segment below it."""


def mounts(_context: PluginContext) -> Sequence[AsgiMount]:
    """Public: the browser comes from the provider's site, and the page is the same for everybody."""
    return [AsgiMount(CALLBACK[1:], LaterApp(_page), "public", area="api")]


def _page() -> AsgiApp:
    return cast("Callable[[], AsgiApp]", load("jackfield_auth.external.callback:CallbackPage"))()
