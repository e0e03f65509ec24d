"""Answers of the API of external secrets."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from jackfield.api.schemas import Schema


class SecretsAnswer(Schema):
    """An answer."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)


class SecretSourceShown(SecretsAnswer):
    """mistake: why it cannot be used; failure: why it did not answer last."""

    name: str
    kind: str
    title: str
    projects: list[str]
    mistake: str | None
    failure: str | None


class SecretSourceList(SecretsAnswer):
    data: list[SecretSourceShown]
    total: int


class SecretNames(SecretsAnswer):
    """references: expressions, such as `$secrets.vault.app`; a path of a whole secret lacks its field."""

    references: list[str]


class SecretSourceTest(SecretsAnswer):
    valid: bool
    message: str
