"""A plugin in the browser, as `jackfield plugins new ui-page` makes one: pages, settings, an icon, a control.
Beside it one with every mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from canvas import made, node, nodes, opened, saved

from jackfield.cli.plugin_projects.making import ProjectWish, make_project
from jackfield.cli.plugin_projects.names import checked_names
from jackfield.testing.daemon import Daemon, poll

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from conftest import Watched

MODULE = """
const late = (element) => {
  const button = Object.assign(document.createElement('button'), { textContent: 'Later' });
  button.addEventListener('click', () => { throw new Error('too late'); });
  element.append(button);
};
const abroad = async (element, host) => {
  try {
    await host.request('GET', 'https://elsewhere.example/');
  } catch (error) {
    element.textContent = `${error.message} ${host.user().name} ${host.theme.scheme()} ${host.language()}`;
  }
};
export default {
  api: 1,
  pages: {
    sudden: () => { throw new Error('no page today'); },
    promised: async () => { throw new Error('promised too much'); },
    late,
    abroad,
  },
};
"""
PLUGIN = """
from pathlib import Path
from jackfield.api.browser import BrowserExtension, BrowserPage
from jackfield.api.plugin import Plugin, hookimpl
class ClumsyPlugin(Plugin):
    name = "clumsy"
    @hookimpl
    def jackfield_browser_extensions(self):
        pages = [BrowserPage(name, name.title()) for name in ("sudden", "promised", "late", "abroad")]
        files = Path(__file__).parent
        return [
            BrowserExtension("clumsy", files / "clumsy", "it.js", pages),
            BrowserExtension("future", files / "future", "it.js", [BrowserPage("first", "First")]),
        ]
"""


def installed(place: Path, distribution: str, plugin: str, reference: str) -> None:
    """As pip would have written it; pip itself is tried in `tests/sdk`."""
    told = place / f"{distribution.replace('-', '_')}-1.0.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[jackfield]\n{plugin} = {reference}\n")


@pytest.fixture(scope="module")
def strangers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for PYTHONPATH with both packages."""
    place = tmp_path_factory.mktemp("strangers")
    names = checked_names("swatches")
    project = make_project(ProjectWish("ui-page", names, place / "project", "MIT", "Ada"))
    (place / names.package).symlink_to(project.directory / "src" / names.package)
    installed(place, names.distribution, names.plugin, f"{names.package}:SwatchesPlugin")
    installed(place, "clumsy", "clumsy", "clumsy_plugin:ClumsyPlugin")
    (place / "clumsy_plugin.py").write_text(PLUGIN)
    for name, module in (("clumsy", MODULE), ("future", "export default { api: 2, pages: {} };")):
        (place / name).mkdir()
        (place / name / "it.js").write_text(module)
    return place


@pytest.fixture(scope="module")
def daemon(strangers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("swatches"), env={"PYTHONPATH": str(strangers)}).start()
    yield found
    found.close()


def test_a_page_an_icon_and_a_control(page: Page, daemon: Daemon, axe: Callable[[Page], None]) -> None:
    api = daemon.admin()
    swatch = {**node("Paint", "swatches", 0), "type": "jackfield.swatches"}
    workflow_id = made(api, {"name": "Painting", "nodes": [swatch], "connections": {}})
    page.goto("/")
    link = page.get_by_role("navigation").get_by_role("link", name="Swatches", exact=True)
    assert "/ui/extensions/swatches/@" in str(link.locator("span").evaluate("it => getComputedStyle(it).maskImage"))
    link.click()
    page.get_by_role("heading", name="Swatches").wait_for()
    page.get_by_text("1 workflows are here.").wait_for()
    axe(page)
    page.get_by_role("button", name="Show the workflows").click()
    page.wait_for_url("**/ui/workflows")
    opened(page, workflow_id)
    icon = page.locator(".react-flow__node img[src$='/swatches/icon.svg']")
    poll(lambda: icon.evaluate("it => it.naturalWidth") > 0, "the icon is drawn")
    nodes(page).first.dblclick()
    page.get_by_label("Colour", exact=True).and_(page.locator("input")).fill("#aa5500")
    page.get_by_text("#aa5500").wait_for()
    page.keyboard.press("Escape")
    saved(page)
    assert api.get(f"/workflows/{workflow_id}").json()["nodes"][0]["parameters"] == {"colour": "#aa5500"}


def test_a_section_of_the_settings(page: Page, axe: Callable[[Page], None]) -> None:
    page.goto("/ui/settings")
    page.get_by_role("tab", name="Swatches").click()
    page.wait_for_url("**/ui/settings/swatches.preferences")
    page.get_by_role("checkbox", name="Say it loud").check()
    page.get_by_text("The choice is saved.").wait_for()
    axe(page)
    page.reload()
    assert page.get_by_role("checkbox", name="Say it loud").is_checked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_page_fits(scheme: str, make_context: Callable[..., BrowserContext]) -> None:
    page = make_context(scheme=scheme).new_page()
    page.set_viewport_size({"width": 360, "height": 740})
    for address, text in (("x/swatches/overview", "workflows are here."), ("settings/swatches.preferences", "Say it")):
        page.goto(f"/ui/{address}")
        page.get_by_text(text).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    button = "getComputedStyle(document.querySelector('main label')).color"
    assert (page.evaluate(button) == "rgb(26, 31, 37)") is (scheme == "light")


def test_a_page_that_fails_is_named(page: Page, watched: Watched) -> None:
    for name, told in (("sudden", "no page today"), ("promised", "promised too much"), ("none", "has no page “none”")):
        page.goto(f"/ui/x/clumsy/{name}")
        alert = page.get_by_role("alert").filter(has_text="The extension “clumsy” has failed")
        alert.get_by_text(told).wait_for()
    page.goto("/ui/x/future/first")
    page.get_by_text("“future” was written for version 2 of the interface, and this one has 1.").wait_for()
    page.get_by_role("navigation").get_by_role("link", name="Workflows", exact=True).click()
    page.get_by_role("heading", name="Workflows").wait_for()
    page.goto("/ui/x/clumsy/late")
    page.get_by_role("button", name="Later").click()
    page.get_by_role("alert").filter(has_text="The extension “clumsy” has failed").get_by_text("too late").wait_for()
    watched.complaints = [told for told in watched.complaints if "too late" not in told]


def test_a_module_asks_this_daemon_alone(page: Page) -> None:
    page.goto("/ui/x/clumsy/abroad")
    page.get_by_text("https://elsewhere.example/ is no address of this daemon. ").wait_for()
    page.get_by_text(" light en").wait_for()


def test_a_plugin_that_is_turned_off_leaves_nothing(strangers: Path, daemon: Daemon, tmp_path: Path) -> None:
    listed = {one["name"]: one for one in daemon.client().get("/ui/extensions.json").json()}
    module = listed["swatches"]["module"]
    assert daemon.client().get(module).status_code == 200
    off = Daemon(tmp_path, settings='[plugins]\ndisabled = ["swatches"]\n', env={"PYTHONPATH": str(strangers)}).start()
    try:
        client = off.client()
        assert {one["name"] for one in client.get("/ui/extensions.json").json()} == {"clumsy", "future"}
        for address in (module, "/ui/extensions/swatches/icon.svg"):
            assert client.get(address).status_code == 404
    finally:
        off.close()
