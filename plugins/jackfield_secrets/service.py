"""The sources that the settings name, and the port `ExternalSecrets`."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.secret_references import SecretReference, references_in, refers_to_secrets, template_of
from jackfield.api.secret_sources import (
    SECRET_SOURCE_KINDS,
    SecretMissing,
    SecretRefused,
    SecretSource,
    SourceUnavailable,
)
from jackfield_secrets.cache import CacheLimits, Secret, SecretCache
from jackfield_secrets.settings import SecretsSettings, SourceSettings
from jackfield_secrets.values import as_text, inside, texts_in

AnswerT = TypeVar("AnswerT")


def external_secrets(context: PluginContext) -> SecretSources:
    """The port is the part."""
    return context.port(SecretSources)


@dataclass
class NamedSource:
    """name: of the settings; source, cache: None as long as its settings are wrong, which `mistake` says."""

    name: str
    settings: SourceSettings
    title: str = ""
    source: SecretSource | None = None
    cache: SecretCache | None = None
    mistake: str = ""

    def serves(self, project_id: str) -> bool:
        return not self.settings.projects or project_id in self.settings.projects


class SecretSources:
    """Makes each source when somebody needs it first."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(SecretsSettings)
        self._made: dict[str, NamedSource] = {}
        self._turns: dict[str, asyncio.Semaphore] = {}

    @property
    def known(self) -> Sequence[str]:
        return list(self._settings.sources)

    def named(self, name: str) -> NamedSource:
        """Raises KeyError for one that the settings do not name."""
        if name not in self._made:
            self._made[name] = self._make(name, self._settings.sources[name])
        return self._made[name]

    def problem(self, text: str) -> str | None:
        try:
            references = references_in(text)
        except ValueError as exc:
            return str(exc)
        missing = [each.source for each in references if each.source not in self._settings.sources]
        return f"names the source {missing[0]}, which {self._not_there()}" if missing else None

    async def filled(self, values: Mapping[str, str], project_id: str) -> Mapping[str, str]:
        return {
            name: await self._filled(name, text, project_id) if refers_to_secrets(text) else text
            for name, text in values.items()
        }

    async def names(self, source: NamedSource) -> Sequence[tuple[str, ...]]:
        """Paths of its secrets, in order. Raises `SecretProblem`."""
        return sorted(await self._within(source, self._usable(source).names(self._settings.names)))

    async def test(self, source: NamedSource) -> str:
        """Raises `SecretProblem`."""
        return await self._within(source, self._usable(source).test())

    # -- values

    async def _filled(self, name: str, text: str, project_id: str) -> str:
        try:
            template = template_of(text)
        except ValueError as exc:
            raise SecretMissing(f"The field {name} {exc}.") from None
        return "".join(
            [piece if isinstance(piece, str) else await self._value(piece, project_id) for piece in template]
        )

    async def _value(self, reference: SecretReference, project_id: str) -> str:
        if reference.source not in self._settings.sources:
            raise SecretMissing(f"The source of secrets {reference.source} {self._not_there()}.")
        named = await asyncio.to_thread(self.named, reference.source)
        if not named.serves(project_id):
            raise SecretRefused(
                f"The source of secrets {named.name} is not for this credential's project; name the project in "
                f"secrets.sources.{named.name}.projects."
            )
        source, cache = self._usable(named), named.cache
        if cache is None:
            raise AssertionError("a source that can be used has a cache")
        place = source.place(reference.path)
        secret = await cache.get(place.secret)
        try:
            value = inside(secret, place.fields)
        except KeyError as exc:
            raise SecretMissing(f"{reference} is not there: the secret has no field {exc.args[0]}.") from None
        text = as_text(value)
        self._context.secrets.redact(text, *texts_in(value))
        return text

    # -- one source

    def _make(self, name: str, settings: SourceSettings) -> NamedSource:
        made = NamedSource(name, settings)
        kind = self._context.extensions(SECRET_SOURCE_KINDS).get(settings.kind)
        where = f"secrets.sources.{name}"
        if kind is None:
            there = ", ".join(self._context.extensions(SECRET_SOURCE_KINDS))
            made.mistake = f"{where}.kind is {settings.kind}, which no plugin gives; there are {there}."
            return made
        made.title = kind.title
        try:
            made.source = kind.make(self._options(where, kind.options, settings))
        except ConfigurationError as exc:
            made.mistake = exc.message
            return made
        self._turns[name] = asyncio.Semaphore(self._settings.parallel)

        async def read(secret: Secret) -> Json:
            value = await self._within(made, self._usable(made).read(secret))
            if len(dumps(value)) > self._settings.secret_bytes:
                raise SecretMissing(
                    f"A secret of {name} has more than {self._settings.secret_bytes} bytes; raise secrets.secret_bytes."
                )
            return value

        limits = CacheLimits(settings.ttl, settings.stale, self._settings.cached)
        context = self._context
        made.cache = SecretCache(name, read, context.spawn, context.clock, context.log, limits)
        return made

    def _options(self, where: str, options: type[BaseModel] | str, settings: SourceSettings) -> BaseModel:
        """Raises `ConfigurationError`; values are left out of it."""
        model = cast("type[BaseModel]", load(options)) if isinstance(options, str) else options
        try:
            return model.model_validate(settings.model_extra or {})
        except ValidationError as exc:
            first = exc.errors(include_input=False, include_url=False, include_context=False)[0]
            path = ".".join(str(part) for part in first["loc"])
            raise ConfigurationError(f"{where}.{path} is wrong: {first['msg']}.".replace("..", ".")) from None

    def _usable(self, named: NamedSource) -> SecretSource:
        if named.source is None:
            raise SourceUnavailable(f"The source of secrets {named.name} cannot be used: {named.mistake}")
        return named.source

    async def _within(self, named: NamedSource, work: Coroutine[object, object, AnswerT]) -> AnswerT:
        """One request of a source, with the patience and beside as many others as the settings say. Raises
        `SecretProblem`."""
        patience = self._settings.timeout
        try:
            async with asyncio.timeout(patience):
                async with self._turns[named.name]:
                    return await work
        except TimeoutError:
            work.close()
            raise SourceUnavailable(f"{named.name} did not answer within {patience:g} s.") from None

    def _not_there(self) -> str:
        there = ", ".join(self._settings.sources) or "none"
        return f"is not in the settings; secrets.sources has {there}"
