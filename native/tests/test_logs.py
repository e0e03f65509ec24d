"""Files of logs, read to rows."""

import gc
import json
import zlib
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_native import Logs, Part

CLAUDE = ("claude", "agent", "maker", "")
CODEX = ("codex", "agent", "", "mine")
Source = tuple[str, str, str, str]
Judged = Any
Judge = Callable[[int, int, bytes, Any], Judged]


def nothing(_job: int, _offset: int, _line: bytes, memory: object) -> Judged:
    return memory, [], [], [], []


def refuse(_job: int, _offset: int, line: bytes, _memory: object) -> Judged:
    raise LookupError(line.decode())


def read(source: Source, path: Path, judge: Judge = nothing, offset: int = 0, memory: Any = None) -> list[Part]:
    logs = Logs([source], [(0, path, "one", offset, memory)], judge, rows=10)
    found = list(logs)
    logs.close()
    return found


def rows_of(part: Part) -> list[tuple[Any, ...]]:
    return list(part.split(json.loads(part.answers()), False, 1)[3])


def digest(*names: str) -> int:
    return int.from_bytes(blake2b("\0".join(names).encode(), digest_size=8).digest(), "big")


def key(answer: str, request: str) -> int:
    return digest("agent", answer) >> 20 << 19 | (2 + zlib.crc32(request.encode()) % (2**19 - 2))


def answer(name: str = "a", *, output: int = 3, second: int = 0, **more: object) -> bytes:
    usage = {"input_tokens": 40_000, "output_tokens": output, "cache_read_input_tokens": 5}
    message = {"id": name, "model": "m", "usage": usage, "content": ["text", {"x": None}]}
    line: dict[str, object] = {"requestId": "r", "sessionId": "s", "cwd": 'C:\\"ä\n😀', "message": message}
    line |= {"timestamp": f"1970-01-01T00:00:{second:02d}Z", **more}
    return json.dumps(line).encode() + b"\n"


