"""How the nodes for files show their parameters."""

from __future__ import annotations

from jackfield.api.nodes.ui import Case, Ui, UiFields

_ICAL: Case = {"operation": "iCal"}
_SHEETS = ["csv", "html", "ods", "rtf", "xls", "xlsx"]
CONVERT: UiFields = {
    "options": Ui(hide=_ICAL),
    "operation": Ui(
        choices={
            "csv": "CSV",
            "html": "HTML table",
            "iCal": "iCal event",
            "toJson": "JSON",
            "ods": "ODS spreadsheet",
            "rtf": "RTF table",
            "toText": "Text of a field",
            "xls": "XLS spreadsheet",
            "xlsx": "XLSX spreadsheet",
            "toBinary": "File of a Base64 text",
        },
        label="Convert to",
        help="The kind of file that is made.",
    ),
    "mode": Ui(
        when={"operation": "toJson"},
        choices={"once": "All items in one file", "each": "One file per item"},
        help="How many files are made.",
    ),
    "sourceProperty": Ui(
        label="Input field", when={"operation": ["toText", "toBinary"]}, help="The field with the content."
    ),
    "binaryPropertyName": Ui(label="Output file field", help="The field for the new file."),
    "title": Ui(label="Event title", when=_ICAL),
    "start": Ui("date", when=_ICAL),
    "end": Ui("date", when=_ICAL),
    "allDay": Ui(when=_ICAL),
    "additionalFields": Ui(label="More of the event", when=_ICAL, help="Place, attendees and the like."),
}
CONVERT_OPTIONS: UiFields = {
    "delimiter": Ui(when={"/operation": "csv"}, help="The character between the values."),
    "headerRow": Ui(when={"/operation": [*_SHEETS]}, help="The first row has the names of the fields."),
    "sheetName": Ui(when={"/operation": ["ods", "xls", "xlsx"]}, help="The sheet's name."),
    "compression": Ui(when={"/operation": ["ods", "xlsx"]}),
    "encoding": Ui(when={"/operation": ["toJson", "toText", "toBinary"]}, help="UTF-8 unless you name another."),
    "addBOM": Ui(label="Byte order mark", when={"/operation": ["toJson", "toText"]}),
    "mimeType": Ui(when={"/operation": "toBinary"}),
    "dataIsBase64": Ui(label="Data is Base64", when={"/operation": "toBinary"}),
    "format": Ui(label="Indent", when={"/operation": "toJson"}, help="Writes the JSON on several lines."),
}
EVENT: UiFields = {
    "attendeesUi": Ui(options={"add": "Add attendee"}),
    "busyStatus": Ui(
        choices={"": "Not set", "BUSY": "Busy", "TENTATIVE": "Tentative", "FREE": "Free", "OOF": "Out of office"}
    ),
    "calName": Ui(label="Calendar name"),
    "status": Ui(choices={"": "Not set", "CONFIRMED": "Confirmed", "TENTATIVE": "Tentative", "CANCELLED": "Cancelled"}),
    "uid": Ui(label="UID"),
}
PLACE: UiFields = {"lat": Ui(label="Latitude"), "lon": Ui(label="Longitude")}
_KEYED = ["binaryToPropery", "binaryToProperty", "fromJson", "text", "fromIcs", "ics", "xml"]
EXTRACT: UiFields = {
    "operation": Ui(
        label="Extract from",
        choices={
            "csv": "CSV",
            "html": "HTML table",
            "fromIcs": "iCal",
            "fromJson": "JSON",
            "ods": "ODS spreadsheet",
            "pdf": "PDF",
            "rtf": "RTF table",
            "text": "Text file",
            "xml": "XML",
            "xls": "XLS spreadsheet",
            "xlsx": "XLSX spreadsheet",
            "binaryToPropery": "Any file, as Base64",
        },
        help="The kind of file that is read.",
    ),
    "binaryPropertyName": Ui(label="Input file field", help="The item's field with the file."),
    "destinationKey": Ui(when={"operation": [*_KEYED]}, help="The field for the content."),
}
_CSV: Case = {"/operation": "csv"}
_PDF: Case = {"/operation": "pdf"}
_TEXTS: Case = {"/operation": [*_KEYED]}
READING: UiFields = {
    "delimiter": Ui(help="The character between the values."),
    "enableBOM": Ui(label="Skip the byte order mark"),
    "fromLine": Ui(label="First line", help="The first line to read, counted from 1."),
    "headerRow": Ui(help="The first row has the names of the fields."),
    "maxRowCount": Ui(label="Most rows", help="How many rows to read at most; -1 reads all."),
    "relaxQuotes": Ui(label="Allow quotes inside", help="Takes quotes inside of values as text."),
    "range": Ui(help="The cells to read, such as A1:D20."),
    "skipRecordsWithErrors": Ui(label="Skip broken rows"),
    "sheetName": Ui(help="The sheet to read; the first one unless you name another."),
}
EXTRACT_OPTIONS: UiFields = {
    "delimiter": Ui(when=_CSV, help="The character between the values."),
    "enableBOM": Ui(label="Skip the byte order mark", when=_CSV),
    "fromLine": Ui(label="First line", when=_CSV, help="The first line to read, counted from 1."),
    "maxRowCount": Ui(label="Most rows", when=_CSV, help="How many rows to read at most; -1 reads all."),
    "relaxQuotes": Ui(label="Allow quotes inside", when=_CSV, help="Takes quotes inside of values as text."),
    "skipRecordsWithErrors": Ui(label="Skip broken rows", when=_CSV),
    "headerRow": Ui(when={"/operation": [*_SHEETS]}, help="The first row has the names of the fields."),
    "includeEmptyCells": Ui(when={"/operation": [*_SHEETS]}),
    "range": Ui(when={"/operation": ["ods", "xls", "xlsx"]}, help="The cells to read, such as A1:D20."),
    "sheetName": Ui(when={"/operation": ["ods", "xls", "xlsx"]}, help="The sheet to read; else the first one."),
    "encoding": Ui(when={"/operation": ["csv", *_KEYED]}, help="UTF-8 unless you name another."),
    "stripBOM": Ui(label="Drop the byte order mark", when=_TEXTS),
    "keepSource": Ui(
        choices={"json": "Its fields", "binary": "Its files", "both": "Its fields and files"},
        when={"/operation": ["pdf", *_KEYED]},
        help="The parts of the input item that are kept.",
    ),
    "joinPages": Ui(when=_PDF, help="Gives all pages as one text."),
    "maxPages": Ui(label="Most pages", when=_PDF, help="How many pages to read at most; -1 reads all."),
    "password": Ui("secret", when=_PDF, help="The password of the PDF."),
}
SKIPPING: UiFields = {
    "maxSkippedRecords": Ui(label="Most skipped rows", when={"enabled": True}),
}
SPREADSHEET: UiFields = {
    "operation": Ui(choices={"fromFile": "Read a file", "toFile": "Write a file"}),
    "fileFormat": Ui(
        choices={
            "": "Not set",
            "autodetect": "Detect",
            "csv": "CSV",
            "html": "HTML",
            "ods": "ODS",
            "rtf": "RTF",
            "xls": "XLS",
            "xlsx": "XLSX",
        },
        help="Told by the file, or XLS, unless you choose one.",
    ),
    "binaryPropertyName": Ui(help="The field that has the file, or gets the file."),
}
_COMPRESS: Case = {"operation": "compress"}
COMPRESSION: UiFields = {
    "operation": Ui(choices={"compress": "Compress", "decompress": "Decompress"}),
    "binaryPropertyName": Ui(label="Input file fields", help="The fields with the files, separated by commas."),
    "outputFormat": Ui(
        when=_COMPRESS,
        choices={"zip": "ZIP", "gzip": "Gzip", "tar": "Tar", "targz": "Tar with gzip"},
    ),
    "fileName": (
        Ui(when={**_COMPRESS, "outputFormat": ["zip", "tar", "targz"]}, placeholder="data.zip"),
        Ui(when={**_COMPRESS, "outputFormat": "gzip", "@version": {"_cnd": {"gte": 1.1}}}, placeholder="data.gz"),
    ),
    "binaryPropertyOutput": Ui(label="Output file field", when=_COMPRESS),
    "outputPrefix": (
        Ui(label="Prefix of output fields", when={"operation": "decompress"}),
        Ui(label="Prefix of output fields", when={**_COMPRESS, "outputFormat": "gzip", "@version": 1}),
    ),
}
MOVE: UiFields = {
    "mode": Ui(choices={"binaryToJson": "File to JSON", "jsonToBinary": "JSON to file"}, help="The direction."),
    "setAllData": Ui(
        label="Replace all fields", when={"mode": "binaryToJson"}, help="The content takes the place of all fields."
    ),
    "convertAllData": Ui(label="Take all fields", when={"mode": "jsonToBinary"}, help="All fields go into the file."),
    "sourceKey": (
        Ui(label="Input file field", when={"mode": "binaryToJson"}, help="The field with the file."),
        Ui(
            label="Input field",
            when={"mode": "jsonToBinary", "convertAllData": False},
            help="The field with the content.",
        ),
    ),
    "destinationKey": (
        Ui(when={"mode": "binaryToJson", "setAllData": False}, help="The field for the content."),
        Ui(label="Output file field", when={"mode": "jsonToBinary"}, help="The field for the file."),
    ),
}
_TO_FILE: Case = {"/mode": "jsonToBinary"}
_TO_JSON: Case = {"/mode": "binaryToJson"}
MOVE_OPTIONS: UiFields = {
    "addBOM": Ui(label="Byte order mark", when=_TO_FILE),
    "stripBOM": Ui(label="Drop the byte order mark", when=_TO_JSON),
    "dataIsBase64": Ui(label="Data is Base64", when=_TO_FILE),
    "fileName": Ui(when=_TO_FILE),
    "mimeType": Ui(when=_TO_FILE),
    "useRawData": Ui(label="Plain text", when=_TO_FILE),
    "jsonParse": Ui(label="Parse as JSON", when=_TO_JSON),
    "keepAsBase64": Ui(when=_TO_JSON),
}
_READ: Case = {"operation": "read"}
_WRITE: Case = {"operation": "write"}
READ_WRITE: UiFields = {
    "operation": Ui(choices={"read": "Read files", "write": "Write a file"}),
    "fileSelector": Ui(label="Files", when=_READ, placeholder="/data/**/*.pdf"),
    "fileName": Ui(label="Path", when=_WRITE, placeholder="/data/report.pdf"),
    "dataPropertyName": Ui(label="Input file field", when=_WRITE),
}
DISK_OPTIONS: UiFields = {"literalBrackets": Ui(label="Brackets are plain text"), "append": Ui(label="Append")}
READ_ONE: UiFields = {"filePath": Ui(label="Path"), "dataPropertyName": Ui(label="Output file field")}
READ_MANY: UiFields = {"fileSelector": Ui(label="Files"), "dataPropertyName": Ui(label="Output file field")}
WRITE_ONE: UiFields = {
    "fileName": Ui(label="Path", help="Where the file is written."),
    "dataPropertyName": Ui(label="Input file field", help="The item's field with the file."),
}

