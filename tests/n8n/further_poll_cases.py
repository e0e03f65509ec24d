"""Polls of services with answers of their own kind that are compared with n8n's own nodes."""

from __future__ import annotations

from jackfield.api.jsontext import Json

from .trigger_cases import Reply, TriggerCase

FILE, FOLDER = "F!1", "D!1"


def _entry(ident: str, made: str, changed: str, parent: str = FOLDER, **kind: Json) -> dict[str, Json]:
    return {
        "id": ident,
        "name": f"{ident}.txt",
        "webUrl": f"https://onedrive.live.com/{ident}",
        "size": 7,
        "fileSystemInfo": {"createdDateTime": made, "lastModifiedDateTime": changed},
        "parentReference": {"id": parent, "path": f"/drive/root:/{parent}"},
        **kind,
    }


OLD, NEW = "2025-06-01T00:00:00Z", "2026-01-01T00:00:20Z"
PLAIN: dict[str, Json] = {"file": {"mimeType": "text/plain"}}
LOG: Json = {
    "value": [
        _entry(FILE, OLD, NEW, **PLAIN),
        _entry("F!2", NEW, NEW, **PLAIN),
        _entry("F!3", NEW, NEW, "D!2", **PLAIN),
        _entry("F!4", OLD, OLD, **PLAIN),
        _entry("F!5", OLD, NEW, "D!2", **PLAIN),
        _entry(FOLDER, OLD, NEW, "root", folder={"childCount": 3}),
        _entry("D!2", NEW, NEW, FOLDER, folder={"childCount": 0}),
        {"id": "gone", "deleted": {"state": "deleted"}},
    ],
    "@odata.deltaLink": "https://graph.microsoft.com/v1.0/me/drive/root/delta?token=t",
}
PARENT: Json = {"id": FOLDER, "name": FOLDER, "folder": {}, "parentReference": {"path": "/drive/root:"}}
ONE_DRIVE: dict[str, dict[str, Json]] = {
    "any file": {"event": "fileCreated", "simple": True},
    "files of a folder": {"event": "fileCreated", "watchFolder": True, "folderId": FOLDER, "simple": False},
    "files below a folder": {
        "event": "fileCreated",
        "watchFolder": True,
        "folderId": {"__rl": True, "mode": "id", "value": "D%211"},
        "options": {"folderChild": True},
        "simple": True,
    },
    "any changed file": {"event": "fileUpdated", "watch": "anyFile", "simple": True},
    "changed files of a folder": {
        "event": "fileUpdated",
        "watch": "selectedFolder",
        "folderId": FOLDER,
        "simple": True,
    },
    "one changed file": {"event": "fileUpdated", "watch": "selectedFile", "fileId": FILE, "simple": False},
    "folders": {"event": "folderCreated", "watchFolder": False, "simple": True},
    "one changed folder": {
        "event": "folderUpdated",
        "watch": "oneSelectedFolder",
        "folderId": FOLDER,
        "simple": True,
    },
}
ONE_DRIVE_CASES = [
    TriggerCase(
        "microsoftOneDriveTrigger",
        {"authentication": "microsoftOneDriveOAuth2Api", **parameters},
        credentials={"microsoftOneDriveOAuth2Api": {"accessToken": "k"}},
        base="/v1.0",
        replies=[Reply("/v1.0/me/drive/root/delta", LOG), Reply("/v1.0/me/drive/items/D!1", PARENT)],
        hidden=frozenset({"token"}),
        unlike="the folder is asked for before its log" if "options" in parameters else "",
        name=name,
    )
    for name, parameters in ONE_DRIVE.items()
]
ROWS: list[Json] = [
    {
        "_id": "r1",
        "_ctime": "2026-01-01T00:00:20.000+00:00",
        "_mtime": "2026-01-01T00:00:20.000+00:00",
        "_creator": "a@x.example",
        "Name": "Ada",
        "Who": ["a@x.example", "z@x.example"],
        "Pictures": ["https://s.example/workspace/1/asset/u/images/2026-01/p.png"],
        "Files": [{"name": "f.txt", "url": "https://s.example/workspace/1/asset/u/files/2026-01/f.txt"}],
        "Signed": {"username": "a@x.example", "sign_time": "2026-01-01T00:00:20Z"},
        "Run": {},
        "Maker": "a@x.example",
    },
    {
        "_id": "r2",
        "_ctime": "2025-01-01T00:00:00.000+00:00",
        "_mtime": "2026-01-01T00:00:30.000+00:00",
        "Name": "Bob",
        "Who": [],
    },
    {"_id": "r3", "_ctime": "2025-01-01T00:00:00.000+00:00", "_mtime": "2025-01-01T00:00:00.000+00:00", "Name": "C"},
]
COLUMNS: list[Json] = [
    {"key": key, "name": name, "type": kind}
    for key, name, kind in (
        ("0000", "Name", "text"),
        ("a1", "Who", "collaborator"),
        ("a2", "Pictures", "image"),
        ("a3", "Files", "file"),
        ("a4", "Signed", "digital-sign"),
        ("a5", "Run", "button"),
        ("a6", "Maker", "creator"),
        ("_creator", "_creator", "creator"),
        ("_ctime", "_ctime", "ctime"),
        ("_id", "_id", "text"),
    )
]
USERS: Json = {"user_list": [{"email": "a@x.example", "contact_email": "ada@x.example", "name": "Ada"}]}
GATE = "/api-gateway/api/v2/dtables/u1"
BY_KEYS: list[Json] = [
    {
        "_id": "k1",
        "_ctime": "2026-01-01T00:00:20.000+00:00",
        "_creator": "a@x.example",
        "0000": "Ada",
        "a1": ["x", "y"],
        "a2": [{"display_value": "d"}],
        "a3": {"no": "list"},
    }
]
TABLE_REPLIES = [
    Reply("/api/v2.1/dtable/app-access-token/", {"access_token": "t", "dtable_uuid": "u1"}),
    Reply(f"{GATE}/metadata/", {"metadata": {"tables": [{"name": "T", "columns": COLUMNS}]}}),
    Reply(f"{GATE}/rows/", {"rows": ROWS}),
    Reply(f"{GATE}/sql", {"results": ROWS[:2], "metadata": COLUMNS}),
    Reply(f"{GATE}/related-users/", USERS),
    Reply("/dtable-db/api/v1/query/u1/", {"results": BY_KEYS, "metadata": COLUMNS[:5]}),
]
SEA_TABLE: dict[str, tuple[float, dict[str, Json]]] = {
    "new in a view": (2, {"event": "newRow", "viewName": "V", "options": {}}),
    "changed in a view": (2, {"event": "updatedRow", "viewName": "V", "options": {"simple": False}}),
    "new": (2, {"event": "newRow", "viewName": "", "options": {}}),
    "signed": (2, {"event": "newAsset", "assetColumn": "Signed", "options": {"simple": False}}),
    "first version": (1, {"event": "rowCreated", "simple": True}),
    "first version, whole": (1, {"event": "rowCreated", "simple": False}),
}
SEA_TABLE_CASES = [
    TriggerCase(
        "seaTableTrigger",
        {"tableName": "T", **parameters},
        version=version,
        credentials={"seaTableApi": {"environment": "cloudHosted", "token": "k"}},
        replies=TABLE_REPLIES,
        unlike="n8n reads the first rows of the table" if name == "new" else "",
        hidden=frozenset({"sql"}),
        name=name,
    )
    for name, (version, parameters) in SEA_TABLE.items()
]
CASES = [*ONE_DRIVE_CASES, *SEA_TABLE_CASES]
