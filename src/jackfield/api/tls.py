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


def client_tls_with(ca_file: str) -> ssl.SSLContext:
    """The same, and the certificate authorities in a file (PEM), which is read anew each time: it may be renewed.
    Raises OSError, also when there is none in it."""
    tls = ssl.create_default_context(cafile=certifi.where())
    tls.set_alpn_protocols(["http/1.1"])
    tls.load_default_certs()
    tls.load_verify_locations(cafile=ca_file)
    return tls
