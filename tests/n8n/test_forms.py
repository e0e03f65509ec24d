"""A form shows the parameters that n8n's editor shows, for every version and every choice, or the difference is listed.

n8n's own code completes incomplete parameters with the defaults of all that it shows; see `defaults.js`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.fields import form_of
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.showing import shown_fields
from jackfield.core.building import build

from . import installing
from .test_defaults import completed, core_kinds

LIST = Path(__file__).with_name("forms.toml")


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, set[str]]:
    """`more` (we show it) and `less` (n8n shows it) -> kind and parameter."""
    catalog = build(tmp_path_factory.mktemp("forms"), {}, {}).context("forms").port(NodeCatalog)
    ours = {found.kind: found for found in catalog.all() if not found.description.missing}
    try:
        theirs = completed(core_kinds(ours))
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    forms: dict[tuple[str, float], Sequence[NodeField]] = {}
    found: dict[str, set[str]] = {"more": set(), "less": set()}
    for one in theirs:
        kind, version = one["kind"], one["version"]
        if version in ours[kind].versions:
            if (kind, version) not in forms:
                forms[kind, version] = form_of(ours[kind], version)
            for side, name in compared(forms[kind, version], one["completed"], version):
                found[side].add(f"{kind} {name}")
    return found


def compared(fields: Sequence[NodeField], values: Mapping[str, Any], version: float) -> Iterator[tuple[str, str]]:
    hidden = {field.name for field in fields if field.control == "hidden"}
    shown = {field.name for field in shown_fields(fields, values, values, version)} - hidden
    yield from (("more", name) for name in shown - values.keys())
    yield from (("less", name) for name in values.keys() - shown - hidden)


@pytest.mark.parametrize("side", ["more", "less"])
def test_forms_show_what_n8n_shows(differences: Mapping[str, set[str]], side: str) -> None:
    listed = set(tomllib.loads(LIST.read_text(encoding="utf-8"))[side])
    assert sorted(differences[side] - listed) == [], f"{side} than n8n, and not listed in {LIST.name}"
    assert sorted(listed - differences[side]) == [], f"listed in {LIST.name}, and not so any more"
