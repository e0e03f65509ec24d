"""Edit Image: pixels, formats and limits. tests/n8n/families/pictures.py compares sizes and names with n8n's."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench
from PIL import Image, ImageStat

from jackfield.api.nodes import NodeError
from jackfield_nodes.images.edits import wanted_size
from jackfield_nodes.images.lettering import found_font, wrapped
from jackfield_nodes.images.settings import ImageSettings

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def saved(picture: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    target = io.BytesIO()
    picture.save(target, kind, **options)
    return target.getvalue()


def plain(color: tuple[int, ...] = RED, size: tuple[int, int] = (60, 40), mode: str = "RGB") -> bytes:
    return saved(Image.new(mode, size, color))


async def item_of(bench: Bench, parameters: dict[str, Any], version: float = 1.1, **files: bytes) -> Any:
    """The item that the node makes of one with these files."""
    run = bench.run("editImage", version, parameters, [{"json": {"n": 1}}])
    kept = run.first[0]["binary"] = {}
    for field, content in files.items():
        kept[field] = await run.binary.write(content, mime_type="image/png", file_name=f"{field}.png")
    result: Any = await run.type.execute(run)
    ((item,),) = result
    for file in (item.get("binary") or {}).values():
        file["content"] = await run.binary.read(file)
    return item


async def picture_of(bench: Bench, parameters: dict[str, Any], version: float = 1.1, **files: bytes) -> Image.Image:
    item = await item_of(bench, parameters, version, **files)
    return Image.open(io.BytesIO(item["binary"]["data"]["content"]))


async def test_a_border_surrounds_the_picture(bench: Bench) -> None:
    given = {"operation": "border", "borderWidth": 2, "borderHeight": 3, "borderColor": "#00ff00"}
    made = await picture_of(bench, given, data=plain())
    assert (made.size, made.getpixel((1, 2)), made.getpixel((2, 3))) == ((64, 46), GREEN, RED)


async def test_the_last_digits_of_a_color_are_transparency(bench: Bench) -> None:
    for color, alpha in (("#ff000000", 255), ("#ff000080", 127), ("#ff0000ff", 0), ("#f00f", 0), ("none", 0)):
        made = await picture_of(bench, {"operation": "create", "backgroundColor": color})
        assert made.convert("RGBA").getpixel((0, 0))[3] == alpha, color  # type: ignore[index]
    with pytest.raises(NodeError, match="backgroundColor is no color"):
        await item_of(bench, {"operation": "create", "backgroundColor": "#12345"})


async def test_a_turn_goes_clockwise_and_fills_the_corners(bench: Bench) -> None:
    source = Image.new("RGB", (60, 40), RED)
    source.paste(BLUE, (0, 0, 10, 10))
    turn = {"operation": "rotate", "rotate": 90, "backgroundColor": "#00ff00"}
    assert (await picture_of(bench, turn, data=saved(source))).getpixel((35, 5)) == BLUE
    made = await picture_of(bench, {**turn, "rotate": 30}, data=saved(source))
    assert (made.size, made.getpixel((0, 0)), made.getpixel((36, 32))) == ((72, 65), GREEN, RED)
    clear = await picture_of(bench, {"operation": "rotate", "rotate": 30}, data=saved(source))
    assert clear.getpixel((0, 0)) == (255, 255, 255, 0)


async def test_one_color_becomes_transparent(bench: Bench) -> None:
    source = Image.new("RGB", (4, 4), RED)
    source.putpixel((1, 1), (254, 0, 0))
    made = await picture_of(bench, {"operation": "transparent", "color": "#ff0000"}, data=saved(source))
    assert (made.getpixel((0, 0)), made.getpixel((1, 1))) == ((255, 0, 0, 0), (254, 0, 0, 255))


@pytest.mark.parametrize(
    ("operator", "wanted"),
    [
        ("Over", (99, 14, 142)),
        ("Atop", (99, 14, 142)),
        ("Add", (200, 30, 29)),
        ("Plus", (200, 30, 158)),
        ("Minus", (200, 30, 0)),
        ("Subtract", (56, 226, 225)),
        ("Difference", (200, 30, 127)),
        ("Multiply", (99, 14, 30)),
        ("Divide", (0, 0, 255)),
        ("Copy", BLUE),
        ("CopyRed", (0, 30, 30)),
        ("Bumpmap", (22, 3, 3)),
    ],
)
async def test_operators_give_the_colors_of_graphicsmagick(
    bench: Bench, operator: str, wanted: tuple[int, int, int]
) -> None:
    """Measured with GraphicsMagick 1.3.40: blue of half opacity on (200, 30, 30); it rounds otherwise by 1 or 2."""
    given = {"operation": "composite", "dataPropertyNameComposite": "top", "operator": operator, "positionX": 5}
    files = {"data": plain((200, 30, 30)), "top": plain((0, 0, 255, 128), (20, 20), "RGBA")}
    made = await picture_of(bench, given, **files)
    assert made.mode == "RGB"
    found: Any = made.getpixel((10, 10))
    assert all(abs(ours - theirs) <= 2 for ours, theirs in zip(found, wanted, strict=True)), found
    assert made.getpixel((4, 10)) == made.getpixel((30, 30)) == (200, 30, 30)


async def test_opacity_can_be_copied(bench: Bench) -> None:
    given = {"operation": "composite", "dataPropertyNameComposite": "top", "operator": "CopyOpacity"}
    made = await picture_of(bench, given, data=plain(), top=plain((0, 0, 0, 128), (20, 20), "RGBA"))
    assert (made.getpixel((5, 5)), made.getpixel((50, 30))) == ((*RED, 128), (*RED, 255))


async def test_text_stands_where_it_is_aligned(bench: Bench) -> None:
    page = plain((255, 255, 255), (200, 100))
    boxes = {}
    for across in ("west", "east"):
        for down in ("north", "south"):
            given = {"operation": "text", "text": "HH", "positionX": 5, "positionY": 30, "fontSize": 20}
            placed = {"horizontalAlignment": across, "verticalAlignment": down}
            made = (
                (await picture_of(bench, {**given, **placed}, data=page)).convert("L").point(lambda level: 255 - level)
            )
            boxes[across, down] = made.getbbox()
    assert all(boxes.values())
    left, right = boxes["west", "north"], boxes["east", "south"]
    assert left is not None
    assert right is not None
    assert left[0] in range(5, 9)
    assert right[2] in range(192, 196)
    assert (left[3], right[3]) == (30, 70)  # base lines
    older = await picture_of(bench, {"operation": "text", "text": "HH", "positionX": 5, "positionY": 30}, 1, data=page)
    assert older.convert("L").point(lambda level: 255 - level).getbbox()[3] == 30  # type: ignore[index]


def test_a_font_that_is_not_there_is_named() -> None:
    with pytest.raises(NodeError, match="NoSuchFont is not installed"):
        found_font("NoSuchFont")
    with pytest.raises(NodeError, match="not installed"):
        found_font("/etc/passwd")


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 12))
def test_wrapping_keeps_every_word(text: str, most: int) -> None:
    lines = wrapped(text, most)
    assert " ".join(lines).split() == text.split()
    assert all(len(line) <= most or " " not in line for line in lines)


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 5000))
def test_sizes_keep_their_promises(width: int, height: int, across: int, down: int) -> None:
    smaller = wanted_size(width, height, across, down, "onlyIfLarger")
    larger = wanted_size(width, height, across, down, "onlyIfSmaller")
    covering = wanted_size(width, height, across, down, "minimumArea")
    assert smaller[0] <= width
    assert smaller[1] <= height
    assert larger[0] >= width
    assert larger[1] >= height
    assert covering[0] >= across
    assert covering[1] >= down


async def test_a_picture_that_is_turned_in_its_file_is_upright(bench: Bench) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned
    exif[0x010E] = "a description"
    turned = saved(Image.new("RGB", (60, 40), RED), "JPEG", exif=exif)
    made = await picture_of(bench, {"operation": "blur"}, data=turned)
    assert (made.size, made.getexif().get(0x0112), made.getexif()[0x010E]) == ((40, 60), None, "a description")


async def test_a_jpeg_keeps_its_quality_unless_it_is_asked_for(bench: Bench) -> None:
    noise = Image.effect_noise((60, 40), 80).convert("RGB")
    for quality in (30, 95):
        source = Image.open(io.BytesIO(saved(noise, "JPEG", quality=quality)))
        made: Any = await picture_of(bench, {"operation": "blur"}, data=saved(noise, "JPEG", quality=quality))
        assert made.quantization == source.quantization  # type: ignore[attr-defined]
    low: Any = await picture_of(bench, {"operation": "blur", "options": {"quality": 5}}, data=saved(noise, "JPEG"))
    assert sum(low.quantization[0]) > sum(source.quantization[0])  # type: ignore[attr-defined]


async def test_an_animation_is_changed_frame_by_frame(bench: Bench) -> None:
    frames = [Image.new("RGB", (60, 40), color) for color in (RED, GREEN, BLUE)]
    moving = saved(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=[100, 200, 300], loop=0)
    small = {"operation": "resize", "width": 30, "height": 20, "resizeOption": "ignoreAspectRatio"}
    made: Any = await picture_of(bench, small, data=moving)
    assert (made.n_frames, made.size) == (3, (30, 20))
    made.seek(2)
    assert made.info["duration"] == 300
    assert ImageStat.Stat(made.convert("RGB")).mean[2] > 250
    still: Any = await picture_of(bench, {**small, "options": {"format": "jpeg"}}, data=moving)
    assert (still.format, getattr(still, "n_frames", 1)) == ("JPEG", 1)


async def test_deep_grey_keeps_its_light(bench: Bench) -> None:
    deep = Image.new("I;16", (8, 8), 0x8000)
    made = await picture_of(bench, {"operation": "blur"}, data=saved(deep))
    assert made.getpixel((0, 0)) == (128, 128, 128)


async def test_steps_follow_each_other(bench: Bench) -> None:
    steps = [
        {"operation": "create", "width": 50, "height": 20, "backgroundColor": "#0000ff"},
        {"operation": "draw", "primitive": "rectangle", "color": "#ff0000", "endPositionX": 9, "endPositionY": 9}
        | {"startPositionX": 0, "startPositionY": 0},
        {"operation": "rotate", "rotate": 90},
    ]
    made = await picture_of(bench, {"operation": "multiStep", "operations": {"operations": steps}})
    assert (made.size, made.getpixel((15, 5)), made.getpixel((5, 45))) == ((20, 50), RED, BLUE)


async def test_a_bomb_is_refused_before_it_is_decoded(make_bench: Callable[..., Bench]) -> None:
    """50 million pixels in 50 kB."""
    bomb = saved(Image.new("1", (10_000, 5_000)))
    with pytest.raises(NodeError, match=r"40000000 pixels \(nodes.images.max_pixels\)"):
        await item_of(make_bench(), {"operation": "blur"}, data=bomb)
    bench = make_bench(ImageSettings(max_pixels=10_000))
    for large in (
        {"operation": "resize", "width": 5000, "height": 5000},
        {"operation": "border", "borderWidth": 500},
        {"operation": "create", "width": 101, "height": 100},
        {"operation": "shear", "degreesX": 179.9},
        {"operation": "text", "text": "H" * 500, "fontSize": 40, "lineLength": 1000},
    ):
        with pytest.raises(NodeError, match="pixels"):
            await item_of(bench, large, data=plain())
    frames = [Image.new("RGB", (60, 40), (n, 0, 0)) for n in range(6)]
    moving = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    with pytest.raises(NodeError, match="5 frames"):
        await item_of(bench, {"operation": "blur"}, data=moving)


async def test_bad_pictures_are_told(bench: Bench) -> None:
    whole = saved(Image.effect_noise((60, 40), 50))
    for content, said in (
        (b"no picture", "is no picture"),
        (whole[: len(whole) // 2], "damaged"),
        (b"%!PS\n", "no pic"),
    ):
        with pytest.raises(NodeError, match=said):
            await item_of(bench, {"operation": "blur"}, data=content)
    with pytest.raises(NodeError, match="no binary field 'gone'"):
        await item_of(bench, {"operation": "blur", "dataPropertyName": "gone"}, data=whole)
    with pytest.raises(NodeError, match="no step"):
        await item_of(bench, {"operation": "multiStep"}, data=whole)
    with pytest.raises(NodeError, match="nothing of the picture"):
        await item_of(bench, {"operation": "crop", "positionX": 500}, data=whole)


async def test_the_facts_of_a_picture(bench: Bench) -> None:
    item = await item_of(bench, {"operation": "information"}, data=plain((200, 30, 30)))
    told = item["json"]
    assert (told["format"], told["size"], told["depth"]) == ("PNG", {"width": 60, "height": 40}, 8)
    assert told["Channel Statistics"]["Red"]["Mean"] == "51400.00 (0.7843)"
    assert item["binary"]["data"]["content"] == plain((200, 30, 30))


async def test_the_file_goes_where_it_is_asked_for(bench: Bench) -> None:
    given = {"operation": "blur", "options": {"destinationKey": "made", "format": "webp", "fileName": "x.webp"}}
    item = await item_of(bench, given, data=plain(), other=plain())
    made = item["binary"]["made"]
    assert list(item["binary"]) == ["data", "other", "made"]
    assert (made["mimeType"], made["fileExtension"], made["fileName"]) == ("image/webp", "webp", "x.webp")
    renamed = await item_of(bench, {"operation": "blur", "options": {"format": "tiff"}}, data=plain())
    file = renamed["binary"]["data"]
    assert (file["fileName"], file["fileExtension"], file["mimeType"]) == ("data.tiff", "tif", "image/tiff")


def test_pillow_is_imported_with_the_first_picture() -> None:
    program = "import sys, jackfield_nodes.images.node; print('PIL' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "False"
