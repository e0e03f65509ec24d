"""A run as JUnit's XML, which CI systems read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(run: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """One test suite with a case for each row. A row that has not passed is a failure, one that could not be run or
    scored is an error. Source: the schema of Apache Ant's JUnit task."""
    failures = sum(not row["passed"] and row["status"] == "done" for row in rows)
    errors = sum(row["status"] != "done" for row in rows)
    seconds = run["totals"]["durationMs"] / 1000
    head = (
        f'<testsuite name={_attribute(run["evaluation"])} tests="{len(rows)}" failures="{failures}" '
        f'errors="{errors}" skipped="0" time="{seconds:.3f}" timestamp={_attribute(run["createdAt"])}>'
    )
    cases = "".join(_case(run, row) for row in rows)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{head}\n{cases}</testsuite>\n</testsuites>'


def _case(run: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    head = (
        f'<testcase classname={_attribute(run["evaluation"])} name="row {row["rowId"]}" '
        f'time="{row["durationMs"] / 1000:.3f}"'
    )
    if row["passed"]:
        return f"{head}/>\n"
    if row["status"] != "done":
        return f"{head}><error message={_attribute(row['problem'] or row['status'])}/></testcase>\n"
    score = 0.0 if row["score"] is None else row["score"]
    told = f"The score {score:.3f} is below {run['passScore']:g}."
    reasons = "\n".join(f"{each['name']}: {each['score']} {each['reason']}".strip() for each in row["scores"])
    return f"{head}><failure message={_attribute(told)}>{escape(_clean(reasons))}</failure></testcase>\n"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """Without what XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
