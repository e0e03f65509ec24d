"""`jackfield scripts validate` compiles a script and compares it with the words of `ctx`.

It runs the script for profiles that are made up, once for each way in which its agents may be used.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jackfield.api.agents import Agent, Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.manifest_checks.problems import FileProblem, Severity, file_view
from jackfield.api.profiles import Profile
from jackfield.api.providers import Provider, Providers
from jackfield.api.records import record
from jackfield.api.scripts import RHAI_REMEDY, SCRIPT_ENGINES, ScopedScripts, ScriptError
from jackfield.api.similar_names import similar
from jackfield_profiles.commands.condition_sample import CONDITION_REQUEST
from jackfield_profiles.editing.fitting import require_fit
from jackfield_profiles.generated.scripts import ScriptFailed, checked, script_context, source_of
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.wiring.access import ProviderAccess, spoken

SYNTAX = "Syntax error"
THROWN = "Runtime error: "
"""How Rhai's messages begin."""
SAMPLE_MODEL = "sample-model"
PROXY_URL = "http://127.0.0.1:9"
_PLACE = re.compile(r" \(line (\d+)(?:, position (\d+))?\)")
_WORD = re.compile(r"\bctx\.(\w+)(?:\.(\w+))?")
_REQUEST_WORD = re.compile(r"\brequest\.(\w+)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAMES_NOTHING = re.compile(r"(?:Function|Variable|Module) not found|Unknown property")


@record
class SampleRun:
    """title: for whom the script is run, for a person."""

    title: str
    ctx: Mapping[str, Json]


async def validated(context: PluginContext, files: Sequence[Path]) -> list[dict[str, Json]]:
    """One view for each file, in their order. Raises `InvalidInput` where Rhai is not installed."""
    engine = context.extensions(SCRIPT_ENGINES).get("rhai")
    if not isinstance(engine, ScopedScripts):
        raise InvalidInput(f"Rhai is missing. {RHAI_REMEDY}")
    checks = ScriptChecks(context, engine)
    return [file_view(str(file), await checks.problems(file)) for file in files]


class ScriptChecks:
    """Finds what is wrong with scripts."""

    def __init__(self, context: PluginContext, engine: ScopedScripts) -> None:
        self._context = context
        self._engine = engine

    async def problems(self, file: Path) -> Sequence[FileProblem]:
        """A script that reads `request` and not `ctx` is a condition of a proxy's rule."""
        try:
            source = await asyncio.to_thread(source_of, file)
        except ScriptFailed as exc:
            return [FileProblem(1, 1, "", exc.message)]
        bare = _COMMENT.sub(_blanked, source)
        if re.search(r"\brequest\b", bare) and not re.search(r"\bctx\b", bare):
            return await self._of_condition(file.name, source, bare)
        users, used = await self._users(file.name)
        samples = [sample for agent in users for sample in await self.samples(agent)]
        found = dict.fromkeys(_wrong_words(bare, samples[0].ctx)) if samples else {}
        refusals = []
        for sample in samples:
            problem = await self._problem(file.name, source, sample, used)
            if problem is None:
                continue
            if problem.message.startswith(THROWN):
                refusals.append(problem)
            elif not any(_same(problem, known) for known in found):
                found[problem] = None
            if problem.message.startswith(SYNTAX):
                break
        if refusals and len(refusals) == len(samples):  # else it does not suit every provider, and says so
            found[refusals[0]] = None
        return sorted(found, key=lambda one: (one.line, one.column))

    async def _of_condition(self, name: str, source: str, bare: str) -> Sequence[FileProblem]:
        found = list(_unknown(bare, _REQUEST_WORD, 1, "request", CONDITION_REQUEST))
        try:
            value = await self._engine.value(source, {"request": dict(CONDITION_REQUEST)}, name=name)
        except ScriptError as exc:
            return [*found, _of_error(exc, "", "error")]
        if not isinstance(value, bool):
            found.append(FileProblem(1, 1, "result", "a condition's last value must be true or false"))
        return found

    async def _users(self, name: str) -> tuple[Sequence[Agent], bool]:
        """The agents whose manifests name the script, and that there are some; without any, every agent."""
        agents = list((await self._context.port(Agents).all()).values())
        users = [agent for agent in agents if agent.profile.script == name]
        return (users, True) if users else (agents, False)

    async def samples(self, agent: Agent) -> Sequence[SampleRun]:
        """With a provider of each type that fits, with and without a proxy."""
        providers = (await self._context.port(Providers).all()).values()
        return [
            self._sample(agent, provider, proxied=proxied)
            for provider in {one.type: one for one in providers}.values()
            for proxied in (False, True)
            if _fits(agent, provider, proxied=proxied)
        ]

    def _sample(self, agent: Agent, provider: Provider, *, proxied: bool) -> SampleRun:
        model = provider.models.default or agent.models.default or SAMPLE_MODEL
        endpoint, url = provider.endpoint()
        home = {"profile_home": f"/home/sample/.{agent.id}-profiles/sample"}
        profile = Profile("sample", agent.id, provider.id, endpoint, model, metadata=dict(home))
        dialect = spoken(agent, provider) if proxied else provider.dialect
        access = ProviderAccess(PROXY_URL if proxied else url, None, proxied, dialect)
        title = f"agent {agent.id}, provider {provider.id}" + (", with a proxy" if proxied else "")
        return SampleRun(title, script_context(self._context, agent, provider, profile, access))

    async def _problem(self, name: str, source: str, sample: SampleRun, used: bool) -> FileProblem | None:
        """used: the script is meant for the sample's agent, so that it may not fail."""
        try:
            value = await self._engine.value(source, {"ctx": dict(sample.ctx)}, name=name)
            checked(value, name, self._context.settings(RunSettings))
        except ScriptError as exc:
            certain = used or exc.kind != "runtime" or _NAMES_NOTHING.search(exc.message) is not None
            return _of_error(exc, "" if exc.kind == "syntax" else sample.title, "error" if certain else "warning")
        except ScriptFailed as exc:
            key = next(iter(exc.details or {}), "")
            reason = str((exc.details or {}).get(key, exc.message)).removesuffix(".")
            return FileProblem(1, 1, key or "result", f"{reason} ({sample.title})")
        return None


def _fits(agent: Agent, provider: Provider, *, proxied: bool) -> bool:
    try:
        require_fit(agent, provider, proxied=proxied)
    except JackfieldError:
        return False
    return not (proxied and provider.dialect is None)


def _of_error(error: ScriptError, title: str, severity: Severity) -> FileProblem:
    found = _PLACE.search(error.message)
    line = int(found[1]) if found else error.line or 1
    column = int(found[2]) if found and found[2] else 1
    message = _PLACE.sub("", error.message, count=1).removesuffix(".")
    return FileProblem(line, column, "", f"{message} ({title})" if title else message, severity)


def _same(one: FileProblem, other: FileProblem) -> bool:
    """The same mistake, found for another profile."""
    cut = one.message.rsplit(" (agent ", 1)[0], other.message.rsplit(" (agent ", 1)[0]
    return (one.line, one.column) == (other.line, other.column) and cut[0] == cut[1]


def _blanked(comment: re.Match[str]) -> str:
    """As long as it was, so that places stay."""
    return re.sub(r"[^\n]", " ", comment[0])


def _wrong_words(bare: str, ctx: Mapping[str, Json]) -> Iterator[FileProblem]:
    """Rhai gives `()` for a key that a map does not have: a misspelt one fails late, or never."""
    yield from _unknown(bare, _WORD, 1, "ctx", ctx)
    for table, keys in ctx.items():
        if isinstance(keys, dict) and table != "prefs":
            pattern = re.compile(rf"\bctx\.{table}\.(\w+)")
            yield from _unknown(bare, pattern, 1, f"ctx.{table}", keys)


def _unknown(
    bare: str, pattern: re.Pattern[str], group: int, table: str, known: Mapping[str, Json]
) -> Iterator[FileProblem]:
    for found in pattern.finditer(bare):
        name, start = found[group], found.start(group)
        if name in known or bare[found.end(group) : found.end(group) + 1] == "(":
            continue
        line = bare.count("\n", 0, start) + 1
        column = start - bare.rfind("\n", 0, start)
        message = f"{table} has no key {name}"
        yield FileProblem(line, column, f"{table}.{name}", message, "error", tuple(known), tuple(similar(name, known)))
