"""`tox -e screenshots`: the pictures of a busy daemon's pages that the documents show, into `docs/screenshots`.

Those by which a change of any page is noticed are others: `test_pictures.py`."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import pytest
from pages import pages_of_one_thing, pages_of_the_menu, settled
from seeding import Seeded, seeded

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

PLACE = os.environ.get("JACKFIELD_TEST_SCREENSHOTS", "")
ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
SHOWN = re.compile(r"screenshots/([a-z-]+)-(light|dark|phone)\.png")
MAX_BYTES = 250_000
COLOURS = 128

pytestmark = pytest.mark.skipif(not PLACE, reason="`tox -e screenshots` makes the pictures")


@pytest.fixture(scope="module")
def seed() -> Iterator[Seeded]:
    # The pictures show where the daemon has its files.
    place = Path(gettempdir()) / "demo"
    place.mkdir()
    try:
        with seeded(place) as found:
            yield found
    finally:
        shutil.rmtree(place)


@pytest.fixture(scope="module")
def daemon(seed: Seeded) -> Daemon:
    return seed.daemon


def keep(picture: bytes, file: Path) -> None:
    """With a palette: a page has few colours."""
    from PIL import Image

    image = Image.open(BytesIO(picture)).convert("RGB")
    small = image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(file, optimize=True)
    assert file.stat().st_size < MAX_BYTES, file


def shown() -> set[tuple[str, str]]:
    """The page and the look of each picture in the documents."""
    return {found for file in DOCUMENTS for found in SHOWN.findall(file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("look", ["light", "dark", "phone"])
def test_screenshots(make_context: Callable[..., BrowserContext], seed: Seeded, look: str) -> None:
    viewport, scheme = ("phone", "light") if look == "phone" else ("desktop", look)
    context = make_context(scheme=scheme, viewport=viewport)
    Path(PLACE).mkdir(parents=True, exist_ok=True)
    pages = {"dashboard": "/", **pages_of_the_menu(context), **pages_of_one_thing(seed)}
    for name in sorted(name for name, its in shown() if its == look):
        page = context.new_page()
        page.goto(pages[name])
        settled(page)
        keep(page.screenshot(animations="disabled"), Path(PLACE) / f"{name}-{look}.png")
        page.close()
