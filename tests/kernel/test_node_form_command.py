"""`jackfield plugins form KIND`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackfield.api.errors import NotFound
from jackfield.api.nodes.forms import FieldChoice, FieldGroup, LoadedList, NodeField, When
from jackfield.cli.main import jackfield
from jackfield.cli.node_form import rows
from jackfield.cli.runtime import Runtime


def told(tmp_path: Path, *arguments: str) -> str:
    done = CliRunner().invoke(
        jackfield, ["plugins", "form", *arguments, "--config-dir", str(tmp_path)], obj=Runtime(), catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_form_is_a_table(tmp_path: Path) -> None:
    lines = told(tmp_path, "set").splitlines()
    assert lines[0].split() == ["NAME", "CONTROL", "LABEL", "SHOWN", "WHEN", "CHOICES"]
    assert any(line.split()[:3] == ["jsonOutput", "json", "JSON"] and "mode = raw" in line for line in lines)
    assert any(line.startswith("  dotNotation") for line in lines)


def test_programs_get_what_the_api_gives(tmp_path: Path) -> None:
    form = json.loads(told(tmp_path, "n8n-nodes-base.if", "--version", "1", "--json"))
    assert (form["versions"], form["default"]) == ([1], False)
    assert [field["name"] for field in form["fields"]] == ["conditions", "combineOperation"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("httpRequst",), "There is no node type httpRequst; did you mean httpRequest"),
        (("if", "--version", "7"), "The node type if has no version 7; it has 1, 2, 2.1, 2.2, 2.3."),
    ],
)
def test_what_is_not_there_is_told_with_what_is(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(NotFound, match=message):
        told(tmp_path, *arguments)


def test_conditions_and_choices_are_in_words() -> None:
    inner = NodeField(name="inner", control="text", label="Inner", required=True)
    field = NodeField(
        name="outer",
        control="fixedCollection",
        label="Outer",
        when=When(show={"mode": ["a", "b"], "@version": [{"_cnd": {"gte": 2}}]}, hide={"on": [True, ""]}),
        groups=[FieldGroup(name="group", label="Group", fields=[inner])],
        multiple=True,
    )
    listed = NodeField(name="listed", control="select", label="Listed", load=LoadedList(name="channels"))
    many = [FieldChoice(value=number, label=f"No. {number}") for number in range(10)]
    chosen = NodeField(name="chosen", control="select", label="Chosen", choices=many)
    first, group, below, load, choices = rows([field, listed, chosen])
    shown = 'mode = a or b, @version = gte 2, on is not true or ""'
    assert first == ("outer", "fixedCollection (several)", "Outer", shown, "")
    assert (group[0], below[0], load[4]) == ("  group", "    inner *", "list channels")
    assert choices[4].endswith("7 (No. 7), 2 more")
