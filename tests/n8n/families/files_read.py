"""Nodes that read files of items: Extract from File, Spreadsheet File, Move Binary Data, Compression, files on disk."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from itertools import pairwise

import openpyxl

from jackfield_nodes.files.formats.ods import write_ods
from jackfield_nodes.files.formats.tables import Cell
from jackfield_nodes.files.formats.xls_writing import write_xls

from ..cases import TRIGGER, Document, Family, NodeCase, WorkflowCase, both_ways, workflow
from ..contents import file, with_files
from ..engines import DISK

ROWS: list[list[Cell]] = [
    ["id", "name", "score", "yes"],
    [1, "Ann", 1.5, True],
    [2, "Grüße", None, False],
    [3, None, -2, None],
]


def _book() -> bytes:
    book = openpyxl.Workbook()
    first, second = book.active, book.create_sheet("Other")
    first.title = "First"
    for row in ROWS:
        first.append(row)
    second.append(["a", "b"])
    second.append(["x", 5])
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


XLSX, ODS, XLS = _book(), write_ods(ROWS, "First"), write_xls(ROWS, "First")
CSV: Mapping[str, bytes] = {
    "plain": b"id,name,score\n1,Ann,1.5\n2,Bob,\n,,\n",
    "quoted": b'id,name\r\n1,"a ""b"", c"\r\n2,"two\nlines"\r\n',
    "semicolons": b"id;name\n1;Ann\n",
    "mark": "\ufeffid,name\n1,Grüße\n".encode(),
    "latin1": "id,name\n1,Grüße\n".encode("latin-1"),
    "short row": b"id,name\n1\n",
    "long row": b"id,name\n1,a,b\n",
    "open quote": b'id,name\n1,"open\n',
    "quote inside": b'id,name\n1,a"b"c\n',
    "same names": b"id,id\n1,2\n",
    "empty name": b"id,,x\n1,2,3\n",
    "head alone": b"id,name\n",
    "empty lines": b"\n\nid,name\n\n1,a\n\n",
    "spaces": b" id , name \n 1 , a \n",
    "nothing": b"",
}
CSV_OPTIONS: Mapping[str, Document] = {
    "plain": {},
    "no header": {"headerRow": False},
    "empty cells": {"includeEmptyCells": True},
    "semicolon": {"delimiter": ";"},
    "one row": {"maxRowCount": 1},
    "no row": {"maxRowCount": 0},
    "from line 2": {"fromLine": 2},
    "from line 0": {"fromLine": 0},
    "latin1": {"encoding": "latin1"},
    "without mark": {"enableBOM": True},
    "quotes": {"relaxQuotes": True},
    "skipping": {"skipRecordsWithErrors": {"value": {"enabled": True, "maxSkippedRecords": -1}}},
}
NOTHING = ("no row", "from line 0")
SHEET_OPTIONS: Mapping[str, Document] = {
    "plain": {},
    "no header": {"headerRow": False},
    "empty cells": {"includeEmptyCells": True},
    "area": {"range": "A1:B3"},
    "rows left out": {"range": 1},
    "sheet": {"sheetName": "First"},
    "other sheet": {"sheetName": "Other"},
    "unknown sheet": {"sheetName": "Gone"},
}
TEXTS: Mapping[str, bytes] = {
    "text": b"hello",
    "umlauts": "Grüße, 日本".encode(),
    "mark": b"\xef\xbb\xbfhello",
    "empty": b"",
    "object": b'{"a": 1, "b": [1, null]}',
    "list": b"[1, 2]",
    "number": b"5",
    "no json": b"{a: 1}",
    "xml": b"<a><b>1</b></a>",
}


def _named(contents: Mapping[str, bytes], ending: str, kind: str) -> dict[str, tuple[Document, ...]]:
    """Items by the name of their content: a file, one in another field, no file."""
    return {
        name: (
            with_files({"n": 1}, data=file(content, f"f.{ending}", kind), more=file("kept", "k.txt")),
            {"json": {"n": 2}},
            with_files({"n": 3}, other=file(content, f"g.{ending}", kind)),
            with_files({"n": 4}, data=file(content, f"h.{ending}", kind)),
        )
        for name, content in contents.items()
    }


def _each(
    kind: str, versions: tuple[float, ...], given: Mapping[str, Document], items: Mapping[str, tuple[Document, ...]]
) -> Iterator[NodeCase]:
    for name, one in items.items():
        yield from both_ways(
            kind, versions, {f"{label} of {name}": parameters for label, parameters in given.items()}, one
        )


def _csv() -> Iterator[NodeCase]:
    items = _named(CSV, "csv", "text/csv")
    given = {
        name: {"operation": "csv", "options": options} for name, options in CSV_OPTIONS.items() if name not in NOTHING
    }
    yield from _each("extractFromFile", (1, 1.1), given, items)
    rare = {name: {"operation": "csv", "options": CSV_OPTIONS[name]} for name in NOTHING}
    yield from _each("extractFromFile", (1, 1.1), rare, {"plain": items["plain"]})


def _sheets() -> Iterator[NodeCase]:
    contents = {"xlsx": XLSX, "ods": ODS, "xls": XLS}
    for ending, content in contents.items():
        items = _named({ending: content}, ending, "application/x-sheet")
        given = {
            f"{ending} {name}": {"operation": ending, "options": options} for name, options in SHEET_OPTIONS.items()
        }
        yield from _each("extractFromFile", (1, 1.1), given, items)
        told = {
            name: {"operation": "fromFile", "fileFormat": ending, "options": options}
            for name, options in SHEET_OPTIONS.items()
        }
        told["autodetect"] = {"operation": "fromFile", "options": {}}
        yield from _each("spreadsheetFile", (1, 2), told, items)


def _values() -> Iterator[NodeCase]:
    items = _named(TEXTS, "txt", "text/plain")
    given: dict[str, Document] = {}
    for operation in ("text", "fromJson", "xml", "binaryToPropery"):
        for keep in ("", "json", "binary", "both"):
            given[f"{operation} keeping {keep or 'nothing'}"] = {
                "operation": operation,
                "options": {"keepSource": keep} if keep else {},
            }
        given[f"{operation} to a path"] = {"operation": operation, "destinationKey": "a.b", "options": {}}
        given[f"{operation} from another"] = {"operation": operation, "binaryPropertyName": "other", "options": {}}
    yield from _each("extractFromFile", (1, 1.1), given, items)


def _moved() -> Iterator[NodeCase]:
    items = _named(TEXTS, "txt", "text/plain")
    given: dict[str, Document] = {"all": {}, "all kept": {"options": {"keepSource": True}}}
    for name, options in {
        "text": {},
        "kept": {"keepSource": True},
        "base64": {"keepAsBase64": True},
        "json": {"jsonParse": True},
        "latin1": {"encoding": "latin1"},
    }.items():
        given[name] = {"setAllData": False, "options": options}
    given["to a path"] = {"setAllData": False, "destinationKey": "a.b"}
    given["from another"] = {"setAllData": False, "sourceKey": "other"}
    yield from _each("moveBinaryData", (1, 1.1), given, items)


def _packed(kind: str) -> bytes:
    made = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.txt", "first")
            archive.writestr("dir/b.json", '{"a": 1}')
            archive.writestr("__MACOSX/a.txt", "no")
            archive.writestr("unnamed", "third")
        return made.getvalue()
    with tarfile.open(fileobj=made, mode="w:gz" if kind == "tar.gz" else "w") as tar:
        for name, content in (("a.txt", b"first"), ("dir/b.json", b'{"a": 1}')):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return made.getvalue()


def _compression() -> Iterator[NodeCase]:
    packed: dict[str, Document] = {
        "zip": file(_packed("zip"), "a.zip", "application/zip"),
        "tar": file(_packed("tar"), "a.tar", "application/x-tar"),
        "tar.gz": file(_packed("tar.gz"), "a.tar.gz", "application/gzip"),
        "gz": file(gzip.compress(b"packed", mtime=0), "a.txt.gz", "application/gzip"),
        "gzip": file(gzip.compress(b"packed", mtime=0), "a.gzip", "application/gzip"),
        "gz without inner ending": file(gzip.compress(b"packed", mtime=0), "a.gz", "application/gzip"),
        "damaged zip": file(b"no zip", "a.zip", "application/zip"),
        "damaged gz": file(b"no gzip", "a.gz", "application/gzip"),
        "text": file("text", "a.txt"),
        "without ending": file("text", "a"),
    }
    for name, one in packed.items():
        # n8n starts threads for each file, a quarter of a second of work: variants are tried with few kinds of files.
        items = (with_files({"n": 1}, data=one), {"json": {"n": 2}})
        yield from both_ways("compression", (1, 1.1), {f"decompress {name}": {"operation": "decompress"}}, items)
        if name in ("zip", "gz", "damaged gz"):
            more = {
                f"decompress {name} named": {"operation": "decompress", "outputPrefix": "out"},
                f"decompress {name} two": {"operation": "decompress", "binaryPropertyName": "data, other"},
            }
            yield from both_ways("compression", (1.1,), more, (with_files({"n": 3}, data=one, other=one),))
    given: dict[str, Document] = {}
    for form in ("zip", "gzip", "tar", "targz"):
        for fields in ("data", "data,other", "data, gone"):
            base: Document = {"operation": "compress", "outputFormat": form, "binaryPropertyName": fields}
            given[f"{form} {fields}"] = {**base, "fileName": "packed.bin"}
            given[f"{form} {fields} into out"] = {
                **base,
                "fileName": "p.gz" if form == "gzip" else "p.zip",
                "binaryPropertyOutput": "out",
                "outputPrefix": "pre",
            }
        given[f"{form} computed"] = {
            "operation": "compress",
            "outputFormat": form,
            "fileName": "=n{{ $json.n }}.{{ $itemIndex }}",
        }
    given["gzip without a name"] = {"operation": "compress", "outputFormat": "gzip"}
    first = with_files({"n": 1}, data=file("one", "one.txt"), other=file("two", "two.txt"))
    last = with_files({"n": 3}, data=file("three" * 50, "three.long.txt"), other=file("", "none"))
    yield from both_ways("compression", (1,), given, (first, {"json": {"n": 2}}))
    yield from both_ways("compression", (1.1,), given, (last, first))


SELECTED = (
    "plain.txt",
    "*.txt",
    "deep/**",
    "**/*.txt",
    "gone.txt",
    "[[]a]*",
    "[a] (b).txt",
    "unnamed",
    "UPPER.TXT",
    "*.{json,csv}",
    "deep",
    ".hidden",
    "image.png",
    "archive.tar.gz",
    "empty.txt",
    "d?ta.json",
    "page.html",
)


def _disk() -> Iterator[NodeCase | WorkflowCase]:
    given: dict[str, Document] = {f"read {one}": {"fileSelector": f"{DISK}/{one}", "options": {}} for one in SELECTED}
    for name, options in {
        "field": {"dataPropertyName": "made"},
        "name": {"fileName": "other.csv"},
        "ending": {"fileExtension": "zip"},
        "type": {"mimeType": "a/b"},
        "all": {"fileName": "o", "fileExtension": "e", "mimeType": "t/u", "dataPropertyName": "d"},
    }.items():
        given[f"read with {name}"] = {"fileSelector": f"{DISK}/plain.txt", "options": options}
    given["read computed"] = {"fileSelector": "=" + DISK + "/{{ $json.name }}", "options": {}}
    given["read outside"] = {"fileSelector": "/etc/hostname", "options": {}}
    items = ({"json": {"name": "plain.txt"}}, {"json": {"name": "gone.txt"}}, {"json": {"name": "data.json"}})
    yield from both_ways("readWriteFile", (1, 1.1), given, items)
    older = {
        f"one {name}": {"filePath": f"{DISK}/{name}"}
        for name in ("plain.txt", "gone.txt", "image.png", "deep", "unnamed")
    }
    older["one computed"] = {"filePath": "=" + DISK + "/{{ $json.name }}", "dataPropertyName": "made"}
    yield from both_ways("readBinaryFile", (1,), older, items)
    many = {f"many {name}": {"fileSelector": f"{DISK}/{name}"} for name in ("plain.txt", "*.txt", "gone*", "deep/**")}
    yield from both_ways("readBinaryFiles", (1,), many, items)
    written = (
        with_files({"name": "plain.txt", "k": 1}, data=file("new", "n.txt"), other=file("x", "x.txt")),
        {"json": {"name": "none"}},
    )
    for kind, versions in {"readWriteFile": (1, 1.1), "writeBinaryFile": (1,)}.items():
        for number, (label, more) in enumerate(
            {
                "new": {},
                "other field": {"dataPropertyName": "other"},
                "gone field": {"dataPropertyName": "gone"},
                "appended": {"options": {"append": True}},
            }.items()
        ):
            parameters = {"operation": "write", "fileName": f"{DISK}/{kind}{number}.txt", **more}
            yield from both_ways(kind, versions, {f"write {label}": parameters}, written)
        for label, place in {"into no directory": "none/a.txt", "over a directory": "deep"}.items():
            parameters = {"operation": "write", "fileName": f"{DISK}/{place}"}
            yield from both_ways(kind, versions, {f"write {label}": parameters}, written)
    yield _written_twice(append=False)
    yield _written_twice(append=True)


def _written_twice(*, append: bool) -> WorkflowCase:
    """A file that is written, written again, and read."""
    place = f"{DISK}/twice-{append}.txt"
    steps: list[Document] = [
        {"operation": "write", "fileName": place, "options": {}},
        {"operation": "write", "fileName": place, "options": {"append": append}},
        {"operation": "read", "fileSelector": place, "options": {}},
    ]
    nodes = [
        {
            "id": f"n{n}",
            "name": f"n{n}",
            "type": "n8n-nodes-base.readWriteFile",
            "typeVersion": 1,
            "position": [n, 0],
            "parameters": one,
        }
        for n, one in enumerate(steps)
    ]
    names = [TRIGGER["name"], *(node["name"] for node in nodes)]
    links = {one: {"main": [[{"node": other, "type": "main", "index": 0}]]} for one, other in pairwise(names)}
    return WorkflowCase(
        f"written twice, append {append}",
        workflow([TRIGGER, *nodes], links),
        (with_files({}, data=file("text", "t.txt")),),
    )


FAMILIES = (
    Family("files: CSV is read", _csv),
    Family("files: sheets are read", _sheets),
    Family("files: texts are read", _values),
    Family("files: Move Binary Data out of files", _moved),
    Family("files: Compression", _compression),
    Family("files: on disk", _disk),
)
