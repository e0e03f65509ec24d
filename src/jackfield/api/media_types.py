"""Media types of files by name and by content, and the endings of types: the same on every machine, whatever tables its
system has. Sources: IANA's registry of media types; the formats' own specifications for their first bytes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mimetypes import MimeTypes

PLAIN = "text/plain"
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
_ENDINGS: Mapping[str, str] = {
    "application/atom+xml": "atom",
    "application/epub+zip": "epub",
    "application/geo+json": "geojson",
    "application/gpx+xml": "gpx",
    "application/gzip": "gz",
    "application/java-archive": "jar war ear",
    "application/json": "json map",
    "application/ld+json": "jsonld",
    "application/manifest+json": "webmanifest",
    "application/msword": "doc dot",
    "application/node": "cjs",
    "application/octet-stream": "bin dms lrf mar so dist distz pkg bpk dump elc deploy buffer",
    "application/pdf": "pdf",
    "application/pgp-signature": "sig asc",
    "application/rdf+xml": "rdf owl",
    "application/rss+xml": "rss",
    "application/rtf": "rtf",
    "application/sql": "sql",
    "application/toml": "toml",
    "application/vnd.android.package-archive": "apk",
    "application/vnd.google-earth.kml+xml": "kml",
    "application/vnd.ms-excel": "xls xlm xla xlc xlt xlw",
    "application/vnd.ms-outlook": "msg",
    "application/vnd.ms-powerpoint": "ppt pps pot",
    "application/vnd.rar": "rar",
    "application/wasm": "wasm",
    "application/x-7z-compressed": "7z",
    "application/x-bzip2": "bz2 boz",
    "application/x-httpd-php": "php",
    "application/x-iso9660-image": "iso",
    "application/x-msdownload": "dll com bat msi",
    "application/x-msdos-program": "exe",
    "application/x-perl": "pl pm",
    "application/x-pkcs12": "p12 pfx",
    "application/x-sh": "sh",
    "application/x-subrip": "srt",
    "application/x-tar": "tar",
    "application/x-x509-ca-cert": "der crt pem",
    "application/xhtml+xml": "xhtml xht",
    "application/xml": "xml xsl xsd rng",
    "application/zip": "zip",
    f"{_OPEN}.presentation": "odp",
    f"{_OPEN}.spreadsheet": "ods",
    f"{_OPEN}.text": "odt",
    f"{_OFFICE}.presentationml.presentation": "pptx",
    f"{_OFFICE}.spreadsheetml.sheet": "xlsx",
    f"{_OFFICE}.wordprocessingml.document": "docx",
    "audio/aac": "adts aac",
    "audio/mp3": "mp3",
    "audio/mp4": "m4a mp4a m4b",
    "audio/mpeg": "mpga mp2 mp2a mp3 m2a m3a",
    "audio/ogg": "oga ogg spx opus",
    "audio/wav": "wav",
    "audio/webm": "weba",
    "audio/x-flac": "flac",
    "audio/x-mpegurl": "m3u",
    "audio/x-wav": "wav",
    "font/otf": "otf",
    "font/ttf": "ttf",
    "font/woff": "woff",
    "font/woff2": "woff2",
    "image/avif": "avif",
    "image/bmp": "bmp dib",
    "image/gif": "gif",
    "image/heic": "heic",
    "image/jpeg": "jpg jpeg jpe",
    "image/png": "png",
    "image/svg+xml": "svg svgz",
    "image/tiff": "tif tiff",
    "image/vnd.microsoft.icon": "ico",
    "image/webp": "webp",
    "image/x-icon": "ico",
    "message/rfc822": "eml mht mhtml mime",
    "text/calendar": "ics ifb",
    "text/css": "css",
    "text/csv": "csv",
    "text/html": "html htm shtml",
    "text/javascript": "js mjs",
    "text/jsx": "jsx",
    "text/markdown": "md markdown",
    PLAIN: "txt text conf def list log in ini",
    "text/sgml": "sgml sgm",
    "text/tab-separated-values": "tsv",
    "text/vcard": "vcard",
    "text/x-c": "c cc cxx cpp h hh dic",
    "text/x-java-source": "java",
    "text/x-vcard": "vcf",
    "text/xml": "xml",
    "text/yaml": "yaml yml",
    "video/3gpp": "3gp 3gpp",
    "video/3gpp2": "3g2",
    "video/mp2t": "ts m2t m2ts mts",
    "video/mp4": "mp4 mp4v mpg4",
    "video/mpeg": "mpeg mpg mpe m1v m2v",
    "video/quicktime": "qt mov",
    "video/webm": "webm",
    "video/x-m4v": "m4v",
    "video/x-matroska": "mkv mk3d mks",
    "video/x-msvideo": "avi",
}
"""Type -> its endings, the usual one first."""
_PREFERRED: dict[str, str] = {
    "ico": "image/vnd.microsoft.icon",
    "rs": "application/rls-services+xml",
    "mp3": "audio/mpeg",
    "xml": "application/xml",
    "wav": "audio/wav",
}
"""Of endings with several types."""
_ALIASES: Mapping[str, str] = {"application/javascript": "js", "application/x-javascript": "js"}
_UNKNOWN = frozenset(
    ("a", "ass", "h5", "ksh", "loas", "mpa", "nws", "o", "ppa", "pwz", "py", "pyc", "tgz", "xlb", "xpdl")
)
"""Endings whose type only the content tells, as in n8n."""
_FIRST_BYTES: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png", "png"),
    (0, b"GIF8", "image/gif", "gif"),
    (0, b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (8, b"WEBP", "image/webp", "webp"),
    (8, b"WAVE", "audio/wav", "wav"),
    (8, b"AVI", "video/vnd.avi", "avi"),
    (0, b"%PDF", "application/pdf", "pdf"),
    (0, b"PK\x03\x04", "application/zip", "zip"),
    (0, b"\x1f\x8b", "application/gzip", "gz"),
    (0, b"BZh", "application/x-bzip2", "bz2"),
    (0, b"ID3", "audio/mpeg", "mp3"),
    (4, b"ftypavif", "image/avif", "avif"),
    (4, b"ftypheic", "image/heic", "heic"),
    (4, b"ftypqt", "video/quicktime", "mov"),
    (4, b"ftypM4A", "audio/x-m4a", "m4a"),
    (4, b"ftyp", "video/mp4", "mp4"),
    (0, b"<?xml ", "application/xml", "xml"),
    (0, b"BM", "image/bmp", "bmp"),
    (0, b"II*\0", "image/tiff", "tif"),
    (0, b"MM\0*", "image/tiff", "tif"),
    (0, b"\0\0\1\0", "image/x-icon", "ico"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "7z"),
    (0, b"Rar!\x1a\x07", "application/x-rar-compressed", "rar"),
    (28, b"\x01vorbis", "audio/ogg", "ogg"),
    (28, b"OpusHead", "audio/ogg; codecs=opus", "opus"),
    (0, b"OggS", "application/ogg", "ogx"),
    (0, b"fLaC", "audio/flac", "flac"),
    (0, b"\x1aE\xdf\xa3", "video/webm", "webm"),
    (0, b"{\\rtf", "application/rtf", "rtf"),
    (0, b"\0asm", "application/wasm", "wasm"),
    (0, b"SQLi", "application/x-sqlite3", "sqlite"),
    (0, b"\x7fELF", "application/x-elf", "elf"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-cfb", "cfb"),
    (257, b"ustar", "application/x-tar", "tar"),
)
"""Place, bytes, type, ending."""


def type_of_name(name: str) -> str:
    """The media type by a name's ending, which may be all the name; empty when it is unknown."""
    ending = _ending(f"x.{name}").lower()
    if not ending or ending in _UNKNOWN:
        return ""
    return _types().get(ending) or _of_python(f"x.{ending}")


