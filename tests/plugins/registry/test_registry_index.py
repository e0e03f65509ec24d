"""The index: what is read of it, what is refused, and that its names never lead out of a directory."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from registry_lab import KINDS

from jackfield_registry.synced.index import BadIndex, parse

CHECKSUM = "0" * 64
ENTRY = {"path": "agents/a.toml", "checksum": CHECKSUM}


def index(**changes: Any) -> bytes:
    return json.dumps({"version": 1, "commit": "abc", "agents": {"a": ENTRY}, **changes}).encode()


def test_an_index() -> None:
    found = parse(
        index(sequence=3, scripts={"s": {"path": "x/s.rhai", "sha256": "SHA256".lower() + ":" + "A" * 64}}), KINDS
    )
    assert (found.channel, found.commit, found.sequence) == ("stable", "abc", 3)
    agent, other = found.artifacts
    assert (agent.kind, agent.id, agent.path, agent.place, agent.checksum) == (
        "agents",
        "a",
        "agents/a.toml",
        "agents/a.toml",
        CHECKSUM,
    )
    assert (other.path, other.place, other.checksum) == ("x/s.rhai", "scripts/s.rhai", "a" * 64)


def test_what_is_not_known_is_left_alone() -> None:
    found = parse(index(signature="x", profiles={"p": 1}, agents={"a": {**ENTRY, "more": 1}}), KINDS)
    assert len(found.artifacts) == 1


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"version": 2}, "version 2"),
        ({"version": "1"}, "version"),
        ({"commit": None}, "commit"),
        ({"commit": "../x"}, "commit"),
        ({"commit": "a/b"}, "commit"),
        ({"commit": "a~1"}, "commit"),
        ({"commit": "x" * 129}, "commit"),
        ({"channel": ".."}, "channel"),
        ({"sequence": -1}, "sequence"),
        ({"sequence": 1.5}, "sequence"),
        ({"sequence": True}, "sequence"),
        ({"agents": []}, "path"),
        ({"agents": [1]}, "agents must be an object"),
        ({"agents": {"a": "x"}}, "agents.a"),
        ({"agents": {"a": {"path": "agents/a.toml"}}}, "agents.a.checksum"),
        ({"agents": {"a": {**ENTRY, "checksum": "0" * 63}}}, "checksum"),
        ({"agents": {"a": {**ENTRY, "size": -1}}}, "size"),
        ({"agents": {"../a": ENTRY}}, "id"),
        ({"agents": {"a": {**ENTRY, "path": "agents/a.rhai"}}}, ".toml"),
        ({"agents": {"a": ENTRY, "b": {**ENTRY, "path": "other/A.toml"}}}, "same file name"),
        ({"pricing": {"path": "prices.toml", "checksum": CHECKSUM}}, ".json"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], says: str) -> None:
    if changes == {"agents": []}:
        assert parse(index(**changes), KINDS).artifacts == ()
        return
    with pytest.raises(BadIndex, match=says.replace(".", r"\.")):
        parse(index(**changes), KINDS)


@pytest.mark.parametrize(
    "path",
    [
        "../evil.toml",
        "agents/../../evil.toml",
        "/etc/x.toml",
        "agents//a.toml",
        "./a.toml",
        ".hidden/a.toml",
        "a\\b.toml",
        "a\x00.toml",
        "a\n.toml",
        "a b.toml",
        "%2e%2e/a.toml",
        "http://host/a.toml",
        "a?x=.toml",
        "ä.toml",
        "x/" * 8 + "a.toml",
        "a.toml\n",
        "-a.toml",
    ],
)
def test_paths_that_are_refused(path: str) -> None:
    with pytest.raises(BadIndex, match="path"):
        parse(index(agents={"a": {**ENTRY, "path": path}}), KINDS)


@given(st.text(max_size=40) | st.from_regex(r"[./a-zA-Z%~\\]{1,20}\.toml", fullmatch=True))
@example("a/../b.toml")
def test_a_path_that_is_taken_stays_below(path: str) -> None:
    try:
        found = parse(index(agents={"a": {**ENTRY, "path": path}}), KINDS)
    except BadIndex:
        return
    parts = PurePosixPath(found.artifacts[0].path).parts
    assert "/".join(parts) == path
    assert all(part.isascii() and part[0] not in ".-/" and "\\" not in part for part in parts)
    assert found.artifacts[0].place == f"agents/{parts[-1]}"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
@example(b"[" * 5000)
@example(b'{"version": 1e400}')
def test_any_bytes_are_an_index_or_a_bad_one(data: bytes) -> None:
    try:
        parse(data, KINDS)
    except BadIndex as exc:
        assert str(exc)  # noqa: PT017 - what is raised has a message


@given(
    st.dictionaries(
        st.sampled_from(["version", "channel", "commit", "sequence", "agents", "scripts", "pricing"]), json_values
    )
)
def test_any_change_gives_an_index_or_a_bad_one(changes: dict[str, Any]) -> None:
    try:
        parse(index(**changes), KINDS)
    except BadIndex as exc:
        assert str(exc)  # noqa: PT017 - what is raised has a message
