"""`tox -e pictures`: every page and the forms of the most used nodes look as their kept pictures do.

`--update` keeps what is there now; `--record` asks a busy daemon for new answers, and keeps no picture. What differs
comes as three pictures into the work directory. docs/ui.md says what is left out, and why.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import pytest
from browsers import ARGUMENTS, CHROMIUM
from pages import pages_of_one_thing, pages_of_the_menu
from recorded_answers import Recorded, later
from seeding import Seeded, seeded

from jackfield.testing.daemon import Daemon

if TYPE_CHECKING:
    from PIL.Image import Image
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

KEPT = Path(__file__).with_name("pictures")
TOLD = os.environ.get("JACKFIELD_TEST_PICTURES", "")
CORPUS = Path(os.environ.get("JACKFIELD_TEST_CORPUS", "")) / "workflows"
DRAWN_ALIKE = ["--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb", "--hide-scrollbars"]
"""Fonts and colours not as the machine's settings have them."""
SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
TALL = 2400
"""Pixels: every form is shown whole."""
PATIENCE = 8.0
"""Seconds for what is drawn late on a busy machine; what looks right at once takes none of them."""
PATIENCE_IN_ALL = 24.0
"""Seconds of a test. Where everything looks otherwise, that is soon told."""
MAX_TOTAL = 5_000_000
WORKFLOW = "ffffffff-0000-4000-8000-000000000000"
UNLIKE = {"help": "it shows these documents, whose words change with each of them"}
"""Pages of the navigation without a picture, and why."""
OPENED = {"node": "Known customer?"}
"""Pages on which a node is opened."""
# Text in the machine's monospaced font is drawn in the font that the interface brings. What xterm has drawn, and sizes
# that follow from its letters, are hidden, and so is the address with the daemon's port on a webhook's form.
SAME_EVERYWHERE = """
:root, :host { --mantine-font-family-monospace: "Inter Variable" !important }
.xterm-screen, .jf-nowrap.mantine-visible-from-sm { visibility: hidden !important }
[aria-label="Which address"] ~ .jf-mono { visibility: hidden !important }
* { caret-color: transparent !important }
"""
# A panel as high as its form ends between two pixels, where the page behind it would shine through; the nodes of a
# canvas say of themselves that they are visible.
WHOLE = """#root { opacity: 0 !important }
[role=dialog][data-node-panel] { height: auto !important; max-height: none !important }
[data-pane], [data-node-panel] > div { overflow: visible !important; max-height: none !important }
[data-pane], [data-node-panel] > div { height: auto !important }
"""
COUNT = """
window.__asking = 0;
const asked = window.fetch;
window.fetch = (...all) => {
  window.__asking += 1;
  return asked(...all).finally(() => { window.__asking -= 1 });
};
"""
STYLE = """([name, text]) => {
  document.getElementById(name)?.remove();
  const style = document.createElement('style');
  style.id = name;
  style.textContent = text;
  document.head.append(style);
}"""
ALWAYS = ["same-everywhere", SAME_EVERYWHERE]
BOX = """(it) => {
  if (it === document.documentElement) return [0, 0, innerWidth, innerHeight];
  const {x, y, width, height} = it.getBoundingClientRect();
  return [Math.floor(x), Math.floor(y), Math.ceil(width), Math.min(Math.ceil(height), innerHeight - Math.floor(y))];
}"""
GO = """(path) => {
  history.pushState({}, '', path);
  dispatchEvent(new PopStateEvent('popstate', {state: {}}));
}"""
QUIET = """() => new Promise((done) => {
  const busy = () => window.__asking > 0 || !document.querySelector('h1, .xterm-screen, .react-flow__pane')
    || [...document.querySelectorAll('.mantine-Skeleton-root, .mantine-Loader-root')]
      .some((it) => it.checkVisibility());
  const until = performance.now() + 8000;
  let since = performance.now();
  const seen = new MutationObserver(() => { since = performance.now() });
  seen.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
  const look = () => {
    const at = performance.now();
    if (busy()) since = at;
    if (at - since < 100 && at < until) { setTimeout(look, 20); return; }
    seen.disconnect();
    document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  };
  look();
})"""

