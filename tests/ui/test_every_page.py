"""Every page opens, and the browser has nothing to say against any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from browsers import NAME
from pages import pages_of_one_thing, pages_of_the_menu, settled
from seeding import Seeded, seeded

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from conftest import Watched

pytestmark = [
    pytest.mark.firefox,
    pytest.mark.skipif(NAME == "chromium", reason="each page has tests of its own, which watch Chromium as well"),
]


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    with seeded(tmp_path_factory.mktemp("busy")) as found:
        yield found


@pytest.fixture(scope="module")
def daemon(seed: Seeded) -> Daemon:
    return seed.daemon


def test_every_page_opens(make_context: Callable[..., BrowserContext], seed: Seeded, watched: Watched) -> None:
    context = make_context()
    paths = {"dashboard": "/", **pages_of_one_thing(seed), **pages_of_the_menu(context)}
    told: dict[str, list[str]] = {}
    for name, path in paths.items():
        page = context.new_page()
        page.goto(path)
        settled(page)
        told[name] = [*watched.complaints, *page.evaluate("window.__violations")]
        watched.complaints.clear()
        page.close()
    assert {name: complaints for name, complaints in told.items() if complaints} == {}
