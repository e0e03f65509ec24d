"""Pictures: read from files and written to them, within limits. All of it blocks.

A picture is not decoded before its size is known, and only by the decoders of the formats that Edit Image writes too.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from PIL import Image, ImageOps, ImageSequence, JpegImagePlugin

from jackfield.api.nodes import NodeError

READ = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
WRITTEN: Mapping[str, str] = {
    "bmp": "BMP",
    "gif": "GIF",
    "jpeg": "JPEG",
    "png": "PNG",
    "tif": "TIFF",
    "tiff": "TIFF",
    "webp": "WEBP",
}
"""The names of the formats in documents, and in Pillow."""
_MOVING = ("GIF", "WEBP", "TIFF")
"""Formats of several frames."""
_USUAL_QUALITY = 75
_SIDES = 65_500
"""Longest side, in pixels: that of JPEG."""
_16_BIT = "I;16"
_DAMAGED = (OSError, SyntaxError, ValueError, EOFError, TypeError, OverflowError, MemoryError, IndexError, KeyError)
"""The errors that Pillow's decoders raise for a damaged file."""


@dataclass
class DecodedPicture:
    """Frames in the mode RGB, or RGBA where the picture has transparency, and what is kept of the file."""

    frames: list[Image.Image]
    format: str
    durations: list[int] = field(default_factory=list)
    """Milliseconds per frame."""
    kept: dict[str, Any] = field(default_factory=dict)
    """The options of Pillow's encoders: color profile, EXIF, tables of a JPEG."""

    @property
    def first(self) -> Image.Image:
        return self.frames[0]


class PixelLimit:
    """How many pixels a picture may have."""

    def __init__(self, most: int) -> None:
        self._most = most

    def check(self, width: float, height: float, frames: int = 1) -> None:
        """Raises `NodeError`."""
        if width < 1 or height < 1:
            raise NodeError("The picture would have no pixels; width and height must be at least 1.")
        if width > _SIDES or height > _SIDES:
            raise NodeError(f"A side of the picture has more than {_SIDES} pixels.")
        if width * height * frames > self._most:
            raise NodeError(
                f"The picture has more than {self._most} pixels (nodes.images.max_pixels): "
                f"{width:.0f} x {height:.0f} in {frames} frames."
            )


def opened(content: bytes, limit: PixelLimit) -> Image.Image:
    """The file's first frame, not yet decoded. Raises `NodeError`."""
    try:
        found = Image.open(io.BytesIO(content), formats=READ)
    except Image.DecompressionBombError:
        raise NodeError("The picture has too many pixels.") from None
    except _DAMAGED:
        raise NodeError("The file is no picture in BMP, GIF, JPEG, PNG, TIFF or WebP format, or is damaged.") from None
    limit.check(*found.size)
    return found


def read(content: bytes, limit: PixelLimit) -> DecodedPicture:
    """All frames, upright. Raises `NodeError`."""
    found = opened(content, limit)
    try:
        return _read(found, limit)
    except _DAMAGED:
        raise NodeError("The picture is damaged: not all of it can be read.") from None


def _read(found: Image.Image, limit: PixelLimit) -> DecodedPicture:
    kind = "JPEG" if found.format == "MPO" else str(found.format)
    kept: dict[str, Any] = {"icc_profile": found.info.get("icc_profile")}
    if kind == "JPEG" and isinstance(found, JpegImagePlugin.JpegImageFile):
        kept |= {"qtables": found.quantization, "subsampling": JpegImagePlugin.get_sampling(found)}
    frames: list[Image.Image] = []
    durations: list[int] = []
    exif = found.getexif()
    for frame in _frames(found, kind):
        limit.check(*frame.size, len(frames) + 1)
        durations.append(int(frame.info.get("duration") or 0))
        frames.append(_plain(ImageOps.exif_transpose(frame)))
    exif.pop(0x0112, None)  # orientation: the frames are upright
    if len(exif) and kind in ("JPEG", "PNG", "WEBP"):
        kept["exif"] = exif.tobytes()
    return DecodedPicture(frames, kind, durations, kept)


def _frames(found: Image.Image, kind: str) -> Iterator[Image.Image]:
    return iter(ImageSequence.Iterator(found)) if kind in _MOVING else iter((found,))


def _plain(frame: Image.Image) -> Image.Image:
    """In the mode RGB or RGBA."""
    if frame.mode.startswith(_16_BIT) or frame.mode in ("I", "F"):
        return frame.point(lambda value: value * (1 / 256)).convert("L").convert("RGB")
    return frame.convert("RGBA" if frame.has_transparency_data else "RGB")


def has_alpha(frame: Image.Image) -> bool:
    return frame.mode == "RGBA"


def written(picture: DecodedPicture, kind: str, quality: int | None) -> bytes:
    """The file. kind: as Pillow names it; quality: 0 to 100. Raises `NodeError`."""
    target = io.BytesIO()
    frames = [_savable(frame, kind) for frame in picture.frames]
    options = _options(picture, kind, quality)
    if kind in _MOVING and len(frames) > 1:
        options |= {"save_all": True, "append_images": frames[1:]}
        if kind != "TIFF":
            options |= (
                {"duration": picture.durations, "loop": 0, "disposal": 2}
                if kind == "GIF"
                else {"duration": picture.durations}
            )
    try:
        frames[0].save(target, kind, **options)
    except (*_DAMAGED, Image.DecompressionBombError) as exc:
        raise NodeError(f"The picture cannot be written as {kind}: {exc}.") from None
    return target.getvalue()


def _savable(frame: Image.Image, kind: str) -> Image.Image:
    return frame.convert("RGB") if kind in ("JPEG", "BMP") else frame


def _options(picture: DecodedPicture, kind: str, quality: int | None) -> dict[str, Any]:
    same = kind == picture.format
    kept = {name: value for name, value in picture.kept.items() if value is not None}
    made: dict[str, Any] = {
        name: kept[name] for name in ("icc_profile", "exif") if name in kept and kind not in ("BMP", "GIF")
    }
    wanted = quality or _USUAL_QUALITY  # 0 is n8n's and GraphicsMagick's 75, too
    match kind:
        case "JPEG" if quality is None and same and "qtables" in kept:
            sampling = kept["subsampling"]
            return {**made, "qtables": kept["qtables"], "subsampling": sampling if sampling >= 0 else 2}
        case "JPEG" | "WEBP":
            return {**made, "quality": wanted}
        case "PNG":
            return {**made, "compress_level": min(9, wanted // 10)}
        case "TIFF":
            return {"icc_profile": made["icc_profile"]} if "icc_profile" in made else {}
    return made
