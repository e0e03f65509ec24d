"""The parameter `pollTimes` in the form of a node that polls."""

from __future__ import annotations

from jackfield_vendors.described.description import DocumentShape, Parameter
from jackfield_vendors.described.file import Description

_NAME = "pollTimes"
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_TIMED = ["everyDay", "everyWeek", "everyMonth"]
_ROW = {
    "mode": {
        "control": "select",
        "choices": ["everyMinute", "everyHour", "everyDay", "everyWeek", "everyMonth", "everyX", "custom"],
        "default": "everyDay",
    },
    "hour": {"control": "number", "default": 14, "show": {"mode": _TIMED}, "options": {"min": 0, "max": 23}},
    "minute": {
        "control": "number",
        "default": 0,
        "show": {"mode": ["everyHour", *_TIMED]},
        "options": {"min": 0, "max": 59},
    },
    "dayOfMonth": {
        "control": "number",
        "default": 1,
        "show": {"mode": ["everyMonth"]},
        "options": {"min": 1, "max": 31},
    },
    "weekday": {
        "control": "select",
        "choices": ["1", "2", "3", "4", "5", "6", "0"],
        "default": "1",
        "show": {"mode": ["everyWeek"]},
        "words": {str(number): day for number, day in enumerate(_DAYS)},
    },
    "cronExpression": {"control": "text", "default": "* * * * * *", "show": {"mode": ["custom"]}},
    "value": {"control": "number", "default": 2, "show": {"mode": ["everyX"]}, "options": {"min": 1}},
    "unit": {"control": "select", "choices": ["minutes", "hours"], "default": "hours", "show": {"mode": ["everyX"]}},
}


def with_poll_times(description: Description) -> Description:
    """The description with the parameter, which need not be written into each."""
    node = description.node
    if node is None or any(row.name == _NAME for row in node.parameters):
        return description
    shape = DocumentShape.model_validate({"control": "fixedCollection", "multiple": True, "groups": {"item": _ROW}})
    parameters = [Parameter(name=_NAME, type="any"), *node.parameters]
    return description.model_copy(
        update={
            "node": node.model_copy(update={"parameters": parameters}),
            "shapes": {_NAME: [shape], **description.shapes},
        }
    )
