"""Paths of webhooks: segments as the document writes them, literal Unicode; `:name` takes any one segment."""

from __future__ import annotations

from urllib.parse import quote, unquote

from jackfield.api.asgi import Scope
from jackfield.api.context import PluginContext
from jackfield_webhooks.settings import WebhookSettings

PRODUCTION, TEST = "webhook", "webhook-test"
"""First segments of the addresses."""


def split(path: str) -> tuple[str, ...]:
    """The segments, without slashes at either end. An empty path has none."""
    trimmed = path.strip("/")
    return tuple(trimmed.split("/")) if trimmed else ()


def display(path: str) -> str:
    """As it is shown: one leading slash, none at the end."""
    return "/" + path.strip("/")


def pattern(path: str) -> str:
    """The key that may be live once per method: parameters lose their names."""
    return "/".join(":" if segment.startswith(":") else segment for segment in split(path))


def parameter_names(path: str) -> tuple[tuple[int, str], ...]:
    """Position and name of each parameter."""
    return tuple((at, segment[1:]) for at, segment in enumerate(split(path)) if segment.startswith(":"))


def tests_enabled(context: PluginContext) -> bool:
    """Whether test addresses are served."""
    wanted = context.settings(WebhookSettings).test_enabled
    return wanted if wanted is not None else context.service.loopback


def test_segment(kind: str) -> str:
    """The first segment of a trigger's test addresses."""
    return f"{kind}-test"


def url(base: str, mount: str, path: str) -> str:
    """The address that callers use; a parameter stays as `:name`."""
    return f"{base}/{mount}/{quote(path.strip('/'), safe='/:~@!$&()*+,;=')}"


def called_path(scope: Scope) -> str | tuple[str, ...]:
    """The path after the mount's segment: as it stands when nothing in it is encoded, else its decoded segments.

    An encoded slash does not separate segments, so that the raw path decides where the server gives it.
    """
    raw: bytes | None = scope.get("raw_path")
    if raw is None:
        return str(scope["path"]).partition("/")[2].partition("/")[2].strip("/")
    _, _, rest = raw[1:].partition(b"/")
    rest = rest.partition(b"?")[0].strip(b"/")
    if b"%" not in rest:
        return rest.decode("latin-1")
    return tuple(unquote(segment) for segment in rest.decode("latin-1").split("/"))
