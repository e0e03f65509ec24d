"""Media types of files by their first bytes."""

from __future__ import annotations

from collections.abc import Sequence

SIGNATURES: Sequence[tuple[int, bytes, str]] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"%PDF", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/x-flac"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (4, b"ftypM4A", "audio/x-m4a"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
)
"""(place, bytes there, media type); the first that fits counts."""


def type_of(content: bytes) -> str | None:
    """None where nothing fits."""
    return next((kind for at, mark, kind in SIGNATURES if content.startswith(mark, at)), None)
