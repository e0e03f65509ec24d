"""Pages of Notion's first version."""

from __future__ import annotations

from typing import Any

from ..action_cases import ActionCase, Answer

ID = "0123456789abcdef0123456789abcdef"
TITLE = {"id": "title", "type": "title", "title": [{"type": "text", "plain_text": "A page"}]}
PAGE: dict[str, Any] = {"object": "page", "id": ID, "url": f"https://notion.example/A-page-{ID}"}
ROW = {
    **PAGE,
    "parent": {"type": "database_id", "database_id": "d1"},
    "properties": {
        "Name": TITLE,
        "Done at": {"type": "date", "date": {"start": "2026-01-31", "end": None}},
        "Kinds": {"type": "multi_select", "multi_select": [{"name": "a"}, {"name": "b"}]},
        "Empty": {"type": "rich_text", "rich_text": []},
        "Count": {"type": "number", "number": None},
    },
}


def _got(name: str, page: Any, wanted: str = ID, **more: Any) -> ActionCase:
    given = {"resource": "page", "operation": "get", "pageId": wanted, **more}
    answer = Answer(f"/v1/pages/{ID}", page, "GET")
    return ActionCase("notion", given, [answer], credentials={"notionApi": {"apiKey": "k"}}, name=name)


CASES = [
    _got("row", ROW),
    _got("below a page", {**PAGE, "parent": {"type": "page_id"}, "properties": {"title": TITLE}}, PAGE["url"]),
    _got("all of it", ROW, simple=False),
]
