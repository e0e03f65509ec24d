"""What one HTTP Request item asks for, whichever version of the parameters said so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from jackfield.api.records import record

Pairs: TypeAlias = "list[tuple[str, str]]"
Format: TypeAlias = "Literal['autodetect', 'json', 'text', 'file']"


@record
class Body:
    """Bytes and their type; None: the author's own header counts."""

    content: bytes
    content_type: str | None = None


@record
class Expect:
    """How the answer becomes items. split: one item per element of a JSON list."""

    format: Format = "autodetect"
    full: bool = False
    never_error: bool = False
    property_name: str = "data"
    split: bool = True


@record
class Call:
    """One request. follow: which methods follow redirects; timeout: seconds, None: as the settings say; secrets: values
    that must not be shown."""

    method: str
    url: str
    query: Pairs = field(default_factory=list)
    headers: Pairs = field(default_factory=list)
    body: Body | None = None
    follow: Literal["none", "reads", "all"] = "all"
    max_redirects: int = 21
    timeout: float | None = None
    verify: bool = True
    expect: Expect = field(default_factory=Expect)
    secrets: Sequence[str] = ()
    secret_headers: frozenset[str] = frozenset()
    """Lower-case names of headers that the credential set."""


@record
class Reply:
    """A whole answer. headers: lower-case names; url: where it came from, without a user name."""

    status: int
    reason: str
    headers: Pairs
    body: bytes
    url: str

    def header(self, name: str) -> str:
        """The first value, or nothing."""
        return next((value for key, value in self.headers if key == name), "")
