"""Settings of a workflow: each is obeyed, or has a value for which the workflow is not saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.workflow_tools import offer_problems
from jackfield.api.workflows import Problem
from jackfield_workflows.documents.values import number, reference

_SAVE = ("all", "none")
_CHOICES: Mapping[str, Sequence[Json]] = {
    "saveDataSuccessExecution": _SAVE,
    "saveDataErrorExecution": _SAVE,
    "saveManualExecutions": (True, False),
    "saveExecutionProgress": (True, False),
    "callerPolicy": ("any", "none", "workflowsFromAList", "workflowsFromSameOwner"),
    "executionOrder": ("v0", "v1"),
}
_UNSET = (None, "", "DEFAULT")


def setting_problems(settings: Mapping[str, Json]) -> Iterator[Problem]:
    """The settings that would be ignored, were they saved."""
    given = {name: value for name, value in settings.items() if value not in _UNSET}
    for name, allowed in _CHOICES.items():
        if name in given and not any(given[name] == each and type(given[name]) is type(each) for each in allowed):
            words = ", ".join(str(each).lower() if isinstance(each, bool) else str(each) for each in allowed)
            yield Problem(f"settings.{name}", f"This setting must be one of {words}.")
    for name, (fits, message) in _RULES.items():
        if name in given and not fits(given[name]):
            yield Problem(f"settings.{name}", message)
    if given.get("redactionPolicy", "none") != "none":
        message = (
            "Stored executions cannot be redacted here; use none, and keep no data: saveDataSuccessExecution and "
            "saveDataErrorExecution none, and for runs by hand saveManualExecutions false."
        )
        yield Problem("settings.redactionPolicy", message)
    yield from offer_problems(settings)


def check_settings(document: Json) -> None:
    """Raises `InvalidInput` for a document whose settings could not be obeyed."""
    settings = document.get("settings") if isinstance(document, dict) else None
    found = setting_problems(settings if isinstance(settings, dict) else {})
    details = {problem.path: problem.message for problem in found}
    if details:
        raise InvalidInput("The workflow has settings that cannot be obeyed; see details.", details=details)


def _is_zone(name: Json) -> bool:
    try:
        ZoneInfo(name if isinstance(name, str) else "")
    except (KeyError, ValueError, OSError):
        return False
    return True


_RULES: Mapping[str, tuple[Callable[[Json], bool], str]] = {
    "executionTimeout": (lambda value: number(value) is not None, "The time limit must be a number of seconds, or -1."),
    "errorWorkflow": (lambda value: reference(value) is not None, "The error workflow must be the id of a workflow."),
    "timezone": (_is_zone, "The time zone is unknown; use an IANA name such as Europe/Berlin."),
    "callerIds": (lambda value: isinstance(value, str), "The callers must be ids of workflows, separated by commas."),
}
