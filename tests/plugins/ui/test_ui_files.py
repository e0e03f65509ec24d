"""The built files: which representation, when it is sent again, and what is none of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.browser import BROWSER_EXTENSIONS, BrowserExtension, BrowserPage, svg_problem
from jackfield.api.errors import NotFound
from jackfield_ui.app import Interface
from jackfield_ui.encodings import accepted
from jackfield_ui.extensions import BrowserExtensions
from jackfield_ui.findings import of_folder

NAME = "assets/index-D79a2g5O.js"

HERE = Path(__file__).parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    built = tmp_path / "static"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text('<meta nonce="__CSP_NONCE__">')
    for suffix, content in (("", "plain"), (".br", "brotli"), (".gz", "gzip")):
        (built / (NAME + suffix)).write_text(content)
    (built / "favicon.svg").write_text("<svg/>")
    (tmp_path / "secret").write_text("secret")
    (built / "link").symlink_to(tmp_path / "secret")
    return built


class Brought:
    """A context in which one plugin gives an extension."""

    def __init__(self, *extensions: BrowserExtension) -> None:
        self._extensions = extensions

    def extensions(self, _point: object) -> dict[str, BrowserExtension]:
        return {one.name: one for one in self._extensions}


def made(folder: Path) -> Interface:
    brought = BrowserExtension("kilns", folder / "assets", "index.js", [BrowserPage("overview", "Kilns")])
    return Interface(folder, BrowserExtensions(Brought(brought)))  # type: ignore[arg-type]


async def ask(folder: Path, path: str, *headers: tuple[bytes, bytes], method: str = "GET") -> Any:
    """Status, headers, body. Raises what the dispatcher would answer."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": [(b"host", b"127.0.0.1:8765"), *headers]}
    await made(folder)(scope, None, send)  # type: ignore[arg-type]
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        (b"", ""),
        (b"gzip, deflate, br, zstd", "br"),
        (b"gzip", "gzip"),
        (b"br;q=0, gzip;q=0.5", "gzip"),
        (b"*", "br"),
        (b"*;q=0", ""),
        (b"br;q=nonsense", ""),
        (b"identity", ""),
    ],
)
def test_the_best_encoding_that_the_browser_takes(header: bytes, encoding: str) -> None:
    assert accepted(header, {"br", "gzip"}) == encoding
    assert accepted(header, ()) == ""


@given(st.binary())
def test_no_header_is_too_odd(header: bytes) -> None:
    assert accepted(header, {"br"}) in ("", "br")


async def test_a_hashed_file_is_kept_and_compressed(folder: Path) -> None:
    status, headers, body = await ask(folder, f"/ui/{NAME}", (b"accept-encoding", b"gzip, br"))
    assert (status, body, headers[b"content-encoding"]) == (200, b"brotli", b"br")
    assert headers[b"cache-control"] == b"public, max-age=31536000, immutable"
    assert headers[b"content-type"] == b"text/javascript; charset=utf-8"
    plain = await ask(folder, f"/ui/{NAME}", method="HEAD")
    assert (plain[0], plain[1][b"content-length"], plain[2]) == (200, b"5", b"")
    assert plain[1][b"etag"] != headers[b"etag"]


async def test_what_the_browser_has_is_not_sent_again(folder: Path) -> None:
    _, headers, _ = await ask(folder, "/ui/favicon.svg")
    assert headers[b"cache-control"] == b"no-cache"
    again = await ask(folder, "/ui/favicon.svg", (b"if-none-match", b'"x", W/' + headers[b"etag"]))
    assert (again[0], again[2]) == (304, b"")


async def test_every_page_has_a_nonce_of_its_own(folder: Path) -> None:
    first, second = [await ask(folder, "/ui/workflows") for _ in range(2)]
    assert first[2] != second[2]
    nonce = first[2].split(b'"')[1]
    assert b"'nonce-" + nonce + b"'" in first[1][b"content-security-policy"]


@pytest.mark.parametrize(
    "path", ["/ui/../secret", "/ui//etc/passwd", "/ui/link", "/ui/index.html", "/ui/%2e%2e/secret", "/ui/\0"]
)
async def test_no_path_leads_out_of_the_folder(folder: Path, path: str) -> None:
    assert b"nonce" in (await ask(folder, path))[2]


@pytest.mark.parametrize("path", ["/ui/assets/none.js", "/ui/assets/../../secret", f"/ui/{NAME}.br", "/ui/assets/"])
async def test_an_unknown_asset_is_not_the_page(folder: Path, path: str) -> None:
    with pytest.raises(NotFound):
        await ask(folder, path)


async def test_a_new_build_is_noticed(folder: Path) -> None:
    interface = made(folder)
    assert interface._files.page() is not None
    (folder / "index.html").unlink()
    assert interface._files.page() is None
    assert b"npm run build" in (await ask(folder, "/"))[2]


