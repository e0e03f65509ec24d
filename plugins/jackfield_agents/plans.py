"""The questions to ask, and of which programs, to detect an agent. Reads the file system."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from jackfield.api.agents import Agent
from jackfield.api.records import record


@record
class Attempt:
    """One command. argv[0] is the program's path; the rest tells it from another of the same name."""

    command: str
    argv: tuple[str, ...]
    mtime_ns: int
    size: int

    @property
    def path(self) -> str:
        return self.argv[0]


@record
class DetectionPlan:
    """How one agent is detected. `marked`: one of its files exists. `binary_path`: where it is, None: nowhere.
    `problems`: commands that are none. `variables`: the tool's own, in its manifest's words."""

    agent_id: str
    attempts: Sequence[Attempt]
    marked: bool
    binary_path: str | None
    problems: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


def plan(agent: Agent, env: Mapping[str, str]) -> DetectionPlan:
    """The manifest's commands, and last the binary with its version flag."""
    files = [_expanded(name, env) for name in agent.detect.files]
    binary = _found(agent.binary, env) or next((name for name in files if _is_program(name, agent.binary)), None)
    attempts: dict[str, Attempt] = {}
    problems = []
    named = [("detect.commands", command) for command in agent.detect.commands]
    for key, command in (*named, ("version_flag", f"{shlex.quote(agent.binary)} {agent.version_flag}")):
        try:
            argv = shlex.split(command)
        except ValueError as exc:
            problems.append(f"{key} has `{command}`, which is no command ({str(exc).lower()})")
            continue
        program = binary if argv and argv[0] == agent.binary else _found(argv[0], env) if argv else None
        if program is not None and (attempt := _attempt(program, argv)) is not None:
            attempts.setdefault(attempt.command, attempt)
    marked = any(map(os.path.exists, files))
    return DetectionPlan(agent.id, tuple(attempts.values()), marked, binary, problems, agent.profile.env)


def _attempt(program: str, argv: Sequence[str]) -> Attempt | None:
    """None for a program that has just gone."""
    try:
        found = Path(program).stat()
    except OSError:
        return None
    return Attempt(shlex.join(argv), (program, *argv[1:]), found.st_mtime_ns, found.st_size)


def _found(name: str, env: Mapping[str, str]) -> str | None:
    found = shutil.which(_expanded(name, env), path=env.get("PATH", os.defpath))
    return str(Path(found).absolute()) if found else None


def _expanded(name: str, env: Mapping[str, str]) -> str:
    """With the user's home for a leading `~`."""
    home = env.get("HOME") or str(Path.home())
    return home + name[1:] if name == "~" or name.startswith("~/") else name


def _is_program(name: str, binary: str) -> bool:
    """A file of an agent that is not on PATH may be its program."""
    path = Path(name)
    return path.name == binary and path.is_file() and os.access(path, os.X_OK)
