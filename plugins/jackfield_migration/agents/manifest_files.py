"""Manifests and scripts that an import puts into the configuration directory. One that it wrote itself says so in its
first line, and only such a one is written again."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import tomli_w

from jackfield.api.agents import Agent
from jackfield.api.errors import JackfieldError
from jackfield.api.files import create_private, private_directory, read_private, write_private
from jackfield.api.jsontext import Json
from jackfield.api.providers import Provider
from jackfield.api.workflows import Problem
from jackfield_migration.agents.addresses import same_address
from jackfield_migration.agents.wanted import WantedFile, WantedProvider
from jackfield_migration.report import Result, Status

ENDPOINT = "api"
LARGEST = 2**20
"""Bytes, as of manifests that are used."""


class ManifestFiles:
    """dry_run: nothing is written."""

    def __init__(self, config_dir: Path, source: str, *, dry_run: bool) -> None:
        self._config_dir = config_dir
        self._mark = f"# Brought over from {source} by jackfield import; another import may write it again.\n"
        self._source = source
        self._dry_run = dry_run
        self._taken: set[str] = set()
        """Ids of providers that a dry run would have taken."""
        self.agents: dict[str, Agent] = {}
        """Those that a dry run would have made, by id."""
        self.providers: dict[str, Provider] = {}
        """As `agents`."""

    async def provider(self, wanted: WantedProvider, known: Mapping[str, Provider]) -> tuple[Status, str]:
        """The outcome for it, and the id under which it is here. Raises `ConfigurationError`."""
        return await asyncio.to_thread(self._provider, wanted, known)

    def _provider(self, wanted: WantedProvider, known: Mapping[str, Provider]) -> tuple[Status, str]:
        for own in (wanted.id, f"{wanted.id}-{self._source}"):
            present = read_private(self._path(own))
            if present is not None and present.startswith(self._mark.encode()):
                return self._rewritten(own, present, self._content(wanted, own)), own
        same = _of_address(wanted, known)
        if same is not None:
            return "matched", same
        made = wanted.id if wanted.id not in known.keys() | self._taken else f"{wanted.id}-{self._source}"
        self._taken.add(made)
        content = self._content(wanted, made)
        if self._dry_run:
            self._promise("providers.d", content)
        else:
            private_directory(self._path(made).parent)
            create_private(self._path(made), content)
        return "created", made

    def _content(self, wanted: WantedProvider, id: str) -> bytes:
        return (self._mark + tomli_w.dumps(_manifest(wanted, id))).encode()

    def _rewritten(self, id: str, present: bytes, content: bytes) -> Status:
        if present == content:
            return "unchanged"
        if self._dry_run:
            self._promise("providers.d", content)
        else:
            write_private(self._path(id), content)
        return "updated"

    def _promise(self, folder: str, content: bytes) -> None:
        """A manifest that is none is not here either."""
        with suppress(ValueError):
            document = tomllib.loads(content.decode())
            if folder == "agents.d":
                agent = Agent.model_validate(document)
                self.agents[agent.id] = agent
            elif folder == "providers.d":
                provider = Provider.model_validate(document)
                self.providers[provider.id] = provider

    def _path(self, id: str) -> Path:
        return self._config_dir / "providers.d" / f"{id}.toml"

    async def bring(self, file: WantedFile) -> Result:
        """Copy it, unless one of its name is there."""
        return await asyncio.to_thread(self._bring, file)

    def _bring(self, file: WantedFile) -> Result:
        name, kind = file.source.name, file.folder.removesuffix(".d").removesuffix("s")
        place = self._config_dir / file.folder / name
        status: Status = "created"
        problems: list[Problem] = []
        try:
            with file.source.open("rb") as source:
                content = source.read(LARGEST + 1)
            present = read_private(place)
            if present is not None:
                status = "unchanged" if present == content else "matched"
            elif len(content) > LARGEST:
                status, problems = "refused", [Problem(name, f"it has more than {LARGEST} bytes")]
            elif self._dry_run:
                self._promise(file.folder, content)
            else:
                private_directory(place.parent)
                create_private(place, content)
        except (OSError, JackfieldError) as exc:
            reason = exc.message if isinstance(exc, JackfieldError) else str(exc.strerror)
            status, problems = "failed", [Problem(name, reason)]
        if status == "matched":
            problems = [Problem(name, "a file of this name is here and stays", "warning")]
        return Result(kind, name, name, str(file.source), status, str(place), problems=problems)


def _manifest(wanted: WantedProvider, id: str) -> dict[str, Json]:
    auth: dict[str, Json] = {"required": wanted.key is not None or wanted.env_key is not None}
    if wanted.env_key is not None or wanted.key is not None:
        # A provider without a variable counts as one that needs no key.
        auth["env_key"] = wanted.env_key or _variable(id)
    if wanted.auth_kind is not None:
        auth["kind"] = wanted.auth_kind
    models: dict[str, Json] = {"available": list(wanted.models)}
    if wanted.default_model is not None:
        models["default"] = wanted.default_model
    return {
        "id": id,
        "name": wanted.name,
        "type": wanted.type,
        "endpoints": {ENDPOINT: wanted.url, "default": ENDPOINT},
        "auth": auth,
        "models": models,
        **({"query": dict(wanted.query)} if wanted.query else {}),
    }


def _variable(id: str) -> str:
    made = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in id).upper()
    return f"{made.lstrip('_0123456789') or 'IMPORTED'}_API_KEY"


def _of_address(wanted: WantedProvider, known: Mapping[str, Provider]) -> str | None:
    """The provider that is here and serves the same address in the same dialect. It serves it as its default, since its
    key and the targets of rules go there. One that has the address beside its default is another place for a key."""
    family = wanted.type.split("-")[0]
    for found, provider in known.items():
        if provider.dialect == family and same_address(provider.endpoint()[1], wanted.url):
            return found
    return None
