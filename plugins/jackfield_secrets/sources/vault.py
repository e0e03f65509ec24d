"""HashiCorp Vault and OpenBao: the secrets engine KV, versions 1 and 2.

Source: Vault's HTTP API (KV secrets engine; `sys/internal/ui/mounts`; token, AppRole and Kubernetes auth methods).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.secret_sources import SecretMissing, SecretPlace, SecretProblem, SecretRefused, SecretSource
from jackfield_secrets.sources.options import VaultOptions
from jackfield_secrets.sources.vault_logins import VaultSession, vault_session
from jackfield_secrets.sources.web import SourceServer, WebAnswer

_DEEPEST = 10
"""Folders below one another that are looked through for names."""
_DOTS = frozenset({".", ".."})
"""A server, or a proxy before it, would read another path than the one that was asked for."""
_REMEDY = "give the role or token a policy that reads this path, and look at the namespace"


def vault_source(context: PluginContext, options: VaultOptions) -> SecretSource:
    """Raises `ConfigurationError`."""
    server = SourceServer(context, options.url, options.ca_file)
    return VaultSource(options, server, vault_session(context, options, server))


class VaultSource:
    """A path is the mount, unless the settings name it, the way to the secret, and the key in it. `a.b.key` and
    `["a/b"].key` mean the same. A path of one name behind the mount means the whole secret."""

    def __init__(self, options: VaultOptions, server: SourceServer, session: VaultSession) -> None:
        self._options = options
        self._server = server
        self._session = session
        self._versions: dict[str, int] = {}

    def place(self, path: Sequence[str]) -> SecretPlace:
        names = [self._options.mount, *path] if self._options.mount else list(path)
        if len(names) < 2:
            raise SecretMissing(
                "A secret of Vault is named by the mount, the path and the key, such as $secrets.vault.secret.app.key."
            )
        if any(part in _DOTS for name in names for part in name.split("/")):
            raise SecretMissing("A path of Vault has no part that is one dot or two; name the secret by its own path.")
        mount, way = names[0].strip("/"), names[1:]
        if len(way) == 1:
            return SecretPlace((mount, way[0].strip("/")))
        return SecretPlace((mount, "/".join(name.strip("/") for name in way[:-1])), (way[-1],))

    async def read(self, secret: tuple[str, ...]) -> Json:
        mount, path = secret
        version = await self._version(mount)
        answer = await self._ask("GET", f"{mount}/data/{path}" if version == 2 else f"{mount}/{path}")
        data = answer.at("data", "data") if version == 2 else answer.at("data")
        if answer.status == 404 or not isinstance(data, dict):
            raise SecretMissing(f"{self._server.host} has no secret {path} in {mount}, or it was deleted.")
        return data

    async def names(self, most: int) -> Sequence[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        for mount in [self._options.mount] if self._options.mount else await self._mounts():
            paths = await self._paths(mount, most - len(found))
            found += [(path,) if self._options.mount else (mount, path) for path in paths]
        return found

    async def test(self) -> str:
        answer = await self._ask("GET", "auth/token/lookup-self")
        left = answer.at("data", "ttl")
        told = f", which ends in {left} s" if isinstance(left, int) and left else ""
        return f"{self._server.host} takes the token{told}."

    # -- the engine

    async def _version(self, mount: str) -> int:
        """The source looks at a mount that a reference names whatever the settings say of the version.

        Other engines, and the ways to log in, answer with other secrets, such as the token. Raises `SecretProblem`.
        """
        if self._options.version and self._options.mount:
            return self._options.version
        if mount not in self._versions:
            answer = await self._ask("GET", f"sys/internal/ui/mounts/{mount}")
            if answer.at("data", "type") not in ("kv", "generic"):
                raise SecretMissing(f"{self._server.host} has no secrets engine KV at {mount}.")
            told = 2 if answer.text("data", "options", "version") == "2" else 1
            self._versions[mount] = self._options.version or told
        return self._versions[mount]

    async def _mounts(self) -> list[str]:
        answer = await self._ask("GET", "sys/internal/ui/mounts")
        mounts = answer.at("data", "secret")
        if not isinstance(mounts, dict):
            return []
        return sorted(name.strip("/") for name, told in mounts.items() if _is_kv(told))

    async def _paths(self, mount: str, most: int) -> list[str]:
        """Of secrets that may be listed; others are not known and no mistake."""
        folder = "metadata/" if await self._version(mount) == 2 else ""
        found: list[str] = []
        waiting = [("", 0)]
        while waiting and len(found) < most:
            path, depth = waiting.pop()
            try:
                answer = await self._ask("GET", f"{mount}/{folder}{path}", list_only=True)
            except SecretRefused:
                continue
            keys = answer.at("data", "keys")
            for key in keys if isinstance(keys, list) else ():
                if isinstance(key, str) and key.endswith("/") and depth < _DEEPEST:
                    waiting.append((f"{path}{key}", depth + 1))
                elif isinstance(key, str) and not key.endswith("/"):
                    found.append(f"{path}{key}")
        return found[:most]

    async def _ask(self, method: str, path: str, *, list_only: bool = False) -> WebAnswer:
        """A token that has ended is replaced once. Raises `SecretProblem`."""
        address = f"/v1/{quote(path, safe='/')}{'?list=true' if list_only else ''}"
        headers = await self._session.headers()
        answer = await self._server.ask(method, address, headers)
        if answer.status == 403 and await self._session.renewed(headers):
            answer = await self._server.ask(method, address, await self._session.headers())
        if answer.status in (401, 403):
            raise self._server.refused(answer, _REMEDY)
        if answer.status >= 400 and answer.status != 404:
            raise SecretProblem(f"{self._server.host} cannot read {path} (status {answer.status}); look at the path.")
        return answer


def _is_kv(told: Json) -> bool:
    return isinstance(told, Mapping) and told.get("type") == "kv"