pytestmark = pytest.mark.skipif(not TOLD, reason="`tox -e pictures` compares the pictures")


class Purpose(Enum):
    COMPARE = "compare"
    UPDATE = "update"
    RECORD = "record"


@dataclass
class Album:
    """The pictures that are kept, and what is found against them."""

    purpose: Purpose
    taken: set[Path]
    found: list[str] = field(default_factory=list)
    patience: float = PATIENCE_IN_ALL

    def take(self, name: str, shoot: Callable[[], bytes]) -> None:
        """Compare with the kept picture, again and again as long as it differs, or keep a new one."""
        from tiles import different, small, tell

        file = KEPT / f"{name}.webp"
        self.taken.add(file)
        if self.purpose is Purpose.RECORD:
            return
        if self.purpose is Purpose.UPDATE:
            renewed(file, still(shoot))
            return
        if not file.is_file():
            self.found.append(f"{name}: there is no picture of it yet; renew with `tox -e pictures -- --update`")
            return
        from PIL import Image

        expected = Image.open(file).convert("RGB")
        started = time.monotonic()
        while corners := different(actual := small(shoot()), expected):
            waited = time.monotonic() - started
            if waited >= min(PATIENCE, self.patience):
                self.patience = max(0.0, self.patience - waited)
                tell(Path(TOLD) / name, actual, expected, corners)
                self.found.append(f"{name}: {len(corners)} tiles differ, see {Path(TOLD) / name}-difference.png")
                return


def renewed(file: Path, picture: Image) -> None:
    """What looks the same stays the same file."""
    from PIL import Image
    from tiles import different

    if file.is_file() and not different(picture, Image.open(file).convert("RGB")):
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.save(file, lossless=True, method=6)


def judged(album: Album, recorded: Recorded) -> None:
    """Fails with everything that was found."""
    if recorded.unknown:
        asked = ", ".join(sorted(recorded.unknown))
        album.found.append(f"no answer is kept to {asked}; ask for them with `tox -e pictures -- --record`")
    if album.found:
        pytest.fail("\n".join(album.found), pytrace=False)


def still(shoot: Callable[[], bytes]) -> Image:
    """Twice in a row the same."""
    from tiles import different, small

    deadline = time.monotonic() + PATIENCE
    before = small(shoot())
    while different(before, after := small(shoot())):
        assert time.monotonic() < deadline, "the picture does not come to rest"
        before = after
    return after


@pytest.fixture(scope="module")
def purpose(pytestconfig: pytest.Config) -> Purpose:
    asked = [one for one in (Purpose.RECORD, Purpose.UPDATE) if pytestconfig.getoption(f"--{one.value}")]
    return next(iter(asked), Purpose.COMPARE)


@pytest.fixture(scope="module")
def seed(purpose: Purpose) -> Iterator[Seeded | None]:
    """Something on every page, where answers are recorded."""
    if purpose is not Purpose.RECORD:
        yield None
        return
    place = Path(gettempdir()) / "demo"  # pages show where the daemon has its files
    place.mkdir()
    try:
        with seeded(place) as found:
            furnished(found)
            yield found
    finally:
        shutil.rmtree(place)


