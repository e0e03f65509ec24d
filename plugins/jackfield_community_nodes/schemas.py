"""Bodies and answers of `/community-nodes`."""

from __future__ import annotations

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from jackfield.api.schemas import Schema

_INTEGRITY = Field(
    "",
    pattern=r"^$|^sha512-[A-Za-z0-9+/]{86}==$",
    description="Hash that the package's archive must have; empty: the one that the registry announces.",
)
_VERSION = Field(
    "", max_length=100, description="A version, a range such as `^1.2` or a tag; empty: the newest that is released."
)


class _Named(Schema):
    """Names are camelCase outside."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class NewCommunityPackage(_Named):
    """A package of npm to add."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=214, examples=["n8n-nodes-acme"])
    version: str = _VERSION
    integrity: str = _INTEGRITY


class CommunityPackageChange(_Named):
    """Another version of a package."""

    model_config = ConfigDict(extra="forbid")

    version: str = _VERSION
    integrity: str = _INTEGRITY


class CommunityNodeShown(_Named):
    """missing: why it cannot run; empty: it can."""

    kind: str
    title: str
    missing: str


class CommunityDependencyShown(_Named):
    path: str
    name: str
    version: str
    integrity: str


class CommunityPackageShown(_Named):
    """problems: files of the package that could not be loaded."""

    name: str
    version: str
    integrity: str
    license: str
    summary: str
    installed_at: str
    nodes: list[CommunityNodeShown]
    credentials: list[str]
    dependencies: list[CommunityDependencyShown]
    problems: list[str]


class CommunityPackageList(_Named):
    """host: whose packages they are; others that share its store have their own."""

    data: list[CommunityPackageShown]
    total: int
    changeable: bool
    host: str
