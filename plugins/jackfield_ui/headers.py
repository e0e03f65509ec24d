"""Headers of pages and files: what a page may load and do."""

from __future__ import annotations

import re

SCRIPTS = (".js", ".mjs", ".wasm")
HASHED = re.compile(r"^assets/.*-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$|^extensions/[^/]+/@[0-9a-f]{16}/.")
"""A name that changes with the content, as the build makes it, or as the files of extensions have it."""
BROUGHT = b"default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The policy of an extension's file that is opened by itself, such as a picture: it runs nothing as our page could."""
WORKER = "default-src 'none'; script-src {scripts}; worker-src {scripts}; connect-src 'self' ws://{host} wss://{host}"
"""The policy of an extension's script. It holds in a worker that is made of it, which does not have the page's."""
IMMUTABLE = b"public, max-age=31536000, immutable"
REVALIDATED = b"no-cache"
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'self' 'nonce-{nonce}'; "
    "connect-src 'self' ws://{host} wss://{host}; img-src 'self' data: blob:; font-src 'self'; worker-src {scripts}; "
    "media-src blob:; frame-src blob:; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""`ws:` is named because older browsers do not count it as `'self'`. The gate has compared the host with ours. Media
and frames show files of items: the page has read them itself and gives them a type that runs nothing."""
PERMISSIONS = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), "
    "midi=(), payment=(), usb=()"
)


def secured() -> list[tuple[bytes, bytes]]:
    """The headers that every answer has, whatever it carries."""
    return [
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]


def scripts_of(host: str) -> str:
    """Where scripts and workers come from: our own files, and not `'self'`, since webhooks of workflows may answer with
    scripts. A policy has no form for IPv6 addresses."""
    return "'self'" if host.startswith("[") else f"{host}/ui/"


def brought_policy(host: str, name: str) -> bytes:
    """Of an extension's file; host: with the port, as the gate has let it in."""
    if not name.endswith(SCRIPTS):
        return BROUGHT
    return WORKER.format(host=host, scripts=scripts_of(host)).encode("latin-1")


def page_headers(host: str, nonce: str) -> list[tuple[bytes, bytes]]:
    """Of the page. host: with the port, as the gate has let it in; nonce: of the styles of this answer."""
    policy = POLICY.format(host=host, nonce=nonce, scripts=scripts_of(host))
    return [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"content-security-policy", policy.encode("latin-1")),
        (b"permissions-policy", PERMISSIONS.encode()),
        (b"x-frame-options", b"DENY"),
        *secured(),
    ]
