"""Hunter, Clearbit, uProc and HighLevel."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer, Row

HUNTER = {"hunterApi": {"apiKey": "key-of-hunter"}}
PAGE = {
    "data": {"domain": "a.example", "webmail": None, "emails": [{"value": "a@a.example"}, {"value": "b@a.example"}]}
}
SEARCH = Answer("/v2/domain-search", {**PAGE, "meta": {"results": 2, "offset": 0}})
LAST = Answer(
    "/v2/domain-search", {"data": {"domain": "a.example", "emails": []}, "meta": {"results": 2, "offset": 100}}
)
FILTERS = {"type": "personal", "seniority": ["junior", "senior"], "department": ["hr", "it"]}


def hunter(operation: str, *answers: Answer, name: str = "", **more: Any) -> ActionCase:
    return ActionCase(
        "hunter",
        {"operation": operation, **more},
        answers,
        credentials=HUNTER,
        hidden=frozenset({"api_key"}),
        name=name,
    )


def clearbit(resource: str, operation: str, path: str, body: Any, name: str = "", **more: Any) -> ActionCase:
    return ActionCase(
        "clearbit",
        {"resource": resource, "operation": operation, **more},
        [Answer(path, body)],
        credentials={"clearbitApi": {"apiKey": "key-of-clearbit"}},
        name=name,
    )


def uproc(name: str, answer: Any, **more: Any) -> ActionCase:
    credentials = {"uprocApi": {"email": "a@a.example", "apiKey": "key-of-uproc"}}
    return ActionCase("uproc", more, [Answer("/api/v2/process", answer, "POST")], credentials=credentials, name=name)


def high_level(
    version: float, resource: str, operation: str, *answers: Answer, name: str = "", **more: Any
) -> ActionCase:
    one = {"highLevelApi": {"apiKey": "key-of-highlevel"}}
    two = {"highLevelOAuth2Api": {"locationId": "l1", "oauthTokenData": {"access_token": "t", "locationId": "l1"}}}
    return ActionCase(
        "highLevel",
        {"resource": resource, "operation": operation, **more},
        answers,
        version,
        one if version == 1 else two,
        hidden=frozenset({"key"}),
        name=name,
    )


CONTACT = {"contact": {"id": "c1", "locationId": "l1", "tags": [], "email": None}}
DETAILS: Row = {
    "address1": "Way 1",
    "city": "Paris",
    "dnd": True,
    "firstName": "Ada",
    "tags": "a, b",
    "timezone": "Etc/UTC",
}
FIELD = {"values": [{"fieldId": "f1", "fieldValue": "x"}]}
FIELD2 = {
    "values": [{"fieldId": {"__rl": True, "mode": "list", "value": "f1", "cachedResultName": "F"}, "fieldValue": "x"}]
}
TASK = {"id": "t1", "title": "Old", "dueDate": "2026-01-02T00:00:00.000Z"}
DUE = "2026-01-01T10:00:00.000Z"
PIPE = "/v1/pipelines/p1/opportunities"


def listed(key: str) -> Row:
    return {key: [{"id": "1"}, {"id": "2"}], "meta": {"total": 3, "startAfterId": "2", "startAfter": 5}}


def both(version: float) -> list[ActionCase]:
    begin, end = ("/v1", "") if version == 1 else ("", "/")
    contacts, contact, tasks = f"{begin}/contacts{end}", f"{begin}/contacts/c1{end}", f"{begin}/contacts/c1/tasks{end}"
    task, bare = f"{begin}/contacts/c1/tasks/t1{end}", f"{begin}/contacts/c1/tasks/t1"
    first = listed("contacts")
    given = {"contactId": "c1", "taskId": "t1"}
    return [
        high_level(version, "contact", "delete", Answer(contact, {}, "DELETE"), contactId="c1"),
        high_level(version, "contact", "get", Answer(contact, CONTACT), contactId="c1"),
        high_level(
            version,
            "contact",
            "getAll",
            Answer(contacts, first),
            limit=2,
            filters={"query": "Ada"},
            options={"order": "asc", "sortBy": "date_added"},
        ),
        high_level(
            version,
            "contact",
            "update",
            Answer(contact, CONTACT, "PUT"),
            contactId="c1",
            updateFields={**DETAILS, "email": "a@a.example", **({"customFields": FIELD} if version == 1 else {})},
        ),
        high_level(version, "task", "delete", Answer(task, {}, "DELETE"), **given),
        high_level(version, "task", "get", Answer(task, TASK), **given),
        high_level(version, "task", "getAll", Answer(tasks, {"tasks": [TASK]}), contactId="c1", limit=5),
        high_level(
            version, "task", "getAll", Answer(tasks, {"tasks": [TASK]}), name="all", contactId="c1", returnAll=True
        ),
        high_level(
            version,
            "task",
            "update",
            Answer(task, TASK, "PUT"),
            Answer(bare, TASK, "GET"),
            updateFields={"title": "New"},
            **given,
        ),
        high_level(
            version,
            "task",
            "update",
            Answer(task, TASK, "PUT"),
            name="whole",
            updateFields={"title": "New", "dueDate": DUE, "assignedTo": "u1"},
            **given,
        ),
    ]


CASES = [
    hunter("domainSearch", SEARCH, domain="a.example"),
    hunter("domainSearch", SEARCH, name="company", domain="a.example", onlyEmails=False, limit=5, filters=FILTERS),
    hunter("domainSearch", SEARCH, LAST, name="all of a company", domain="a.example", onlyEmails=False, returnAll=True),
    hunter(
        "emailFinder",
        Answer("/v2/email-finder", {"data": {"email": "a@a.example", "score": None}}),
        domain="a.example",
        firstname="A",
        lastname="B",
    ),
    hunter("emailVerifier", Answer("/v2/email-verifier", {"data": {"status": "valid"}}), email="a@a.example"),
    clearbit(
        "company",
        "enrich",
        "/v2/companies/find",
        {"name": "A", "legalName": None},
        domain="a.example",
        additionalFields={"companyName": "A", "linkedin": "l", "twitter": "t", "facebook": "f"},
    ),
    ActionCase(
        "clearbit",
        {"resource": "company", "operation": "autocomplete", "name": "A"},
        [Answer("/v1/companies/suggest", [{"name": "A"}, {"name": "B"}])],
        credentials={"clearbitApi": {"apiKey": "key-of-clearbit"}},
    ),
    clearbit(
        "person",
        "enrich",
        "/v2/people/find",
        {"id": "p1"},
        email="a@a.example",
        additionalFields={
            "givenName": "A",
            "familyName": "B",
            "ipAddress": "1.2.3.4",
            "location": "Paris",
            "company": "A",
            "companyDomain": "a.example",
            "linkedIn": "l",
            "twitter": "t",
            "facebook": "f",
        },
    ),
    uproc("a tool", {"message": {"valid": True}}, group="finance", tool="checkBankIbanValid", iban="ES12"),
    uproc(
        "several",
        [{"a": 1}, {"a": 2}],
        group="geographic",
        tool="getDistanceByCoordinates",
        coordinates1="1,2",
        coordinates2="3,4",
    ),
    uproc(
        "a webhook",
        {"a": None},
        group="text",
        tool="checkNumberEq",
        number1=4,
        number2=4.5,
        additionalOptions={"dataWebhook": "https://w.example"},
    ),
    uproc("the first", {"a": 1}, group="product", asin="B01"),
    *both(1),
    *both(2),
    high_level(
        1,
        "contact",
        "create",
        Answer("/v1/contacts", CONTACT, "POST"),
        email="a@a.example",
        additionalFields={**DETAILS, "customFields": FIELD},
    ),
    high_level(
        1, "contact", "lookup", Answer("/v1/contacts/lookup", {"contacts": [{"id": "c1"}]}), email="a@a.example"
    ),
    high_level(
        2,
        "contact",
        "create",
        Answer("/contacts/upsert/", CONTACT, "POST"),
        Answer("/contacts/c1/notes", {}, "POST"),
        phone="+14155550100",
        additionalFields={**DETAILS, "customFields": FIELD2, "notes": "Hello"},
    ),
    high_level(2, "contact", "create", Answer("/contacts/upsert/", CONTACT, "POST"), name="bare", email="a@a.example"),
    *(
        high_level(
            1,
            "opportunity",
            "create",
            Answer(PIPE, {"id": "o1"}, "POST"),
            name=f"for {who}",
            pipelineId="p1",
            stageId="s1",
            contactIdentifier=who,
            title="Deal",
            additionalFields={"monetaryValue": 5, "tags": "a,b", "companyName": "A"},
        )
        for who in ("a@a.example", "+14155550100", "nmFmQEsNgz6AVpgLVUJ")
    ),
    high_level(1, "opportunity", "delete", Answer(f"{PIPE}/o1", {}, "DELETE"), pipelineId="p1", opportunityId="o1"),
    high_level(
        1, "opportunity", "get", Answer(f"{PIPE}/o1", {"id": "o1", "a": None}), pipelineId="p1", opportunityId="o1"
    ),
    high_level(
        1,
        "opportunity",
        "getAll",
        Answer(PIPE, listed("opportunities")),
        pipelineId="p1",
        limit=2,
        filters={"startDate": DUE, "endDate": DUE, "status": "won", "query": "x"},
    ),
    high_level(
        1,
        "opportunity",
        "update",
        Answer(f"{PIPE}/o1", {"id": "o1", "status": "open", "name": "Old"}),
        pipelineId="p1",
        opportunityId="o1",
        updateFields={"title": "New", "tags": "a, b", "contactIdentifier": "a@a.example"},
    ),
    ActionCase(
        "highLevel",
        {
            "resource": "opportunity",
            "operation": "create",
            "pipelineId": "p1",
            "contactId": "c1",
            "name": "Deal",
            "additionalFields": {"stageId": "s1", "tags": "a,b", "monetaryValue": 5},
        },
        [Answer("/opportunities/", {"id": "o1"}, "POST")],
        2,
        {"highLevelOAuth2Api": {"locationId": "l1", "oauthTokenData": {"access_token": "t", "locationId": "l1"}}},
    ),
    high_level(2, "opportunity", "delete", Answer("/opportunities/o1", {}, "DELETE"), opportunityId="o1"),
    high_level(2, "opportunity", "get", Answer("/opportunities/o1", {"opportunity": {"id": "o1"}}), opportunityId="o1"),
    high_level(
        2,
        "opportunity",
        "getAll",
        Answer("/opportunities/search", listed("opportunities")),
        limit=2,
        filters={
            "pipelineId": "p1",
            "stageId": "s1",
            "assignedTo": "u1",
            "query": "x",
            "endDate": DUE,
            "startDate": DUE,
        },
    ),
    high_level(
        2,
        "opportunity",
        "update",
        Answer("/opportunities/o1", {"opportunity": {"id": "o1"}}, "PUT"),
        opportunityId="o1",
        updateFields={"name": "New", "pipelineId": "p1", "stageId": "s1", "status": "won", "monetaryValue": 7},
    ),
    high_level(
        2,
        "task",
        "create",
        Answer("/contacts/c1/tasks/", {"task": TASK}, "POST"),
        contactId="c1",
        title="New",
        dueDate=DUE,
        completed=True,
        additionalFields={"assignedTo": "u1", "body": "x"},
    ),
    high_level(
        1,
        "task",
        "create",
        Answer("/v1/contacts/c1/tasks", TASK, "POST"),
        contactId="c1",
        title="New",
        dueDate=DUE,
        additionalFields={"status": "completed", "description": "x"},
    ),
    high_level(
        2,
        "calendar",
        "bookAppointment",
        Answer("/calendars/events/appointments", {"id": "e1"}, "POST"),
        calendarId="k1",
        locationId="l1",
        contactId="c1",
        startTime="2026-01-01T10:00:00+01:00",
        additionalFields={"title": "Call", "toNotify": False, "appointmentStatus": "new"},
    ),
    high_level(
        2,
        "calendar",
        "getFreeSlots",
        Answer("/calendars/k1/free-slots", {"2026-01-01": {"slots": ["a"]}}),
        calendarId="k1",
        startDate=1548898600000,
        endDate=1601490599999,
        additionalFields={"timezone": "Etc/UTC", "enableLookBusy": True, "userIds": {"userIds": "u1,u2"}},
    ),
]
