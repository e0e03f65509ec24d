"""How headless agents are asked, and what is read from what they print."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.agents import Agent, Headless
from jackfield.api.errors import InvalidInput
from jackfield_profiles.launching.headless import HeadlessAnswer, answer_of, call_of, margin, shown

SECRET = "sk-0123456789"


def agent(*args: str) -> Agent:
    return Agent(id="a", binary="a", headless=Headless(args=args))


def test_the_prompt_is_an_argument_or_the_input() -> None:
    call = call_of(agent("-p", "{prompt}", "--model={model}", "say {prompt}!"), "hi {model}", "m")
    assert call.args == ("-p", "hi {model}", "--model=m", "say hi {model}!")
    assert call.stdin is None
    call = call_of(agent("exec", "--model", "{model}"), "häh", "m")
    assert (call.args, call.stdin) == (("exec", "--model", "m"), "häh".encode())
    assert call_of(agent("x"), None, "m").args == ()


def test_a_prompt_is_never_an_option() -> None:
    assert call_of(agent("-p", "{prompt}"), "--dangerous", "m").args == ("-p", " --dangerous")


def test_an_agent_that_takes_no_prompt_is_told() -> None:
    with pytest.raises(InvalidInput, match="args"):
        call_of(Agent(id="a", binary="a"), "hi", "m")
    with pytest.raises(InvalidInput, match="NUL"):
        call_of(agent("{prompt}"), "a\0b", "m")


def test_answers_by_format() -> None:
    one = {"type": "result", "result": "done", "session_id": "s1", "content": [{"text": "x"}]}
    kind = Headless(args=(), output="json", result="result", session="session_id")
    assert answer_of(kind, json.dumps(one)) == HeadlessAnswer("done", "s1", one)
    assert answer_of(kind.model_copy(update={"result": "content.0.text"}), json.dumps(one)).result == "x"
    assert answer_of(Headless(args=()), " hi \n") == HeadlessAnswer("hi")
    assert answer_of(None, "hi") == HeadlessAnswer()


def test_of_lines_the_last_that_has_it_counts() -> None:
    kind = Headless(args=(), output="json-lines", result="item.text", session="thread")
    output = 'noise\n{"thread": "t"}\n{"item": {"text": "a"}}\n{"item": {"text": "b"}}\n{broken\n{"item": {}}\n'
    found = answer_of(kind, output)
    assert (found.result, found.session) == ("b", "t")
    assert isinstance(found.data, list)
    assert len(found.data) == 4


@given(st.text(), st.sampled_from(["text", "json", "json-lines"]))
def test_no_output_breaks_it(output: str, kind: str) -> None:
    answer_of(Headless(args=(), output=kind, result="a.0.b", session="x"), output)  # type: ignore[arg-type]


def test_what_is_shown_is_the_end_without_secrets() -> None:
    assert shown(f"a {SECRET} b".encode(), 100, [SECRET]) == "a *** b"


@given(before=st.integers(0, 60), limit=st.integers(16, 40), after=st.integers(0, 40))
def test_no_part_of_a_secret_is_left_where_the_output_was_cut(before: int, limit: int, after: int) -> None:
    text = "." * before + SECRET + "." * after
    kept = text.encode()[-(limit + margin([SECRET])) :]
    found = shown(kept, limit, [SECRET])
    assert len(found) <= limit
    for length in range(4, len(SECRET)):
        assert SECRET[-length:] not in found
        assert SECRET[:length] not in found


@given(st.binary(max_size=60), st.integers(1, 30))
def test_any_bytes_are_shown(content: bytes, limit: int) -> None:
    assert isinstance(shown(content, limit, []), str)
