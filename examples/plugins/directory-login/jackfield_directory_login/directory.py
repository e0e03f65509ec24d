"""The directory: who is in it, with which groups."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from jackfield.api.errors import UpstreamFailed
from jackfield_directory_login.hashing import fits, hashed


@dataclass(frozen=True)
class Entry:
    """One person. uuid: never given to anybody else."""

    uuid: str
    name: str
    groups: frozenset[str]


class Directory:
    """Reads the file at every question: it is small, and who left it must not get in."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._nobodys = hashed("the password of nobody")

    def bind(self, username: str, password: str) -> Entry | None:
        """The person whose name and password these are. Blocks: call it in a thread. Raises `UpstreamFailed`."""
        wanted = " ".join(username.casefold().split())
        found = [person for person in self._people() if str(person["uid"]).casefold() == wanted]
        person = found[0] if len(found) == 1 else None
        # Nobody's password is compared too, so that time does not tell which names there are.
        right = fits(password, str(person["userPassword"]) if person else self._nobodys)
        if person is None or not right:
            return None
        groups = person.get("memberOf")
        return Entry(
            str(person["entryUUID"]),
            str(person["cn"]),
            frozenset(map(str, groups)) if isinstance(groups, list) else frozenset(),
        )

    def _people(self) -> list[dict[str, object]]:
        try:
            people = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise UpstreamFailed("The directory does not answer; try again later.") from None
        return [person for person in people if {"uid", "entryUUID", "cn", "userPassword"} <= person.keys()]
