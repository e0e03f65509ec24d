"""`tox -e screenshots`: a picture of every page of a busy daemon, light and dark, and of a few as a phone shows them,
into `docs/screenshots`."""

from __future__ import annotations

import os
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
MENU = {"workflows", "executions", "webhooks", "agents", "profiles", "chats", "terminals", "proxies", "usage",
        "registry", "plugins", "logs", "settings"}  # fmt: skip
ON_A_PHONE = ("dashboard", "workflow", "terminal", "proxy", "usage")
MAX_BYTES = 250_000
MAX_TOTAL = 6_000_000
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


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "desktop"), ("dark", "desktop"), ("light", "phone")])
def test_pictures(make_context: Callable[..., BrowserContext], seed: Seeded, scheme: str, viewport: str) -> None:
    context = make_context(scheme=scheme, viewport=viewport)
    Path(PLACE).mkdir(parents=True, exist_ok=True)
    pages = {"dashboard": "/", **pages_of_one_thing(seed)}
    if viewport == "phone":
        pages = {name: path for name, path in pages.items() if name in ON_A_PHONE} | {"usage": "/ui/usage"}
    else:
        pages |= pages_of_the_menu(context)
        assert pages.keys() >= MENU
    for name, path in pages.items():
        page = context.new_page()
        page.goto(path)
        settled(page)
        keep(
            page.screenshot(animations="disabled"),
            Path(PLACE) / f"{name}-{viewport if viewport == 'phone' else scheme}.png",
        )
        page.close()
    assert sum(file.stat().st_size for file in Path(PLACE).glob("*.png")) < MAX_TOTAL
