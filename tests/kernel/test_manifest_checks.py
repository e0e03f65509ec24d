"""Checks of manifests: where keys stand, which keys a model does not know, and how mistakes are told."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, model_validator

from jackfield.api.agents import Agent
from jackfield.api.manifest_checks.checking import check_manifest
from jackfield.api.manifest_checks.keys import unknown_keys
from jackfield.api.manifest_checks.places import KeyPath, TextPlace, toml_places
from jackfield.api.manifest_checks.problems import FileProblem, file_view, tell_files
from jackfield.api.manifest_checks.wording import PATTERNS
from jackfield.api.manifests import Manifest
from jackfield.api.providers import Provider
from jackfield_profiles.template_manifests import ProfileTemplate
from jackfield_providers.checking import checked_provider
from jackfield_providers.dialect_manifests import DialectManifest

SCALARS = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.integers(-(2**62), 2**62)
    | st.booleans()
    | st.datetimes()
    | st.just("a]}#,=\"'\n")
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def paths(value: object, path: KeyPath = ()) -> Iterator[KeyPath]:
    if path:
        yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from paths(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*path, index))


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), st.booleans())
def test_every_key_of_a_document_has_a_place(document: dict[str, Any], lines: bool) -> None:
    try:
        text = tomli_w.dumps(document, multiline_strings=lines)
        read = tomllib.loads(text)
    except (ValueError, UnicodeEncodeError):
        return  # what the writer cannot write
    found = toml_places(text)
    assert set(found) == set(paths(read))
    rows = text.replace("\r\n", "\n").split("\n")
    for path, place in found.items():
        rest = rows[place.line - 1][place.column - 1 :]
        assert rest, (path, place)
        if isinstance(path[-1], str):
            assert rest.startswith(("[", '"', "'", path[-1]))


HAND_WRITTEN = '''# comment
id = "a" # = [
"quoted key".'b.c'.d = 1
date = 1979-05-27 07:32:00
list = [ 1, [ "]" ], # x
  { a = 'y}', b.c = """
