"""The state that an agent's screen shows, by the patterns of its manifest: whether it is ready, busy, or asks
something.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from jackfield.api.agent_screens import DialogKind, DialogLooks, ScreenLooks
from jackfield.api.records import record
from jackfield_terminal.driving.texts import dedented, unframed
from jackfield_terminal.screen.snapshot import Snapshot

Shows: TypeAlias = Literal["ready", "busy", "asking", "trusting", "unknown"]
LAST = 3
"""Lines at the end of the screen, of those that are not empty, in which a dialog's keys stand."""
UNNAMED = "\0"
"""A mode that no message enters."""
_OPTION = re.compile(r"([^\w\s]?)\s*(\d{1,2})[.)]\s+(\S.*)")


@record
class ShownOption:
    """number: as it is shown, or its place from 1. selected: a return chooses it."""

    number: int
    text: str
    selected: bool


@record
class ShownDialog:
    """text: without options, frames, and the line of its keys."""

    kind: DialogKind
    text: str
    options: Sequence[ShownOption]


@record
class Look:
    """`typed`: the content of the input, None where no input is shown. `said`: the lines above the input or the dialog.
    `mode`: the character that has led to another mode of the input, or `UNNAMED`; empty: none. `untyped`: the input
    shows nothing but its prompt, and the text that the agent puts in an empty one.
    """

    shows: Shows
    typed: str | None
    said: Sequence[str]
    dialog: ShownDialog | None = None
    blank: bool = False
    mode: str = ""
    untyped: bool = False


