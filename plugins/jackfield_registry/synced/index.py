"""The index of a registry, `registry.json`: which files belong to a commit, and their checksums.

Nothing in it is trusted: names become names of files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield.api.registry import TOKEN_FORM

ModelT = TypeVar("ModelT", bound=BaseModel)
NAME = "registry.json"
SIGNATURE = "registry.json.sig"
VERSION = 1
DEPTH = 16
MOST = 10_000
"""Files of one commit."""
PRICING = "pricing"
PRICING_FILE = "litellm-pricing.json"
SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "scripts": (".rhai",),
    "models": (".json", ".toml"),
    PRICING: (".json",),
}
"""Of the kinds that are no manifests; those are `.toml`."""
_SEGMENT = r"[A-Za-z0-9_][A-Za-z0-9._+@-]{0,127}"
PATH = re.compile(rf"{_SEGMENT}(/{_SEGMENT}){{0,7}}")


class BadIndex(ValueError):
    """The index is not one. The message is a clause that says where and why."""


@record
class Artifact:
    """One file. path: below the commit's directory at the source; checksum: SHA-256, lower-case hex; size: in bytes,
    where the index says it."""

    kind: str
    id: str
    path: str
    checksum: str
    version: str | None = None
    size: int | None = None

    @property
    def place(self) -> str:
        """Where it is kept, below the commit's directory here."""
        name = PRICING_FILE if self.kind == PRICING else self.path.rpartition("/")[2]
        return f"{self.kind}/{name}"


@record
class RegistryIndex:
    """sequence: grows with every publication; None where the publisher does not count."""

    channel: str
    commit: str
    sequence: int | None
    artifacts: tuple[Artifact, ...]

    def count(self, kind: str) -> int:
        return sum(artifact.kind == kind for artifact in self.artifacts)


class _Entry(BaseModel):
    model_config = ConfigDict(defer_build=True)

    path: str = Field(max_length=512)
    checksum: str = Field(validation_alias=AliasChoices("checksum", "sha256"))
    version: str | None = Field(None, max_length=128)
    size: int | None = Field(None, ge=0, strict=True)

    @field_validator("path")
    @classmethod
    def _inside(cls, value: str) -> str:
        if not PATH.fullmatch(value):
            raise ValueError("must be a relative path of plain names")
        return value

    @field_validator("checksum")
    @classmethod
    def _digest(cls, value: str) -> str:
        digest = value.removeprefix("sha256:").lower()
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise ValueError("must be a SHA-256 in hex")
        return digest


class _Head(BaseModel):
    model_config = ConfigDict(defer_build=True)

    version: int = Field(strict=True)
    channel: str = Field("stable", pattern=f"^{TOKEN_FORM}$")
    commit: str = Field(pattern=f"^{TOKEN_FORM}$")
    sequence: int | None = Field(None, ge=0, le=2**53, strict=True)
    pricing: _Entry | None = None

    @model_validator(mode="after")
    def _known(self) -> _Head:
        if self.version != VERSION:
            raise ValueError(f"version {self.version} of the form is not known here; update Jackfield")
        return self


def parse(data: bytes, kinds: Collection[str]) -> RegistryIndex:
    """kinds: of manifests; other keys of the index are left alone. Raises `BadIndex`."""
    try:
        found = jsontext.loads(data, max_depth=DEPTH)
    except InvalidInput as exc:
        raise BadIndex("; ".join(map(str, (exc.details or {}).values())) or exc.message) from None
    if not isinstance(found, dict):
        raise BadIndex("it must be an object")
    head = _validated(_Head, found, "")
    artifacts = list(_artifacts(found, kinds))
    if head.pricing is not None:
        artifacts.append(_artifact(PRICING, PRICING, head.pricing))
    _check(artifacts)
    return RegistryIndex(head.channel, head.commit, head.sequence, tuple(artifacts))


def _artifacts(found: Mapping[str, object], kinds: Collection[str]) -> Iterator[Artifact]:
    for kind in sorted({*kinds, *SUFFIXES} - {PRICING}):
        entries = found.get(kind) or {}
        if not isinstance(entries, dict):
            raise BadIndex(f"{kind} must be an object")
        if len(entries) > MOST:
            raise BadIndex(f"{kind} has more than {MOST} entries")
        for name, entry in entries.items():
            yield _artifact(kind, name, _validated(_Entry, entry, f"{kind}.{name[:64]}"))


def _artifact(kind: str, id: str, entry: _Entry) -> Artifact:
    where = f"{kind}.{id[:64]}"
    if not re.fullmatch(TOKEN_FORM, id):
        raise BadIndex(f"{where}: the id must be of letters, digits and . _ -")
    suffixes = SUFFIXES.get(kind, (".toml",))
    if not entry.path.endswith(suffixes):
        raise BadIndex(f"{where}.path: must end in {' or '.join(suffixes)}")
    return Artifact(kind, id, entry.path, entry.checksum, entry.version, entry.size)


def _check(artifacts: list[Artifact]) -> None:
    if len(artifacts) > MOST:
        raise BadIndex(f"it has more than {MOST} files")
    places: dict[str, Artifact] = {}
    for artifact in artifacts:
        # Some file systems do not tell the cases apart.
        other = places.setdefault(artifact.place.lower(), artifact)
        if other is not artifact:
            raise BadIndex(f"{artifact.kind}.{artifact.id} and {other.id} have the same file name")


def _validated(model: type[ModelT], value: object, where: str) -> ModelT:
    try:
        return model.model_validate(value)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
        path = ".".join([*([where] if where else []), *map(str, first["loc"])])
        raise BadIndex(f"{path + ': ' if path else ''}{first['msg']}") from None
