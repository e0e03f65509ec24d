"""One picture on another: the operators of GraphicsMagick's `-compose`. All of it blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PIL import Image, ImageChops, ImageMath

from jackfield_nodes.images.picture import has_alpha

Blend = Callable[[Image.Image, Image.Image], Image.Image]
"""Of the upper and the lower picture, of the mode RGBA and of one size."""


def composed(lower: Image.Image, upper: Image.Image, place: tuple[int, int], operator: str) -> Image.Image:
    """The lower picture with the upper one at this place, as far as it lies within."""
    left, top = place
    box = (max(left, 0), max(top, 0), min(left + upper.width, lower.width), min(top + upper.height, lower.height))
    if box[0] >= box[2] or box[1] >= box[3]:
        return lower
    over = upper.crop((box[0] - left, box[1] - top, box[2] - left, box[3] - top))
    if operator == "CopyOpacity" and not has_alpha(upper):
        over = Image.merge("RGBA", (*over.split()[:3], over.convert("L")))
    made = lower.convert("RGBA")
    made.paste(OPERATORS[operator](over.convert("RGBA"), made.crop(box)), box)
    return made if has_alpha(lower) or operator == "CopyOpacity" else made.convert("RGB")


def _alpha(picture: Image.Image) -> Image.Image:
    return picture.getchannel("A")


def _with_alpha(picture: Image.Image, alpha: Image.Image) -> Image.Image:
    made = picture.copy()
    made.putalpha(alpha)
    return made


def _weighted(upper: Image.Image) -> Image.Image:
    """Its colors by its opacity, RGB."""
    alpha = _alpha(upper)
    return ImageChops.multiply(upper.convert("RGB"), Image.merge("RGB", (alpha, alpha, alpha)))


def _colors(made: Image.Image, upper: Image.Image, lower: Image.Image) -> Image.Image:
    """RGB with the opacity of both."""
    return _with_alpha(made, ImageChops.lighter(_alpha(upper), _alpha(lower)))


def _plain(work: Blend) -> Blend:
    """The work on colors alone."""
    return lambda upper, lower: _colors(work(upper.convert("RGB"), lower.convert("RGB")), upper, lower)


def _blended(work: Blend) -> Blend:
    """The same, as far as the upper picture can be seen."""

    def blend(upper: Image.Image, lower: Image.Image) -> Image.Image:
        below = lower.convert("RGB")
        made = work(upper.convert("RGB"), below)
        return _colors(Image.composite(made, below, _alpha(upper)), upper, lower)

    return blend


def _summed(work: Blend) -> Blend:
    """The same with the upper colors weighted by their opacity."""
    return lambda upper, lower: _colors(work(_weighted(upper), lower.convert("RGB")), upper, lower)


def _atop(upper: Image.Image, lower: Image.Image) -> Image.Image:
    return _with_alpha(Image.alpha_composite(lower, upper), _alpha(lower))


def _inside(upper: Image.Image, lower: Image.Image) -> Image.Image:
    return _with_alpha(upper, ImageChops.multiply(_alpha(upper), _alpha(lower)))


def _outside(upper: Image.Image, lower: Image.Image) -> Image.Image:
    return _with_alpha(upper, ImageChops.multiply(_alpha(upper), ImageChops.invert(_alpha(lower))))


def _either(upper: Image.Image, lower: Image.Image) -> Image.Image:
    """Exclusive or of Porter and Duff."""
    ours, theirs = _alpha(_outside(upper, lower)), _alpha(_outside(lower, upper))
    return _with_alpha(Image.composite(upper, lower, ours), ImageChops.add(ours, theirs))


def _band(index: int) -> Blend:
    """One of red, green, blue and opacity is the upper picture's."""

    def blend(upper: Image.Image, lower: Image.Image) -> Image.Image:
        bands = list(lower.split())
        bands[index] = upper.getchannel(index)
        return Image.merge("RGBA", bands)

    return blend


def _ink(index: int) -> Blend:
    """One of cyan, magenta, yellow and black is."""

    def blend(upper: Image.Image, lower: Image.Image) -> Image.Image:
        bands = list(lower.convert("RGB").convert("CMYK").split())
        bands[index] = upper.convert("RGB").convert("CMYK").getchannel(index)
        return _with_alpha(Image.merge("CMYK", bands).convert("RGB"), _alpha(lower))

    return blend


def _quotient(upper: Image.Image, lower: Image.Image) -> Image.Image:
    bands = [
        ImageMath.lambda_eval(
            lambda given: given["convert"](given["min"](given["u"] * 255 / given["max"](given["l"], 1), 255), "L"),
            u=above,
            l=below,
        )
        for above, below in zip(upper.split(), lower.split(), strict=True)
    ]
    return Image.merge("RGB", bands)


def _bumped(upper: Image.Image, lower: Image.Image) -> Image.Image:
    light = upper.convert("L")
    return ImageChops.multiply(lower, Image.merge("RGB", (light, light, light)))


OPERATORS: Mapping[str, Blend] = {
    "Add": _plain(ImageChops.add_modulo),
    "Atop": _atop,
    "Bumpmap": _plain(_bumped),
    "Copy": lambda upper, lower: upper,
    "CopyBlack": _ink(3),
    "CopyBlue": _band(2),
    "CopyCyan": _ink(0),
    "CopyGreen": _band(1),
    "CopyMagenta": _ink(1),
    "CopyOpacity": _band(3),
    "CopyRed": _band(0),
    "CopyYellow": _ink(2),
    "Difference": _blended(ImageChops.difference),
    "Divide": _plain(_quotient),
    "In": _inside,
    "Minus": _summed(lambda upper, lower: ImageChops.subtract(lower, upper)),
    "Multiply": _blended(ImageChops.multiply),
    "Out": _outside,
    "Over": lambda upper, lower: Image.alpha_composite(lower, upper),
    "Plus": _summed(ImageChops.add),
    "Subtract": _plain(ImageChops.subtract_modulo),
    "Xor": _either,
}
