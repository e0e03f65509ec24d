"""The facts that a supervisor hands over, and those that it keeps from the daemon for the next one."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from jackfield.api.profiles import Launch, Profile
from jackfield.api.records import record
from jackfield_terminal.supervisor.frames import VERSION, FrameError, object_of

ValueT = TypeVar("ValueT")


@record
class Handover:
    """`ring`: its size in bytes. `start`, `end`: offsets of the output that it holds. `before`: the state at the start.
    `terminal`: whether its master comes along. `accounted`: another daemon has begun to record the run's end. `kept`:
    see `kept_text`.
    """

    pid: int
    holder: int
    cols: int
    rows: int
    ring: int
    start: int
    end: int
    before: bytes
    terminal: bool
    accounted: bool
    memo: str
    kept: bytes


@record
class SessionMemo:
    """The facts that do not change in a session's life."""

    id: str
    created_ms: int
    launch: Launch


def handover_of(content: bytes) -> Handover:
    """Raises `FrameError`."""
    found = object_of(content)
    if found.get("version") != VERSION:
        raise FrameError("it is of another version")
    numbers = {name: _of(int, found, name) for name in ("pid", "holder", "cols", "rows", "ring", "start", "end")}
    made = Handover(
        **numbers,
        before=_bytes(found, "before"),
        terminal=_of(bool, found, "terminal"),
        accounted=_of(bool, found, "accounted"),
        memo=_of(str, found, "memo"),
        kept=_bytes(found, "kept"),
    )
    if not (made.pid > 1 and made.holder > 1 and 0 <= made.start <= made.end <= made.start + made.ring):
        raise FrameError("its numbers do not fit")
    return made


def _of(kind: type[ValueT], found: Mapping[str, object], name: str) -> ValueT:
    value = found.get(name)
    if type(value) is not kind:
        raise FrameError(f"{name} is missing")
    return value


def _bytes(found: Mapping[str, object], name: str) -> bytes:
    try:
        return base64.b64decode(_of(str, found, name), validate=True)
    except ValueError:
        raise FrameError(f"{name} is not base64") from None


# -- the memo


def memo_text(memo: SessionMemo) -> str:
    """Python's own writer: an environment can hold what is no UTF-8."""
    launch, profile = memo.launch, memo.launch.profile
    return json.dumps(
        {
            "id": memo.id,
            "created_ms": memo.created_ms,
            "run_id": launch.run_id,
            "kind": launch.kind,
            "argv": list(launch.argv),
            "env": dict(launch.env),
            "cwd": str(launch.cwd),
            "started_ms": launch.started_ms,
            "secrets": list(launch.secrets),
            "profile": {
                "alias": profile.alias,
                "agent_id": profile.agent_id,
                "provider_id": profile.provider_id,
                "endpoint_id": profile.endpoint_id,
                "model": profile.model,
                "env": dict(profile.env),
                "args": list(profile.args),
                "working_dir": profile.working_dir,
                "sandbox": profile.sandbox,
                "metadata": dict(profile.metadata),
            },
        }
    )


def memo_of(text: str) -> SessionMemo:
    """Raises `FrameError`."""
    found = object_of(text.encode("utf-8", "replace"))
    try:
        given = found.pop("profile")
        launch = Launch(
            run_id=_of(str, found, "run_id"),
            profile=Profile(**given),  # type: ignore[arg-type]  # as `memo_text` wrote it
            kind="shell" if found.get("kind") == "shell" else "terminal_session",
            argv=tuple(_of(list, found, "argv")),
            env=_of(dict, found, "env"),
            cwd=Path(_of(str, found, "cwd")),
            started_ms=_of(int, found, "started_ms"),
            secrets=tuple(_of(list, found, "secrets")),
        )
    except (KeyError, TypeError) as exc:
        raise FrameError(f"its memo cannot be read: {type(exc).__name__}") from None
    return SessionMemo(_of(str, found, "id"), _of(int, found, "created_ms"), launch)


# -- what changes


def kept_text(*, recording: bool) -> bytes:
    """The text that a daemon leaves with the supervisor (the frame `KEEP`) for the next daemon."""
    return json.dumps({"recording": recording}).encode()


def was_recording(kept: bytes) -> bool:
    """Whether a recording was being made."""
    try:
        return bool(object_of(kept).get("recording"))
    except FrameError:
        return False