def ending_of_type(media_type: str) -> str:
    """The usual ending of files of this type, without the dot; empty when it is unknown."""
    plain = media_type.partition(";")[0].strip().lower()
    known = _ENDINGS.get(plain) or _ALIASES.get(plain)
    return known.split()[0] if known else _python_ending(plain)


def told_by_content(head: bytes) -> tuple[str, str]:
    """Type and ending by a file's first bytes, of which some hundred are enough; empty when they tell nothing."""
    for place, mark, media_type, ending in _FIRST_BYTES:
        if head.startswith(mark, place):
            return media_type, ending
    return "", ""


def group_of(media_type: str) -> str:
    """How a file is shown: json, html, image, audio, video, text or pdf; empty for any other type."""
    for start, group in _GROUPS:
        if media_type.startswith(start):
            return group
    return ""


_GROUPS = (
    ("application/json", "json"),
    ("text/html", "html"),
    ("image/", "image"),
    ("audio/", "audio"),
    ("video/", "video"),
    ("text/", "text"),
    ("application/javascript", "text"),
    ("application/pdf", "pdf"),
)


def _ending(name: str) -> str:
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return ending if stem and dot else ""


@cache
def _types() -> dict[str, str]:
    """Ending -> type."""
    return {ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()} | _PREFERRED


def _table_of_python() -> MimeTypes:
    from mimetypes import MimeTypes  # few names need it

    return MimeTypes()


def _of_python(name: str) -> str:
    return _table_of_python().guess_type(name)[0] or ""


def _python_ending(media_type: str) -> str:
    return (_table_of_python().guess_extension(media_type) or "").removeprefix(".")
