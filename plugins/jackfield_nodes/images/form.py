"""How Edit Image shows its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.nodes.ui import Scalar, Ui, UiFields, Words

_OPERATIONS: Mapping[Scalar, Words] = {
    "blur": ("Blur", "Makes the picture less sharp."),
    "border": ("Border", "Puts a border around the picture."),
    "composite": ("Composite", "Puts another picture on top."),
    "create": ("Create", "Makes a new picture."),
    "crop": ("Crop", "Keeps a part of the picture."),
    "draw": ("Draw", "Draws a shape."),
    "resize": ("Resize", "Changes the size."),
    "rotate": ("Rotate", "Turns the picture clockwise."),
    "shear": ("Shear", "Slants the picture."),
    "text": ("Text", "Writes on the picture."),
    "transparent": ("Transparent", "Makes a color transparent."),
}
_FONT = "A font of the daemon's machine: its file, or its name such as DejaVuSans."


def _colored(operation: str, default: str, label: str = "Color") -> Ui:
    return Ui("color", label=label, when={"operation": [operation]}, default=default, options={"showAlpha": True})


def _number(label: str, default: float, *operations: str) -> Ui:
    return Ui("number", label=label, when={"operation": [*operations]}, default=default)


def _drawn(label: str) -> Ui:
    return Ui(label=label, when={"operation": ["draw"], "primitive": ["circle", "line", "rectangle"]})


def _placed(axis: str) -> Sequence[Ui]:
    return (_number(f"Position {axis}", 50, "text"), _number(f"Position {axis}", 0, "composite", "crop"))


STEP: UiFields = {
    "operation": Ui("select", choices=_OPERATIONS),
    "backgroundColor": (
        _colored("create", "#ffffff00", "Background color"),
        _colored("rotate", "#ffffffff", "Background color"),
    ),
    "width": (_number("Image width", 50, "create"), _number("Width", 500, "crop", "resize")),
    "height": (_number("Image height", 50, "create"), _number("Height", 500, "crop", "resize")),
    "primitive": Ui(
        when={"operation": ["draw"]}, choices={"circle": "Circle", "line": "Line", "rectangle": "Rectangle"}
    ),
    "color": (_colored("draw", "#ff000000"), _colored("transparent", "#ff0000")),
    "startPositionX": _drawn("Start position X"),
    "startPositionY": _drawn("Start position Y"),
    "endPositionX": _drawn("End position X"),
    "endPositionY": _drawn("End position Y"),
    "cornerRadius": Ui(when={"operation": ["draw"], "primitive": ["rectangle"]}),
    "text": Ui("textarea", when={"operation": ["text"]}),
    "fontSize": Ui(when={"operation": ["text"]}),
    "fontColor": Ui("color", when={"operation": ["text"]}),
    "positionX": _placed("X"),
    "positionY": _placed("Y"),
    "horizontalAlignment": Ui(
        when={"operation": ["text"], "@version": [{"_cnd": {"gte": 1.1}}]},
        choices={"west": "Left", "center": "Center", "east": "Right"},
    ),
    "verticalAlignment": Ui(
        when={"operation": ["text"], "@version": [{"_cnd": {"gte": 1.1}}]},
        choices={"north": "Top", "middle": "Middle", "south": "Bottom"},
    ),
    "lineLength": Ui(label="Longest line", when={"operation": ["text"]}),
    "blur": Ui(when={"operation": ["blur"]}),
    "sigma": Ui(when={"operation": ["blur"]}),
    "borderWidth": Ui(when={"operation": ["border"]}),
    "borderHeight": Ui(when={"operation": ["border"]}),
    "borderColor": Ui("color", when={"operation": ["border"]}),
    "dataPropertyNameComposite": Ui(label="Composite image field", when={"operation": ["composite"]}),
    "operator": Ui(when={"operation": ["composite"]}, help="How the pictures are put together."),
    "resizeOption": Ui(
        label="Option",
        when={"operation": ["resize"]},
        choices={
            "ignoreAspectRatio": ("Ignore aspect ratio", "Just this width and height."),
            "maximumArea": ("Maximum area", "As many pixels as width times height."),
            "minimumArea": ("Minimum area", "Neither side is below width and height."),
            "onlyIfLarger": ("Only if larger", "Makes smaller, never larger."),
            "onlyIfSmaller": ("Only if smaller", "Makes larger, never smaller."),
            "percent": ("Percent", "Width and height are percent."),
        },
    ),
    "rotate": Ui(when={"operation": ["rotate"]}),
    "degreesX": Ui(label="Degrees X", when={"operation": ["shear"]}),
    "degreesY": Ui(label="Degrees Y", when={"operation": ["shear"]}),
    "font": Ui(when={"operation": ["text"]}, help=_FONT),
}
TOP: UiFields = {
    "operation": Ui(
        "select",
        choices={
            **_OPERATIONS,
            "information": ("Get information", "Tells size, format and the like."),
            "multiStep": ("Multi step", "Does several operations."),
        },
    ),
    "dataPropertyName": Ui(label="Image field"),
    "operations": Ui(when={"operation": ["multiStep"]}, options={"add": "Add operation"}),
    "options": Ui(hide={"operation": ["information"]}),
    "font": Ui("hidden"),
}
OPTIONS: UiFields = {
    "destinationKey": Ui(label="Output field"),
    "font": Ui(when={"/operation": ["text"]}, help=_FONT),
    "format": Ui(
        choices={"bmp": "BMP", "gif": "GIF", "jpeg": "JPEG", "png": "PNG", "tiff": "TIFF", "webp": "WebP"},
        default="jpeg",
    ),
    "quality": Ui(default=100, when={"format": ["jpeg", "png", "tiff"]}),
}
