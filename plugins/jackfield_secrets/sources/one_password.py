"""1Password through a Connect server. Source: the reference of the Connect server's API (v1)."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.secret_sources import SecretMissing, SecretPlace, SecretProblem, SecretSource
from jackfield_secrets.sources.given import SourceSecret
from jackfield_secrets.sources.options import OnePasswordOptions
from jackfield_secrets.sources.web import SourceServer, WebAnswer


def one_password_source(context: PluginContext, options: OnePasswordOptions) -> SecretSource:
    """Raises `ConfigurationError`."""
    token = SourceSecret(context, "token", options.token_file, options.token_env)
    return OnePasswordSource(SourceServer(context, options.url, options.ca_file), token)


class OnePasswordSource:
    """A path is the vault, the item and the field, each by its name; a section may stand before the field."""

    def __init__(self, server: SourceServer, token: SourceSecret) -> None:
        self._server = server
        self._token = token

    def place(self, path: Sequence[str]) -> SecretPlace:
        if len(path) < 3:
            raise SecretMissing(
                "A secret of 1Password is named by vault, item and field, such as $secrets.op.Team.Database.password."
            )
        return SecretPlace(tuple(path[:2]), tuple(path[2:]))

    async def read(self, secret: tuple[str, ...]) -> Json:
        vault_name, title = secret
        vault = await self._one("/v1/vaults", "name", vault_name)
        items = f"/v1/vaults/{quote(vault, safe='')}/items"
        item = await self._one(items, "title", title)
        answer = await self._ask(f"{items}/{quote(item, safe='')}")
        rows = answer.at("fields")
        return _fields(rows if isinstance(rows, list) else [], _sections(answer.at("sections")))

    async def names(self, most: int) -> Sequence[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        for vault in await self._rows("/v1/vaults"):
            items = await self._rows(f"/v1/vaults/{quote(str(vault.get('id')), safe='')}/items")
            found += [(str(vault.get("name")), str(item.get("title"))) for item in items]
            if len(found) >= most:
                break
        return found[:most]

    async def test(self) -> str:
        return f"{self._server.host} takes the token, which reads {len(await self._rows('/v1/vaults'))} vaults."

    async def _one(self, path: str, key: str, name: str) -> str:
        """The id of what has this name. Raises `SecretProblem`."""
        escaped = name.replace("\\", "\\\\").replace('"', '\\"')
        wanted = {"filter": f'{key} eq "{escaped}"'}
        rows = await self._rows(f"{path}?{urlencode(wanted)}")
        found = [str(row.get("id")) for row in rows if row.get(key) == name]
        if len(found) != 1:
            kind = "vault" if key == "name" else "item"
            raise SecretMissing(f"1Password has {len(found) or 'no'} {kind} {name} for this token; there must be one.")
        return found[0]

    async def _rows(self, path: str) -> list[dict[str, Json]]:
        body = (await self._ask(path)).body
        return [row for row in body if isinstance(row, dict)] if isinstance(body, list) else []

    async def _ask(self, path: str) -> WebAnswer:
        """Raises `SecretProblem`."""
        answer = await self._server.ask("GET", path, {"Authorization": f"Bearer {await self._token.read()}"})
        if answer.status in (401, 403):
            raise self._server.refused(answer, "let the token have this vault")
        if answer.status == 404:
            raise SecretMissing(f"{self._server.host} has no such vault or item.")
        if answer.status >= 400:
            raise SecretProblem(f"{self._server.host} cannot do it (status {answer.status}).")
        return answer


def _sections(rows: Json) -> dict[str, str]:
    """Id -> label."""
    listed = rows if isinstance(rows, list) else []
    return {str(row.get("id")): str(row.get("label") or row.get("id")) for row in listed if isinstance(row, dict)}


def _fields(rows: Sequence[Json], sections: dict[str, str]) -> dict[str, Json]:
    """By label, and by id where no label is the same; those of a section below its label, too."""
    found: dict[str, Json] = {}
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("value"), str):
            continue
        section = row.get("section")
        names = [str(row[key]) for key in ("label", "id") if row.get(key)]
        home = sections.get(str(section.get("id"))) if isinstance(section, dict) else None
        inner = found.setdefault(home, {}) if home else found
        for name in names:
            found.setdefault(name, row["value"])
            if isinstance(inner, dict):
                inner.setdefault(name, row["value"])
    return found
