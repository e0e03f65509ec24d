"""TLS of the service as a client."""

from __future__ import annotations

import ssl
from functools import lru_cache

import certifi


@lru_cache(maxsize=2)
def client_tls(*, verify: bool) -> ssl.SSLContext:
    """The system's certificate authorities and those of certifi; without `verify`, anybody's certificate. It reads
    files: call it on a thread."""
    tls = ssl.create_default_context(cafile=certifi.where())
    tls.set_alpn_protocols(["http/1.1"])
    if verify:
        tls.load_default_certs()
        return tls
    tls.check_hostname = False
    tls.verify_mode = ssl.CERT_NONE
    return tls