class LineMatcher:
    """Whether a line matches one of some patterns."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._wanted = tuple(re.compile(fnmatch.translate(pattern)) for pattern in patterns)

    def __bool__(self) -> bool:
        return bool(self._wanted)

    def __call__(self, line: str) -> bool:
        return any(wanted.match(line) for wanted in self._wanted)

    def last(self, lines: Sequence[str]) -> int | None:
        """The place of the last line that matches."""
        return next((place for place in range(len(lines) - 1, -1, -1) if self(lines[place])), None)


class _DialogJudge:
    """Finds one kind of dialog."""

    def __init__(self, kind: DialogKind, looks: DialogLooks) -> None:
        self.kind = kind
        self._options = looks.options
        self._last, self._shown, self._begins = map(LineMatcher, (looks.last, looks.shown, looks.begins))

    def look(self, lines: Sequence[str]) -> Look | None:
        filled = [place for place, line in enumerate(lines) if unframed(line).strip()]
        ends = next((place for place in filled[-LAST:] if self._last(lines[place])), None)
        if ends is None:
            return None
        first = self._begins.last(lines[:ends]) or 0
        if self._shown and self._shown.last(lines[first : ends + 1]) is None:  # above it somebody may have said that
            return None
        return Look(self.kind, None, lines[:first], self._dialog(lines[first:ends], lines[ends]))

    def _dialog(self, lines: Sequence[str], last: str) -> ShownDialog:
        inside = [unframed(line) for line in lines]
        if self._options:
            shown = [(place, text) for place, text in enumerate(self._options, 1) if text in last]
            return ShownDialog(self.kind, dedented(inside), [ShownOption(n, text, n == 1) for n, text in shown])
        found = [_OPTION.fullmatch(line.strip()) for line in (*inside, unframed(last))]
        options = [ShownOption(int(each[2]), each[3].rstrip(" ✔"), bool(each[1])) for each in found if each]
        first = next((place for place, each in enumerate(found) if each), len(inside))
        return ShownDialog(self.kind, dedented(inside[:first]), options)


class ScreenJudge:
    """Looks at screens of one agent."""

    def __init__(self, looks: ScreenLooks) -> None:
        self.looks = looks
        kinds: tuple[tuple[DialogKind, DialogLooks | None], ...] = (
            ("trusting", looks.trusting), ("asking", looks.asking)
        )  # fmt: skip
        self._dialogs = [_DialogJudge(kind, found) for kind, found in kinds if found is not None]
        self._input, self._modes = LineMatcher((*looks.input, *looks.modes)), LineMatcher(looks.modes)
        self._mode_hints = LineMatcher(looks.mode_hints)
        self._placeholders = LineMatcher(looks.placeholders)
        self._prompts = {pattern.replace("*", "").strip() for pattern in (*looks.input, *looks.modes)}
        self._rule, self._hints = map(LineMatcher, (looks.rule, looks.hints))
        self._ready, self._busy, self._busy_title = map(LineMatcher, (looks.ready, looks.busy, looks.busy_title))
        self.pasted = LineMatcher(looks.pasted)
        self.echo = LineMatcher(looks.echo or (*looks.input, *looks.modes))

    def look(self, screen: Snapshot) -> Look:
        lines = screen.lines
        if not screen.text.strip():
            return Look("unknown", None, (), blank=True)
        for dialog in self._dialogs:
            found = dialog.look(lines)
            if found is not None:
                return found
        place = self._input_place(lines)
        said = lines if place is None else lines[:place]
        if place is None:
            return Look(self._shows(screen, is_ready=False), None, said)
        is_ready = not self._ready or self._ready.last(lines) is not None
        shows, typed = self._shows(screen, is_ready=is_ready), self._typed(screen, place)
        return Look(shows, typed, said, mode=self._mode(lines[place:]), untyped=self._is_untyped(screen, place))

    def _shows(self, screen: Snapshot, *, is_ready: bool) -> Shows:
        if any(map(self._busy, screen.lines)) or self._busy_title(screen.title):
            return "busy"
        return "ready" if is_ready else "unknown"

    def _mode(self, lines: Sequence[str]) -> str:
        """lines: from the input on."""
        if self._modes(lines[0]):
            return lines[0].lstrip()[:1]
        return UNNAMED if any(map(self._mode_hints, lines[1:])) else ""

    def _input_place(self, lines: Sequence[str]) -> int | None:
        """Where there is a rule, only a line below it is the input: what a user has said looks the same."""
        for place in range(len(lines) - 1, -1, -1):
            if self._input(lines[place]) and (not self._rule or (place > 0 and self._rule(lines[place - 1]))):
                return place
        return None

    def _typed(self, screen: Snapshot, place: int) -> str:
        """To the rule below it or to the cursor, which most programs leave where is typed."""
        ends = self._end(screen.lines, place)
        if place <= screen.row and (not self._rule or screen.row < ends):
            ends = screen.row + 1
        return "\n".join(map(unframed, self._unhinted(screen.lines[place:ends]))).rstrip()

    def _is_untyped(self, screen: Snapshot, place: int) -> bool:
        """Also below the cursor, which somebody may have moved up."""
        ends = self._end(screen.lines, place)
        if not self._rule and place <= screen.row:
            ends = screen.row + 1
        lines = self._unhinted(screen.lines[place:ends])
        return all(self._placeholders(line) or self._is_bare(line) for line in lines)

    def _is_bare(self, line: str) -> bool:
        return line.strip() in self._prompts or not unframed(line).strip()

    def _end(self, lines: Sequence[str], place: int) -> int:
        """Behind the input's last line: where its rule is; without one it has one line."""
        if not self._rule:
            return place + 1
        return next((at for at in range(place + 1, len(lines)) if self._rule(lines[at])), len(lines))

    def _unhinted(self, lines: Sequence[str]) -> Sequence[str]:
        return [line.replace("\xa0", " ") for line in lines if not self._hints(line)]

    def speech(self, lines: Sequence[str]) -> str:
        """Without rules, hints, and the marks of who speaks, and without what tells that the agent works, with the
        advice below it."""
        ends = next((place for place, line in enumerate(lines) if self._busy(line)), len(lines))
        kept = [line for line in lines[:ends] if not line or not (self._hints(line) or self._rule(line))]
        return dedented([self._unmarked(line.replace("\xa0", " ")) for line in kept])

    def _unmarked(self, line: str) -> str:
        for mark in self.looks.speech:
            if line.startswith(mark):
                return line[len(mark) :]
            if line.startswith(" " * len(mark)):
                return line[len(mark) :]
        return line
