"""Subscriptions of services with questions of their own kind that are compared with n8n's own nodes."""

from __future__ import annotations

import base64
import hmac

from jackfield.api.jsontext import Json, dumps

from .trigger_cases import SECRET, Event, Reply, TriggerCase

APP = {"accessToken": "k", "clientId": "c", "clientSecret": "s"}
ANSWERED: Json = {
    "event_id": "e1",
    "event_type": "response_completed",
    "object_type": "response",
    "object_id": "r",
    "resources": {"survey_id": "v", "collector_id": "l"},
}


def monkey(body: Json, *, signed: bool = True) -> Event:
    signature = hmac.new(b"c&s", dumps(body), "sha1").digest()
    headers = {"sm-signature": base64.b64encode(signature).decode()} if signed else {}
    return Event(body, headers, refused=not signed)


def _question(ident: str, family: str, heading: str, **more: Json) -> dict[str, Json]:
    return {"id": ident, "family": family, "headings": [{"heading": heading}], **more}


CHOICES: Json = [{"id": "c1", "text": "Red"}, {"id": "c2", "text": "Blue", "weight": 2}, {"id": "c3", "text": ""}]
LINES: Json = [{"id": "w1", "text": "Left"}, {"id": "w2", "text": "Right"}, {"id": "w3", "text": "Left"}]
COMMENT: Json = {"id": "o", "visible": True, "is_answer_choice": False}
OTHER: Json = {"id": "o", "visible": True, "is_answer_choice": True}
QUESTIONS: list[tuple[Json, Json]] = [
    (_question("1", "open_ended", "Name", subtype="single"), [{"text": "Ada"}]),
    (
        _question("2", "open_ended", "Two", subtype="multi", answers={"rows": LINES}),
        [{"row_id": "w1", "text": "a"}, {"row_id": "w2", "text": "b"}],
    ),
    (_question("3", "datetime", "Day", subtype="date_only"), [{"text": "01/01/2026"}]),
    (_question("4", "single_choice", "Color", answers={"choices": CHOICES}), [{"choice_id": "c1"}]),
    (
        _question("5", "single_choice", "With comment", answers={"choices": CHOICES, "other": COMMENT}),
        [{"choice_id": "c2"}, {"other_id": "o", "text": "well"}],
    ),
    (
        _question("6", "single_choice", "Something else", answers={"choices": CHOICES, "other": OTHER}),
        [{"other_id": "o", "text": "Green"}],
    ),
    (
        _question("7", "multiple_choice", "Colors", answers={"choices": CHOICES, "other": OTHER}),
        [{"choice_id": "c1"}, {"choice_id": "c2"}, {"other_id": "o", "text": "Green"}],
    ),
    (
        _question("8", "matrix", "Sides", answers={"rows": LINES, "choices": CHOICES}),
        [{"row_id": "w1", "choice_id": "c1"}, {"row_id": "w2", "choice_id": "c2"}],
    ),
    (
        _question("9", "matrix", "Sides and more", answers={"rows": LINES, "choices": CHOICES, "other": COMMENT}),
        [{"row_id": "w1", "choice_id": "c1"}, {"other_id": "o", "text": "well"}],
    ),
    (
        _question("10", "matrix", "Stars", answers={"rows": [{"id": "w1", "text": ""}], "choices": CHOICES}),
        [{"row_id": "w1", "choice_id": "c2"}],
    ),
    (
        _question(
            "11",
            "demographic",
            "Person",
            answers={"rows": [{"id": "d1", "type": "name"}, {"id": "d2", "type": "city"}]},
        ),
        [{"row_id": "d1", "text": "Ada"}],
    ),
    (
        {
            "id": "12",
            "family": "presentation",
            "subtype": "image",
            "headings": [{"heading": "Picture", "image": {"url": "https://p.example"}}],
        },
        [{"text": ""}],
    ),
    (_question("13", "open_ended", "Left out", subtype="single"), None),
]
RESPONSE: Json = {
    "id": "r",
    "survey_id": "v",
    "response_status": "completed",
    "pages": [
        {"questions": [{"id": q["id"], "answers": given} for q, given in QUESTIONS if given and isinstance(q, dict)]}
    ],
}
SURVEY: Json = {"id": "v", "pages": [{"questions": [question for question, _ in QUESTIONS]}]}
MONKEY: dict[str, dict[str, Json]] = {
    "new responses": {"objectType": "survey", "event": "response_created", "surveyIds": ["v", "w"]},
    "new surveys": {"objectType": "survey", "event": "survey_created"},
    "answers": {"objectType": "survey", "event": "response_completed", "surveyIds": ["v"]},
    "all of an answer": {
        "objectType": "collector",
        "event": "response_completed",
        "surveyId": "v",
        "collectorIds": ["l"],
        "onlyAnswers": False,
    },
    "ids of an answer": {
        "objectType": "survey",
        "event": "response_completed",
        "surveyIds": ["v"],
        "resolveData": False,
    },
}
MONKEY_CASES = [
    TriggerCase(
        "surveyMonkeyTrigger",
        parameters,
        credentials={"surveyMonkeyApi": APP},
        base="/v3",
        replies=[
            Reply("/v3/webhooks", {"id": "h"}, "POST"),
            Reply("/v3/webhooks/h", {"id": "h"}, "DELETE"),
            Reply("/v3/surveys/v/responses/r/details", RESPONSE),
            Reply("/v3/collectors/l/responses/r/details", RESPONSE),
            Reply("/v3/surveys/v/details", SURVEY),
        ],
        state={"webhookId": "h"},
        events=[monkey(ANSWERED), monkey(ANSWERED, signed=False)],
        hidden=frozenset({"name"}),
        name=name,
    )
    for name, parameters in MONKEY.items()
]
SITE = "/ex/jira/c-1/rest/api"
SITES = ("GET", "/oauth/token/accessible-resources")
ISSUE: Json = {"webhookEvent": "jira:issue_created", "issue": {"key": "X-1"}}
JIRA_APP_CASES = [
    TriggerCase(
        "jiraTrigger",
        {"jiraVersion": "cloudOAuth2", "events": events, "additionalFields": more},
        version=1.1,
        credentials={"jiraSoftwareCloudOAuth2Api": {"domain": "acme.atlassian.net/wiki"}},
        replies=[
            Reply(
                SITES[1],
                [{"id": "c-0", "url": "https://b.example"}, {"id": "c-1", "url": "https://Acme.atlassian.net"}],
            ),
            Reply(f"{SITE}/2/project/search", {"values": [{"key": "X"}, {"key": "Y"}], "total": 2}),
            Reply(f"{SITE}/3/webhook", {"webhookRegistrationResult": [{"createdWebhookId": 7}]}, "POST"),
            Reply(f"{SITE}/3/webhook", status=202),
        ],
        state={"endpoint": "/api/3/webhook", "webhookId": "7", "lastRefreshed": 9_999_999_999_999},
        events=[Event(ISSUE, ours={"secret": SECRET}), Event(ISSUE, refused=True)],
        hidden=frozenset({"url"}),
        besides=frozenset({SITES}),
        only_theirs=frozenset({SITES}),  # which it keeps for as long as it lives
        name=f"of apps {', '.join(events)}",
    )
    for events, more in ((["*"], {}), (["user_created", "sprint_closed"], {"filter": "project = X"}))
]
CASES = [*MONKEY_CASES, *JIRA_APP_CASES]
