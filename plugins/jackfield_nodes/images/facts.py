"""The facts that Edit Image tells of a picture, with the names of GraphicsMagick's `identify -verbose`.

All of it blocks.
"""

from __future__ import annotations

from collections.abc import Mapping

from PIL import Image, ImageStat

from jackfield.api.jsontext import Json
from jackfield_nodes.images.picture import PixelLimit, opened

_TITLES: Mapping[str, str] = {
    "BMP": "BMP (Microsoft Windows bitmap image)",
    "GIF": "GIF (CompuServe graphics interchange format)",
    "JPEG": "JPEG (Joint Photographic Experts Group JFIF format)",
    "PNG": "PNG (Portable Network Graphics)",
    "TIFF": "TIFF (Tagged Image File Format)",
    "WEBP": "WEBP (WebP Image Format)",
}
_TYPES: Mapping[str, str] = {
    "1": "bilevel",
    "L": "grayscale",
    "LA": "grayscale with transparency",
    "P": "palette",
    "PA": "palette with transparency",
    "CMYK": "color separated",
    "I;16": "grayscale",
}
_BANDS: Mapping[str, str] = {
    "R": "Red",
    "G": "Green",
    "B": "Blue",
    "A": "Opacity",
    "L": "Gray",
    "1": "Gray",
    "C": "Cyan",
    "M": "Magenta",
    "Y": "Yellow",
    "K": "Black",
}
_ORIENTATIONS = (
    *("Unknown", "TopLeft", "TopRight", "BottomRight", "BottomLeft"),
    *("LeftTop", "RightTop", "RightBottom", "LeftBottom"),
)
_COMPRESSIONS: Mapping[str, str] = {"GIF": "LZW", "JPEG": "JPEG", "PNG": "Zip"}
_SCALE = 257
"""GraphicsMagick counts levels in 16 bits."""


def facts(content: bytes, limit: PixelLimit) -> dict[str, Json]:
    """Raises `NodeError`."""
    picture = opened(content, limit)
    kind = "JPEG" if picture.format == "MPO" else str(picture.format)
    depth = 1 if picture.mode == "1" else 16 if picture.mode.startswith("I;16") else 8
    size = f"{picture.width}x{picture.height}"
    orientation = int(picture.getexif().get(0x0112, 0) or 0)
    indexed = picture.mode in ("1", "L", "P")
    made: dict[str, Json] = {
        "Format": _TITLES[kind],
        "format": kind,
        "Geometry": size,
        "size": {"width": picture.width, "height": picture.height},
        "Class": "PseudoClass" if indexed else "DirectClass",
        "Type": _TYPES.get(picture.mode, "true color"),
        "Depth": f"{depth} bits-per-pixel component",
        "depth": depth,
        **_channels(picture, depth),
        "Filesize": _size(len(content)),
        "Interlace": "Line" if picture.info.get("interlace") or picture.info.get("progressive") else "No",
        "Orientation": _ORIENTATIONS[orientation] if 0 < orientation < len(_ORIENTATIONS) else "Unknown",
        "Page geometry": f"{size}+0+0",
        "Compose": "Over",
        "Dispose": "Undefined",
        "Compression": _COMPRESSIONS.get(kind, "Undefined"),
        "Tainted": "False",
    }
    if resolution := picture.info.get("dpi"):
        made["Resolution"] = f"{float(resolution[0]):g}x{float(resolution[1]):g} pixels/inch"
    return made


def _channels(picture: Image.Image, depth: int) -> dict[str, Json]:
    """Depth and statistics of each channel."""
    shown = picture if picture.mode in ("1", "L", "RGB", "RGBA", "CMYK") else picture.convert("RGB")
    shown = shown.convert("L") if shown.mode == "1" else shown
    found = ImageStat.Stat(shown)
    names = [_BANDS[band] for band in shown.getbands()]
    return {
        "Channel Depths": dict.fromkeys(names, f"{depth} bits"),
        "Channel Statistics": {
            name: {
                "Minimum": _level(found.extrema[index][0]),
                "Maximum": _level(found.extrema[index][1]),
                "Mean": _level(found.mean[index]),
                "Standard Deviation": _level(found.stddev[index]),
            }
            for index, name in enumerate(names)
        },
    }


def _level(value: float) -> str:
    return f"{value * _SCALE:.2f} ({value / 255:.4f})"


def _size(count: int) -> str:
    """Bytes, in units of 1024."""
    value = float(count)
    for unit in ("", "Ki", "Mi", "Gi"):
        if value < 1024:
            return f"{value:.1f}{unit}" if unit else str(count)
        value /= 1024
    return f"{value:.1f}Ti"
