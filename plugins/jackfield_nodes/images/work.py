"""The work of an Edit Image node on one item. All of it blocks: it belongs on a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.images import edits
from jackfield_nodes.images.facts import facts
from jackfield_nodes.images.lettering import lettered
from jackfield_nodes.images.overlay import composed
from jackfield_nodes.images.parameters import ImageOptions, ImageStep
from jackfield_nodes.images.picture import WRITTEN, DecodedPicture, PixelLimit, read, written

ENDINGS: Mapping[str, str] = {"JPEG": "jpg", "TIFF": "tif"}


@dataclass(frozen=True)
class EditedFile:
    """content, and the media type and ending of its format."""

    content: bytes
    media_type: str
    ending: str


@dataclass(frozen=True)
class ImageJob:
    """`steps`: in turn. `content`: the item's file, None where the first step makes the picture. `others`: contents of
    further files by their fields. `placed`: see `lettered`. `most`: pixels.
    """

    steps: Sequence[ImageStep]
    options: ImageOptions
    content: bytes | None
    others: Mapping[str, bytes]
    placed: bool
    most: int


def told(content: bytes, most: int) -> dict[str, Json]:
    """The facts about a picture. Raises `NodeError`."""
    return facts(content, PixelLimit(most))


def edited(job: ImageJob) -> EditedFile:
    """Raises `NodeError`."""
    if not job.steps:
        raise NodeError("The parameter operations has no step; add one.")
    limit = PixelLimit(job.most)
    picture = DecodedPicture([], "PNG") if job.content is None else read(job.content, limit)
    for step in job.steps:
        picture = _step(picture, step, job, limit)
    kind = WRITTEN[job.options.format] if job.options.format else picture.format
    return EditedFile(
        written(picture, kind, job.options.quality), f"image/{kind.lower()}", ENDINGS.get(kind, kind.lower())
    )


def _step(picture: DecodedPicture, step: ImageStep, job: ImageJob, limit: PixelLimit) -> DecodedPicture:
    if step.operation == "create":
        return DecodedPicture([edits.created(step, limit)], "PNG")
    if step.operation == "composite":
        upper = read(job.others[step.data_property_name_composite], limit).first
        place = (round(step.x), round(step.y))
        frames = [composed(frame, upper, place, step.operator) for frame in picture.frames[:1]]
        return DecodedPicture(frames, "PNG", kept=picture.kept)
    if step.operation == "text":
        font = job.options.font or step.font
        frames = [lettered(frame, step, limit, font, placed=job.placed) for frame in picture.frames]
    else:
        edit = edits.EDITS[step.operation]
        frames = [edit(frame, step, limit) for frame in picture.frames]
    limit.check(*frames[0].size, len(frames))
    return DecodedPicture(frames, picture.format, picture.durations, picture.kept)
