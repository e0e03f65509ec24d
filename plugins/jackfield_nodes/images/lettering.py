"""Text on a picture. All of it blocks.

Places are those of GraphicsMagick's `-draw text` with a gravity. The first line's base line lies at y from the top, the
last one's at y from the bottom. The middle of a block lies at y from the picture's middle.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image, ImageFont

from jackfield.api.nodes import NodeError
from jackfield_nodes.images.colors import color
from jackfield_nodes.images.edits import painted
from jackfield_nodes.images.parameters import ImageStep
from jackfield_nodes.images.picture import PixelLimit

_ENDINGS = (".otf", ".ttf", ".ttc", ".woff", ".woff2")
_ARIAL = "arial."
_DIRECTORIES = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts", "/Library/Fonts")
_MOST_FONTS = 20_000
_NAMED = 20
"""Fonts that an error names."""


def lettered(frame: Image.Image, step: ImageStep, limit: PixelLimit, font: str, *, placed: bool) -> Image.Image:
    """font: a file of this machine, or its name; placed: whether the alignments of the step count, which they do since
    version 1.1. Raises `NodeError`.
    """
    across, down = (step.horizontal_alignment, step.vertical_alignment) if placed else ("west", "north")
    letters = _font(font, step.font_size)
    lines = wrapped(step.text, step.line_length)
    left = {"west": step.x, "center": frame.width / 2 + step.x, "east": frame.width - step.x}[across]
    anchor = {"west": "ls", "center": "ms", "east": "rs"}[across]
    fill = color(step.font_color, "fontColor")
    rows = list(_seen(lines, _base_lines(lines, letters, frame.height, step.y, down), letters, frame.height))
    for line, _ in rows:
        box = letters.getbbox(line)
        limit.check(max(1, box[2] - box[0]), max(1, box[3] - box[1]))

    def write(draw: object) -> None:
        for line, base in rows:
            draw.text((left, base), line, fill=fill, font=letters, anchor=anchor)  # type: ignore[attr-defined]

    return painted(frame, fill, write)


def _base_lines(
    lines: Sequence[str], letters: ImageFont.FreeTypeFont, height: int, y: float, down: str
) -> Iterator[float]:
    ascent, descent = letters.getmetrics()
    step = ascent + descent
    first = {
        "north": y,
        "middle": height / 2 + y - len(lines) * step / 2 + ascent,
        "south": height - y - (len(lines) - 1) * step,
    }[down]
    return (first + index * step for index in range(len(lines)))


def _seen(
    lines: Sequence[str], bases: Iterator[float], letters: ImageFont.FreeTypeFont, height: int
) -> Iterator[tuple[str, float]]:
    """Lines that are not wholly above or below the picture."""
    ascent, descent = letters.getmetrics()
    for line, base in zip(lines, bases, strict=True):
        if line and base + 2 * descent >= 0 and base - 2 * ascent <= height:
            yield line, base


def wrapped(text: str, most: int) -> list[str]:
    """The lines of a text, none longer than that many characters unless a word is."""
    made: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            if len(line) + len(word) + 1 > most:
                made.append(line.strip())
                line = ""
            line += f"{word} "
        made.append(line.strip())
    return made


def _font(wanted: str, size: float) -> ImageFont.FreeTypeFont:
    """Raises `NodeError`."""
    path = found_font(wanted)
    try:
        if path is None:
            return ImageFont.load_default(size)  # type: ignore[return-value]  # with a size it is one of FreeType
        return ImageFont.truetype(path, size)
    except (OSError, ValueError) as exc:
        raise NodeError(f"The font {wanted or 'of Pillow'} cannot be used: {exc}.") from None


def found_font(wanted: str) -> str | None:
    """The file of this font, or of Arial when none is wanted; None: Pillow's own font. A font of another machine is
    found by the name of its file. Raises `NodeError`."""
    fonts = {Path(path).name.lower(): path for path in sorted(_fonts())}
    if not wanted:
        return next((path for name, path in fonts.items() if name.startswith(_ARIAL)), None)
    name = wanted.replace("\\", "/").rpartition("/")[2].lower()
    exact = [path for known, path in fonts.items() if name in (known, known.rpartition(".")[0])]
    if not exact:
        some = ", ".join(Path(path).name for path in list(fonts.values())[:_NAMED]) or "none"
        raise NodeError(f"The font {wanted} is not installed on this machine, which has: {some}.")
    return exact[0]


def _fonts() -> Iterator[str]:
    """Files of fonts in the directories of the system and the user."""
    left = _MOST_FONTS
    for directory in _DIRECTORIES:
        for place, _, names in os.walk(Path(directory).expanduser()):
            for name in names:
                left -= 1
                if left < 0:
                    return
                if name.lower().endswith(_ENDINGS):
                    yield str(Path(place, name))