def test_claude_logs(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [answer(output=1), answer(second=2), answer(second=1), answer("b", isSidechain=True), b'{"type":"user"}\n']
    path.write_bytes(b"".join(lines) + answer("c")[:-1])
    (part,) = read(CLAUDE, path, refuse)
    dim, session = digest("agent", "maker", "", "m", "", "log") >> 1, digest("agent", "s") >> 1
    assert (part.source, part.dims) == (0, [(dim, "agent", "maker", "", "m", "", "log")])
    assert part.sessions == [(session, "agent", "s", 'C:\\"ä\n😀')]
    tail = [dim, session, 1, 40_000, 3, 0, 5, 0, None, 0]
    first, second = (key("a", "r"), 1000, *tail), (digest("agent", "b") >> 20 << 19, 0, *tail)
    assert rows_of(part) == sorted([first, second])
    place = len(b"".join(lines))
    digested = blake2b(path.read_bytes()[place - 256 : place], digest_size=8).digest()
    assert part.marks == [(0, place, (None,) * 7, True, None, digested)]


def line(kind: str, second: int = 0, **payload: object) -> bytes:
    moment = f"1970-01-01T00:00:{second:02d}.5Z"
    return json.dumps({"timestamp": moment, "type": kind, "payload": payload}).encode() + b"\n"


def count(total: int, last: int, second: int = 0) -> bytes:
    numbers = [{"input_tokens": number, "output_tokens": 1, "cached_input_tokens": 4} for number in (total, last)]
    info = {"total_token_usage": numbers[0], "last_token_usage": numbers[1]}
    return line("event_msg", second, type="token_count", info=info)


def test_codex_logs(tmp_path: Path) -> None:
    path = tmp_path / "log"
    head = line("session_meta", id="s", cwd="/w", source="cli") + line("turn_context", model="m")
    path.write_bytes(head + count(10, 10) + count(10, 10, 9))
    (part,) = read(CODEX, path, refuse)
    tail = [1, 0, 4, 0, None, 1]
    dim, session = digest("agent", "", "mine", "m", "", "log") >> 1, digest("agent", "s") >> 1
    assert rows_of(part) == [(key("one@500", "10+1"), 500, dim, session, 0, 6, *tail)]
    assert part.sessions == [(session, "agent", "s", "/w")]
    ((_, offset, memory, *_),) = part.marks
    assert memory == ("s", "m", "/w", None, ((10, 4, 0, 1), ""), None, None)
    with path.open("ab") as file:
        file.write(count(10, 10) + count(15, 5, 2))
    (part,) = read(CODEX, path, refuse, offset, memory)
    assert rows_of(part) == [(key("one@2500", "15+1"), 2500, dim, session, 0, 1, *tail)]
    assert part.responses == []


def test_codex_names_an_answer_before_it_counts_it(tmp_path: Path) -> None:
    path = tmp_path / "log"
    named = [line("token_usage_record", response_id=name, usage={"input_tokens": 1}) for name in ("resp_1", "resp_2")]
    path.write_bytes(named[0] + count(10, 10) + count(10, 10) + count(12, 2, 1) + named[1])
    (part,) = read(CODEX, path, refuse)
    assert part.responses == [(key("one@500", "10+1"), "resp_1")]
    ((_, offset, memory, *_),) = part.marks
    assert memory is not None
    assert memory[6] == "resp_2"
    with path.open("ab") as file:
        file.write(count(15, 3, 2))
    (part,) = read(CODEX, path, refuse, offset, memory)
    assert part.responses == [(key("one@2500", "15+1"), "resp_2")]


def test_the_judge_has_what_is_not_plain(tmp_path: Path) -> None:
    path = tmp_path / "log"
    odd = answer(costUSD=0.5)
    path.write_bytes(answer("b") + odd + b"\n{\n")
    asked = []

    def judge(job: int, offset: int, line: bytes, memory: object) -> Judged:
        asked.append((job, offset, line))
        row = (1 << 19, 7, 8, 9, 0, 1, 2, 3, 4, 5, 0.5, 0)
        names = [(8, "agent", "maker", "", "n", "", "log")], [(9, "agent", "t", "")]
        rows = [row] if len(line) > 1 else []
        return memory, list(names[0]), list(names[1]), rows, [(1 << 19, "id") for _ in rows]

    (part,) = read(CLAUDE, path, judge)
    first = len(answer("b"))
    assert asked == [(0, first, odd[:-1]), (0, first + len(odd) + 1, b"{")]
    assert rows_of(part)[0] == (1 << 19, 7, 8, 9, 0, 1, 2, 3, 4, 5, 0.5, 0)
    assert [dim[4] for dim in part.dims] == ["m", "n"]
    assert part.responses == [(1 << 19, "id")]


def test_rows_that_can_be_stored_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "log"
    large = answer("large", output=2**31)
    path.write_bytes(answer("a") + answer("b") + answer("b", requestId="q") + answer("c") + answer("d") + large)
    (part,) = read(CLAUDE, path, refuse)
    known = [key("c", "") >> 19 << 19]
    packed, slots, total, others = part.split(known, True, 1)
    rows = rows_of(part)
    taken = [
        (key, time >> 4, dim, session, time & 15, fresh >> 31, fresh % 2**31, cached >> 31, cached % 2**31, rest >> 1)
        for key, time, dim, session, fresh, cached, rest in packed
    ]
    assert {one[0] for one in taken} == {key("a", "r"), key("d", "r")}
    assert sorted([*taken, *(row[:10] for row in others)]) == [row[:10] for row in rows]
    assert total == (2, 80_000, 6, 0, 10, 0)
    assert [slot[0] for slot in slots] == [0]
    assert slots[0][3:] == (1, *total, 0, 0)
    packed, slots, total, others = part.split([], False, 4)
    assert (packed, slots, total, others) == ([], [], (0,) * 6, rows)


def test_troubles(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(answer() + b"{\n")
    jobs: list[Any] = [
        (0, tmp_path / "none", "one", 0, None),
        (0, path, "two", 0, None),
        (0, tmp_path, "three", 0, None),
    ]
    (part,) = Logs([CLAUDE], jobs, refuse)
    (_, _, _, _, gone, _), (_, offset, memory, done, raised, _), (*_, folder, _) = part.marks
    assert gone is not None
    assert gone[0] == 2
    assert (offset, memory, done, raised) == (0, None, True, (None, "LookupError: {"))
    assert folder is not None


def test_parts_end_where_files_do(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / str(number)).write_bytes(b"".join(answer(f"{number}.{one}") for one in range(4)))
    jobs = [(0, tmp_path / str(number), str(number), 0, None) for number in range(3)]
    assert [len(part) for part in Logs([CLAUDE], jobs, refuse, rows=5)] == [8, 4]
    long = tmp_path / "long"
    long.write_bytes(b"".join(answer(str(one)) for one in range(4000)))
    parts = read(CLAUDE, long, refuse)
    assert sum(map(len, parts)) == 4000
    assert len(parts) > 3
    assert [part.marks[-1][3] for part in parts] == [False] * (len(parts) - 1) + [True]


@pytest.mark.parametrize("closed", [True, False])
def test_nobody_has_to_take_everything(tmp_path: Path, closed: bool) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"".join(answer(str(one)) + b"{\n" for one in range(3000)))
    logs = Logs([CLAUDE], [(0, path, str(one), 0, None) for one in range(50)], nothing, threads=4, rows=1)
    assert len(next(logs)) > 0
    if closed:
        logs.close()
        assert list(logs) == []
    del logs
    gc.collect()


def test_the_interpreter_goes_on_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"{\n" + answer())
    released = Event()

    def wait(_job: int, _offset: int, _line: bytes, memory: object) -> Judged:
        assert released.wait(60)
        return memory, [], [], [], []

    logs = Logs([CLAUDE], [(0, path, "one", 0, None)], wait)
    Timer(0.01, released.set).start()  # while the next line waits for the part
    assert [len(part) for part in logs] == [1]


MUTATED = st.builds(
    lambda one, place, byte: one[: place % len(one)] + byte + one[place % len(one) + 1 :],
    st.sampled_from(
        [answer(), answer(second=3, isSidechain=True), count(7, 5), line("session_meta", id="s"), line("turn_context")]
    ),
    st.integers(0, 500),
    st.binary(max_size=2) | st.sampled_from([b'"', b"\\", b"\\u", b"\n", b"{", b"}", b"[", b"0", b"-", b"\xf0\x9f"]),
)


@given(parts=st.lists(MUTATED | st.binary(max_size=20), max_size=12), source=st.sampled_from([CLAUDE, CODEX]))
def test_no_bytes_do_harm(parts: list[bytes], source: Source, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("logs") / "log"
    data = b"".join(parts)
    path.write_bytes(data)
    (part,) = read(source, path)
    ((_, offset, _, done, trouble, _),) = part.marks
    assert (offset, done, trouble) == (data.rfind(b"\n") + 1, True, None)


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no form"):
        Logs([("else", "", "", "")], [], nothing)
    with pytest.raises(ValueError, match="source"):
        Logs([CLAUDE], [(1, "log", "", 0, None)], nothing)
