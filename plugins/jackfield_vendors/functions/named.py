"""Functions that shapes call by name (`$call`): what takes more than templates to say. A function gets the object of
its arguments; None means: not there."""

from __future__ import annotations

import base64
import hmac
import uuid
from collections.abc import Callable, Mapping
from typing import TypeAlias, cast

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield_vendors import dates
from jackfield_vendors.functions import sheets
from jackfield_vendors.templates import as_text

Function: TypeAlias = Callable[[Mapping[str, Json]], Json]


def refuse(given: Mapping[str, Json]) -> Json:
    """told: why the node fails here."""
    raise NodeError(str(given.get("told") or "This is not supported."))


def one_address(given: Mapping[str, Json]) -> Json:
    """address: of one recipient. Raises `NodeError` for none and for several."""
    address = as_text(given.get("address")).strip()
    if address.count("@") != 1:
        raise NodeError(f"The parameter sendTo must be one email address; '{address[:100]}' is not.")
    return address


def zipped(given: Mapping[str, Json]) -> Json:
    """keys and values: two lists, as an object."""
    keys, values = given.get("keys"), given.get("values")
    if not isinstance(keys, list) or not isinstance(values, list):
        return None
    return {str(key): value for key, value in zip(keys, values, strict=False)}


def glued(given: Mapping[str, Json]) -> Json:
    """lists: several lists as one."""
    lists = given.get("lists")
    return [row for one in lists if isinstance(one, list) for row in one] if isinstance(lists, list) else None


def overlaid(given: Mapping[str, Json]) -> Json:
    """objects: several objects as one, in which a later one counts."""
    objects = given.get("objects")
    rows = objects if isinstance(objects, list) else []
    return {name: value for row in rows if isinstance(row, dict) for name, value in row.items()}


def entries(given: Mapping[str, Json]) -> Json:
    """rows: objects with name and value. One object with all of them, also those whose value is empty."""
    rows = given.get("rows")
    listed = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {as_text(row["name"]): row.get("value") for row in listed if row.get("name") not in (None, "")}


def leaves(given: Mapping[str, Json]) -> Json:
    """rows: objects; inside: key of the rows in a folder, which may be folders too. The rows that are none, without
    separators, whose name is a hyphen."""
    found: list[Json] = []
    inside, rows = str(given.get("inside")), given.get("rows")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and isinstance(row.get(inside), list):
            below = leaves({"rows": row[inside], "inside": inside})
            found += below if isinstance(below, list) else []
        elif isinstance(row, dict) and row.get("name") != "-":
            found.append(row)
    return found


def without(given: Mapping[str, Json]) -> Json:
    """object: all of it but the fields of these names, empty ones too."""
    found, names = given.get("object"), given.get("names")
    left_out = names if isinstance(names, list) else []
    return {key: value for key, value in found.items() if key not in left_out} if isinstance(found, dict) else None


def field_of(given: Mapping[str, Json]) -> Json:
    """object; name: of the field whose value is meant."""
    found = given.get("object")
    return found.get(str(given.get("name"))) if isinstance(found, dict) else None


def key_of(given: Mapping[str, Json]) -> Json:
    """object; value: that stands in it. Its key."""
    found, value = given.get("object"), given.get("value")
    return next((key for key, one in found.items() if one == value), None) if isinstance(found, dict) else None


def texts_of(given: Mapping[str, Json]) -> Json:
    """object; names: of fields. Those fields as texts, in which what is not there is empty."""
    found, names = given.get("object"), given.get("names")
    fields = found if isinstance(found, dict) else {}
    listed = names if isinstance(names, list) else []
    return {str(name): as_text(value) if (value := fields.get(str(name))) is not None else "" for name in listed}


def byte_count(given: Mapping[str, Json]) -> Json:
    """content: in base64. The number of its bytes."""
    text = str(given.get("content") or "")
    return len(text) * 3 // 4 - text.count("=")


def text_size(given: Mapping[str, Json]) -> Json:
    """text. The number of its bytes in UTF-8."""
    return len(str(given.get("text") or "").encode())


def united(given: Mapping[str, Json]) -> Json:
    """lists: several lists as one, in which nothing stands twice."""
    found = glued(given)
    return [row for place, row in enumerate(found) if row not in found[:place]] if isinstance(found, list) else None


