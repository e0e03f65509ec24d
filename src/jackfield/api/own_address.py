"""The daemon's own address, as a caller knows it."""

from __future__ import annotations

from urllib.parse import urlsplit

from .asgi import Scope
from .context import Service


def base_of(scope: Scope, service: Service) -> str:
    """Scheme, host and port. The gate has checked the Host header. A public host is behind TLS, unless
    `server.public_url` says otherwise."""
    host = next((value.decode("latin-1").lower() for name, value in scope["headers"] if name.lower() == b"host"), "")
    own = urlsplit(service.public_url)
    if not host or host == own.netloc.lower():
        return f"{own.scheme}://{own.netloc.lower()}"
    return f"{'https' if scope.get('jackfield.public_host') else 'http'}://{host}"
