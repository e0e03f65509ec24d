"""Queries of Salesforce (SOQL), as n8n's node makes them of its form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from math import isfinite

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_vendors.filters import csv
from jackfield_vendors.templates import as_text, at

_FIELDS = {
    "Account": "id,name,type,LastModifiedDate",
    "Lead": "id,company,firstname,lastname,street,postalCode,city,email,status,LastModifiedDate",
    "Contact": "id,firstname,lastname,email,LastModifiedDate",
    "Opportunity": "id,accountId,amount,probability,type,LastModifiedDate",
    "Case": "id,accountId,contactId,priority,status,subject,type,LastModifiedDate",
    "Task": "id,subject,status,priority,LastModifiedDate",
    "Attachment": "id,name,LastModifiedDate",
    "User": "id,name,email,LastModifiedDate",
}
_OPERATORS = (
    *("=", "!=", "<>", "<", "<=", ">", ">="),
    *("LIKE", "NOT LIKE", "IN", "NOT IN", "INCLUDES", "EXCLUDES"),
)
_NAME = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)*", re.ASCII)
_ESCAPES = {"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\b": "\\b"}
_DATE_LITERAL = re.compile(
    r"YESTERDAY|TODAY|TOMORROW|(LAST|THIS|NEXT)_(WEEK|MONTH|((FISCAL_)?(QUARTER|YEAR)))|(LAST|NEXT)_90_DAYS"
    r"|(LAST|NEXT)_N_(DAYS|WEEKS|MONTHS|QUARTERS|YEARS|FISCAL_QUARTERS|FISCAL_YEARS):\d+"
    r"|N_(DAYS|WEEKS|MONTHS|QUARTERS|YEARS|FISCAL_QUARTERS|FISCAL_YEARS)_AGO:\d+",
    re.ASCII,
)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?(Z|[+-]\d{2}:\d{2})", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?", re.ASCII)


def query(given: Mapping[str, Json]) -> Json:
    """`object`: name of a kind of records. `options`: of the form, with `fields` and `conditionsUi`. `all`: whether
    every record is wanted, else `limit`. `version`: of the node; before 1.1 a text that is a number goes without
    quotes. The query; raises `NodeError` for names and operators that are none.
    """
    kind = str(given.get("object") or "")
    if "." in kind:
        raise NodeError(f"{kind} is no name of an object of Salesforce.")
    options = given.get("options")
    wanted = csv(at(options, ["fields"]) or "", "")
    fields = [_named(str(one)) for one in wanted] if isinstance(wanted, list) and wanted else []
    conditions = at(options, ["conditionsUi", "conditionValues"])
    strict = str(given.get("version")) != "1"
    tests = [_test(row, strict) for row in conditions if isinstance(row, dict)] if isinstance(conditions, list) else []
    where = f"WHERE {' AND '.join(tests)}" if tests else ""
    chosen = ",".join(fields) or _FIELDS.get(kind, "id,LastModifiedDate")
    text = f"SELECT {chosen} FROM {_named(kind)} {where}"  # noqa: S608 # of names and literals that are checked here
    return text if given.get("all") is True else f"{text} LIMIT {as_text(given.get('limit'))}"


def _named(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise NodeError(f"{name} is no name of a field or an object of Salesforce.")
    return name


def _test(row: Mapping[str, Json], strict: bool) -> str:
    written = " ".join(str(row.get("operation") or "equal").split()).upper()
    operator = "=" if written == "EQUAL" else written
    if operator not in _OPERATORS:
        raise NodeError(f"{written} is no operator of Salesforce; take one of {', '.join(_OPERATORS)}.")
    return f"{_named(str(row.get('field')))} {operator} {_literal(row.get('value'), strict)}"


def _literal(value: Json, strict: bool) -> str:
    if isinstance(value, list):
        return f"({','.join(_quoted(one) if isinstance(one, str) else _plain(one) for one in value)})"
    if not isinstance(value, str):
        return _plain(value)
    text = value.strip()
    if _DATE_LITERAL.fullmatch(text.upper()):
        return text.upper()
    if _is_time(text) or (not strict and _NUMBER.fullmatch(text)):
        return text
    return _quoted(text)


def _plain(value: Json) -> str:
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and isfinite(value)):
        return as_text(value)
    raise NodeError("A condition's value must be a text, a number, true or false, or a list of these.")


def _quoted(text: str) -> str:
    return "'" + "".join(_ESCAPES.get(one, one) for one in text) + "'"


def _is_time(text: str) -> bool:
    try:
        if _TIME.fullmatch(text):
            datetime.fromisoformat(text)
        elif _DATE.fullmatch(text):
            date.fromisoformat(text)
        else:
            return False
    except ValueError:
        return False
    return True
