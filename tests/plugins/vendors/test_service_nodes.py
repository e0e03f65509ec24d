"""Nodes of further services, with parameters as real workflows have them."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from loopback import Loopback, Seen, reply
from pydantic import ValidationError
from service_lab import Services
from vendor_lab import Lab

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items

TOKEN = {"accessToken": "canary"}


@pytest.fixture
def services(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Services:
    return Services(lab, monkeypatch)


def rows(made: Items) -> list[Any]:
    return [item["json"] for item in made]


def query(seen: Seen) -> dict[str, list[str]]:
    return parse_qs(urlsplit(seen.target).query)


def path(seen: Seen) -> str:
    return urlsplit(seen.target).path


def locator(value: str) -> dict[str, Any]:
    return {"__rl": True, "mode": "list", "value": value}


BASE = {"base": locator("appViDaeaFw4qv9La"), "table": locator("tblhO0sfRhKP6ibS8")}


async def test_airtable_searches_all_pages(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        record = {"id": f"rec{len(server.seen)}", "createdTime": "t", "fields": {"Name": "n"}}
        return reply({"records": [record]} | ({} if "offset=o1" in seen.target else {"offset": "o1"}))

    server.answer = answer
    parameters = {
        **BASE,
        "operation": "search",
        "filterByFormula": "{Ice breaker} = ''",
        "sort": {"property": [{"field": "Name", "direction": "desc"}]},
        "options": {"fields": ["Issue ID", "Name"]},
    }
    found = await services.run("airtable", 2.1, parameters, credential=("airtableTokenApi", TOKEN))
    assert rows(found) == [{"id": f"rec{n}", "createdTime": "t", "Name": "n"} for n in (1, 2)]
    first = server.seen[0]
    assert path(first) == "/v0/appViDaeaFw4qv9La/tblhO0sfRhKP6ibS8"
    assert query(first) == {
        "filterByFormula": ["{Ice breaker} = ''"],
        "fields[]": ["Issue ID", "Name"],
        "sort[0][field]": ["Name"],
        "sort[0][direction]": ["desc"],
        "pageSize": ["100"],
    }


async def test_airtable_changes_the_record_that_matches(services: Services, server: Loopback) -> None:
    server.answer = lambda seen: reply({"records": [{"id": "rec1"}]} if seen.method == "GET" else {"id": "rec1"})
    columns: Any = {"matchingColumns": ["Name"], "value": {"Name": 'a "b"', "Stage": "No"}}
    await services.run(
        "airtable",
        2.1,
        {**BASE, "operation": "update", "columns": columns},
        credential=("airtableTokenApi", TOKEN),
    )
    looked, changed = server.seen
    assert query(looked)["filterByFormula"] == ['AND({Name}="a \\"b\\"")']
    assert changed.target.endswith("/tblhO0sfRhKP6ibS8/rec1")
    assert changed.json == {"fields": {"Name": 'a "b"', "Stage": "No"}}


async def test_airtable_1_sends_some_fields_of_the_item(services: Services, server: Loopback) -> None:
    parameters: Any = {
        "operation": "append",
        "application": "app1",
        "table": "T",
        "fields": ["a"],
        "addAllFields": False,
    }
    await services.run(
        "airtable", 1, parameters, {"json": {"a": 1, "b": 2}}, credential=("airtableApi", {"apiKey": "k"})
    )
    assert server.seen[0].json == {"fields": {"a": 1}}


@pytest.mark.parametrize(
    ("parameters", "target"),
    [
        (
            {"filterType": "string", "filterString": "metadata->>id=like.7"},
            "/rest/v1/documents?metadata-%3E%3Eid=like.7",
        ),
        (
            {
                "matchType": "allFilters",
                "filters": {"conditions": [{"keyName": "a", "condition": "gt", "keyValue": 3}]},
            },
            "/rest/v1/documents?a=gt.3",
        ),
        (
            {"filters": {"conditions": [{"keyName": n, "condition": "eq", "keyValue": "x"} for n in "ab"]}},
            "/rest/v1/documents?or=%28a.eq.x%2Cb.eq.x%29",
        ),
    ],
)
async def test_supabase_deletes_by_filters(services: Services, server: Loopback, parameters: Any, target: str) -> None:
    server.answer = lambda _: reply([{"id": 1}, {"id": 2}])
    credential = ("supabaseApi", {"host": server.url(""), "serviceRole": "canary"})
    given = {"operation": "delete", "tableId": "documents", **parameters}
    assert rows(await services.run("supabase", 1, given, credential=credential)) == [{"id": 1}, {"id": 2}]
    seen = server.seen[0]
    assert (seen.method, seen.target) == ("DELETE", target)
    assert (seen.headers["apikey"], seen.headers["prefer"]) == ("canary", "return=representation")


async def test_jira_creates_and_moves(services: Services, server: Loopback) -> None:
    credential = ("jiraSoftwareCloudApi", {"email": "e", "apiToken": "canary", "domain": server.url("")})
    parameters: Any = {
        "project": locator("10000"),
        "issueType": "Bug",
        "summary": "s",
        "additionalFields": {"labels": "a, b", "priority": locator("2"), "assignee": "u1"},
    }
    await services.run("jira", 1, parameters, credential=credential)
    assert server.seen[0].json["fields"] == {
        "project": {"id": "10000"},
        "issuetype": {"name": "Bug"},
        "summary": "s",
        "assignee": {"id": "u1"},
        "labels": ["a", "b"],
        "priority": {"id": "2"},
    }
    moved = {"operation": "update", "issueKey": "A-1", "updateFields": {"statusId": "31"}}
    assert rows(await services.run("jira", 1, moved, credential=credential)) == [{"success": True}]
    assert [seen.target for seen in server.seen[1:]] == ["/rest/api/2/issue/A-1/transitions", "/rest/api/2/issue/A-1"]
    assert server.seen[1].json == {"transition": {"id": "31"}}


async def test_n8n_lists_workflows(services: Services, server: Loopback) -> None:
    server.answer = lambda seen: reply({"data": [{"id": "w"}], "nextCursor": None if "cursor" in seen.target else "c"})
    credential = ("n8nApi", {"apiKey": "canary", "baseUrl": server.url("/api/v1")})
    found = await services.run("n8n", 1, {"filters": {"tags": "mcp"}}, credential=credential)
    assert len(found) == 2
    assert [seen.target for seen in server.seen] == [
        "/api/v1/workflows?tags=mcp&limit=250",
        "/api/v1/workflows?tags=mcp&limit=250&cursor=c",
    ]


async def test_discord_by_a_webhook_needs_no_credential(services: Services, server: Loopback) -> None:
    await services.run("discord", 1, {"webhookUri": server.url("/hook"), "text": "hi", "options": {"username": "u"}})
    assert (server.seen[0].target, server.seen[0].json) == ("/hook", {"content": "hi", "username": "u"})
    assert "authorization" not in server.seen[0].headers


async def test_discord_lists_until_a_page_is_short(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        return reply([{"id": str(n)} for n in (range(100) if len(server.seen) == 1 else range(100, 103))])

    server.answer = answer
    parameters = {"resource": "message", "operation": "getAll", "channelId": locator("7"), "returnAll": True}
    found = await services.run("discord", 2, parameters, credential=("discordBotApi", {"botToken": "canary"}))
    assert len(found) == 103
    assert server.seen[1].target == "/api/v10/channels/7/messages?limit=100&before=99"
    assert server.seen[0].headers["authorization"] == "Bot canary"


@pytest.mark.parametrize(
    ("parameters", "seen"),
    [
        ({"node": "me"}, ("GET", "/me")),
        ({"node": "7", "edge": "feed", "httpRequestMethod": "POST"}, ("POST", "/7/feed")),
        ({"node": "7", "graphApiVersion": "v23.0"}, ("GET", "/v23.0/7")),
        ({"node": "7", "edge": "posts", "graphApiVersion": "v23.0"}, ("GET", "/v23.0/7/posts")),
    ],
)
async def test_facebook_addresses(services: Services, server: Loopback, parameters: Any, seen: Any) -> None:
    fields = {"options": {"fields": {"field": [{"name": "id"}, {"name": "from{name}"}]}}}
    given = {**fields, **parameters}
    await services.run("facebookGraphApi", 1, given, credential=("facebookGraphApi", {"accessToken": "canary"}))
    assert (server.seen[0].method, path(server.seen[0])) == seen
    assert query(server.seen[0]) == {"fields": ["id,from{name}"], "access_token": ["canary"]}


def test_a_facebook_token_goes_to_facebook_only(services: Services) -> None:
    with pytest.raises(ValueError, match=r"graph\.facebook\.com"):
        services.node("facebookGraphApi").parameters(1).model_validate({"node": "me", "hostUrl": "evil.example"})


async def test_linkedin_publishes_a_picture(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        if seen.target.startswith("/rest/images"):
            return reply({"value": {"uploadUrl": server.url("/put"), "image": "urn:li:image:1"}})
        return reply(b"", status="201 Created", x_restli_id="urn:li:share:9")

    server.answer = answer
    file: Any = {"data": "iVBORw==", "mimeType": "image/png"}
    parameters = {"text": "t", "person": "p1", "shareMediaCategory": "IMAGE", "additionalFields": {}}
    found = await services.run(
        "linkedIn", 1, parameters, {"json": {}, "binary": {"data": file}}, credential=("linkedInOAuth2Api", TOKEN)
    )
    assert rows(found) == [{"urn": "urn:li:share:9"}]
    begun, put, post = server.seen
    assert begun.json == {"initializeUploadRequest": {"owner": "urn:li:person:p1"}}
    assert (put.method, put.target, put.body) == ("PUT", "/put", b"\x89PNG")
    assert post.json["content"] == {"media": {"id": "urn:li:image:1"}}
    assert (post.json["author"], post.json["commentary"]) == ("urn:li:person:p1", "t")


async def test_baserow_logs_in_when_there_is_no_token(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        return reply({"access_token": "jwt-1"} if "token-auth" in seen.target else {"id": 5, "Name": "x"})

    server.answer = answer
    fields: Any = {"fieldValues": [{"fieldId": 62, "fieldValue": "x"}]}
    parameters: Any = {"operation": "create", "databaseId": 1, "tableId": 643, "fieldsUi": fields}
    credential = ("baserowApi", {"host": server.url(""), "username": "u", "password": "canary"})
    assert rows(await services.run("baserow", 1, parameters, credential=credential)) == [{"id": 5, "Name": "x"}]
    login, made, read = server.seen
    assert login.json == {"email": "u", "password": "canary"}
    assert (made.json, made.headers["authorization"]) == ({"field_62": "x"}, "JWT jwt-1")
    assert read.target == "/api/database/rows/table/643/5/?user_field_names=true"


async def test_monday_follows_a_cursor_in_its_variables(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        cursor = None if seen.json["variables"].get("cursor") else "next"
        page = {"cursor": cursor, "items": [{"id": len(server.seen)}]}
        return reply({"data": {"boards": [{"groups": [{"items_page": page}]}]}})

    server.answer = answer
    parameters: Any = {"resource": "boardItem", "operation": "getAll", "boardId": 7, "groupId": "g", "returnAll": True}
    found = await services.run("mondayCom", 1, parameters, credential=("mondayComApi", {"apiToken": "canary"}))
    assert rows(found) == [{"id": 1}, {"id": 2}]
    assert server.seen[1].json["variables"] == {"board": ["7"], "group": ["g"], "limit": 500, "cursor": "next"}


async def test_monday_errors_come_with_status_200(services: Services, server: Loopback) -> None:
    server.answer = lambda _: reply({"errors": [{"message": "no such board"}]})
    parameters = {"resource": "board", "operation": "get", "boardId": "7"}
    with pytest.raises(NodeError, match="no such board"):
        await services.run("mondayCom", 1, parameters, credential=("mondayComApi", {"apiToken": "canary"}))


async def test_stripe_forms(services: Services, server: Loopback) -> None:
    extra: Any = {
        "metadata": {"metadataProperties": [{"key": "k", "value": "v"}]},
        "address": {"details": {"city": "Bonn"}},
        "email": "a@b.c",
    }
    parameters = {"resource": "customer", "operation": "create", "name": "N", "additionalFields": extra}
    await services.run("stripe", 1, parameters, credential=("stripeApi", {"secretKey": "canary"}))
    sent = parse_qs(server.seen[0].body.decode())
    assert sent == {"name": ["N"], "email": ["a@b.c"], "metadata[k]": ["v"], "address[city]": ["Bonn"]}


async def test_salesforce_lists_with_conditions(services: Services, server: Loopback) -> None:
    def answer(seen: Seen) -> bytes:
        last = "/more" in seen.target
        return reply({"records": [{"Id": "2" if last else "1"}]} | ({} if last else {"nextRecordsUrl": "/more/2"}))

    server.answer = answer
    conditions: Any = [{"field": "Amount", "operation": ">", "value": 5}, {"field": "City", "value": "Bonn"}]
    options: Any = {"fields": "Id,Name", "conditionsUi": {"conditionValues": conditions}}
    parameters = {"resource": "opportunity", "operation": "getAll", "returnAll": True, "options": options}
    credential = ("salesforceOAuth2Api", {"instanceUrl": server.url(""), **TOKEN})
    assert rows(await services.run("salesforce", 1, parameters, credential=credential)) == [{"Id": "1"}, {"Id": "2"}]
    assert query(server.seen[0])["q"] == ["SELECT Id,Name FROM Opportunity WHERE Amount > 5 AND City = 'Bonn'"]
    assert server.seen[1].target == "/more/2"


async def test_salesforce_writes_names_as_it_wants_them(services: Services, server: Loopback) -> None:
    extra = {"email": "e", "firstname": "F", "acconuntId": "A"}
    parameters: Any = {
        "resource": "contact",
        "operation": "upsert",
        "externalId": "Email",
        "externalIdValue": "a@b.c",
        "lastname": "L",
        "additionalFields": extra,
    }
    credential = ("salesforceOAuth2Api", {"instanceUrl": server.url(""), **TOKEN})
    await services.run("salesforce", 1, parameters, credential=credential)
    seen = server.seen[0]
    assert (seen.method, path(seen)) == ("PATCH", "/services/data/v59.0/sobjects/Contact/Email/a%40b.c")
    assert seen.json == {"LastName": "L", "FirstName": "F", "Email": "e", "AccountId": "A"}


async def test_x_likes_as_oneself_and_searches_ten_at_least(services: Services, server: Loopback) -> None:
    server.answer = lambda seen: reply({"data": [{"id": "t"}] * 3 if "search" in seen.target else {"id": "me1"}})
    credential = ("twitterOAuth2Api", TOKEN)
    liked: Any = {"operation": "like", "tweetId": {"__rl": True, "mode": "url", "value": "https://x.com/u/status/42"}}
    await services.run("twitter", 2, liked, credential=credential)
    assert [seen.target for seen in server.seen] == ["/2/users/me", "/2/users/me1/likes"]
    assert server.seen[1].json == {"tweet_id": "42"}
    searched = {"operation": "search", "searchText": "n8n", "limit": 2}
    assert len(await services.run("twitter", 2, searched, credential=credential)) == 2
    assert query(server.seen[2])["max_results"] == ["10"]


async def test_hubspot_searches(services: Services, server: Loopback) -> None:
    server.answer = lambda _: reply({"results": [{"id": "1"}]})
    groups: Any = [{"filtersUi": {"filterValues": [{"operator": "HAS_PROPERTY", "propertyName": "seen|datetime"}]}}]
    parameters: Any = {
        "operation": "search",
        "authentication": "oAuth2",
        "filterGroupsUi": {"filterGroupsValues": groups},
        "additionalFields": {"sortBy": "seen", "direction": "ASCENDING", "properties": ["email"]},
    }
    assert rows(await services.run("hubspot", 2, parameters, credential=("hubspotOAuth2Api", TOKEN))) == [{"id": "1"}]
    assert server.seen[0].json == {
        "filterGroups": [{"filters": [{"propertyName": "seen", "operator": "HAS_PROPERTY"}]}],
        "properties": ["email"],
        "sorts": [{"propertyName": "seen", "direction": "ASCENDING"}],
        "limit": 50,
    }


async def test_sendgrid_says_the_id_of_the_mail(services: Services, server: Loopback) -> None:
    server.answer = lambda _: reply(b"", status="202 Accepted", x_message_id="m1")
    parameters: Any = {
        "resource": "mail",
        "fromEmail": "a@b.c",
        "toEmail": "d@e.f, g@h.i",
        "subject": "S",
        "contentType": "text/html",
        "contentValue": "<p>",
        "additionalFields": {},
    }
    found = await services.run("sendGrid", 1, parameters, credential=("sendGridApi", {"apiKey": "canary"}))
    assert rows(found) == [{"messageId": "m1"}]
    sent = server.seen[0].json
    assert sent["personalizations"] == [{"to": [{"email": "d@e.f"}, {"email": "g@h.i"}], "subject": "S"}]
    assert sent["content"] == [{"type": "text/html", "value": "<p>"}]
    assert "template_id" not in sent


async def test_mattermost_attachments(services: Services, server: Loopback) -> None:
    action = {
        "name": "Ack",
        "options": {},
        "integration": {"item": {"url": "https://a.example", "context": {"property": [{"name": "i", "value": "7"}]}}},
    }
    parameters: Any = {"channelId": "c", "message": "m", "attachments": [{"title": "T", "actions": {"item": [action]}}]}
    credential = ("mattermostApi", {"accessToken": "canary", "baseUrl": server.url("")})
    await services.run("mattermost", 1, parameters, credential=credential)
    assert server.seen[0].json == {
        "channel_id": "c",
        "message": "m",
        "props": {
            "attachments": [
                {
                    "title": "T",
                    "actions": [{"name": "Ack", "integration": {"url": "https://a.example", "context": {"i": "7"}}}],
                }
            ]
        },
    }


async def test_thehive_dates_are_milliseconds(services: Services, server: Loopback) -> None:
    parameters: Any = {
        "resource": "case",
        "operation": "create",
        "title": "t",
        "severity": 1,
        "tags": "a, b",
        "startDate": "2020-12-03T10:08:14.000Z",
    }
    await services.run("theHive", 1, parameters, credential=("theHiveApi", {"ApiKey": "canary", "url": server.url("")}))
    assert server.seen[0].json == {"title": "t", "severity": 1, "tags": ["a", "b"], "startDate": 1606990094000}


async def test_nodes_of_other_packages_keep_their_names(services: Services, server: Loopback) -> None:
    server.answer = lambda _: reply({"data": {"id": "run1"}})
    parameters: Any = {"actorId": locator("apidojo/tweets"), "customBody": '{"maxItems": 3}', "memory": 8192}
    kind = "@apify__n8n-nodes-apify.apify"
    found = await services.run(kind, 1, parameters, credential=("apifyApi", {"apiKey": "canary"}))
    assert rows(found) == [{"id": "run1"}]
    assert server.seen[0].target == "/v2/acts/apidojo~tweets/runs?memory=8192&waitForFinish=60"
    assert server.seen[0].json == {"maxItems": 3}


async def test_what_cannot_run_says_so(services: Services, server: Loopback) -> None:
    parameters = {"resource": "source", "operation": "create"}
    with pytest.raises(NodeError, match=r"Stripe cannot do this here: .*no longer makes sources"):
        await services.run("stripe", 1, parameters, credential=("ghostContentApi", {"apiKey": "k", "url": "x"}))
    assert server.seen == []


@pytest.mark.parametrize(("given", "count"), [({}, 5), ({"limit": 2}, 2), ({"returnAll": True, "limit": 2}, 7)])
async def test_a_limit_holds_where_the_service_gives_all(
    services: Services, server: Loopback, given: Any, count: int
) -> None:
    server.answer = lambda _: reply([{"id": n} for n in range(7)])
    parameters = {"resource": "list", "operation": "getAll", **given}
    found = await services.run("affinity", 1, parameters, credential=("affinityApi", {"apiKey": "canary"}))
    assert len(found) == count


async def test_sample_people(services: Services, server: Loopback) -> None:
    found = rows(await services.run("n8nTrainingCustomerDatastore", 1, {"operation": "getAllPeople"}))
    assert len(found) == 5
    assert set(found[0]) == {"id", "name", "email", "notes", "country", "created"}
    assert server.seen == []


def test_choices_are_checked(services: Services) -> None:
    with pytest.raises(ValidationError, match="there is no such operation"):
        services.node("jira").parameters(1).model_validate({"operation": "sing"})
    assert json.dumps(services.node("jira").parameters(1).model_json_schema())