@pytest.fixture(scope="module")
def daemon(seed: Seeded | None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    if seed is not None:
        yield seed.daemon
        return
    directory = tmp_path_factory.mktemp("daemon")
    found = Daemon(directory, env={"HOME": str(directory)}).start()
    yield found
    found.close()


@pytest.fixture(scope="module")
def recorded(seed: Seeded | None) -> Iterator[Recorded]:
    if seed is None:
        yield Recorded.kept()
        return
    found = Recorded(later(), inner_pages(seed))
    yield found
    found.keep()


def furnished(seed: Seeded) -> None:
    """What settings hold."""
    admin = seed.daemon.admin()
    for path, body in {
        "/variables": {"key": "region", "value": "eu-west"},
        "/credentials": {"name": "Shop", "kind": "httpBasicAuth", "values": {"user": "ada", "password": "b"}},
        "/api-keys": {"name": "Deployment"},
        "/users": {"username": "grace", "password": "correct-horse-battery", "role": "member"},
    }.items():
        assert admin.post(path, json=body).is_success, path


def inner_pages(seed: Seeded) -> Mapping[str, str]:
    """Pages of one thing each, and dialogs that have an address: name -> path."""
    found = pages_of_one_thing(seed)
    failed = seed.daemon.admin().get("/executions", params={"status": "failed"}).json()["data"]
    return {
        **found,
        "node": found["workflow"],
        "workflow-new": "/ui/workflows?new",
        "workflow-import": "/ui/workflows/import",
        "executions-compared": f"/ui/executions/compare/{failed[0]['id']}/{failed[1]['id']}",
        **{f"settings-{name}": f"/ui/settings/{name}"
           for name in ("users", "api-keys", "virtual-keys", "credentials", "variables")},
        "not-found": "/ui/nothing",
    }  # fmt: skip


@pytest.fixture(scope="module")
def context(chromium: Browser, daemon: Daemon, recorded: Recorded, seed: Seeded | None) -> Iterator[BrowserContext]:
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *DRAWN_ALIKE])
    context = browser.new_context(
        base_url=daemon.base_url,
        reduced_motion="reduce",
        device_scale_factor=1,
        locale="en-GB",
        timezone_id="UTC",
        bypass_csp=True,  # styles of ours
    )
    context.set_default_timeout(30_000)
    context.add_init_script(COUNT)
    context.add_init_script(f"addEventListener('DOMContentLoaded', () => ({STYLE})({json.dumps(ALWAYS)}))")
    recorded.play(context) if seed is None else recorded.record(context)
    yield context
    browser.close()


@pytest.fixture(scope="module")
def page(context: BrowserContext) -> Page:
    """One page for all pictures: a visit is a navigation of the interface's own router."""
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Account").wait_for()
    return page


@pytest.fixture(scope="module")
def taken() -> set[Path]:
    return set()


@pytest.fixture
def album(purpose: Purpose, taken: set[Path]) -> Album:
    return Album(purpose, taken)


def shot(page: Page, part: Locator | None = None) -> bytes:
    """A PNG. Of DevTools itself: nothing of the page moves or blinks that Playwright would have to stop first."""
    x, y, width, height = (part or page.locator("html")).evaluate(BOX)
    how = {"format": "png", "optimizeForSpeed": True, "captureBeyondViewport": False}
    clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
    tools = page.context.new_cdp_session(page)
    try:
        return base64.b64decode(tools.send("Page.captureScreenshot", {**how, "clip": clip})["data"])
    finally:
        tools.detach()


def visited(page: Page, path: str) -> None:
    page.evaluate(GO, path)
    page.evaluate(QUIET)


