"""X's old API, WhatsApp, APITemplate.io, Bannerbear."""

from __future__ import annotations

from typing import Any

from .action_cases import ActionCase, Answer

X = {"twitterOAuth1Api": {"consumerKey": "consumer-key", "consumerSecret": "consumer-secret"}}
PLACE = {"locationFieldsValues": {"latitude": "1.5", "longitude": "2.5", "distance": 5, "radius": "km"}}


def tweet(operation: str, path: str, method: str, body: Any, name: str = "", **more: Any) -> ActionCase:
    resource = more.pop("resource", "tweet")
    given = {"resource": resource, "operation": operation, **more}
    return ActionCase(
        "twitter",
        given,
        [Answer(f"/1.1{path}", body, method)],
        credentials=X,
        name=name,
        hidden=frozenset({"response_type", "result_type"}),
    )


CONTACT = {
    "name": {"data": {"formatted_name": "Ada L", "first_name": "Ada"}},
    "additionalFields": {
        "addresses": {"address": [{"type": "HOME", "street": "Way 1", "city": "Paris"}]},
        "birthday": "2000-01-01",
        "emails": {"data": [{"type": "WORK", "email": "a@a.example"}]},
        "organization": {"data": {"company": "A", "title": "Boss"}},
        "phones": {"data": [{"type": "CELL", "phone": "123"}]},
        "urls": {"url": [{"type": "WORK", "url": "https://a.example"}]},
    },
}
TEMPLATE = {"apiTemplateIoApi": {"apiKey": "key-of-template"}}
OVERRIDES = {
    "overrideValues": [
        {"propertiesUi": {"propertyValues": [{"key": "name", "value": "a"}, {"key": "text", "value": "b"}]}}
    ]
}


def template(resource: str, name: str = "", **more: Any) -> ActionCase:
    answer = {"status": "success", "download_url": "https://none.example/a.png", "note": None}
    return ActionCase(
        "apiTemplateIo",
        {"resource": resource, "operation": "create", **more},
        [Answer("/v1/create", answer, "POST")],
        credentials=TEMPLATE,
        name=name,
    )


BANNER = {"bannerbearApi": {"apiKey": "key-of-banner"}}
WAITED = {"resource": "image", "operation": "create", "templateId": "t1"}
CASES = [
    tweet(
        "create",
        "/statuses/update.json",
        "POST",
        {"id": 1, "text": None},
        text="Hi",
        additionalFields={"inReplyToStatusId": "5", "possiblySensitive": True, "locationFieldsUi": PLACE},
    ),
    tweet("create", "/statuses/update.json", "POST", {"id": 1}, name="bare", text="Hi"),
    tweet("delete", "/statuses/destroy/5.json", "POST", {"id": 5}, tweetId="5"),
    tweet("like", "/favorites/create.json", "POST", {"id": 5}, tweetId="5", additionalFields={"includeEntities": True}),
    tweet("retweet", "/statuses/retweet/5.json", "POST", {"id": 5}, tweetId="5", additionalFields={"trimUser": True}),
    tweet(
        "search",
        "/search/tweets.json",
        "GET",
        {"statuses": [{"id": 1}, {"id": 2}], "search_metadata": {}},
        searchText="x",
        limit=5,
        additionalFields={
            "lang": "en",
            "until": "2026-01-01",
            "resultType": "recent",
            "tweetMode": "extended",
            "locationFieldsUi": PLACE,
        },
    ),
    tweet(
        "create",
        "/direct_messages/events/new.json",
        "POST",
        {"event": {"id": "1"}},
        resource="directMessage",
        userId="9",
        text="Hi",
    ),
    ActionCase(
        "whatsApp",
        {
            "resource": "message",
            "operation": "send",
            "phoneNumberId": "1",
            "recipientPhoneNumber": "+1(23)-4",
            "messageType": "contacts",
            **CONTACT,
        },
        [Answer(f"/{one}/1/messages", {"messages": [{"id": "m"}]}, "POST") for one in ("v13.0", "v23.0")],
        credentials={"whatsAppApi": {"accessToken": "token-of-whatsapp"}},
        paths={"/v13.0": "/v23.0"},
        name="contacts",
    ),
    template("image", imageTemplateId="t1", overridesUi=OVERRIDES),
    template("image", name="JSON", imageTemplateId="t1", jsonParameters=True, overridesJson='[{"name": "a"}]'),
    template("pdf", pdfTemplateId="t1", propertiesUi={"propertyValues": [{"key": "a", "value": "b"}]}),
    template("pdf", name="JSON", pdfTemplateId="t1", jsonParameters=True, propertiesJson='{"a": 1}'),
    ActionCase(
        "bannerbear",
        {
            **WAITED,
            "modificationsUi": {"modificationsValues": [{"name": "n", "text": "", "imageUrl": "https://a.example"}]},
            "additionalFields": {"waitForImage": True, "metadata": "m", "webhookUrl": "https://w.example"},
        },
        [
            Answer("/v2/images", {"uid": "u1", "status": "pending"}, "POST"),
            Answer("/v2/images/u1", {"uid": "u1", "status": "completed", "image_url": None}),
        ],
        credentials=BANNER,
    ),
]
