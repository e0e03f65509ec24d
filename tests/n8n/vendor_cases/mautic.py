"""Companies of Mautic, and points and wishes of its contacts."""

from __future__ import annotations

from typing import Any

from ..action_cases import ActionCase, Answer

USER = {"mauticApi": {"url": "{service}", "username": "u", "password": "p"}}


def _case(work: str, method: str, path: str, body: Any, told: str = "", **more: Any) -> ActionCase:
    resource, operation = work.split(".")
    given = {"authentication": "credentials", "resource": resource, "operation": operation, **more}
    return ActionCase("mautic", given, [Answer(f"/api{path}", body, method)], credentials=USER, name=told)


def _company(number: int) -> dict[str, Any]:
    return {"id": number, "fields": {"all": {"id": number, "companyname": f"C{number}", "companycity": None}}}


ONE = {"company": _company(3)}
ADDRESS = {"addressValues": {"address1": "A 1", "city": "C", "country": "Germany", "zipCode": "12345"}}
OWN = {"customFieldValues": [{"fieldId": "own", "fieldValue": "x"}]}
FIELDS = {
    "addressUi": ADDRESS,
    "customFieldsUi": OWN,
    "companyEmail": "a@example.com",
    "fax": "1",
    "industry": "Banking",
    "numberOfEmpoyees": 5,
    "phone": "2",
    "website": "https://c.example",
    "annualRevenue": 7,
    "description": "D",
    "overwriteWithBlank": True,
}
MANY = {"total": 3, "companies": {str(number): _company(number) for number in (1, 2, 3)}}
CASES = [
    _case("company.create", "POST", "/companies/new", ONE, name="N", additionalFields=FIELDS),
    _case("company.update", "PATCH", "/companies/3/edit", ONE, companyId="3", updateFields={**FIELDS, "name": "N"}),
    _case("company.update", "PATCH", "/companies/3/edit", ONE, "whole", companyId="3", simple=False, updateFields={}),
    _case("company.getAll", "GET", "/companies", MANY, limit=5, additionalFields={"search": "C", "orderBy": "id"}),
    _case("company.getAll", "GET", "/companies", MANY, "all", returnAll=True, simple=False),
    _case(
        "contact.editContactPoint",
        "POST",
        "/contacts/4/points/plus/10",
        {"success": True},
        contactId="4",
        action="add",
        points=10,
    ),
    _case(
        "contact.editContactPoint",
        "POST",
        "/contacts/4/points/minus/2",
        {"success": True},
        "less",
        contactId="4",
        action="remove",
        points=2,
    ),
    _case(
        "contact.editDoNotContactList",
        "POST",
        "/contacts/4/dnc/email/add",
        {"contact": {"id": 4}},
        contactId="4",
        action="add",
        channel="email",
        additionalFields={"reason": "3", "comments": "C"},
    ),
    _case(
        "contact.editDoNotContactList",
        "POST",
        "/contacts/4/dnc/sms/remove",
        {"contact": {"id": 4}},
        "again",
        contactId="4",
        action="remove",
        channel="sms",
    ),
    *(
        _case(
            f"companyContact.{action}",
            "POST",
            f"/companies/3/contact/4/{action}",
            {"success": 1},
            contactId="4",
            companyId="3",
        )
        for action in ("add", "remove")
    ),
]
