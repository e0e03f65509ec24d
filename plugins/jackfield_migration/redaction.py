"""The parts of executions that n8n hides: Jackfield shows what it keeps, so that it keeps nothing where n8n shows
nothing.

Source: n8n-workflow, `redaction-channels`.
"""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.jsontext import Json

_SETTING = "redactionPolicy"
_LIVE: Mapping[str, Json] = {"saveDataSuccessExecution": "none", "saveDataErrorExecution": "none"}
_BY_HAND: Mapping[str, Json] = {"saveManualExecutions": False}
_UNKEPT: Mapping[str, Mapping[str, Json]] = {
    "all": {**_LIVE, **_BY_HAND},
    "non-manual": _LIVE,
    "manual-only": _BY_HAND,
}
REMARK = (
    "n8n hides the data of this workflow's executions. Jackfield does not keep these executions; change the settings "
    "under which it saves them if you need them."
)


def is_redacted(settings: Json) -> bool:
    """Whether n8n hides data of the workflow with these settings."""
    return isinstance(settings, dict) and bool(_unkept(settings))


def unredacted(settings: Mapping[str, Json]) -> dict[str, Json]:
    """The settings under which nothing is kept that n8n hides. A policy that n8n does not know stays and is refused."""
    if found := _unkept(settings):
        return {**{key: value for key, value in settings.items() if key != _SETTING}, **found}
    return dict(settings)


def _unkept(settings: Mapping[str, Json]) -> Mapping[str, Json]:
    policy = settings.get(_SETTING)
    return _UNKEPT.get(policy, {}) if isinstance(policy, str) else {}
