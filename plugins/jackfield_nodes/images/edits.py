"""The operations of Edit Image on one frame of a picture. All of it blocks.

Sizes are those of GraphicsMagick, which n8n calls: `-resize`, `-rotate`, `-shear` and the like of its manual.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from jackfield.api.nodes import NodeError
from jackfield_nodes.images.colors import Rgba, color
from jackfield_nodes.images.parameters import ImageStep
from jackfield_nodes.images.picture import PixelLimit, has_alpha

_CLEAR: Rgba = (0, 0, 0, 0)


def blurred(frame: Image.Image, step: ImageStep, limit: PixelLimit) -> Image.Image:
    """Gaussian; GraphicsMagick's radius only says how exact it is."""
    return frame.filter(ImageFilter.GaussianBlur(step.sigma or 1))


def bordered(frame: Image.Image, step: ImageStep, limit: PixelLimit) -> Image.Image:
    across, down = round(step.border_width), round(step.border_height)
    if across < 0 or down < 0:
        raise NodeError("The parameters borderWidth and borderHeight may not be below 0.")
    size = (frame.width + 2 * across, frame.height + 2 * down)
    limit.check(*size)
    made = _canvas(size, color(step.border_color, "borderColor"), frame)
    made.paste(frame, (across, down))
    return made


def cropped(frame: Image.Image, step: ImageStep, limit: PixelLimit) -> Image.Image:
    """The part of the picture that lies in the wanted area."""
    left, top = round(step.x), round(step.y)
    right, bottom = left + round(step.wanted_width), top + round(step.wanted_height)
    box = (max(left, 0), max(top, 0), min(right, frame.width), min(bottom, frame.height))
    if box[0] >= box[2] or box[1] >= box[3]:
        raise NodeError(f"The part to crop has nothing of the picture, which is {frame.width} x {frame.height} pixels.")
    return frame.crop(box)


def drawn(frame: Image.Image, step: ImageStep, limit: PixelLimit) -> Image.Image:
    fill = color(step.wanted_color, "color")
    start = (step.start_position_x, step.start_position_y)
    end = (step.end_position_x, step.end_position_y)
    return painted(frame, fill, lambda draw: _shape(draw, step, start, end, fill))


def painted(frame: Image.Image, fill: Rgba, work: Callable[[ImageDraw.ImageDraw], None]) -> Image.Image:
    """The frame with what `work` draws in this color on it."""
    if fill[3] == 255:
        made = frame.copy()
        work(ImageDraw.Draw(made))
        return made
    layer = Image.new("RGBA", frame.size, (*fill[:3], 0))
    work(ImageDraw.Draw(layer))
    made = Image.alpha_composite(frame.convert("RGBA"), layer)
    return made if has_alpha(frame) else made.convert("RGB")


def _shape(
    draw: ImageDraw.ImageDraw, step: ImageStep, start: tuple[float, float], end: tuple[float, float], fill: Rgba
) -> None:
    if step.primitive == "line":
        draw.line((start, end), fill=fill)
    elif step.primitive == "circle":  # from its middle to a point on it
        radius = math.dist(start, end)
        draw.ellipse((start[0] - radius, start[1] - radius, start[0] + radius, start[1] + radius), fill=fill)
    else:
        box = (min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))
        draw.rounded_rectangle(box, min(step.corner_radius, *_half(box)), fill=fill)


def _half(box: tuple[float, float, float, float]) -> tuple[float, float]:
    return (box[2] - box[0]) / 2, (box[3] - box[1]) / 2


def resized(frame: Image.Image, step: ImageStep, limit: PixelLimit) -> Image.Image:
    size = wanted_size(frame.width, frame.height, step.wanted_width, step.wanted_height, step.resize_option)
    limit.check(*size)
    return frame if size == frame.size else frame.resize(size, Image.Resampling.LANCZOS)


def wanted_size(width: int, height: int, across: float, down: float, option: str) -> tuple[int, int]:
    """The size of a picture of `width` and `height` that is resized to `across` and `down`. Raises `NodeError`."""
    if across <= 0 or down <= 0:
        raise NodeError("The parameters width and height must be above 0.")
    fit = min(across / width, down / height)
    match option:
        case "ignoreAspectRatio":
            return _rounded(across, down)
        case "percent":
            return _rounded(width * across / 100, height * down / 100)
        case "minimumArea":
            scale = max(across / width, down / height)
        case "onlyIfSmaller":
            scale = fit if width <= across and height <= down else 1
        case "onlyIfLarger":
            scale = fit if width > across or height > down else 1
        case _:
            scale = math.sqrt(across * down / (width * height))
            return max(1, math.floor(width * scale + 0.25)), max(1, math.floor(height * scale + 0.25))
    return _rounded(width * scale, height * scale)


