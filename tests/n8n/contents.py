"""Files of items: as cases give them, and as they are compared. A packed file is what is in it: packers differ."""

from __future__ import annotations

import base64
import gzip
import re
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any
from zipfile import ZipFile

import openpyxl
import xlrd
from PIL import Image, UnidentifiedImageError

from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.ods import read_ods
from jackfield_nodes.files.settings import FilesSettings

from .cases import Document

PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF")
ZIP, GZIP, XLS, TAR = b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0", b"ustar"
TAR_MARK = slice(257, 262)
CHANGING = re.compile(r"^(?:UID|DTSTAMP|PRODID):.*\r\n(?: .*\r\n)*", re.MULTILINE)
"""Lines of a calendar that differ from run to run, or name the program that wrote it."""
SIZES = ("fileSize", "bytes")


def file(content: bytes | str, name: str = "", kind: str = "text/plain") -> Document:
    """The entry of a file in an item's `binary`, as n8n writes it."""
    data = content.encode() if isinstance(content, str) else content
    made: Document = {"data": base64.b64encode(data).decode(), "mimeType": kind, "fileSize": f"{len(data)} B"}
    if name:
        made |= {"fileName": name, "fileExtension": PurePosixPath(name).suffix.removeprefix(".")}
    return made


def with_files(json: Document | None = None, **files: Document) -> Document:
    """An item with files by field."""
    return {"json": json or {}, "binary": files}


def described(entry: Mapping[str, Any]) -> Document:
    """All that an item says of a file, with what is in it. The size of a packed file depends on the packer."""
    told = {key: value for key, value in entry.items() if key != "data" and value is not None}
    try:
        data = base64.b64decode(entry.get("data") or "", validate=True)
    except ValueError:
        return {**told, "data": entry["data"]}
    found = meaning(data)
    if not isinstance(found, str) or CHANGING.search(data.decode("utf-8", "replace")):
        told = {key: value for key, value in told.items() if key not in SIZES}
    return {**told, "content": found}


def meaning(data: bytes) -> object:
    """A text, or what is in the packed file."""
    try:
        if data.startswith(ZIP):
            return _of_zip(data)
        if data.startswith(GZIP):
            return {"gzip": meaning(gzip.decompress(data))}
        if data.startswith(XLS):
            return {"xls": _of_xls(data)}
        if data.startswith(PICTURES) and (picture := _of_picture(data)):
            return picture
        if data[TAR_MARK] == TAR:
            with tarfile.open(fileobj=BytesIO(data)) as archive:
                return {"tar": [[one.name, meaning(archive.extractfile(one).read())] for one in archive]}  # type: ignore[union-attr]
    except Exception as exc:  # whatever a damaged file makes of the libraries
        return {"damaged": type(exc).__name__, "data": data.hex()}
    try:
        return unfolded(CHANGING.sub("", data.decode()))
    except UnicodeDecodeError:
        return f"0x{data.hex()}"


def _of_picture(data: bytes) -> Document | None:
    """Format and size: encoders, filters and fonts differ in the pixels."""
    try:
        with Image.open(BytesIO(data)) as found:
            return {"picture": found.format, "size": list(found.size), "frames": getattr(found, "n_frames", 1)}
    except UnidentifiedImageError:
        return None


def unfolded(text: str) -> str:
    """Long lines of a calendar in one: where they are broken is free."""
    return re.sub(r"\r\n[ \t]", "", text) if text.startswith("BEGIN:VCALENDAR") else text


def _of_zip(data: bytes) -> Document:
    with ZipFile(BytesIO(data)) as archive:
        names = archive.namelist()
        if "xl/workbook.xml" in names:
            book = openpyxl.load_workbook(BytesIO(data), data_only=True)
            return {"xlsx": {page.title: [[_cell(cell) for cell in row] for row in page.values] for page in book}}
        if "content.xml" in names:
            rows = read_ods(data, "", FileBudget(FilesSettings()))
            return {"ods": [[_cell(cell) for cell in row] for row in rows]}
        return {"zip": [[name, meaning(archive.read(name))] for name in names]}


def _of_xls(data: bytes) -> Document:
    book = xlrd.open_workbook(file_contents=data)
    return {
        page.name: [[[cell.ctype, cell.value] for cell in page.row(number)] for number in range(page.nrows)]
        for page in book.sheets()
    }


def _cell(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | None) else str(value)
