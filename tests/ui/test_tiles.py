"""The comparison of pictures: what it must notice on a page, and what it must not."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="`tox -e ui` has Pillow")

from PIL import Image, ImageDraw
from tiles import TILE, different, small, tell

SIZE = (640, 400)
BUTTON = (300, 200, 380, 232)


def page(button: tuple[int, int, int, int] | None = BUTTON, colour: str = "#117c87", ground: str = "#fbfbfc") -> bytes:
    image = Image.new("RGB", SIZE, ground)
    if button:
        ImageDraw.Draw(image).rounded_rectangle(button, radius=6, fill=colour)
    kept = BytesIO()
    image.save(kept, "PNG")
    return kept.getvalue()


@pytest.mark.parametrize(
    "changed",
    [
        page(None),
        page((302, 200, 382, 232)),
        page(colour="#137f8a"),
        page(ground="#f9f9fb"),
    ],
    ids=["missing", "moved by two pixels", "a slightly other colour", "a slightly other ground"],
)
def test_a_change_is_noticed(changed: bytes) -> None:
    assert different(small(changed), small(page()))


def test_only_the_tiles_that_changed_are_named() -> None:
    corners = different(small(page(None)), small(page()))
    assert corners
    for x, y in corners:
        assert BUTTON[0] // 2 - TILE < x <= BUTTON[2] // 2
        assert BUTTON[1] // 2 - TILE < y <= BUTTON[3] // 2


def test_a_rounding_of_colours_is_no_change() -> None:
    assert different(small(page(colour="#117d87")), small(page())) == []


def test_another_size_is_a_change() -> None:
    expected = small(page())
    assert different(expected.crop((0, 0, expected.width, expected.height - 1)), expected)


def test_three_pictures_tell_of_a_change(tmp_path: Path) -> None:
    actual, expected = small(page(None)), small(page())
    tell(tmp_path / "pages" / "one", actual, expected, different(actual, expected))
    found = {file.name: Image.open(file).convert("RGB") for file in (tmp_path / "pages").iterdir()}
    assert found.keys() == {"one-actual.png", "one-expected.png", "one-difference.png"}
    assert found["one-expected.png"].tobytes() == expected.tobytes()
    red, green, _ = found["one-difference.png"].getpixel((170, 108))
    assert red > green
