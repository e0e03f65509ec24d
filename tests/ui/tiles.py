"""Pictures are compared tile by tile: one button is much of its tile, and little of its page."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops, ImageStat

SHRINK = 2
"""Pictures are kept at half their size."""
TILE = 16
"""Pixels of a kept picture."""
TOLERANCE = 1.0
"""Mean difference of a tile's pixels, of 255."""
MARK = (214, 40, 40)


def small(picture: bytes) -> Image.Image:
    return Image.open(BytesIO(picture)).convert("RGB").reduce(SHRINK)


def different(actual: Image.Image, expected: Image.Image) -> list[tuple[int, int]]:
    """The left upper corners of the tiles that differ; with another size, those that only one picture has as well."""
    width, height = max(actual.width, expected.width), max(actual.height, expected.height)
    difference = ImageChops.difference(on(actual, width, height, (0, 0, 0)), on(expected, width, height, (255, 0, 255)))
    if difference.getbbox() is None:
        return []
    corners = [(x, y) for y in range(0, height, TILE) for x in range(0, width, TILE)]
    return [corner for corner in corners if strength(difference, *corner) > TOLERANCE]


def strength(difference: Image.Image, x: int, y: int) -> float:
    box = (x, y, min(x + TILE, difference.width), min(y + TILE, difference.height))
    return max(ImageStat.Stat(difference.crop(box)).mean)


def on(image: Image.Image, width: int, height: int, ground: tuple[int, int, int]) -> Image.Image:
    canvas = Image.new("RGB", (width, height), ground)
    canvas.paste(image)
    return canvas


def tell(place: Path, actual: Image.Image, expected: Image.Image, corners: list[tuple[int, int]]) -> None:
    """`place`-actual, -expected and -difference: the picture in grey, and in red what is different."""
    place.parent.mkdir(parents=True, exist_ok=True)
    marked = actual.convert("L").convert("RGB")
    for x, y in corners:
        box = (x, y, x + TILE, y + TILE)
        marked.paste(Image.blend(marked.crop(box), Image.new("RGB", (TILE, TILE), MARK), 0.5), box)
    for name, image in (("actual", actual), ("expected", expected), ("difference", marked)):
        image.save(place.with_name(f"{place.name}-{name}.png"))
