"""`jackfield agents validate`: what an agent's model cannot know."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from jackfield.api.agents import Agent
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.manifest_checks.checking import ManifestCheck, check_manifest
from jackfield.api.manifest_checks.places import KeyPath
from jackfield.api.manifests import Layers
from jackfield.api.telemetry import USAGE_READERS

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_PLACEHOLDERS: dict[tuple[str, ...], Sequence[str]] = {
    ("profile", "source_home"): ("alias",),
    ("profile", "env"): ("home",),
    ("usage", "directory"): ("home",),
    ("headless", "args"): ("prompt", "model", "session"),
    ("headless", "session_args"): ("session",),
    ("headless", "resume", "args"): ("prompt", "model", "session"),
    ("headless", "resume", "exists"): ("home", "session"),
}
"""Of keys whose values have placeholders."""


async def validated(context: PluginContext, files: Sequence[Path]) -> list[dict[str, Json]]:
    """One view for each file, in their order."""
    return [await asyncio.to_thread(_checked, context, file) for file in files]


def _checked(context: PluginContext, file: Path) -> dict[str, Json]:
    check = check_manifest(file, Agent, {"id": "sample", "binary": "sample"})
    if (agent := check.sound) is not None:
        _reader(check, agent, sorted(context.extensions(USAGE_READERS)))
        _script(check, agent, context.port(Layers))
        _commands(check, agent)
        _placeholders(check, agent)
        _models(check, agent)
    return check.view()


def _reader(check: ManifestCheck[Agent], agent: Agent, readers: Sequence[str]) -> None:
    if agent.usage is not None and agent.usage.reader not in readers:
        reader = agent.usage.reader
        check.add(("usage", "reader"), f"there is no reader {reader} of logs", known=readers, named=reader)


def _script(check: ManifestCheck[Agent], agent: Agent, layers: Layers) -> None:
    """It may also stand where a registry's source has it: in `scripts` beside the file's folder."""
    name = agent.profile.script
    beside = check.file.absolute().parent.parent / "scripts"
    if not name or layers.find("scripts", name) is not None or (beside / name).is_file():
        return
    folders = [beside, *layers.directories("scripts")]
    known = sorted({path.name for folder in folders for path in folder.glob("*.rhai")})
    check.add(("profile", "script"), f"there is no script {name}", known=known, named=name)


def _commands(check: ManifestCheck[Agent], agent: Agent) -> None:
    for index, command in enumerate(agent.detect.commands):
        try:
            empty = not shlex.split(command)
        except ValueError as exc:
            check.add(("detect", "commands", index), f"`{command}` is no command ({str(exc).lower()})")
        else:
            if empty:
                check.add(("detect", "commands", index), "the command is empty")


def _placeholders(check: ManifestCheck[Agent], agent: Agent) -> None:
    document = agent.model_dump(mode="json")
    for key, known in _PLACEHOLDERS.items():
        for path, text in _texts(document, key):
            for name in _PLACEHOLDER.findall(text):
                if name not in known:
                    message = f"nothing takes the place of {{{name}}} here"
                    check.add(path, message, severity="warning", known=[f"{{{one}}}" for one in known], named=name)


def _texts(document: Json, key: tuple[str, ...]) -> Iterator[tuple[KeyPath, str]]:
    """The texts below a key, with their paths."""
    value = document
    for name in key:
        value = value.get(name) if isinstance(value, dict) else None
    found: Iterable[tuple[str | int, Json]] = (
        enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    )
    if isinstance(value, str):
        yield key, value
    for part, text in found:
        if isinstance(text, str):
            yield (*key, part), text


def _models(check: ManifestCheck[Agent], agent: Agent) -> None:
    default, supported = agent.models.default, agent.models.supported
    if default is not None and supported and default not in supported:
        message = f"models.supported does not list the model {default}"
        check.add(("models", "default"), message, severity="warning", known=supported, named=default)
