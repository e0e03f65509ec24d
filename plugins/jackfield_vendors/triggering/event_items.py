"""The events of some services that templates alone cannot describe; functions of shapes (`$call`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeError
from jackfield_vendors.templates import as_text, at

_SIZES = ("small", "medium", "large", "extraLarge")
"""Of Telegram's pictures, by their place in the list."""


def telegram_updates(given: Mapping[str, Json]) -> Json:
    """updates: kinds that the node starts with. An empty list where it wants all of them."""
    wanted = given.get("updates")
    listed = wanted if isinstance(wanted, list) else []
    return [] if "*" in listed else listed


def telegram_wanted(given: Mapping[str, Json]) -> Json:
    """body: an update; chats, users: ids, comma separated, that it may be of. True when it is."""
    body = given.get("body")
    message = body.get("message") if isinstance(body, dict) else None
    for name, field in (("chats", "chat"), ("users", "from")):
        wanted = [part.strip() for part in str(given.get(name) or "").split(",") if part.strip()]
        of = message.get(field) if isinstance(message, dict) else None
        if wanted and str(of.get("id") if isinstance(of, dict) else None) not in wanted:
            return None
    return True


def telegram_file(given: Mapping[str, Json]) -> Json:
    """body: an update; size: of a picture. The id of the file that it has."""
    body = given.get("body")
    message = (body.get("channel_post") or body.get("message")) if isinstance(body, dict) else None
    if not isinstance(message, dict):
        return None
    photo = message.get("photo")
    if isinstance(photo, list) and photo:
        size = str(given.get("size") or "large")
        place = _SIZES.index(size) if size in _SIZES else 2
        return _id_of(photo[place] if place < len(photo) else photo[0])
    return _id_of(message.get("video") or message.get("document"))


def _id_of(file: Json) -> Json:
    return file.get("file_id") if isinstance(file, dict) else None


def typeform_item(given: Mapping[str, Json]) -> Json:
    """body: a submission; simple: answers by the titles of their fields; only: nothing but the answers. Raises
    `NodeError`."""
    body = given.get("body")
    response = body.get("form_response") if isinstance(body, dict) else None
    definition = response.get("definition") if isinstance(response, dict) else None
    answers = response.get("answers") if isinstance(response, dict) else None
    if not isinstance(body, dict) or not isinstance(response, dict) or not isinstance(definition, dict):
        raise NodeError("The event of Typeform has no definition of its form.")
    if not isinstance(answers, list):
        raise NodeError("The event of Typeform has no answers.")
    if given.get("simple") is not False:
        fields = definition.get("fields")
        made: Json = dict(_answers(answers, fields if isinstance(fields, list) else []))
    else:
        made = answers
    if given.get("only") is not False:
        return made if isinstance(made, dict) else {"data": made}
    return {**body, "form_response": {**response, "answers": made}}


def _answers(answers: list[Json], fields: list[Json]) -> Iterator[tuple[str, Json]]:
    titles = {field.get("id"): field.get("title") for field in fields if isinstance(field, dict)}
    for answer in answers:
        field = answer.get("field") if isinstance(answer, dict) else None
        if not isinstance(answer, dict) or not isinstance(field, dict):
            continue
        value = answer.get(str(answer.get("type")))
        if isinstance(value, dict):
            value = next((value[key] for key in ("label", "labels") if key in value), value)
        yield str(titles.get(field.get("id"))), value


def whatsapp_changes(given: Mapping[str, Json]) -> Json:
    """body: a call of WhatsApp; statuses: of messages, those that start the workflow. The changes, one object each."""
    body, wanted = given.get("body"), given.get("statuses")
    changes = [change for entry in _rows(body, "entry") for change in _rows(entry, "changes")]
    events: list[Json] = [
        {**value, "field": change.get("field")} for change in changes if isinstance(value := change.get("value"), dict)
    ]
    if not isinstance(wanted, list) or "all" in wanted:
        return events
    return [event for event in events if _has_status(event, wanted)]


