"""The parameters of Edit Image. Defaults that depend on the operation are those of n8n's form."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.images.form import OPTIONS, STEP, TOP

Place: TypeAlias = Annotated[float, Field(ge=-100_000, le=100_000)]
"""Pixels from a corner."""
Length: TypeAlias = Annotated[float, Field(ge=0, le=100_000)]
"""Pixels, or percent."""
Angle: TypeAlias = Annotated[float, Field(ge=-36_000, le=36_000)]
"""Degrees."""
Operation: TypeAlias = Literal[
    "blur", "border", "composite", "create", "crop", "draw", "resize", "rotate", "shear", "text", "transparent"
]
Operator: TypeAlias = Literal[
    "Add",
    "Atop",
    "Bumpmap",
    "Copy",
    "CopyBlack",
    "CopyBlue",
    "CopyCyan",
    "CopyGreen",
    "CopyMagenta",
    "CopyOpacity",
    "CopyRed",
    "CopyYellow",
    "Difference",
    "Divide",
    "In",
    "Minus",
    "Multiply",
    "Out",
    "Over",
    "Plus",
    "Subtract",
    "Xor",
]
_OPAQUE_RED, _RED = "#ff000000", "#ff0000"
_WHITE, _CLEAR_WHITE = "#ffffff00", "#ffffffff"


class ImageStep(Parameters):
    """One operation with its parameters; those of the others do not count."""

    ui_fields: ClassVar[UiFields] = STEP

    operation: str = ""
    background_color: str | None = Field(None, description="The color behind the picture.")
    width: Length | None = Field(None, description="Width in pixels, or percent.")
    height: Length | None = Field(None, description="Height in pixels, or percent.")
    primitive: Literal["circle", "line", "rectangle"] = "rectangle"
    color: str | None = Field(None, description="The color to draw with, or to make transparent.")
    start_position_x: Place = 50
    start_position_y: Place = 50
    end_position_x: Place = 250
    end_position_y: Place = 250
    corner_radius: Length = 0
    text: str = Field("", description="The text to write.")
    font_size: float = Field(18, gt=0, le=10_000)
    font_color: str = "#000000"
    position_x: Place | None = None
    position_y: Place | None = None
    horizontal_alignment: Literal["west", "center", "east"] = "center"
    vertical_alignment: Literal["north", "middle", "south"] = "middle"
    line_length: int = Field(80, ge=1, description="Most characters of a line.")
    blur: float = Field(5, ge=0, le=1000)
    sigma: float = Field(2, ge=0, le=1000, description="How strong the blur is, in pixels.")
    border_width: Length = 10
    border_height: Length = 10
    border_color: str = "#000000"
    data_property_name_composite: str = Field("", description="The field with the picture that is put on top.")
    operator: Operator = "Over"
    resize_option: Literal[
        "ignoreAspectRatio", "maximumArea", "minimumArea", "onlyIfLarger", "onlyIfSmaller", "percent"
    ] = "maximumArea"
    rotate: Angle = 0
    degrees_x: Angle = 0
    degrees_y: Angle = 0
    font: str = Field("", description="The file of a font of the daemon's machine, or its name.")

    @property
    def x(self) -> float:
        return self._place(self.position_x)

    @property
    def y(self) -> float:
        return self._place(self.position_y)

    def _place(self, given: float | None) -> float:
        return given if given is not None else 50 if self.operation == "text" else 0

    @property
    def wanted_width(self) -> float:
        return self._length(self.width)

    @property
    def wanted_height(self) -> float:
        return self._length(self.height)

    def _length(self, given: float | None) -> float:
        return given if given is not None else 50 if self.operation == "create" else 500

    @property
    def wanted_background(self) -> str:
        return self.background_color or (_WHITE if self.operation == "create" else _CLEAR_WHITE)

    @property
    def wanted_color(self) -> str:
        return self.color or (_OPAQUE_RED if self.operation == "draw" else _RED)


class MultiStep(ImageStep):
    """One of several operations."""

    operation: Operation = "border"


class MultiSteps(Parameters):
    operations: list[MultiStep] = Field(default_factory=list)


class ImageOptions(Parameters):
    ui_fields: ClassVar[UiFields] = OPTIONS

    destination_key: str = Field("", description="The field for the new file. Default: that of the old one.")
    file_name: str | None = Field(None, description="The new file's name.")
    font: str = Field("", description="The file of a font of the daemon's machine, or its name.")
    format: Literal["", "bmp", "gif", "jpeg", "png", "tif", "tiff", "webp"] = Field(
        "", description="The new file's format. Default: that of the old one."
    )
    quality: int | None = Field(None, ge=0, le=100, description="How good a JPEG or WebP is; 100 is best.")


class EditImage(ImageStep):
    ui_fields: ClassVar[UiFields] = TOP

    operation: Literal[Operation, "information", "multiStep"] = Field("border", description="The work to do.")
    data_property_name: str = Field("data", description="The field with the picture.")
    operations: MultiSteps = Field(default_factory=MultiSteps)
    options: ImageOptions = Field(default_factory=ImageOptions)

    @property
    def steps(self) -> list[ImageStep]:
        return [*self.operations.operations] if self.operation == "multiStep" else [self]