async def test_extensions_of_plugins_are_listed_and_served(folder: Path) -> None:
    (folder / "assets/index.js").write_text("export default {}")
    status, headers, body = await ask(folder, "/ui/extensions.json")
    assert (status, headers[b"content-type"]) == (200, b"application/json")
    (shown,) = json.loads(body)
    page = {"name": "overview", "label": "Kilns", "group": "System", "icon": None}
    assert (shown["name"], shown["pages"]) == ("kilns", [page])
    status, headers, body = await ask(folder, shown["module"])
    assert body == b"export default {}"
    assert headers[b"cache-control"] == b"public, max-age=31536000, immutable"
    mark = shown["module"].split("/")[4]
    plain = "/ui/extensions/kilns/index.js"
    assert (await ask(folder, plain))[1][b"cache-control"] == b"no-cache"
    outdated = f"/ui/extensions/kilns/@{'0' * 16}/index.js"
    climbing = f"/ui/extensions/kilns/{mark}/../favicon.svg"
    for other in ("/ui/extensions/kilns/../favicon.svg", "/ui/extensions/other/index.js", outdated, climbing):
        with pytest.raises(NotFound):
            await ask(folder, other)


async def test_another_content_has_another_address(folder: Path) -> None:
    addresses = []
    for text in ("1", "2"):
        (folder / "assets/index.js").write_text(text)
        (shown,) = json.loads((await ask(folder, "/ui/extensions.json"))[2])
        addresses.append(shown["files"])
    assert len(set(addresses)) == 2


async def test_a_picture_that_is_opened_by_itself_runs_nothing(folder: Path) -> None:
    (folder / "assets/index.js").write_text("export default {}")
    (folder / "assets/oven.svg").write_text(SHAPE)
    policy = b"content-security-policy"
    assert b"sandbox" in (await ask(folder, "/ui/extensions/kilns/oven.svg"))[1][policy]


async def test_a_worker_of_an_extension_reaches_this_daemon_alone(folder: Path) -> None:
    (folder / "assets/worker.js").write_text("fetch('https://elsewhere.example')")
    policy = (await ask(folder, "/ui/extensions/kilns/worker.js"))[1][b"content-security-policy"].decode()
    assert policy.startswith("default-src 'none'; script-src 127.0.0.1:8765/ui/; ")
    assert "connect-src 'self' ws://127.0.0.1:8765 wss://127.0.0.1:8765" in policy
    assert "unsafe" not in policy
    assert "sandbox" not in policy, "no worker could be made of it"


SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'
SHAPE = SVG.format('<style>path { fill: url(#a) }</style><path d="M0 0" fill="url(#a)"/><use xlink:href="#b"/>')


@pytest.mark.parametrize(
    ("inside", "told"),
    [
        ("<script>alert(1)</script>", "<script>"),
        ('<path onload="alert(1)"/>', "onload"),
        ('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>', "<foreignobject>"),
        ('<a xlink:href="java\tscript:alert(1)"/>', "outside"),
        ('<image href="https://elsewhere.example/a.png"/>', "outside"),
        ('<path style="fill: url(https://elsewhere.example)"/>', "style"),
        ("<style>@import 'https://elsewhere.example';</style>", "style"),
        ('<a><animate attributeName="href" to="javascript:alert(1)"/></a>', "style"),
        ("<style>path { fill: image-set('https://elsewhere.example/a.png') }</style>", "style"),
        ("<path>", "no SVG"),
    ],
)
def test_a_picture_that_does_more_than_show_shapes_is_refused(inside: str, told: str, tmp_path: Path) -> None:
    assert told in str(svg_problem(SVG.format(inside).encode()))
    (tmp_path / "oven.svg").write_text(SVG.format(inside))
    assert BROWSER_EXTENSIONS.check is not None
    (mistake,) = BROWSER_EXTENSIONS.check(BrowserExtension("kilns", tmp_path))
    assert mistake.startswith("its picture oven.svg ")


def test_shapes_are_fine_and_entities_are_not() -> None:
    assert svg_problem(SHAPE.encode()) is None
    assert svg_problem(b'<!DOCTYPE svg [<!ENTITY a "b">]>' + SHAPE.encode()) is not None
    assert "style outside" in str(svg_problem(b'<?xml-stylesheet href="https://elsewhere.example"?>' + SHAPE.encode()))


@pytest.mark.parametrize("encoding", ["nobodys", "hex"])
def test_an_encoding_that_nobody_knows_is_no_svg(encoding: str) -> None:
    assert "no SVG" in str(svg_problem(f'<?xml version="1.0" encoding="{encoding}"?>{SHAPE}'.encode()))


@pytest.mark.parametrize(
    ("extension", "mistakes"),
    [
        (BrowserExtension("kilns", HERE, HERE.joinpath("test_ui_files.py").name, [BrowserPage("a-b", "A")]), 0),
        (BrowserExtension("../kilns", HERE), 1),
        (BrowserExtension("kilns\n", HERE), 1),
        (BrowserExtension("kilns", Path()), 1),
        (BrowserExtension("kilns", HERE / "missing"), 1),
        (BrowserExtension("kilns", HERE, "", [BrowserPage("A", "A")]), 2),
        (BrowserExtension("kilns", HERE, "missing.js", [BrowserPage("a", "A", icon="missing")]), 2),
    ],
)
def test_names_are_parts_of_addresses(extension: BrowserExtension, mistakes: int) -> None:
    assert BROWSER_EXTENSIONS.check is not None
    assert len(list(BROWSER_EXTENSIONS.check(extension))) == mistakes


def test_doctor_names_an_interface_that_is_not_built(folder: Path, tmp_path: Path) -> None:
    assert not of_folder(folder)
    (finding,) = of_folder(tmp_path / "nowhere")
    assert (finding.subject, finding.good) == ("browser interface", True)
    assert "Node.js 20.19 or newer" in finding.message
