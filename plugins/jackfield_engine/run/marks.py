"""What the marks between the chunks of an execution's node runs tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import orjson

from jackfield.api.jsontext import Json

_RESUMED = b'[{"mark":"resumed"'
"""How the chunk begins that a process stores before a node begins of an execution that an earlier one left open."""


def awaited_call(chunks: Sequence[bytes]) -> dict[str, Json] | None:
    """The call that an execution waits for, if it waits for one."""
    last = orjson.loads(chunks[-1]) if chunks else []
    return last[-1]["call"] if last and last[-1].get("mark") == "call" else None


def resumes(chunks: Sequence[bytes], began: Callable[[str], bool]) -> int:
    """How often in a row an execution was resumed without getting as far as a further stored node run, counting the
    lives of the daemon in which a node of it began. Marks of earlier versions name no life, and count."""
    unnamed = 0
    lives: set[str] = set()
    for marks in reversed(chunks):
        if not marks.startswith(_RESUMED):
            break
        life = orjson.loads(marks)[0].get("life")
        if life is None:
            unnamed += 1
        elif began(life):
            lives.add(life)
    return unnamed + len(lives)
