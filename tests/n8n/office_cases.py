"""QuickBooks, Ghost's admin interface, NocoDB's old API, TheHive, Mautic, Google Drive."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer, Row

TOKEN = {"callbackQueryString": {"realmId": "c1"}, "access_token": "t"}
BOOKS = {"quickBooksOAuth2Api": {"environment": "production", "companyId": "c1", "oauthTokenData": TOKEN}}
GHOST = {"ghostAdminApi": {"url": "{service}", "apiKey": "id1:abcdef"}}
NOCO = {"nocoDb": {"host": "{service}", "apiToken": "token-of-noco"}}
HIVE = {"theHiveApi": {"url": "{service}", "ApiKey": "key-of-hive", "apiVersion": "v0"}}
MAUTIC = {"mauticApi": {"url": "{service}", "username": "ada", "password": "password-of-mautic"}}
DATE = "2026-01-01T00:00:00.000Z"


def books(resource: str, operation: str, *answers: Answer, name: str = "", **more: Any) -> ActionCase:
    given = {"resource": resource, "operation": operation, **more}
    return ActionCase("quickbooks", given, answers, credentials=BOOKS, name=name)


def made(resource: str, title: str) -> Answer:
    return Answer(f"/v3/company/c1/{resource}", {title: {"Id": "7", "Note": None}}, "POST")


def kept(resource: str, title: str) -> Answer:
    old = {
        "Id": "7",
        "SyncToken": "3",
        "VendorRef": {"name": "V", "value": "9"},
        "CustomerRef": {"name": "C", "value": "8"},
    }
    return Answer(f"/v3/company/c1/{resource}/7", {title: old}, "GET")


def changed(resource: str, title: str, **fields: Any) -> ActionCase:
    given = {f"{resource}Id": "7", "updateFields": fields}
    return books(resource, "update", kept(resource, title), made(resource, title), **given)


ADDRESS = {"details": {"City": "Paris", "Line1": "Way 1", "PostalCode": ""}}
REF = {"details": {"name": "N", "value": "5"}}
PERSON: Row = {"Active": True, "BillAddr": ADDRESS, "PrimaryPhone": "1"}
FIELDS = {"Field": [{"DefinitionId": "1", "StringValue": "x"}]}
PAPER: Row = {
    "BillAddr": ADDRESS,
    "BillEmail": "a@a.example",
    "CustomFields": FIELDS,
    "CustomerMemo": "Thanks",
    "DocNumber": "12",
    "TxnDate": DATE,
}
BILL_LINES = [
    {"DetailType": "AccountBasedExpenseLineDetail", "Amount": 5, "Description": "A", "accountId": "1"},
    {"DetailType": "ItemBasedExpenseLineDetail", "Amount": 6, "Description": "B", "itemId": "2", "LineNum": 1},
]
SALES = {"DetailType": "SalesItemLineDetail", "Amount": 5, "Description": "A", "itemId": "1", "TaxCodeRef": "TAX"}


def ghost(
    operation: str, path: str, method: str, body: Any, *more_answers: Answer, name: str = "", **more: Any
) -> ActionCase:
    answers = [
        Answer(f"/ghost/api/{where}{path}{end}", body, method) for where, end in (("v2/admin", ""), ("admin", "/"))
    ]
    return ActionCase(
        "ghost",
        {"source": "adminApi", "resource": "post", "operation": operation, **more},
        [*more_answers, *answers],
        credentials=GHOST,
        hidden=frozenset({"page"}),
        paths={"/ghost/api/v2/admin": "/ghost/api/admin"},
        name=name,
    )


POST = {"posts": [{"id": "p1", "title": "T", "slug": None}]}
OLD = [
    Answer("/ghost/api/v2/admin/posts/p1", {"posts": [{"id": "p1", "updated_at": DATE}]}, "GET"),
    Answer("/ghost/api/admin/posts/p1/", {"posts": [{"id": "p1", "updated_at": DATE}]}, "GET"),
]


def noco(version: int, operation: str, path: str, method: str, body: Any, **more: Any) -> ActionCase:
    base = {"projectId": "p1", "table": "t1", "resource": "row", "operation": operation}
    return ActionCase(
        "nocoDb",
        {**base, **more},
        [Answer(path, body, method)],
        version,
        NOCO,
        [{"json": {"a": 1, "b": "x", "c": "y"}}],
        hidden=frozenset({"offset"}),
        name=str(more.get("dataToSend", "")),
    )


ONE, TWO = "/nc/p1/api/v1/t1", "/api/v1/db/data/noco/p1/t1"
BULK = "/api/v1/db/data/bulk/noco/p1/t1"
SENT = {"fieldsUi": {"fieldValues": [{"fieldName": "a", "fieldValue": "x"}]}}
AUTO = {"dataToSend": "autoMapInputData", "inputsToIgnore": "b"}
SORTED = {"where": "(a,eq,1)", "fields": ["a", "b"], "sort": {"property": [{"field": "a", "direction": "desc"}]}}


def hive(resource: str, path: str, parent: str, name: str = "", **more: Any) -> ActionCase:
    given = {"resource": resource, "operation": "getAll", parent: "x1", **more}
    return ActionCase(
        "theHive",
        given,
        [Answer(path, [{"_id": "1"}], "POST")],
        credentials=HIVE,
        hidden=frozenset({"sort"}),
        name=name,
    )


CASES = [
    changed("bill", "Bill", DueDate=DATE, SalesTermRef=REF, APAccountRef=REF),
    changed("customer", "Customer", **PERSON, PrimaryEmailAddr="a@a.example", Taxable=False),
    changed("employee", "Employee", **PERSON, SSN="1"),
    changed("estimate", "Estimate", **PAPER, ShipAddr=ADDRESS),
    changed("invoice", "Invoice", **PAPER, ShipAddr=ADDRESS, DueDate=DATE),
    changed("payment", "Payment", TxnDate=DATE),
    changed("vendor", "Vendor", **PERSON, AcctNum="4"),
    books(
        "bill",
        "create",
        made("bill", "Bill"),
        VendorRef="9",
        Line=BILL_LINES,
        additionalFields={"DueDate": DATE, "APAccountRef": REF},
    ),
    books(
        "estimate",
        "create",
        made("estimate", "Estimate"),
        CustomerRef="8",
        Line=[SALES],
        additionalFields={**PAPER, "TotalTax": 4},
    ),
    books(
        "invoice",
        "create",
        made("invoice", "Invoice"),
        CustomerRef="8",
        Line=[{**SALES, "Qty": 3}],
        additionalFields=PAPER,
    ),
    books(
        "payment", "create", made("payment", "Payment"), CustomerRef="8", TotalAmt=7, additionalFields={"TxnDate": DATE}
    ),
    books(
        "invoice",
        "send",
        Answer("/v3/company/c1/invoice/7/send", {"Invoice": {"Id": "7"}}, "POST"),
        invoiceId="7",
        email="a@a.example",
    ),
    ghost(
        "create",
        "/posts",
        "POST",
        POST,
        title="T",
        content="<p>x</p>",
        additionalFields={"status": "published", "tags": ["a"], "published_at": DATE},
    ),
    ghost("create", "/posts", "POST", POST, name="lexical", title="T", contentFormat="lexical", content='{"root": {}}'),
    ghost("get", "/posts/p1", "GET", POST, by="id", identifier="p1", options={"fields": "id"}),
    ghost("get", "/posts/slug/t", "GET", POST, name="slug", by="slug", identifier="t"),
    ghost("getAll", "/posts", "GET", POST, limit=5),
    ghost(
        "update",
        "/posts/p1",
        "PUT",
        POST,
        *OLD,
        postId="p1",
        updateFields={"title": "N", "content": "<p>y</p>", "featured": True},
    ),
    *(
        one
        for more in (SENT, AUTO)
        for one in (
            noco(1, "create", f"{ONE}/bulk", "POST", [7], **more),
            noco(2, "create", BULK, "POST", [7], **more),
            noco(1, "update", f"{ONE}/bulk", "PUT", [1], id="7", **more),
            noco(2, "update", BULK, "PATCH", [1], id="7", **more),
        )
    ),
    noco(1, "delete", f"{ONE}/bulk", "DELETE", [1], id="7"),
    noco(2, "delete", BULK, "DELETE", [1], id="7", primaryKey="custom", customPrimaryKey="key"),
    noco(1, "get", f"{ONE}/7", "GET", {"id": 7, "a": None}, id="7"),
    noco(2, "get", f"{TWO}/7", "GET", {"id": 7, "a": None}, id="7"),
    noco(1, "getAll", ONE, "GET", [{"id": 7}], limit=5, options=SORTED),
    noco(2, "getAll", TWO, "GET", {"list": [{"id": 7}]}, limit=5, options=SORTED),
    hive("task", "/api/case/task/_search", "caseId", limit=5),
    hive("log", "/api/case/task/log/_search", "taskId", limit=5),
    hive("observable", "/api/case/artifact/_search", "caseId", limit=5),
    ActionCase(
        "mautic",
        {"resource": "contact", "operation": "getAll", "limit": 2, "options": {"search": "a", "rawData": True}},
        [
            Answer(
                "/api/contacts",
                {
                    "total": "2",
                    "contacts": {
                        "1": {"id": 1, "fields": {"all": {"x": 1}}},
                        "2": {"id": 2, "fields": {"all": {"x": 2}}},
                    },
                },
            )
        ],
        credentials=MAUTIC,
        hidden=frozenset({"rawData"}),
    ),
    ActionCase(
        "googleDrive",
        {"resource": "drive", "operation": "create", "name": "D", "options": {"hidden": True}},
        [Answer("/drive/v3/drives", {"id": "d1"}, "POST")],
        3,
        {"googleDriveOAuth2Api": {"oauthTokenData": {"access_token": "t"}}},
        hidden=frozenset({"requestId"}),
    ),
]
