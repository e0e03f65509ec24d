"""`tox -e screenshots`: a picture of every page of a busy daemon, light and dark, and of a few as a phone shows them,
into `docs/screenshots`."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from seeding import Seeded, seeded

from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

PLACE = os.environ.get("JACKFIELD_TEST_SCREENSHOTS", "")
MENU = {"workflows", "executions", "webhooks", "agents", "profiles", "chats", "terminals", "proxies", "usage",
        "registry", "plugins", "logs", "settings"}  # fmt: skip
ON_A_PHONE = ("dashboard", "workflow", "terminal", "proxy", "usage")
MAX_BYTES = 250_000
MAX_TOTAL = 6_000_000
COLOURS = 128
READ = """document.querySelector('h1, .xterm-screen, .react-flow__pane') !== null
  && ![...document.querySelectorAll('.mantine-Skeleton-root, .mantine-Loader-root')].some((it) => it.checkVisibility())
"""
STILL = "document.getAnimations().every((one) => one.playState !== 'running')"

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


@pytest.fixture(scope="module")
def inner_pages(seed: Seeded) -> Mapping[str, str]:
    """Pages of one thing each: name -> path."""
    admin = seed.daemon.admin()

    def first(path: str, **query: str) -> str:
        return quote(str(admin.get(path, params=query).json()["data"][0]["id"]))

    return {
        "workflow": f"/ui/workflows/{first('/workflows', search='Orders')}",
        "execution": f"/ui/executions/{first('/executions', status='failed')}",
        "webhook": f"/ui/webhooks/{first('/webhooks')}",
        "agent": "/ui/agents/coder",
        "profile": "/ui/profiles/work",
        "profile-new": "/ui/profiles?new",
        "terminal": f"/ui/terminals/{seed.data(seed.api.get('/api/terminal/sessions'))[0]['id']}",
        "proxy": "/ui/proxies/work",
        "proxy-requests": "/ui/proxies/work?tab=requests",
    }


def pages_of_the_menu(context: BrowserContext) -> dict[str, str]:
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Account").wait_for()
    found = page.locator("nav a[href^='/ui/']").evaluate_all("links => links.map((link) => link.getAttribute('href'))")
    page.close()
    return {re.sub(r"[^a-z0-9]+", "-", path.removeprefix("/ui/").lower()).strip("-"): path for path in found}


def settled(page: Page) -> None:
    """Everything has been read and drawn."""
    page.get_by_role("button", name="Account").wait_for()
    page.wait_for_load_state("load")
    poll(lambda: drawn(page), f"{page.url} is drawn", timeout=60)


def drawn(page: Page) -> bool:
    """Twice in a row: what was read first may lead to more that is read."""
    for _ in range(2):
        if not (page.evaluate(READ) and page.evaluate(STILL)):
            return False
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))")
    return bool(page.evaluate(READ))


def keep(picture: bytes, file: Path) -> None:
    """With a palette: a page has few colours."""
    from PIL import Image

    image = Image.open(BytesIO(picture)).convert("RGB")
    small = image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(file, optimize=True)
    assert file.stat().st_size < MAX_BYTES, file


@pytest.mark.parametrize(("scheme", "viewport"), [("light", "desktop"), ("dark", "desktop"), ("light", "phone")])
def test_pictures(
    make_context: Callable[..., BrowserContext], inner_pages: Mapping[str, str], scheme: str, viewport: str
) -> None:
    context = make_context(scheme=scheme, viewport=viewport)
    Path(PLACE).mkdir(parents=True, exist_ok=True)
    pages = {"dashboard": "/", **inner_pages}
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
