"""The question to a judge: what is judged is marked as data, and has bounds."""

from __future__ import annotations

import re

from jackfield_evaluations.definition import JudgeScorer
from jackfield_evaluations.records import Spent
from jackfield_evaluations.scoring.judging import judge_prompt
from jackfield_evaluations.scoring.subject import ScoredSubject

JUDGE = JudgeScorer(kind="judge", name="j", instructions="Is it right?", profile="p")


def test_what_is_judged_stands_between_marks_of_one_use_and_is_cut() -> None:
    subject = ScoredSubject({}, {"q": "\ud800"}, "é" * 10_000, None, {}, Spent(), 1)
    first, second = (judge_prompt(JUDGE, subject, 257) for _ in range(2))
    marks = [re.findall(r"<(?:INPUT|OUTPUT) (\w{16})>", prompt) for prompt in (first, second)]
    assert marks[0][0] == marks[0][1] != marks[1][0]
    assert f"<OUTPUT {marks[0][0]}>\n{'é' * 128} …\n</OUTPUT {marks[0][0]}>" in first
    assert "EXPECTED" not in first