_FOLDER: Case = {"triggerOn": "folder"}
WATCH: UiFields = {
    "triggerOn": Ui(choices={"file": "A file", "folder": "A folder"}, help="The thing whose changes count."),
    "path": (
        Ui(label="File to watch", when={"triggerOn": "file"}, placeholder="/data/invoices/1.pdf"),
        Ui(label="Folder to watch", when=_FOLDER, placeholder="/data/invoices"),
    ),
    "events": Ui(
        label="Watch for",
        when=_FOLDER,
        choices={
            "add": "File added",
            "change": "File changed",
            "unlink": "File deleted",
            "addDir": "Folder added",
            "unlinkDir": "Folder deleted",
        },
        help="The changes that start the workflow.",
    ),
}
WATCH_OPTIONS: UiFields = {
    "awaitWriteFinish": Ui(label="Wait for the end of writing", help="Waits until a file grows no more."),
    "followSymlinks": Ui(label="Follow links", help="Links are never followed."),
    "ignored": Ui(label="Ignore", placeholder="**/*.txt", help="Paths that start nothing."),
    "ignoreInitial": Ui(label="Ignore what is there", help="Files that are there at the start start nothing."),
    "depth": Ui(
        label="Depth",
        choices={
            0: "Top folder only",
            1: "1 level down",
            2: "2 levels down",
            3: "3 levels down",
            4: "4 levels down",
            5: "5 levels down",
            -1: "Unlimited",
        },
        help="How deep changes count.",
    ),
    "usePolling": Ui(label="Look every second", help="For network drives, which do not tell of changes."),
    "ignoreMode": Ui(
        label="Ignore mode",
        choices={"match": "Paths that match the pattern", "contain": "Paths that contain the text"},
        help="The meaning of Ignore.",
    ),
}
