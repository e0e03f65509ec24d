"""The port and token under which each profile's proxy is found. They are the same for the daemon and for commands
beside it, and after a restart. So an environment that was given away stays true.

Tokens are derived from the master key; no file holds them. Ports that nobody has chosen are kept
in `proxy-ports.json`.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import json
import socket
from collections.abc import Sequence
from contextlib import closing

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.files import read_private, write_private
from jackfield.api.profiles import Profile
from jackfield_proxy.plan import HOST

FILE = "proxy-ports.json"
KEY = "proxy"
"""Name of the key that tokens are derived from."""


class ProxyAddressBook:
    """Where each profile's proxy is found: its port and its token. They stay the same after a restart."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._path = context.service.config_dir / FILE
        self._writing = asyncio.Lock()

    async def token(self, profile: Profile) -> str:
        """Of a profile that was made anew under an old alias it is another one."""
        return self._token(await asyncio.to_thread(self._context.secrets.key, KEY), profile)

    async def earlier_tokens(self, profile: Profile) -> Sequence[str]:
        """Those that it had under earlier keys."""
        keys = await asyncio.to_thread(self._context.secrets.earlier_keys, KEY)
        return [self._token(key, profile) for key in keys]

    def _token(self, key: bytes, profile: Profile) -> str:
        named = f"{profile.alias}\0{profile.metadata.get('created_at')}".encode()
        token = base64.urlsafe_b64encode(hmac.digest(key, named, "sha256")).decode().rstrip("=")
        self._context.secrets.redact(token)
        return token

    async def port(self, alias: str) -> int:
        """0: none was kept."""
        return (await asyncio.to_thread(self._read)).get(alias, 0)

    async def keep(self, alias: str, port: int | None) -> None:
        """None: forget it. That the file cannot be written costs only that another port is chosen next time."""
        async with self._writing:
            with contextlib.suppress(JackfieldError, OSError):
                await asyncio.to_thread(self._keep, alias, port)

    def _keep(self, alias: str, port: int | None) -> None:
        known = self._read()
        if known.get(alias) == port:
            return
        changed = {**known, alias: port}
        kept = {name: number for name, number in sorted(changed.items()) if number is not None}
        write_private(self._path, json.dumps(kept).encode())

    def _read(self) -> dict[str, int]:
        """An address that cannot be read counts as nothing."""
        try:
            found = json.loads(read_private(self._path) or b"{}")
        except (ValueError, JackfieldError):
            return {}
        known = found.items() if isinstance(found, dict) else ()
        return {alias: port for alias, port in known if type(port) is int and 0 < port < 65_536}


def free_port() -> int:
    """A TCP port of the loopback address that nobody listens on now."""
    with closing(socket.socket()) as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])
