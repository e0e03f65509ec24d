"""The table `git`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

_HOST = r"[A-Za-z0-9\[][^\s@/]*(/[^\s]*)?"
"""And a path. No user and no password: a command line shows the address."""
ADDRESS = (
    rf"^(https?://{_HOST}|ssh://([A-Za-z0-9_][A-Za-z0-9_.-]*@)?{_HOST}"
    r"|[A-Za-z0-9_.]+@[A-Za-z0-9][A-Za-z0-9.-]*:[^\s:-][^\s]*|file:///[^\s]+)?$"
)
_PROTECTED = re.compile(r"(?!refs/)[A-Za-z0-9*_./-]+")
"""A name that no branch can have would protect none, and nobody would notice."""
BRANCH = r"^[A-Za-z0-9][A-Za-z0-9_-]*([./][A-Za-z0-9_-]+)*$"


class GitSettings(BaseModel):
    """The repository of this environment, and what its use may take. Sizes in bytes, times in seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    url: str = Field(
        "",
        max_length=2048,
        pattern=ADDRESS,
        description="Address of the repository, such as `https://git.example/team/flows.git` or "
        "`git@git.example:team/flows.git`. Empty: there is none.",
    )
    branch: str = Field("main", max_length=200, pattern=BRANCH, description="The branch of this environment.")
    protected_branches: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(
        default_factory=list,
        max_length=100,
        description="Branches to which this daemon never pushes, such as `main` or `release/*`: people bring changes "
        "by pull requests. `*` stands for any characters.",
    )
    directory: str = Field(
        "",
        max_length=200,
        pattern=r"^([A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*)?$",
        description="The directory in the repository that holds the files.",
    )
    username: str = Field("git", pattern=r"^[^\s:]+$", description="User name beside the token, for https.")
    token_file: str = Field(
        "", description="File with the token or password, for https; relative to the configuration directory."
    )
    token_env: str = Field("", description="Variable of the environment with that token, where no file is named.")
    ca_file: str = Field(
        "",
        description="File with certificates of authorities for https, relative to the configuration directory. Empty: "
        "those of the system.",
    )
    key_file: str = Field(
        "", description="Path of the private key for ssh; default: the one that `jackfield git key` makes."
    )
    known_hosts_file: str = Field("", description="Path of the known hosts of ssh; default: those of the account.")
    author_name: str = Field("Jackfield", min_length=1, max_length=200, description="Name in commits.")
    author_email: str = Field("jackfield@localhost", pattern=r"^[^\s<>]+$", description="Address in commits.")
    read_only: bool = Field(
        False, description="Whether workflows of this daemon change by `pull` alone, and nothing is pushed."
    )
    active: Literal["keep", "activate", "deactivate"] = Field(
        "keep",
        description="After a pull: `keep` leaves each workflow as it was, new ones inactive; `activate` and "
        "`deactivate` switch those that were pulled.",
    )
    variable_values: bool = Field(False, description="Whether values of variables are pushed and pulled, too.")
    timeout: float = Field(120, gt=0, le=3600, description="Seconds that one run of git may take.")
    fetched_bytes: int = Field(
        1_073_741_824,
        ge=1_048_576,
        le=68_719_476_736,
        description="Bytes that one file of git may have in the daemon's copy (on Linux). A fetch may bring about as "
        "much, with whatever else the branch has.",
    )
    files: int = Field(10_000, ge=1, le=100_000, description="Most files in the repository's directory.")
    file_bytes: int = Field(16_777_216, ge=1024, le=268_435_456, description="Bytes of one file.")
    total_bytes: int = Field(268_435_456, ge=1024, le=4_294_967_296, description="Bytes of all files together.")

    @field_validator("protected_branches")
    @classmethod
    def _are_names(cls, value: Sequence[str]) -> Sequence[str]:
        for name in value:
            if _PROTECTED.fullmatch(name) is None:
                raise ValueError(f"{name!r} is no name of a branch, such as main or release/*; leave out refs/heads/")
        return value

    @property
    def is_protected(self) -> bool:
        """Whether the branch of this environment is one of `protected_branches`."""
        return any(fnmatchcase(self.branch, pattern) for pattern in self.protected_branches)