def _rounded(width: float, height: float) -> tuple[int, int]:
    return max(1, math.floor(width + 0.5)), max(1, math.floor(height + 0.5))


def rotated(frame: Image.Image, step: ImageStep, limit: PixelLimit) -> Image.Image:
    """Clockwise."""
    angle = math.radians(step.rotate)
    background = color(step.wanted_background, "backgroundColor")
    if step.rotate % 90 == 0:
        return frame.rotate(-step.rotate % 360, expand=True)
    return _mapped(frame, (math.cos(angle), -math.sin(angle), math.sin(angle), math.cos(angle)), background, limit)


def sheared(frame: Image.Image, step: ImageStep, limit: PixelLimit) -> Image.Image:
    """As GraphicsMagick shears: by the tangent of half of the first angle, and the sine of the second."""
    across = -math.tan(math.radians(step.degrees_x) / 2)
    down = math.sin(math.radians(step.degrees_y))
    return _mapped(frame, (1, across, down, 1 + down * across), _CLEAR, limit)


def _mapped(
    frame: Image.Image, matrix: tuple[float, float, float, float], background: Rgba, limit: PixelLimit
) -> Image.Image:
    """The frame under a linear map around its middle, as large as its corners need. matrix: x, y of x; x, y of y."""
    a, b, c, d = matrix
    half = frame.width / 2, frame.height / 2
    corners = [(a * x + b * y, c * x + d * y) for x in (-half[0], half[0]) for y in (-half[1], half[1])]
    extent = [2 * max(abs(corner[axis]) for corner in corners) for axis in (0, 1)]
    limit.check(extent[0], extent[1])
    size = _rounded(*extent)
    scale = a * d - b * c
    if abs(scale) < 1e-9:
        raise NodeError("The parameters degreesX and degreesY leave nothing of the picture.")
    e, f, g, h = d / scale, -b / scale, -c / scale, a / scale
    middle = size[0] / 2, size[1] / 2
    data = (
        *(e, f, half[0] - e * middle[0] - f * middle[1]),
        *(g, h, half[1] - g * middle[0] - h * middle[1]),
    )
    way = (Image.Transform.AFFINE, data, Image.Resampling.BICUBIC)
    if has_alpha(frame) or background[3] < 255:
        return frame.convert("RGBA").transform(size, *way, fillcolor=background)
    return frame.transform(size, *way, fillcolor=background[:3])


def _canvas(size: tuple[int, int], background: Rgba, frame: Image.Image) -> Image.Image:
    """An empty picture of this size; with transparency where the frame or the background has some."""
    if has_alpha(frame) or background[3] < 255:
        return Image.new("RGBA", size, background)
    return Image.new("RGB", size, background[:3])


def transparent(frame: Image.Image, step: ImageStep, limit: PixelLimit) -> Image.Image:
    """Every pixel of just this color cannot be seen."""
    wanted = color(step.wanted_color, "color")
    made = frame.convert("RGBA")
    bands = made.split()
    same = Image.new("L", made.size, 255)
    for band, value in zip(bands[:3], wanted[:3], strict=True):
        same = ImageChops.darker(same, band.point([255 if level == value else 0 for level in range(256)]))
    made.putalpha(ImageChops.darker(bands[3], ImageChops.invert(same)))
    return made


def created(step: ImageStep, limit: PixelLimit) -> Image.Image:
    width, height = round(step.wanted_width), round(step.wanted_height)
    limit.check(width, height)
    fill = color(step.wanted_background, "backgroundColor")
    return Image.new("RGBA", (width, height), fill) if fill[3] < 255 else Image.new("RGB", (width, height), fill[:3])


Edit = Callable[[Image.Image, ImageStep, PixelLimit], Image.Image]
EDITS: Mapping[str, Edit] = {
    "blur": blurred,
    "border": bordered,
    "crop": cropped,
    "draw": drawn,
    "resize": resized,
    "rotate": rotated,
    "shear": sheared,
    "transparent": transparent,
}
