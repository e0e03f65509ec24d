"""How an agent's screen looks while it is ready, busy, or asks something: patterns of its manifest.

A pattern is for one whole line of the screen, without the spaces at its end. `*` is any text, `?` one character,
`[abc]` one of these. The empty pattern is an empty line. Patterns are no regular expressions: a manifest comes from a
registry, and a regular expression can run forever.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from .key_names import KEYS_TOLD, key_named


def _key(name: str) -> str:
    if key_named(name) is None:
        raise ValueError(f"there is no key {name[:40]!r}; {KEYS_TOLD}")
    return name


LinePattern = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
LinePatterns: TypeAlias = Annotated[tuple[LinePattern, ...], Field(max_length=50)]
KeyName = Annotated[str, AfterValidator(_key)]
Keys: TypeAlias = Annotated[tuple[KeyName, ...], Field(min_length=1, max_length=10)]
DialogKind: TypeAlias = Literal["asking", "trusting"]


class _Looks(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class DialogLooks(_Looks):
    """How a question looks.

    `last`: one of the last three lines that are not empty, such as the line of its keys or its last option. `shown`: a
    line of it that tells it from others; empty: no other is needed. `begins`: its first line, or the rule above it. The
    last on the screen counts. `options`: of a dialog that does not number them. `yes`, `no`: keys that answer it, as
    `POST /input` takes them (`jackfield.api.key_names`).
    """

    last: LinePatterns = Field(min_length=1)
    shown: LinePatterns = ()
    begins: LinePatterns = ()
    options: tuple[str, ...] = ()
    yes: Keys = ("enter",)
    no: Keys = ("escape",)


class ScreenLooks(_Looks):
    """`input`: the line in which is typed; the last on the screen counts.

    The typed text goes on to the rule below it, or to the cursor. `modes`: that line in another mode, which a message
    enters that begins with the same character, such as `!` for a shell's commands. `mode_hints`: lines below the input
    that tell of a mode which no message enters. `placeholders`: lines of the input while nothing is typed, beside its
    bare prompt. `rule`: lines above and below the input; empty: it has none. `ready`: one of these lines is shown
    beside the input when it takes a message; empty: the input is enough. `busy`: one of these lines is shown while it
    works. `busy_title`: or this title. `hints`: lines that neither the agent nor its user has said. `speech`: in front
    of what the agent says. `echo`: the line in which what the user has said is shown, where that is not as in the
    input. `pasted`: what the input shows in place of a long text. `clear`: keys that empty the input and leave a mode.
    The daemon presses one after the other until the input is empty, or until one changes nothing in it. Ctrl-c and
    ctrl-d end many an agent on an empty input: they are left out where it may be empty. `asking`, `trusting`: a
    permission is wanted, or whether the working directory is to be trusted.
    """

    input: LinePatterns = Field(min_length=1)
    modes: LinePatterns = ()
    mode_hints: LinePatterns = ()
    placeholders: LinePatterns = ()
    rule: LinePatterns = ()
    ready: LinePatterns = ()
    busy: LinePatterns = Field(min_length=1)
    busy_title: LinePatterns = ()
    hints: LinePatterns = ()
    speech: tuple[str, ...] = ()
    echo: LinePatterns = ()
    pasted: LinePatterns = ()
    clear: Keys = ("ctrl-u",)
    asking: DialogLooks | None = None
    trusting: DialogLooks | None = None
