"""Where providers send browsers back to, and where command lines log in. Pages are loaded with the first request."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield_auth.command_logins.addresses import PAGE

CALLBACK = "/auth/callback"
"""After a login; the login's name is the segment below it."""
LEFT = "/auth/left"
"""After a logout."""


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Public: the browser comes from the provider's site, and the pages are the same for everybody."""
    pages = ((CALLBACK, "CallbackPage"), (LEFT, "LeftPage"))
    command = LaterApp.at("jackfield_auth.command_logins.app:CommandLoginApp", context)
    return [
        *(
            AsgiMount(path[1:], LaterApp.at(f"jackfield_auth.external.callback:{page}"), "public", area="api")
            for path, page in pages
        ),
        AsgiMount(PAGE[1:], command, "public", area="api"),
    ]
