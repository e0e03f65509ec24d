"""Where providers send browsers back to. The pages are loaded with the first of them."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import AsgiMount, LaterApp
from jackfield.api.context import PluginContext

CALLBACK = "/auth/callback"
"""After a login; the login's name is the segment below it."""
LEFT = "/auth/left"
"""After a logout."""


def mounts(_context: PluginContext) -> Sequence[AsgiMount]:
    """Public: the browser comes from the provider's site, and the pages are the same for everybody."""
    pages = ((CALLBACK, "CallbackPage"), (LEFT, "LeftPage"))
    return [
        AsgiMount(path[1:], LaterApp.at(f"jackfield_auth.external.callback:{page}"), "public", area="api")
        for path, page in pages
    ]
