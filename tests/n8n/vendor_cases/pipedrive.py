"""Products of deals, and files, in Pipedrive."""

from __future__ import annotations

from typing import Any

from ..action_cases import ActionCase, Answer

TOKEN = {"pipedriveApi": {"apiToken": "token-of-pipedrive"}}


def _changed(resource: str, path: str, name: str = "", **more: Any) -> ActionCase:
    given = {"authentication": "apiToken", "resource": resource, "operation": "update", **more}
    answer = Answer(f"/v1{path}", {"success": True, "data": {"id": 4, "name": "B", "sum": None}}, "PUT")
    return ActionCase("pipedrive", given, [answer], credentials=TOKEN, name=name)


PRODUCT = {"dealId": 3, "productAttachmentId": 4}
CASES = [
    _changed(
        "dealProduct",
        "/deals/3/products/4",
        **PRODUCT,
        updateFields={"item_price": 12.5, "quantity": 2, "discount_percentage": 0, "comments": "C"},
    ),
    _changed("dealProduct", "/deals/3/products/4", "nothing", **PRODUCT),
    _changed("file", "/files/7", fileId=7, updateFields={"name": "a.txt", "description": "Grüße"}),
]