"]""""" } ]
[x . y]
z = true
[[many]]
n = 1
[[many]]
n = 2
[many.sub]
k = []
[[many.deep]]
'''


def test_every_way_to_write_a_key_is_known() -> None:
    found = toml_places(HAND_WRITTEN)
    assert set(found) == set(paths(tomllib.loads(HAND_WRITTEN)))
    assert found["quoted key", "b.c", "d"] == TextPlace(3, 20)
    assert found["list", 2, "b", "c"] == TextPlace(6, 17)
    assert found["x", "y", "z"] == TextPlace(9, 1)
    assert found["many", 1, "n"] == TextPlace(13, 1)
    assert found["many", 1, "sub", "k"] == TextPlace(15, 1)
    assert found["many", 1, "deep", 0] == TextPlace(16, 1)


class SamplePart(BaseModel):
    kind: Literal["part"]
    size: int = 0


class OtherSamplePart(BaseModel):
    kind: Literal["other"]
    width: int = 0


class SampleManifest(Manifest):
    parts: list[Annotated[SamplePart | OtherSamplePart, Field(discriminator="kind")]] = Field(default_factory=list)
    named: Mapping[str, SamplePart | None] = Field(default_factory=dict)
    free: Mapping[str, int] = Field(default_factory=dict)
    camel: int = Field(0, alias="camelCase")
    mode: Literal["fast", "slow"] = "fast"
    on: bool = False
    names: tuple[Annotated[str, Field(pattern="^[a-z0-9-]{1,64}$")], ...] = Field(("a",), min_length=1)
    own: Annotated[str, Field(pattern="^[x]+$", max_length=3)] = "x"

    @model_validator(mode="after")
    def _together(self) -> SampleManifest:
        if "odd" in self.free:
            raise ValueError("free.odd cannot be with free")
        return self


class FreeSample(BaseModel):
    model_config = ConfigDict(extra="allow")


def test_unknown_keys_are_found_in_every_table_and_no_known_one() -> None:
    document = {
        "id": "x", "free": {"anything": 1}, "camelCase": 1, "camel": 2, "nmae": "x",
        "parts": [{"kind": "other", "width": 1, "size": 2}, {"kind": "part", "size": 1}],
        "named": {"a": {"kind": "part", "siz": 1}},
    }  # fmt: skip
    found = {one.path: one.allowed for one in unknown_keys(SampleManifest, document)}
    assert set(found) == {("camel",), ("nmae",), ("parts", 0, "size"), ("named", "a", "siz")}
    assert found["parts", 0, "size"] == ["kind", "width"]
    assert list(unknown_keys(FreeSample, {"a": 1})) == []


def problems(tmp_path: Path, text: str | bytes) -> list[FileProblem]:
    file = tmp_path / "sample.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return check_manifest(file, SampleManifest).problems


def test_a_good_file_has_no_problem(tmp_path: Path) -> None:
    file = tmp_path / "sample.toml"
    file.write_text('id = "x"\nmode = "slow"\n')
    check = check_manifest(file, SampleManifest)
    assert check.problems == []
    assert check.manifest is not None
    assert check.manifest.mode == "slow"


def test_each_mistake_has_its_place_and_what_is_allowed(tmp_path: Path) -> None:
    found = problems(tmp_path, 'mode = "slo"\nnam = "x"\n[named.a]\nsize = "big"\n')
    told = {(one.line, one.column, one.key): one for one in found}
    assert set(told) == {(1, 1, "mode"), (2, 1, "nam"), (1, 1, "id"), (3, 1, "named.a.kind"), (4, 1, "named.a.size")}
    assert told[1, 1, "mode"].allowed == ("fast", "slow")
    assert told[1, 1, "mode"].similar == ("slow",)
    assert told[2, 1, "nam"].similar[0] == "name"
    assert told[1, 1, "id"].message == "the key is missing"


def test_types_and_forms_are_told_in_words(tmp_path: Path) -> None:
    found = problems(
        tmp_path, 'id = "x y"\ncamelCase = "3"\non = "yes"\nnames = ["Big"]\nown = "yy"\n[free]\na = true\n'
    )
    assert {one.key: one.message for one in found} == {
        "id": "allowed are letters, digits, `.`, `_` and `-`, a letter or digit first, at most 64",
        "camelCase": "write a whole number, without quotes",
        "on": "write true or false, without quotes",
        "names[0]": "allowed are small letters, digits and `-`, at most 64",
        "own": "it does not match ^[x]+$",
        "free.a": "write a whole number, without quotes",
    }
    (found_long,) = problems(tmp_path, 'id = "x"\nown = "xxxx"\n')
    assert found_long.message == "it may have at most 3 characters"


def test_a_mistake_hides_none_behind_it(tmp_path: Path) -> None:
    file = tmp_path / "sample.toml"
    file.write_text('on = "yes"\nnames = ["A", "b", "C", "d"]\n[free]\nodd = 1\neven = 2\n')
    check = check_manifest(file, SampleManifest, {"id": "sample"})
    assert (check.manifest, check.sound is not None) == (None, True)
    assert {one.key for one in check.problems} == {"id", "on", "names[0]", "names[2]", "free.odd"}
    file.write_text('id = "x"\n' + file.read_text())
    check = check_manifest(file, SampleManifest)
    assert {one.key for one in check.problems} == {"on", "names[0]", "names[2]", "free.odd"}
    assert check.sound is not None
    assert (check.sound.names, check.sound.free) == (("b", "d"), {"even": 2})
    check.add(("names", 1), "the last one")
    assert check.problems[-1].key == "names[3]"
    assert check.is_told(("names", 1))


def test_nothing_is_told_of_a_stand_in(tmp_path: Path) -> None:
    file = tmp_path / "sample.toml"
    file.write_text("on = true\n")
    check = check_manifest(file, SampleManifest, {"id": "sample", "free": {"odd": 1}})
    assert [(one.key, one.message) for one in check.problems] == [("id", "the key is missing")]


PROVIDER = 'id = "x"\ntype = "openai-compatible"\n'
AWS = f'{PROVIDER}[endpoints]\na = "https://a.example"\n[auth]\nkind = "aws-sigv4"\n'
MISSING = "the key is missing"
NAMED = "endpoints.default names 'api', which is no endpoint and no URL"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{AWS}region = 3\n", {"auth.region": "write a text, in quotes"}),
        (f'{PROVIDER}[endpoints]\ndefault = "api"\napi = 5\n', {"endpoints.api": "write a text, in quotes"}),
        (f'{PROVIDER}[endpoints]\ndefault = "api"\n', {"endpoints.default": NAMED}),
        (
            f'{PROVIDER}[endpoints]\ndefault = "api"\nb = "https://b.example"\n',
            {"endpoints.default": f"{NAMED}; endpoints are: b"},
        ),
        (
            'type = "openai-compatible"\n[endpoints]\ndefault = "api"\n',
            {"id": MISSING, "endpoints.default": NAMED},
        ),
        (
            'id = "x"\nplatform = "bedrock"\nendpoints = 5\n',
            {"type": MISSING, "endpoints": "write a table: keys with their values"},
        ),
    ],
)
def test_a_mistake_makes_no_others(tmp_path: Path, text: str, told: dict[str, str]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    assert {one.key: one.message for one in checked_provider(file).problems} == told


def test_every_form_of_shipped_models_has_words() -> None:
    models = (Agent, Provider, DialectManifest, ProfileTemplate)
    missing = {pattern for model in models for pattern in patterns(model.model_json_schema())} - PATTERNS.keys()
    assert missing == set()


def patterns(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (found for found in [schema.get("pattern")] if isinstance(found, str))
        yield from schema.get("patternProperties", {})
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from patterns(inner)


def test_a_key_of_another_table_is_told_where_it_belongs(tmp_path: Path) -> None:
    found = problems(tmp_path, 'id = "x"\nwidth = 3\n')
    assert [one.message for one in found] == ["there is no such key here"]  # lists of tables have no header of theirs


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        ('id = "x"\nmode = \n', "the file is not TOML", 2),
        ('id = "x', "at the end of the file", 1),
        (b"id = '\xff'", "not UTF-8", 1),
        ("a = " + "[" * 3000 + "]" * 3000, "nested too deeply", 1),
        (b"#" * (2**20 + 1), "larger than", 1),
    ],
)
def test_what_is_no_manifest_is_told(tmp_path: Path, content: str | bytes, message: str, line: int) -> None:
    (found,) = problems(tmp_path, content)
    assert message in found.message
    assert found.line == line


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    (found,) = check_manifest(tmp_path / "none.toml", SampleManifest).problems
    assert "cannot be read" in found.message


def test_lines_are_as_editors_read_them(capsys: pytest.CaptureFixture[str]) -> None:
    error = FileProblem(3, 7, "a.b", "there is no such key here", "error", ("c",), ("c",))
    warning = FileProblem(1, 1, "", "odd\x1b[31m", "warning")
    assert not tell_files([file_view("f.toml", [error])], as_json=False)
    assert tell_files([file_view("g.toml", [warning])], as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "f.toml:3:7: error: a.b: there is no such key here; did you mean c? Allowed: c.",
        "g.toml:1:1: warning: odd\N{REPLACEMENT CHARACTER}[31m.",
        "g.toml: good",
    ]
