"""The part of a screen that is the agent's answer."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.records import record
from jackfield_terminal.driving.looks import Look, ScreenJudge
from jackfield_terminal.driving.texts import letters, unframed

_DECORATION = "│┃|❯›>»$#%!*•▌▎─━╭╮╰╯┌┐└┘⏵"
"""The characters that stand around a line of input: prompts and frames."""


@record
class Turn:
    """The user's last message, and the screen before it; by the manifest only the part above the input.

    `typed`: how many bytes people had typed by then.
    """

    before: tuple[str, ...] = ()
    said: str = ""
    typed: int = 0


def answer_in(judge: ScreenJudge, look: Look, turn: Turn, others: Sequence[str] = ()) -> str:
    """The agent's words since the user spoke, as far as the screen goes back.

    Nothing before the first message: that is the program's greeting. others: what people have typed since, with which
    the answer ends.
    """
    lines, earlier = list(look.said), False
    for place in range(len(lines) - 1, -1, -1):
        if not judge.echo(lines[place]):
            continue
        taken = _echoed(lines[place:], turn.said) or int(judge.pasted(unframed(lines[place]).strip()))
        if taken:
            return judge.speech(_between_frames(_until_others(judge, lines[place + taken :], others)))
        # Of a long message each line may look like an echo.
        earlier = earlier or letters(lines[place]) not in letters(turn.said)
    # Without an echo of anything the screen has scrolled past its beginning; else it is not shown yet.
    if earlier or not turn.said or tuple(lines) == turn.before:
        return ""
    return judge.speech(_between_frames(lines[_rest_of(lines, turn.said) :]))


def _until_others(judge: ScreenJudge, lines: list[str], others: Sequence[str]) -> list[str]:
    """Up to the echo of what somebody else has said."""
    said = [found for text in others if (found := letters(text))]
    for place, line in enumerate(lines if said else ()):
        shown = letters(line)
        if shown and judge.echo(line) and any(text.startswith(shown) for text in said):
            return lines[:place]
    return lines


def _between_frames(lines: list[str]) -> list[str]:
    """Without the end of the box around what the user said, and the beginning of the next."""
    filled = [place for place, line in enumerate(lines) if unframed(line).strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _rest_of(lines: list[str], said: str) -> int:
    """How many lines at the beginning show the end of what the user said."""
    whole, shown, count = letters(said), "", 0
    for place, line in enumerate(lines, 1):
        shown += letters(line)
        if len(shown) > len(whole):
            break
        if shown and whole.endswith(shown):
            count = place
    return count


def said_since(turn: Turn, shown: tuple[str, ...]) -> str:
    """The part of the screen that is new since the user spoke, without the user's own words at its beginning. For
    agents whose manifest does not say what their screen looks like."""
    old = set(turn.before)
    first = next((place for place, line in enumerate(shown) if line.strip() and line not in old), len(shown))
    lines = list(shown[first:])
    del lines[: _echoed(lines, turn.said)]
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines).rstrip()


def _echoed(lines: list[str], said: str) -> int:
    """How many lines at the beginning show what the user said: wrapped anywhere, in a frame, after a prompt."""
    opening = _compact(next((line for line in said.splitlines() if line.strip()), "")).strip(_DECORATION)
    rest, taken = _compact(said), 0
    for place, line in enumerate(lines):
        text, rest = _compact(line).strip(_DECORATION), rest.lstrip(_DECORATION)
        if not rest:
            break
        if rest.startswith(text):
            rest = rest[len(text) :]
        elif taken == 0 and opening and text.endswith(opening):
            rest = rest[len(opening) :]
        else:
            break
        if text:
            taken = place + 1
    return taken


def _compact(text: str) -> str:
    return "".join(text.split())