def row_where(given: Mapping[str, Json]) -> Json:
    """rows; name and value: of a field of the one that is meant; field: of it, whose value is wanted. Raises
    `NodeError` when there is none."""
    rows = given.get("rows")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and row.get(str(given.get("name"))) == given.get("value"):
            return row.get(str(given.get("field")))
    raise NodeError(f"The service has none whose {given.get('name')} is {given.get('value')}.")


def rows_beside(given: Mapping[str, Json]) -> Json:
    """rows and beside: two lists of objects. Each of rows with the fields of the one beside it."""
    rows, beside = given.get("rows"), given.get("beside")
    if not isinstance(rows, list) or not isinstance(beside, list):
        return None
    return [overlaid({"objects": [one, other]}) for one, other in zip(rows, beside, strict=False)]


def new_id(given: Mapping[str, Json]) -> Json:
    """A random UUID."""
    return str(uuid.uuid4())


def every_event(given: Mapping[str, Json]) -> Json:
    """events: chosen ones; all: those that `*` stands for. Those that are meant."""
    events, every = given.get("events"), given.get("all")
    chosen = events if isinstance(events, list) else []
    return every if "*" in chosen else chosen


def signature(given: Mapping[str, Json]) -> Json:
    """text: signed with HMAC; key; algorithm: sha1, sha256 (default), sha384 or sha512; encoding: hex (default) or
    base64. Raises `NodeError`."""
    algorithm = str(given.get("algorithm") or "sha256")
    if algorithm not in ("sha1", "sha256", "sha384", "sha512"):
        raise NodeError(f"There is no algorithm {algorithm} for signatures; take sha1, sha256, sha384 or sha512.")
    made = hmac.new(str(given.get("key") or "").encode(), str(given.get("text") or "").encode(), algorithm)
    return base64.b64encode(made.digest()).decode() if given.get("encoding") == "base64" else made.hexdigest()


def _later(place: str) -> Function:
    """Of a module that is imported with the first call: few services send mail, and its library is large."""

    def function(given: Mapping[str, Json]) -> Json:
        return cast("Function", load(place))(given)

    return function


SLOW = frozenset({"mail_message", "mail_parsed", "mail_reply"})
"""Those that may take longer than the event loop can wait."""

