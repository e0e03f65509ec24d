"""The workflow's memory across executions in the hands of a script."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.nodes import StaticScope
from jackfield_engine.shared.static_data import copied, merge


def scopes_in(source: str) -> Sequence[StaticScope]:
    """Those that a script asks for."""
    return ("global", "node") if "getWorkflowStaticData" in source else ()


class ScriptStaticData:
    """given: copies, which the script may change."""

    def __init__(self, sections: Mapping[StaticScope, MutableMapping[str, Json]]) -> None:
        self._sections = sections
        self.given: dict[str, dict[str, Json]] = {scope: copied(section) for scope, section in sections.items()}

    def keep(self, made: Mapping[str, object]) -> None:
        """made: what the script has made of the copies."""
        for scope, section in self._sections.items():
            found = made.get(scope)
            if isinstance(found, dict):
                merge(section, self.given[scope], found)
