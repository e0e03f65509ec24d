"""Whether agents' scripts can be read at all, before a profile needs them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from jackfield.api.agents import Agent
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.manifests import Layers
from jackfield.api.scripts import SCRIPT_ENGINES, ScopedScripts, ScriptError
from jackfield_profiles.generated.scripts import source_of

SECONDS = 1.0
"""For one script. It is run, without what it works on: engines tell of a wrong syntax before anything runs."""


async def problems(context: PluginContext, agents: Iterable[Agent]) -> Sequence[str]:
    """One sentence for each script that is missing or is none."""
    engine = context.extensions(SCRIPT_ENGINES).get("rhai")
    users: dict[str, list[str]] = {}
    for agent in agents:
        if agent.profile.script:
            users.setdefault(agent.profile.script, []).append(agent.id)
    checked = [await _problem(context, engine, name) for name in users]
    hiding = await asyncio.to_thread(hidden, context.port(Layers), context.service.config_dir)
    found = [(names, problem) for names, problem in zip(users.values(), checked, strict=True) if problem]
    broken = [
        f"{problem} Profiles of {', '.join(names)} cannot be run until it is repaired." for names, problem in found
    ]
    return [*broken, *hiding]


def hidden(layers: Layers, config_dir: Path) -> Sequence[str]:
    """One sentence for each script of a package whose name another has that is not the operator's. Blocks."""
    found = []
    for directory in layers.directories("scripts"):
        owner = layers.distribution(directory)
        for path in sorted(directory.glob("*.rhai")) if owner else ():
            first = layers.find("scripts", path.name)
            if first is not None and first != path and not first.is_relative_to(config_dir):
                found.append(
                    f"{path} of the distribution {owner} is not used: {first} has its name. Give it another name, or "
                    f"copy it into {config_dir / 'scripts'}."
                )
    return found


async def _problem(context: PluginContext, engine: object, name: str) -> str | None:
    path = await asyncio.to_thread(context.port(Layers).find, "scripts", name)
    if path is None:
        return f"The script {name} is not there; put it into {context.service.config_dir / 'scripts'}."
    try:
        source = await asyncio.to_thread(source_of, path)
        if isinstance(engine, ScopedScripts):
            await engine.value(source, {"ctx": {}}, name=name, timeout=SECONDS)
    except JackfieldError as exc:
        return exc.message
    except ScriptError as exc:
        # Any other error comes of the missing profile.
        owner = context.port(Layers).distribution(path)
        told = f"{path} of the distribution {owner}" if owner else str(path)
        return f"{told} is no script: {exc.message}." if exc.kind == "syntax" else None
    return None
