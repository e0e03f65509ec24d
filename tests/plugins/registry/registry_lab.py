"""A registry in a directory, and a service that syncs from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from jackfield.api.manifests import Manifest, ManifestKind
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_registry.service import RegistryService
from jackfield_registry.settings import RegistrySettings
from jackfield_registry.sources.offers import sources

COMMITS = ["a" * 40, "b" * 40, "c" * 40, "d" * 40]


class Agent(Manifest):
    binary: str = Field(min_length=1)


KINDS = {"agents": ManifestKind("agents", Agent), "providers": ManifestKind("providers", Manifest)}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def files_of(label: str) -> dict[str, bytes]:
    return {
        "agents/one.toml": f'id = "one"\nname = "{label}"\nbinary = "one"\n'.encode(),
        "providers/two.toml": b'id = "two"\n',
        "scripts/three.rhai": f'#{{ env: #{{ "L": "{label}" }} }}'.encode(),
        "models/catalog.json": b'{"models": []}',
    }


@dataclass
class Source:
    """What a publisher has on a server."""

    folder: Path

    def publish(
        self,
        commit: str,
        label: str,
        *,
        files: Mapping[str, bytes] | None = None,
        prices: bytes | None = None,
        **head: Any,
    ) -> bytes:
        """The index that it has written."""
        content = files_of(label) if files is None else dict(files)
        index: dict[str, Any] = {"version": 1, "channel": "stable", "commit": commit, **head}
        for path, data in content.items():
            kind, _, name = path.partition("/")
            index.setdefault(kind, {})[name.split(".")[0]] = {"path": path, "checksum": digest(data), "size": len(data)}
        if prices is not None:
            content["prices.json"] = prices
            index["pricing"] = {"path": "prices.json", "checksum": digest(prices)}
        for path, data in content.items():
            target = self.folder / commit / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        written = json.dumps(index).encode()
        for place in (self.folder, self.folder / commit):
            place.mkdir(parents=True, exist_ok=True)
            (place / "registry.json").write_bytes(written)
        return written

    def change_index(self, **changes: Any) -> None:
        for path in self.folder.rglob("registry.json"):
            path.write_text(json.dumps({**json.loads(path.read_bytes()), **changes}))


@dataclass
class Lab:
    config_dir: Path
    source: Source
    clock: FakeClock = field(default_factory=FakeClock)
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.config_dir.mkdir(exist_ok=True)
        self.configure()

    def configure(self, **settings: Any) -> RegistryService:
        """A daemon that has just started with these settings."""
        given = {"url": str(self.source.folder), **self.settings, **settings}
        self.context = FakeContext(self.config_dir, clock=self.clock, tables=[RegistrySettings.model_validate(given)])
        self.context.ports.update(jackfield_manifest_kinds=KINDS, jackfield_registry_sources=sources(self.context))
        self.service = RegistryService(self.context)
        self.context.ports["LocalRegistry"] = self.service
        return self.service

    @property
    def root(self) -> Path:
        return self.config_dir / "registry"

    @property
    def label(self) -> str | None:
        """Of the content that is served, which must be all of one publication."""
        current = (self.root / "current").resolve()  # once: it may be another one in a moment
        if not current.exists():
            return None
        found = {path: (current / path).read_bytes() for path in files_of("")}
        label = found["agents/one.toml"].decode().split('"')[3]
        assert found == files_of(label), "a mix of publications"
        return label

    @property
    def lock(self) -> dict[str, Any]:
        return dict(json.loads((self.root / "registry.lock").read_bytes()))

    def events(self) -> list[str]:
        return [event.type for event in self.context.events.published]

    def leftovers(self) -> list[str]:
        return [path.name for path in self.root.iterdir() if path.name.startswith((".staging", ".link", ".registry"))]
