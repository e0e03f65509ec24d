"""Secrets that are kept elsewhere: the port that fills them into credentials, and what a plugin gives for a source.

A source is a table `[secrets.sources.NAME]`; its `kind` says who reads it. A value lives in memory, for a bounded time;
it is never stored, logged or answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .extensions import ExtensionPoint
from .jsontext import Json
from .records import record

if TYPE_CHECKING:
    from pydantic import BaseModel


class SecretProblem(Exception):
    """A secret cannot be had. message: a full sentence that names the remedy, without a value."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SecretMissing(SecretProblem):
    """The source has no such secret."""


class SecretRefused(SecretProblem):
    """The source does not let us have it: a value of before must not be used either."""


class SourceUnavailable(SecretProblem):
    """The source does not answer: a value of before may be used for a while."""


@record
class SecretPlace:
    """secret: what the source is asked for at once, and what is remembered; fields: the way to the value inside of
    it."""

    secret: tuple[str, ...]
    fields: tuple[str, ...] = ()


class SecretSource(Protocol):
    """One source that the settings name. Its methods do not block, keep no values, and put none into messages."""

    def place(self, path: Sequence[str]) -> SecretPlace:
        """Which secret a path of an expression means. Raises `SecretProblem` for one that means none."""

    async def read(self, secret: tuple[str, ...]) -> Json:
        """A secret: a text, or an object with fields. Raises `SecretProblem`."""

    async def names(self, most: int) -> Sequence[tuple[str, ...]]:
        """Paths of at most that many secrets, for an editor. Raises `SecretProblem`."""

    async def test(self) -> str:
        """Ask whether the source lets us in; a sentence of what it says. Raises `SecretProblem`."""


@record
class SecretSourceKind:
    """`name`: as `kind` in the settings.

    `title`: for people. `options`: the pydantic model of the further keys, or its object reference. Secrets stand in
    files or in variables of the environment, which the options name. `make`: the source for options of this model; it
    asks for nothing yet, and raises `ConfigurationError` for what does not fit together.
    """

    name: str
    title: str
    options: type[BaseModel] | str
    make: Callable[[BaseModel], SecretSource]


SECRET_SOURCE_KINDS = ExtensionPoint("jackfield_secret_sources", SecretSourceKind)


class ExternalSecrets(Protocol):
    """The port: secrets of all sources."""

    def problem(self, text: str) -> str | None:
        """The mistake in a field's reference, as a clause: its spelling, or a source that is not there.

        None: nothing, or it is no reference.
        """

    async def filled(self, values: Mapping[str, str], project_id: str) -> Mapping[str, str]:
        """The values with secrets in place of references, for a credential of this project.

        Logs hide the filled-in values. Raises `SecretProblem`.
        """
