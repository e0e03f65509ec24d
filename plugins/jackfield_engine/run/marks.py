"""The meaning of the marks between the chunks of an execution's node runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import orjson

from jackfield.api.history import NodeRecord, loaded, node_records, stored_json
from jackfield.api.json_slices import written
from jackfield.api.jsontext import Json

_RESUMED = b'[{"mark":"resumed"'
"""How the chunk begins that a process stores before a node begins of an execution that an earlier one left open."""

CRASHED = b'[{"mark":"crashed"}]'
"""The chunk of a process that hands over what it took from one that died, without having begun anything of it. For the
next one it is a crash still."""

_UNTAKEN = b'{"mark":"untaken"'


def untaken_mark(records: Sequence[NodeRecord]) -> bytes:
    """The chunk before a rest of an execution that takes over results of some nodes: those that it has not taken yet.
    Large ones take their time, and belong on a thread."""
    return _UNTAKEN + b',"records":' + written(list(records), stored_json) + b"}"


def untaken_runs(chunks: Sequence[bytes]) -> list[NodeRecord] | None:
    """The records of the last `untaken_mark` but those that were taken since; None without a mark. Raises
    ValueError."""
    for place in reversed(range(len(chunks))):
        if _UNTAKEN not in chunks[place]:
            continue
        if marks := [one for one in loaded(chunks[place]) if one.get("mark") == "untaken"]:
            taken = Counter(one["node"] for one in node_records(chunks[place + 1 :]) if one.get("reused"))
            return [one for one in marks[-1]["records"] if not _is_one_of(taken, one["node"])]
    return None


def _is_one_of(taken: Counter[str], node: str) -> bool:
    """The first ones of a node are taken first."""
    taken[node] -= 1
    return taken[node] >= 0


def awaited_call(chunks: Sequence[bytes]) -> dict[str, Json] | None:
    """The call that an execution waits for, if it waits for one."""
    last = orjson.loads(chunks[-1]) if chunks else []
    return last[-1]["call"] if last and last[-1].get("mark") == "call" else None


def has_crashed(chunks: Sequence[bytes]) -> bool:
    """Whether a process died with it, and nobody has begun it since."""
    return bool(chunks) and chunks[-1] == CRASHED


def resumes(chunks: Sequence[bytes], daemon: str, began: Callable[[str], bool]) -> int:
    """How often in a row an execution was resumed without getting as far as a further stored node run. The lives of
    this daemon count in which a node of it began. So does every mark of another one, whose notes are not here. Marks of
    earlier versions name no life, and count."""
    unnamed = 0
    lives: set[str] = set()
    for marks in reversed(chunks):
        if marks == CRASHED:
            continue
        if not marks.startswith(_RESUMED):
            break
        mark = orjson.loads(marks)[0]
        life = mark.get("life")
        if life is None:
            unnamed += 1
        elif mark.get("daemon", daemon) != daemon or began(life):
            lives.add(life)
    return unnamed + len(lives)
