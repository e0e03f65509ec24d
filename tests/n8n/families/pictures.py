"""Edit Image, which in n8n calls the program `gm` (GraphicsMagick): formats, sizes, fields and names of files."""

from __future__ import annotations

import io
import itertools
import shutil
from collections.abc import Iterator, Mapping

from PIL import Image

from ..cases import Document, Family, NodeCase, both_ways
from ..contents import file

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
TOLD = ("Format", "format", "Geometry", "size", "Depth", "depth", "Orientation", "Page geometry", "Compose")
"""Of a picture: what does not depend on the program's version."""


def picture(kind: str, size: tuple[int, int] = (60, 40), mode: str = "RGB") -> bytes:
    """A file of this format: red, with a blue corner."""
    made = Image.new("RGB", size, (200, 30, 30))
    made.paste((0, 0, 255), (0, 0, size[0] // 3, size[1] // 2))
    made = made.convert(mode)
    if mode == "RGBA":
        made.putpixel((0, 0), (0, 0, 0, 0))
    target = io.BytesIO()
    made.save(target, kind)
    return target.getvalue()


def item(content: bytes, name: str, media: str) -> Document:
    return {"json": {"n": 1}, "binary": {"data": file(content, name, media), "other": file("kept", "kept.txt")}}


FORMATS: Mapping[str, Document] = {
    kind: item(picture(kind.upper()), f"my.picture.{ending}", f"image/{kind}")
    for kind, ending in (
        ("png", "png"),
        ("jpeg", "jpg"),
        ("gif", "gif"),
        ("bmp", "bmp"),
        ("tiff", "tif"),
        ("webp", "webp"),
    )
}
CLEAR = item(picture("PNG", mode="RGBA"), "clear.png", "image/png")
UNNAMED: Document = {"json": {"n": 2}, "binary": {"data": file(picture("PNG"), "", "image/png")}}
BROKEN: Document = {"json": {}, "binary": {"data": file("no picture", "a.png", "image/png")}}
TWO: Document = {
    "json": {"n": 3},
    "binary": {
        "data": file(picture("JPEG"), "below.jpg", "image/jpeg"),
        "top": file(picture("PNG", (20, 20), "RGBA"), "top.png", "image/png"),
    },
}
RESIZES = ("ignoreAspectRatio", "maximumArea", "minimumArea", "onlyIfLarger", "onlyIfSmaller", "percent")
LENGTHS = ((30, 30), (100, 100), (7, 500), (100, 10), (33, 33), (60, 40), (60, 100), (250, 33))
OPERATORS = (
    *("Add", "Atop", "Bumpmap", "Copy", "CopyBlack", "CopyBlue", "CopyCyan", "CopyGreen", "CopyMagenta"),
    *("CopyOpacity", "CopyRed", "CopyYellow", "Difference", "Divide", "In", "Minus", "Multiply", "Out", "Over"),
    *("Plus", "Subtract", "Xor"),
)


def _edits() -> Iterator[tuple[str, Document]]:
    yield "defaults", {}
    yield "border", {"operation": "border", "borderWidth": 3, "borderHeight": "7", "borderColor": "#00ff00"}
    yield "blur", {"operation": "blur", "blur": 3, "sigma": 1}
    for option, (width, height) in itertools.product(RESIZES, LENGTHS):
        given = {"operation": "resize", "resizeOption": option, "width": width, "height": height}
        yield f"resize {option} {width} {height}", given
    for degrees in (0, 30, 45, 90, -17, 180, 200, 270, 359.5, -360):
        yield f"rotate {degrees}", {"operation": "rotate", "rotate": degrees, "backgroundColor": "#00ff0080"}
    for across, down in ((10, 0), (0, 10), (10, 20), (-30, 15), (45, 0), (-20, -20)):
        yield f"shear {across} {down}", {"operation": "shear", "degreesX": across, "degreesY": down}
    for box in ((10, 10, 5, 5), (500, 500, 0, 0), (20, 20, 50, 30), (20, 20, -10, -10), (20, 20, 100, 100)):
        given = dict(zip(("width", "height", "positionX", "positionY"), box, strict=True))
        yield f"crop {box}", {"operation": "crop", **given}
    for primitive in ("circle", "line", "rectangle"):
        given = {"startPositionX": 5, "startPositionY": 5, "endPositionX": 20, "endPositionY": 20}
        yield f"draw {primitive}", {"operation": "draw", "primitive": primitive, "cornerRadius": 3, **given}
    yield "transparent", {"operation": "transparent", "color": "#c81e1e"}
    yield "text", {"operation": "text", "text": "a b\nc", "lineLength": 2, "options": {"font": FONT}}
    yield "no number", {"operation": "border", "borderWidth": "wide"}
    yield "unknown format", {"operation": "border", "options": {"format": "psd"}}
    yield "another field", {"operation": "border", "options": {"destinationKey": "made", "fileName": "new.jpg"}}
    yield "no such field", {"operation": "border", "dataPropertyName": "gone"}
    yield "created", {"operation": "create", "width": 20, "height": 10, "backgroundColor": "#ff000080"}
    yield "created, another field", {"operation": "create", "options": {"destinationKey": "made"}}
    yield "created as GIF", {"operation": "create", "options": {"format": "gif"}}


STEPS: Document = {
    "operations": [
        {"operation": "resize", "width": 100, "height": 80, "resizeOption": "ignoreAspectRatio"},
        {"operation": "rotate", "rotate": 90, "backgroundColor": "#ffffffff"},
        {"operation": "border", "borderWidth": 1, "borderHeight": 2, "borderColor": "#000000"},
    ]
}


def _cases() -> Iterator[NodeCase]:
    if shutil.which("gm") is None:
        return
    named = (FORMATS["png"], FORMATS["jpeg"])
    yield from both_ways("editImage", (1, 1.1), dict(_edits()), named)
    small = {
        f"formats, {name}": given
        for name, given in _edits()
        if name in ("border", "rotate 30", "transparent", "crop (10, 10, 5, 5)")
    }
    yield from both_ways("editImage", (1.1,), small, (*FORMATS.values(), CLEAR, UNNAMED))
    formats = {
        f"as {kind}": {"operation": "border", "options": {"format": kind}}
        for kind in ("bmp", "gif", "jpeg", "png", "tif", "tiff", "webp")
    }
    formats |= {
        f"quality {quality}": {"operation": "border", "options": {"format": "jpeg", "quality": quality}}
        for quality in (0, 1, 50, "100")
    }
    yield from both_ways("editImage", (1.1,), formats, (*FORMATS.values(), CLEAR, UNNAMED))
    yield from both_ways("editImage", (1.1,), {"broken": {"operation": "border"}}, (BROKEN, CLEAR))
    steps = {
        "steps": {"operation": "multiStep", "operations": STEPS},
        "steps as PNG": {"operation": "multiStep", "operations": STEPS, "options": {"format": "png"}},
    }
    yield from both_ways("editImage", (1, 1.1), steps, named)
    composites = {
        f"composite {name}": {"operation": "composite", "dataPropertyNameComposite": "top", "operator": name}
        for name in OPERATORS
    }
    place = {"positionX": 50, "positionY": -5}
    composites["placed"] = {"operation": "composite", "dataPropertyNameComposite": "top", **place}
    yield from both_ways("editImage", (1.1,), composites, (TWO,))
    for kind, given in FORMATS.items():
        node = {"type": "n8n-nodes-base.editImage", "typeVersion": 1, "parameters": {"operation": "information"}}
        yield NodeCase(f"information {kind}", node, (given,), fields=TOLD if kind != "gif" else TOLD[:4])


FAMILIES = (Family("files: Edit Image", _cases),)