def _has_status(event: Json, wanted: list[Json]) -> bool:
    """Without statuses it has nothing that could be left out."""
    statuses = _rows(event, "statuses")
    return not statuses or any(status.get("status") in wanted for status in statuses)


def _rows(value: Json, name: str) -> list[dict[str, Json]]:
    listed = value.get(name) if isinstance(value, dict) else None
    return [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []


_WITHOUT_CHANNEL = ("team_join", "app_home_opened")


def slack_wanted(given: Mapping[str, Json]) -> Json:
    """`event`: of Slack. `kinds`: that start the workflow. `channel`: the only one, unless `everywhere`. `users`: whose
    events do not count. `emojis`: reactions that count, comma separated. Its `channel`, which some have not; None: it
    starts nothing.
    """
    event = given.get("event")
    if not isinstance(event, dict):
        return None
    kind, listed = event.get("type"), given.get("kinds")
    kinds = listed if isinstance(listed, list) else []
    if not {"file_share", "any_event", kind} & set(map(str, kinds)):
        return None
    channel = "" if kind in _WITHOUT_CHANNEL else _slack_channel(event)
    if kind not in _WITHOUT_CHANNEL and given.get("everywhere") is not True and channel != given.get("channel"):
        return None
    ignored, message = given.get("users"), event.get("message")
    user = event.get("user") or (message.get("user") if isinstance(message, dict) else None)
    if isinstance(ignored, list) and user in ignored:
        return None
    emojis = [one.strip().lower() for one in str(given.get("emojis") or "").split(",") if one.strip()]
    if kind == "reaction_added" and emojis and str(event.get("reaction") or "").lower() not in emojis:
        return None
    return {"channel": channel or None}


def _slack_channel(event: Mapping[str, Json]) -> Json:
    item = event.get("item")
    return event.get("channel") or (item.get("channel") if isinstance(item, dict) else None) or event.get("channel_id")


def slack_files(given: Mapping[str, Json]) -> Json:
    """event: of Slack; kinds: that start the workflow. The files to fetch, where the event shares some."""
    event, kinds = given.get("event"), given.get("kinds")
    wanted = isinstance(kinds, list) and ("file_share" in kinds or "any_event" in kinds)
    if not wanted or not isinstance(event, dict) or event.get("subtype") != "file_share":
        return None
    # Files of other services, and those that Slack hides, have no such address.
    return [row for row in _rows(event, "files") if isinstance(row.get("url_private_download"), str)] or None


_HUBSPOT = ("contact", "company", "deal", "ticket", "conversation")
"""Objects of HubSpot's events."""


def hubspot_events(given: Mapping[str, Json]) -> Json:
    """body: a call of HubSpot. Its events, with the object's id under the object's name."""
    return [_hubspot_event(event) for event in _rows(dict(given), "body")]


def _hubspot_event(event: Mapping[str, Json]) -> Json:
    kind = str(event.get("subscriptionType") or "")
    named = {f"{name}Id": event.get("objectId") for name in _HUBSPOT if name in kind}
    return {name: value for name, value in event.items() if name != "objectId"} | named


def hive_wanted(given: Mapping[str, Json]) -> Json:
    """body: a call of TheHive; filters: `field` (a path), `operator` (`equal`, `notEqual`, `includes`) and `value`.
    True when all hold."""
    body = given.get("body")
    return True if all(_holds(body, row) for row in _rows(dict(given), "filters")) else None


def _holds(body: Json, condition: Mapping[str, Json]) -> bool:
    found: Json = at(body, str(condition.get("field") or "").split("."))
    wanted, operator = condition.get("value"), condition.get("operator", "equal")
    if operator == "includes":
        return str(wanted or "") in ("undefined" if found is None else as_text(found))
    return (found == wanted) is (operator == "equal")


def facebook_changes(given: Mapping[str, Json]) -> Json:
    """body: a call of Facebook; page, form: ids. The leads of the form that it tells of."""
    body, page, form = given.get("body"), given.get("page"), given.get("form")
    changes = [change for entry in _rows(body, "entry") for change in _rows(entry, "changes")]
    values = [change.get("value") for change in changes if change.get("field") == "leadgen"]
    if at(body, ["object"]) != "page":
        return None
    return [one for one in values if at(one, ["page_id"]) == page and at(one, ["form_id"]) == form] or None


def facebook_leads(given: Mapping[str, Json]) -> Json:
    """changes: of Lead Ads; leads and forms: that belong to them; simple: answers by their names. The items."""
    changes, leads, forms = (_listed(given.get(name)) for name in ("changes", "leads", "forms"))
    simple = given.get("simple") is not False
    return [_facebook_lead(*row, simple) for row in zip(changes, leads, forms, strict=False)]


def _facebook_lead(change: Json, lead: Json, form: Json, simple: bool) -> Json:
    made: dict[str, Json] = {
        "id": at(lead, ["id"]),
        "form": form,
        "ad": _present({"id": at(lead, ["ad_id"]), "name": at(lead, ["ad_name"])}),
        "adset": _present({"id": at(lead, ["adset_id"]), "name": at(lead, ["adset_name"])}),
        "page": at(form, ["page"]),
        "created_time": at(lead, ["created_time"]),
    }
    if not simple:
        return _present(made | {"field_data": at(lead, ["field_data"]), "event": change})
    answers = {str(row.get("name")): at(row, ["values", "0"]) for row in _rows(lead, "field_data")}
    known = {name: at(form, [name]) for name in ("id", "name", "locale", "status")}
    return _present(made | {"form": _present(known), "data": answers})


def _present(given: dict[str, Json]) -> Json:
    return {name: value for name, value in given.items() if value is not None}


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


_ZENDESK_VALUES = {"status": "open", "type": "question", "priority": "low"}
"""Field of a ticket -> the value that a condition has where nobody chose one."""


def zendesk_conditions(given: Mapping[str, Json]) -> Json:
    """rows: conditions of the node. Those of Zendesk's trigger."""
    return [_zendesk_condition(row) for row in _rows(dict(given), "rows")]


def _zendesk_condition(row: Mapping[str, Json]) -> Json:
    field, operator = str(row.get("field") or "status"), row.get("operation") or "is"
    value = None if operator in ("changed", "not_changed") else row.get("value", _ZENDESK_VALUES.get(field, ""))
    return {"field": field, "operator": operator, "value": value}


def strava_place(given: Mapping[str, Json]) -> Json:
    """body: an event of Strava; object, event: kinds that start the workflow, `*` for all. Where its object can be
    asked for: what was deleted cannot."""
    body = given.get("body")
    kind, aspect = at(body, ["object_type"]), at(body, ["aspect_type"])
    wanted = given.get("object") in ("*", kind) and given.get("event") in ("*", aspect)
    if not wanted or aspect == "delete":
        return None
    number = as_text(at(body, ["object_id"]))
    return {"filePath": f"activities/{number}" if kind == "activity" else f"athletes/{number}/stats"}


def teams_messages(given: Mapping[str, Json]) -> Json:
    """teams; channels: a list for each of them. The resources of all channels' messages."""
    teams, channels = _listed(given.get("teams")), _listed(given.get("channels"))
    return [
        f"/teams/{as_text(at(team, ['id']))}/channels/{as_text(at(channel, ['id']))}/messages"
        for team, listed in zip(teams, channels, strict=False)
        for channel in _listed(listed)
    ]


def jotform_item(given: Mapping[str, Json]) -> Json:
    """body: a submission; questions: of its form, whose texts name the answers then; only: nothing but the answers.
    Raises `NodeError`."""
    body, questions = given.get("body"), given.get("questions")
    written = body.get("rawRequest") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(written, str):
        raise NodeError("The event of Jotform has no answers (rawRequest).")
    answers = loads(written.encode())
    if isinstance(questions, dict) and isinstance(answers, dict):
        named = {at(one, ["name"]): at(one, ["text"]) for one in questions.values()}
        answers = {str(named[name]): one for key, one in answers.items() if (name := key.partition("_")[2]) in named}
    return answers if given.get("only") is not False else {**body, "rawRequest": answers}
