"""Manifests: what is found in directories instead of in code. A kind of manifest is a model and a folder. The kernel
reads its files from three layers, the user's first, and reads them again when they change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, Protocol, TypeVar, cast

from pydantic import BaseModel, ConfigDict, StringConstraints

from .extensions import ExtensionPoint
from .object_references import load

ManifestId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class Manifest(BaseModel):
    """The keys that every manifest has.

    Keys that a model does not know are left alone: a newer file works with an older daemon.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True, defer_build=True)

    id: ManifestId
    name: str = ""

    @property
    def title(self) -> str:
        """The display name; the id when the file gives none."""
        return self.name or self.id


ManifestT = TypeVar("ManifestT", bound=Manifest)
ManifestT_co = TypeVar("ManifestT_co", bound=Manifest, covariant=True)


@dataclass(frozen=True)
class ManifestKind(Generic[ManifestT_co]):
    """`name`: of the folder in a registry and among what is shipped, such as `agents`; the user's is `<name>.d` in the
    configuration directory. Its files are `*.toml`, of at most 1 MiB. `model`: or its object reference, so that no
    start imports it. `shipped`: a directory of the plugin's own with files that come last. None for those that come
    with Jackfield.
    """

    name: str
    model: type[ManifestT_co] | str
    shipped: Path | None = None

    @property
    def loaded(self) -> type[ManifestT_co]:
        """The model. Raises ImportError."""
        return cast("type[ManifestT_co]", load(self.model)) if isinstance(self.model, str) else self.model


class Manifests(Protocol[ManifestT_co]):
    """The manifests of one kind. Both methods first see whether files have changed, off the event loop."""

    async def all(self) -> Mapping[str, ManifestT_co]:
        """id -> manifest, sorted. Of one id the user's directory counts before the synced registry, that before what
        is shipped, and that before what packages bring. A file that is broken is left out; one that worked before keeps
        its last good content."""

    async def find(self, id: str) -> ManifestT_co | None: ...

    def warnings(self) -> Sequence[str]:
        """One sentence for each broken file, with its name, the key and the remedy.

        Also one for each file of a package whose id is taken. A package's distribution is named. As of the last look.
        """


class ManifestLibraries(Protocol):
    """The port: the manifests of every kind that a plugin has given."""

    def of(self, kind: ManifestKind[ManifestT]) -> Manifests[ManifestT]:
        """Raises LookupError when no plugin gave the kind."""


class Layers(Protocol):
    """Files that the user may put in place of a registry's, of shipped ones, or of those that packages bring."""

    def find(self, folder: str, name: str) -> Path | None:
        """The file of this name: `{config_dir}/<folder>/`, `{config_dir}/registry/current/<folder>/`, shipped,
        packages' (`ManifestDirectory`). A name that leads out of its folder finds nothing. Reads the file system; let a
        thread do it."""

    def directories(self, folder: str) -> Sequence[Path]:
        """Those that exist, in this order."""

    def distribution(self, path: Path) -> str | None:
        """The distribution that brings the file or folder; None: no package does."""


@dataclass(frozen=True)
class ManifestDirectory:
    """The manifests of a plugin's package, in a directory with a folder for each kind, and one for scripts, as in a
    registry. Its files are `agents/*.toml`, `providers/*.toml` and `scripts/*.rhai`. `path`: absolute, most often
    `Path(__file__).parent / "manifests"`.
    """

    path: Path


MANIFEST_KINDS = ExtensionPoint("jackfield_manifest_kinds", ManifestKind[Manifest])
MANIFEST_DIRECTORIES = ExtensionPoint("jackfield_manifest_directories", ManifestDirectory, "path")
