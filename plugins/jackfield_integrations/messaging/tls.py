"""TLS of brokers, whose credentials may bring their own certificates."""

from __future__ import annotations

import asyncio
import ssl
import tempfile
from pathlib import Path

from jackfield.api.nodes import NodeError
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.targets import tls_for


async def client_tls(values: DriverCredential, host: str, *, verify: bool | None = None) -> ssl.SSLContext:
    """A client's context from the fields `ca`, `cert`, `key`, `passphrase` and `rejectUnauthorized`. `verify`: the
    server's certificate. None: as the last of them says, which counts with `ssl` alone. Raises `NodeError`."""
    if verify is None:
        verify = not values.flag("ssl") or values.flag("rejectUnauthorized")
    made = await tls_for(host, verify=verify, authorities=values.text("ca"))
    if values.text("cert") and values.text("key"):
        await asyncio.to_thread(_load, made, values.text("cert"), values.text("key"), values.text("passphrase"))
    return made


def _load(context: ssl.SSLContext, certificate: str, key: str, passphrase: str) -> None:
    """Python reads them from a file alone, which is gone afterwards; nobody else may read it."""
    with tempfile.TemporaryDirectory(prefix="jackfield-") as directory:
        file = Path(directory, "client.pem")
        file.touch(mode=0o600)
        file.write_text(f"{certificate.strip()}\n{key.strip()}\n")
        try:
            context.load_cert_chain(file, password=passphrase or None)
        except (ssl.SSLError, ValueError):
            raise NodeError("The credential's certificate and key are not valid or do not belong together.") from None
