"""The content of another tool, in our words: the readers of each tool give it, and `bringing` makes it be here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from jackfield.api.jsontext import Json
from jackfield.api.records import record, state

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
LONGEST_NAME = 48
"""Characters: what is behind it must find room."""


@record
class WantedProvider:
    """`id`: ours, if it is free. `name`: in the other tool. `url`: without the paths of single endpoints. `env_key`:
    variable that has the key there. `key`: the key itself. `origin`: the file it is from. `query`, `auth_kind`: as in a
    manifest."""

    id: str
    name: str
    type: str
    url: str
    origin: str
    models: Sequence[str] = ()
    default_model: str | None = None
    key: str | None = None
    env_key: str | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    auth_kind: str | None = None


@record
class WantedProfile:
    """provider_id: of a `WantedProvider`, or of a provider that is here already. Targets of its proxy's rules and
    aliases begin with such an id too. mcp_servers: its own, by name. key: its own; None: the provider's."""

    alias: str
    agent_id: str
    provider_id: str
    origin: str
    model: str | None = None
    endpoint_id: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    args: Sequence[str] = ()
    working_dir: str | None = None
    hooks_config: Mapping[str, Json] = field(default_factory=dict)
    mcp_servers: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    proxy_config: Mapping[str, Json] | None = None
    key: str | None = None


@record
class WantedFile:
    """A manifest or a script that goes into the configuration directory as it is. `folder`: there, such as
    `providers.d`. `unless_known`: it is left out where an id or a script of its name is here already, whoever brings
    it. Else only a file of its name stands in its way."""

    folder: str
    source: Path
    unless_known: bool = False


@record
class WantedSetting:
    """A key of config.toml."""

    table: str
    key: str
    value: Json
    origin: str


@record
class NoCounterpart:
    """An entry that is not brought over. `kind`: such as `route` or `setting`. `reason`: a sentence with what to do
    instead."""

    kind: str
    name: str
    origin: str
    reason: str


@state
class Setup:
    """All of one import. `source`: the other tool's name. `remarks`: alias of a profile or id of a provider -> what to
    tell you about it although it is brought over."""

    source: str
    providers: list[WantedProvider] = field(default_factory=list)
    profiles: list[WantedProfile] = field(default_factory=list)
    files: list[WantedFile] = field(default_factory=list)
    settings: list[WantedSetting] = field(default_factory=list)
    left: list[NoCounterpart] = field(default_factory=list)
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    remarks: dict[str, list[str]] = field(default_factory=dict)

    def leave(self, kind: str, name: str, origin: str, reason: str) -> None:
        self.left.append(NoCounterpart(kind, name, origin, reason))

    def remark(self, about: str, text: str) -> None:
        self.remarks.setdefault(about, []).append(text)


def named(text: str, taken: Sequence[str] = ()) -> str:
    """An id or alias from a name of another tool: letters, digits, _ and -, unlike those that are taken."""
    made = _NOT_IN_NAMES.sub("-", text).strip("-_")[:LONGEST_NAME] or "imported"
    number = 2
    found = made
    while found in taken:
        found, number = f"{made}-{number}", number + 1
    return found
