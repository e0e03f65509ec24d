"""Bodies of the API of source control."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from jackfield.api.schemas import Schema

FilePath = Annotated[str, StringConstraints(pattern=r"^[a-z_]+/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\.json$")]
Paths = Annotated[list[FilePath], Field(max_length=10_000)]


class GitRequest(Schema):
    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


class GitAnswer(Schema):
    model_config = ConfigDict(extra="allow", alias_generator=to_camel)


class PushBody(GitRequest):
    """paths: none: everything that has changed here."""

    message: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"\S")]
    paths: Paths = Field(default_factory=list)
    force: bool = False


class PullBody(GitRequest):
    """Of what has changed on both sides: paths, or `all` of the others."""

    ours: Paths = Field(default_factory=list)
    theirs: Paths = Field(default_factory=list)
    others: Literal["refuse", "ours", "theirs"] = "refuse"


class GitDiffQuery(GitAnswer):
    path: FilePath


class GitChangeShown(GitAnswer):
    path: str
    title: str | None
    side: Literal["here", "there", "both"]
    gone: bool


class GitStatusShown(GitAnswer):
    """commit: the tip of the branch; base: the commit that both sides had last; protected: whether the
    daemon pushes nothing to this branch."""

    branch: str
    commit: str | None
    base: str | None
    read_only: bool
    protected: bool
    changes: list[GitChangeShown]


class GitDiffShown(GitAnswer):
    path: str
    diff: str


class PulledShown(GitAnswer):
    path: str
    message: str | None


class PullShown(GitAnswer):
    """complete: whether every file is here now; backup: a commit in the daemon's own copy with what was here before."""

    commit: str | None
    complete: bool
    backup: str | None
    files: list[PulledShown]


class GitKeyShown(GitAnswer):
    public_key: str
