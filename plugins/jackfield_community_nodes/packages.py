"""Installed packages as the index has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.files import read_private, write_private
from jackfield_community_nodes.offers import DIRECTORY, index_file

MODULES = "node_modules"
DESCRIPTION = "description.json"


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class LockedPackage(_Kept):
    """A dependency with the hash of the archive that its files are from."""

    path: str
    name: str
    version: str
    integrity: str


class PackagedNode(_Kept):
    """kind: of the node type, `n8n-nodes-acme.acme`; missing: why it cannot run, empty when it can."""

    kind: str
    file: str
    title: str
    missing: str = ""


class PackagedCredential(_Kept):
    """signed: whether the daemon itself puts it on requests."""

    kind: str
    file: str
    signed: bool = False


class InstalledPackage(_Kept):
    """One package of nodes. `directory`: below the directory of packages. `installed_at`: Unix ms. `static`: whether
    its code keeps static data. `problems`: files that could not be loaded."""

    name: str
    version: str
    integrity: str
    directory: str
    installed_at: int
    license: str = ""
    summary: str = ""
    static: bool = False
    dependencies: list[LockedPackage] = Field(default_factory=list)
    nodes: list[PackagedNode] = Field(default_factory=list)
    credentials: list[PackagedCredential] = Field(default_factory=list)
    problems: list[str] = Field(default_factory=list)
    first_added_at: int = 0
    """Unix ms; an update keeps it. 0: it was never updated, `installed_at` is it."""

    @property
    def age(self) -> tuple[int, str]:
        """The order in which packages came."""
        return (self.first_added_at or self.installed_at, self.name)


class PackageIndex(_Kept):
    format: int = 1
    packages: list[InstalledPackage] = Field(default_factory=list)


class VersionDescription(_Kept):
    """Versions of a node that share a description. work: what `describing.js` says it can do."""

    versions: list[float]
    description: dict[str, JsonValue]
    work: dict[str, JsonValue]


class NodeText(_Kept):
    file: str
    default: float | None = None
    types: list[VersionDescription] = Field(min_length=1)


class CredentialText(_Kept):
    file: str
    credential: dict[str, JsonValue]
    signsByFunction: bool = False  # noqa: N815 - as describing.js writes it
    tests: bool = False


class PackageDescription(_Kept):
    """A package's description of itself, as `describing.js` gives it."""

    nodes: list[NodeText] = Field(default_factory=list)
    credentials: list[CredentialText] = Field(default_factory=list)
    problems: list[str] = Field(default_factory=list)


def packages_directory(context: PluginContext) -> Path:
    return context.service.config_dir / DIRECTORY


def root_of(context: PluginContext, package: InstalledPackage) -> Path:
    """Where its `node_modules` is."""
    return packages_directory(context) / package.directory


def read_index(context: PluginContext) -> PackageIndex:
    """Blocks. Raises `ConfigurationError` for a file that is none."""
    path = index_file(context)
    content = read_private(path)
    if content is None:
        return PackageIndex()
    try:
        return PackageIndex.model_validate_json(content)
    except ValueError:
        raise ConfigurationError(f"{path} is damaged; remove it, and add the packages again.") from None


def write_index(context: PluginContext, packages: Sequence[InstalledPackage]) -> None:
    """Blocks. Raises `ConfigurationError`."""
    index = PackageIndex(packages=sorted(packages, key=lambda package: package.name))
    write_private(index_file(context), index.model_dump_json(indent=1).encode())


def read_description(directory: Path) -> PackageDescription:
    """Blocks. Raises `ConfigurationError`."""
    content = read_private(directory / DESCRIPTION)
    if content is None:
        raise ConfigurationError(f"{directory / DESCRIPTION} is missing; add the package again.")
    try:
        return PackageDescription.model_validate_json(content)
    except ValueError:
        raise ConfigurationError(f"{directory / DESCRIPTION} is damaged; add the package again.") from None


def by_name(packages: Sequence[InstalledPackage]) -> Mapping[str, InstalledPackage]:
    return {package.name: package for package in packages}