def schemes(page: Page, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        page.emulate_media(color_scheme="dark" if name == "dark" else "light")
        page.evaluate(QUIET)
        yield name


def opened_node(page: Page, name: str) -> Locator:
    page.locator(".react-flow__node").filter(has=page.get_by_text(name, exact=True)).first.dispatch_event("dblclick")
    panel = page.get_by_role("dialog", name=f"Node {name}", exact=True)
    panel.get_by_role("tab", name="Settings").wait_for()
    page.evaluate(QUIET)
    return panel


def set_size(page: Page, size: str, height: int = 0) -> None:
    width, usual = SIZES[size]
    page.set_viewport_size({"width": width, "height": height or usual})


@pytest.mark.parametrize("size", SIZES)
def test_pages(page: Page, recorded: Recorded, album: Album, size: str) -> None:
    pages = {"dashboard": "/", **pages_of_the_menu(page.context), **recorded.pages}
    set_size(page, size)
    for name, path in pages.items():
        if name in UNLIKE:
            continue
        visited(page, path)
        if name in OPENED:
            opened_node(page, OPENED[name])
        for scheme in schemes(page, ("light", "dark") if size == "desktop" else ("light",)):
            look = scheme if size == "desktop" else size
            album.take(f"pages/{name}-{look}", partial(shot, page))
    judged(album, recorded)


def all_forms() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((KEPT / "forms.json").read_text(encoding="utf-8"))
    return found


def named(node: Mapping[str, Any], number: int) -> str:
    return f"{number:02} {str(node['type']).rpartition('.')[2]}"


def with_every_form(recorded: Recorded) -> dict[str, Any]:
    """A workflow of the kept answers with one node of each form, and no execution."""
    path = recorded.pages["workflow"].replace("/ui/", "/api/v1/")
    likeness = next(iter(recorded.answers[f"GET {path}"].values()))
    nodes = [
        {**node, "id": f"form-{number}", "name": named(node, number), "position": [number % 8 * 220, number // 8 * 180]}
        for number, node in enumerate(all_forms())
    ]
    return {**likeness, "id": WORKFLOW, "name": "Forms", "active": False, "nodes": nodes, "connections": {}}


@pytest.mark.parametrize("size", SIZES)
def test_forms(page: Page, recorded: Recorded, album: Album, size: str) -> None:
    document = with_every_form(recorded)
    recorded.invented[f"GET /api/v1/workflows/{WORKFLOW}"] = {"": document}
    recorded.invented[f"GET /api/v1/workflows/{WORKFLOW}/triggers"] = {"": {"data": []}}
    recorded.invented["GET /api/v1/executions"] = {f"limit=1&workflowId={WORKFLOW}": {"data": [], "total": 0}}
    set_size(page, size, TALL)
    visited(page, f"/ui/workflows/{WORKFLOW}")
    page.evaluate(STYLE, ["whole", WHOLE])
    for node in document["nodes"]:
        panel = opened_node(page, node["name"])
        form = panel if size == "phone" else panel.locator("[data-pane=node]")
        if not panel.evaluate("panel => panel.scrollWidth <= panel.clientWidth"):
            album.found.append(f"{node['name']}: the form is wider than its panel")
        for scheme in schemes(page, ("light", "dark") if size == "desktop" else ("light",)):
            look = scheme if size == "desktop" else size
            album.take(f"forms/{node['name'].replace(' ', '-')}-{look}", partial(shot, page, form))
        page.keyboard.press("Escape")
        panel.wait_for(state="detached")
    judged(album, recorded)


def test_kept_answers_are_as_the_api_describes_them(daemon: Daemon, recorded: Recorded) -> None:
    from described import Described

    described = Described(daemon.client().get("/openapi.json").raise_for_status().json())
    complaints = [
        complaint
        for operation, answers in recorded.answers.items()
        for answer in answers.values()
        for complaint in described.complaints(operation, answer)
    ]
    assert complaints == [], "ask for new answers: `tox -e pictures -- --record`"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="JACKFIELD_TEST_CORPUS names no workflows")
def test_the_forms_are_those_of_the_most_used_nodes() -> None:
    counts = Counter(
        node["type"]
        for file in CORPUS.glob("*.json")
        for node in json.loads(file.read_text(encoding="utf-8")).get("nodes", [])
        if not node["type"].endswith(".stickyNote")
    )
    kinds = [form["type"] for form in all_forms()]
    least = min(counts[kind] for kind in kinds)
    assert {kind for kind, count in counts.items() if count > least} <= set(kinds)


def test_no_picture_is_of_what_is_gone(request: pytest.FixtureRequest, taken: set[Path], purpose: Purpose) -> None:
    """Stands last. Where pictures are renewed, those that nobody took are deleted."""
    if request.session.testsfailed or not taken or purpose is Purpose.RECORD:
        pytest.skip("not all pictures were taken")
    left = {*KEPT.rglob("*.webp")} - taken
    if purpose is Purpose.UPDATE:
        for file in left:
            file.unlink()
    else:
        assert left == set(), "renew with `tox -e pictures -- --update`"
    assert sum(file.stat().st_size for file in KEPT.rglob("*.*")) < MAX_TOTAL