FUNCTIONS: Mapping[str, Function] = {
    "airtable_files": _later("jackfield_vendors.triggering.row_items:airtable_files"),
    "bigquery_batches": _later("jackfield_vendors.functions.bigquery:batches"),
    "bigquery_inserted": _later("jackfield_vendors.functions.bigquery:inserted"),
    "bigquery_record": _later("jackfield_vendors.functions.bigquery:record"),
    "bigquery_records": _later("jackfield_vendors.functions.bigquery:records"),
    "bigquery_rows": _later("jackfield_vendors.functions.bigquery:rows"),
    "byte_count": byte_count,
    "date_range": dates.named_range,
    "dav_files": _later("jackfield_vendors.functions.nextcloud:dav_files"),
    "dav_link": _later("jackfield_vendors.functions.nextcloud:dav_link"),
    "dotted": _later("jackfield_vendors.functions.amazon:dotted"),
    "dynamo_deleted": _later("jackfield_vendors.functions.amazon:dynamo_deleted"),
    "dynamo_keys": _later("jackfield_vendors.functions.amazon:dynamo_keys"),
    "dynamo_names": _later("jackfield_vendors.functions.amazon:dynamo_names"),
    "dynamo_plain": _later("jackfield_vendors.functions.amazon:dynamo_plain"),
    "dynamo_put": _later("jackfield_vendors.functions.amazon:dynamo_put"),
    "dynamo_values": _later("jackfield_vendors.functions.amazon:dynamo_values"),
    "entries": entries,
    "every_event": every_event,
    "expense_fields": _later("jackfield_vendors.functions.amazon:expense_fields"),
    "facebook_changes": _later("jackfield_vendors.triggering.event_items:facebook_changes"),
    "facebook_leads": _later("jackfield_vendors.triggering.event_items:facebook_leads"),
    "field_of": field_of,
    "glued": glued,
    "hive_change": _later("jackfield_vendors.functions.thehive:change"),
    "hive_changed": _later("jackfield_vendors.functions.thehive:changed"),
    "hive_failures": _later("jackfield_vendors.functions.thehive:failures"),
    "hive_fields": _later("jackfield_vendors.functions.thehive:fields"),
    "hive_query": _later("jackfield_vendors.functions.thehive:query"),
    "hive_wanted": _later("jackfield_vendors.triggering.event_items:hive_wanted"),
    "hubspot_events": _later("jackfield_vendors.triggering.event_items:hubspot_events"),
    "jira_app_events": _later("jackfield_vendors.triggering.jira_apps:jira_app_events"),
    "jira_projects": _later("jackfield_vendors.triggering.jira_apps:jira_projects"),
    "jira_registered": _later("jackfield_vendors.triggering.jira_apps:jira_registered"),
    "jira_site": _later("jackfield_vendors.triggering.jira_apps:jira_site"),
    "jotform_item": _later("jackfield_vendors.triggering.event_items:jotform_item"),
    "key_of": key_of,
    "lambda_result": _later("jackfield_vendors.functions.amazon:lambda_result"),
    "later_time": dates.later_time,
    "leaves": leaves,
    "local_millis": dates.local_millis,
    "mail_message": _later("jackfield_vendors.messages.mail:message"),
    "mail_parsed": _later("jackfield_vendors.messages.mail:parsed"),
    "mail_reply": _later("jackfield_vendors.messages.mail:reply"),
    "mail_summary": _later("jackfield_vendors.messages.mail:summary"),
    "message_attributes": _later("jackfield_vendors.functions.amazon:message_attributes"),
    "new_id": new_id,
    "noco_fields": _later("jackfield_vendors.functions.nocodb:fields"),
    "noco_links": _later("jackfield_vendors.functions.nocodb:links"),
    "notion_page": _later("jackfield_vendors.triggering.row_items:notion_page"),
    "ocs_part": _later("jackfield_vendors.functions.nextcloud:ocs_part"),
    "ocs_users": _later("jackfield_vendors.functions.nextcloud:ocs_users"),
    "outlook_message": _later("jackfield_vendors.triggering.row_items:outlook_message"),
    "outlook_plan": _later("jackfield_vendors.triggering.row_items:outlook_plan"),
    "overlaid": overlaid,
    "refuse": refuse,
    "one_address": one_address,
    "rekognition_filters": _later("jackfield_vendors.functions.amazon:rekognition_filters"),
    "row_json": _later("jackfield_vendors.functions.amazon:row_json"),
    "row_where": row_where,
    "rows_beside": rows_beside,
    "signature": signature,
    "sharepoint_fields": _later("jackfield_vendors.functions.sharepoint:fields"),
    "sharepoint_filter": _later("jackfield_vendors.functions.sharepoint:wanted"),
    "sharepoint_target": _later("jackfield_vendors.functions.sharepoint:target"),
    "sheet_cells": sheets.cells,
    "sheet_entry": sheets.entry,
    "sheet_found": sheets.found,
    "sheet_items": sheets.items,
    "sheet_lines": sheets.lines,
    "sheet_plan": sheets.plan,
    "sheet_range": sheets.cell_range,
    "sheet_spans": sheets.spans,
    "sheet_watched": _later("jackfield_vendors.triggering.google_sheets:watched"),
    "slack_files": _later("jackfield_vendors.triggering.event_items:slack_files"),
    "slack_wanted": _later("jackfield_vendors.triggering.event_items:slack_wanted"),
    "soql_query": _later("jackfield_vendors.functions.salesforce:query"),
    "strava_place": _later("jackfield_vendors.triggering.event_items:strava_place"),
    "survey_response": _later("jackfield_vendors.triggering.survey_answers:survey_response"),
    "teams_messages": _later("jackfield_vendors.triggering.event_items:teams_messages"),
    "telegram_file": _later("jackfield_vendors.triggering.event_items:telegram_file"),
    "telegram_updates": _later("jackfield_vendors.triggering.event_items:telegram_updates"),
    "telegram_wanted": _later("jackfield_vendors.triggering.event_items:telegram_wanted"),
    "text_size": text_size,
    "texts_of": texts_of,
    "transcript": _later("jackfield_vendors.functions.amazon:transcript"),
    "typeform_item": _later("jackfield_vendors.triggering.event_items:typeform_item"),
    "united": united,
    "utc_time": dates.utc_time,
    "whatsapp_changes": _later("jackfield_vendors.triggering.event_items:whatsapp_changes"),
    "without": without,
    "zendesk_conditions": _later("jackfield_vendors.triggering.event_items:zendesk_conditions"),
    "zipped": zipped,
}
