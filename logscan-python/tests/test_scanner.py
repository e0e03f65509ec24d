"""The scanner against the standard library: what it takes, it reads as `json` does, and it leaves everything else."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from logscan import Scanner

FIELDS = {"a": "text", "b.c": "int?", "b.d": "flag?", "b.e.f": "text?", "t": "=x", "n": "none"}
SCANNER = Scanner(FIELDS)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**16)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
    | st.just("x"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*"abcdeftn", '"', "\\"]), inner, max_size=5)
    ),
    max_leaves=10,
)
OBJECTS = st.fixed_dictionaries(
    {"a": st.text(max_size=3) | VALUES},
    optional={
        "b": st.fixed_dictionaries(
            {}, optional={"c": st.integers(0, 10**15), "d": st.booleans(), "e": VALUES, "z": VALUES}
        ),
        "t": st.sampled_from(["x", "y"]),
        "n": st.none(),
        "z": VALUES,
    },
)
LINES = st.tuples(OBJECTS, st.booleans(), st.booleans()).map(
    lambda drawn: json.dumps(drawn[0], ensure_ascii=drawn[1], separators=(",", ":") if drawn[2] else None).encode(
        "utf-8", "surrogatepass"
    )
)


README = Path(__file__).parents[1] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="the tests are not beside the README")
def test_the_readmes_examples() -> None:
    first, second = (part.partition("```")[0] for part in README.read_text("utf-8").split("```python\n")[1:])
    exec(first, {})
    exec(second, {})


def cut(line: bytes, place: int, byte: bytes) -> bytes:
    return line[:place] + byte + line[place + 1 :]


MUTATED = st.builds(
    cut, LINES, st.integers(0, 60), st.binary(max_size=2) | st.sampled_from([b'"', b"{", b"\0", b"\xff"])
)


@given(lines=st.lists(LINES | MUTATED | st.binary(max_size=30), max_size=6), last=st.sampled_from([b"\n", b""]))
def test_every_line_is_read_as_json_does_or_left(lines: list[bytes], last: bytes) -> None:
    data = b"\n".join(lines) + last
    columns, left = SCANNER.scan(data, 0, len(data))
    rows = {row[0]: row[1:] for row in zip(*columns, strict=True)}
    place = 0
    spans = dict(left)
    for line in data.split(b"\n")[: -1 if data.endswith(b"\n") or not data else None]:
        stop = place + len(line)
        assert (place in rows) != (spans.get(place) == stop)
        if place in rows:
            assert rows[place] == expected(line)
        place = stop + 1
    assert place >= len(data)


def expected(line: bytes) -> tuple[object, ...]:
    found = json.loads(line.decode())
    assert found["t"] == "x"
    assert found.get("n") is None
    inner = found.get("b", {})
    number = inner.get("c", 0)
    assert type(number) is int
    return found["a"], number, inner.get("d"), inner.get("e", {}).get("f")


def test_what_is_plain_is_taken() -> None:
    line = json.dumps(
        {"a": "it", "b": {"c": 12, "d": True}, "t": "x", "n": None, "y": [1.5, {"k": "\n"}, -0.25]}
    ).encode()
    assert SCANNER.scan(line, 0, len(line)) == ([[0], ["it"], [12], [True], [None]], [])
    nested = json.dumps({"z": {"a": 1, "b": "x"}, "a": "ä😀", "t": "x"}, ensure_ascii=False).encode()
    assert SCANNER.scan(bytearray(nested), 0, len(nested)) == ([[0], ["ä😀"], [0], [None], [None]], [])


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b'{"a":"x","t":"x"',
        b'{"a":"x","t":"x"}}',
        b'{"a":"x","a":"x","t":"x"}',
        b'{"a":"x","t":"x","b":{},"b":{}}',
        b'{"a":"x","t":"x","b":null}',
        b'{"a":"x","t":"x","\\u0061":"y"}',
        b'{"a":"\\n","t":"x"}',
        b'{"a":"","t":"x"}',
        b'{"a":"x","t":"x","b":{"c":-1}}',
        b'{"a":"x","t":"x","b":{"c":1.0}}',
        b'{"a":"x","t":"x","b":{"c":01}}',
        b'{"a":"x","t":"x","b":{"c":123456789012345}}',
        b'{"a":"x","t":"x","z":1e3}',
        b'{"a":"x","t":"x","z":"\\ud800"}',
        b'{"a":"x","t":"x","z":"\xff"}',
        b'{"a":"x","t":"x","z":"\0"}',
        b'{"a":"x","t":"x","z":' + b"[" * 40 + b"]" * 40 + b"}",
        b'{"a":"x","t":"x",}',
        b'{"a":"x","t":"x","z":[1,]}',
        b'{"t":"x"}',
    ],
)
def test_what_is_left(line: bytes) -> None:
    data = b"\n" + line + b"\n"
    columns, left = SCANNER.scan(data, 1, len(data))
    assert columns == [[], [], [], [], []]
    assert left == [(1, 1 + len(line))]


TIMES = Scanner({"t": "time"})


@given(moment=st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31)), digits=st.integers(0, 3))  # noqa: DTZ001 - made UTC below
@example(datetime(2024, 2, 29, 23, 59, 59, 999_000), 3)  # noqa: DTZ001 - made UTC below
def test_times_are_those_of_datetime(moment: datetime, digits: int) -> None:
    fraction = f"{moment.microsecond:06d}"[:digits]
    text = moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + ("." + fraction if digits else "") + "Z"
    line = json.dumps({"t": text}).encode()
    columns, left = TIMES.scan(line, 0, len(line))
    since = datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)
    assert (columns, left) == ([[0], [since // timedelta(milliseconds=1)]], [])


@given(
    text=st.from_regex(r"(19|20)\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d:[0-6]\d(\.\d{1,4})?(Z|\+00:00)?", fullmatch=True)
)
def test_moments_that_there_are_not_are_left(text: str) -> None:
    line = json.dumps({"t": text}).encode()
    (_, taken), _ = TIMES.scan(line, 0, len(line))
    if taken:
        datetime.fromisoformat(text)


HEAD = re.compile(rb'\{(?:"type":|[^{]*,"type":)"(?:user|other)"')
PIECES = st.lists(
    st.sampled_from(
        [b'"type":"user"', b',"type":"other"', b'{"type":"user"', b"x", b"{", b"\\", b'"', b",", b":", b'"type":"']
    ),
    max_size=6,
).map(b"".join)


@given(line=PIECES | PIECES.map(lambda text: b"{" + text))
def test_lines_are_passed_over_by_their_own_type(line: bytes) -> None:
    columns, left = Scanner({}, {"type": ["user", "other"]}).scan(line, 0, len(line))
    assert bool(columns[0] or left) == (bool(line) and HEAD.match(line) is None)


@pytest.mark.parametrize("fields", [{"a": "number"}, {"a": "int", "a.b": "int"}, {"a.b": "int", "a": "int"}])
def test_fields_that_cannot_be_are_refused(fields: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        Scanner(fields)
    with pytest.raises(ValueError):
        Scanner({f"f{number}": "int" for number in range(65)})


@pytest.mark.parametrize("call", [lambda: SCANNER.scan(b"abc", 2, 1), lambda: SCANNER.scan(b"abc", 0, 4)])
def test_places_outside_of_the_buffer_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError):
        call()
