"""Links of questions: to read one answers nothing, its button or form answers once, and only the question it is of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.forms.form_lab import HOST, Site

from jackfield.api.engine import WaitingCall
from jackfield.api.errors import Conflict
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeError
from jackfield.api.questions import LONGEST_MS, Question, Wording, as_json, asked, mail_html, suspended
from jackfield.api.records import replace
from jackfield.api.resume import ResumeLinks
from jackfield.api.workflows import Workflow, WorkflowSettings
from jackfield.testing.node_runs import FakeNodeRun, items
from jackfield_forms.nodes import FormNode
from jackfield_forms.settings import FormSettings

TWO = {"approvalOptions": {"values": {"approvalType": "double", "disapproveLabel": "No <way>"}}}
AT = "2026-01-01T00:00:00.000Z"
BOTS = ("Slackbot-LinkExpanding 1.0", "TelegramBot (like TwitterBot)", "Mozilla/5.0 (SkypeUriPreview)", "")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, FormSettings())


@dataclass
class NthRun(FakeNodeRun):
    nth: int = 0

    @property
    def run_index(self) -> int:
        return self.nth


class Asked:
    """A question whose execution waits."""

    def __init__(self, site: Site, run_index: int = 0, **parameters: Any) -> None:
        self.ident = new_id()
        run = NthRun(FormNode(site.context), {}, items({"n": 1}, {"n": 2}), execution_id=self.ident, nth=run_index)
        given = {"message": "Ship <it>?", **parameters}
        self.question: Question = asked(run, ResumeLinks(site.context), given, Wording("Yes", "No"))
        self.wait = suspended(run, self.question, given, site.context.clock.now_ms())
        workflow = Workflow("w", "W", 1, True, {run.node.name: run.node}, {}, WorkflowSettings(), {}, {})
        assert self.wait.call is not None
        self.waiting = WaitingCall(self.ident, 3, workflow, run.node, "webhook", self.wait.call)
        site.engine.waits[self.ident] = self.waiting
        self.paths = {one.approved: "/" + one.url.split("/", 3)[3] for one in self.question.choices}


def field(page: str) -> str:
    found = re.search(r'action="([^"]+)"', page)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("approved", [True, False])
async def test_a_button_answers(site: Site, approved: bool) -> None:
    made = Asked(site, **TWO)
    status, page = await site.get(made.paths[approved])
    assert (status, "Ship &lt;it&gt;?" in page, "No &lt;way&gt;" in page) == (200, True, not approved)
    assert site.engine.resumed == []
    assert field(page) == made.paths[approved]
    status, page = await site.post(field(page))
    assert (status, "recorded" in page) == (200, True)
    assert site.engine.resumed == [[{"json": {"data": {"approved": approved, "respondedAt": AT}}}]]


@pytest.mark.parametrize("agent", BOTS)
async def test_whoever_only_reads_links_answers_nothing(site: Site, agent: str) -> None:
    made = Asked(site, **TWO)
    for path in made.paths.values():
        for method in ("GET", "HEAD"):
            await site.client.open(path, method=method, headers={**HOST, "User-Agent": agent})
    assert site.engine.resumed == []


async def test_a_page_of_another_site_answers_nothing(site: Site) -> None:
    made = Asked(site)
    headers = {**HOST, "Origin": "https://other.example", "Sec-Fetch-Site": "cross-site"}
    answer = await site.client.post(made.paths[True], headers=headers)
    assert (answer.status_code, site.engine.resumed) == (403, [])


async def test_a_text_answers(site: Site) -> None:
    made = Asked(
        site, responseType="freeText", options={"responseFormTitle": "T", "responseFormButtonLabel": "Send it"}
    )
    status, page = await site.get(made.paths[True])
    assert (status, "<h1>T</h1>" in page, "Send it" in page, "Ship &lt;it&gt;?" in page) == (200, True, True, True)
    assert (await site.post(made.paths[True], field_0=""))[0] == 400
    assert site.engine.resumed == []
    assert (await site.post(made.paths[True], field_0="fine"))[0] == 200
    assert site.engine.resumed == [[{"json": {"data": {"text": "fine", "respondedAt": AT}}}]]


async def test_a_form_answers_and_cannot_say_when(site: Site) -> None:
    rows = [{"fieldLabel": "Size", "fieldType": "number"}, {"fieldLabel": "respondedAt"}]
    made = Asked(site, responseType="customForm", formFields={"values": rows})
    assert (await site.post(made.paths[True], field_0="4", field_1="never"))[0] == 200
    assert site.engine.resumed == [[{"json": {"data": {"Size": 4, "respondedAt": AT}}}]]


async def test_a_link_is_of_one_question_and_one_answer(site: Site) -> None:
    made, later = Asked(site, **TWO), Asked(site, run_index=1)
    site.engine.waits[made.ident] = replace(later.waiting, execution_id=made.ident)
    status, page = await site.post(made.paths[True])
    assert (status, "waits for no answer any more" in page) == (409, True)
    single = Asked(site)
    other = ResumeLinks(site.context).answer_url(single.ident, single.question.id, approved=False)
    assert (await site.post("/" + other.split("/", 3)[3]))[0] == 404
    whole = single.paths[True]
    for path in (whole[:-1] + ("0" if whole[-1] != "0" else "1"), whole.replace(".yes.", ".no."), whole + "0"):
        assert (await site.post(path))[0] == 404
    assert (await site.get(site.state(single.ident)))[0] == 200
    assert (await site.post(site.state(single.ident)))[0] == 200, "the plain link shows that there is nothing to send"
    assert site.engine.resumed == []


@pytest.mark.parametrize("status", ["success", "running", "failed"])
async def test_an_answered_question_says_so(site: Site, status: str) -> None:
    made = Asked(site)
    site.engine.waits[made.ident] = Conflict("no", details={"status": status})
    for answer in (await site.get(made.paths[True]), await site.post(made.paths[True])):
        assert (answer[0], "somebody has answered it" in answer[1]) == (409, True)


MINUTE = {"limitType": "afterTimeInterval", "resumeAmount": 1, "resumeUnit": "minutes"}


@pytest.mark.parametrize(
    ("limit", "after"),
    [
        (None, None),
        (MINUTE, 60_000),
        ({**MINUTE, "resumeUnit": "days", "resumeAmount": 0.5}, 43_200_000),
        ({"resumeAmount": 2}, 7_200_000),
        ({"limitType": "atSpecifiedTime", "maxDateAndTime": "2026-01-01T00:01:00"}, 60_000),
        ({"limitType": "atSpecifiedTime", "maxDateAndTime": "2026-01-01T02:01:00+02:00"}, 60_000),
    ],
)
def test_a_wait_may_be_limited(site: Site, limit: Mapping[str, Any] | None, after: int | None) -> None:
    options = {} if limit is None else {"options": {"limitWaitTime": {"values": limit}}}
    wait = Asked(site, **options).wait
    assert wait.until == (None if after is None else site.context.clock.now_ms() + after)
    assert [item["json"] for item in wait.outputs[0]] == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"responseType": "shout"}, "responseType"),
        ({"responseType": "customForm", "defineForm": "json", "jsonOutput": "{"}, "jsonOutput"),
        ({"responseType": "customForm", "formFields": {"values": [{"fieldType": "radio", "fieldLabel": "R"}]}}, "R"),
        ({"options": {"limitWaitTime": {"values": {"resumeAmount": "x"}}}}, "resumeAmount"),
        ({"options": {"limitWaitTime": {"values": {"resumeUnit": "years"}}}}, "resumeUnit"),
        ({"options": {"limitWaitTime": {"values": {"resumeAmount": LONGEST_MS}}}}, "100 years"),
        ({"options": {"limitWaitTime": {"values": {"limitType": "atSpecifiedTime"}}}}, "maxDateAndTime"),
    ],
)
def test_what_cannot_be_asked_is_told(site: Site, parameters: Mapping[str, Any], told: str) -> None:
    with pytest.raises(NodeError, match=told):
        Asked(site, **parameters)


def test_the_mail_has_the_links_and_escapes_labels(site: Site) -> None:
    made = Asked(site, **TWO)
    text = mail_html(made.question)
    assert all(f'href="{one.url}"' in text for one in made.question.choices)
    assert "No &lt;way&gt;" in text


def test_signs_of_a_literal_message_stand_for_themselves(site: Site) -> None:
    question = replace(Asked(site).question, message="<!-- [x](y)\n_z", literal=True)
    told = as_json(question)
    assert "&lt;!-- [x](y)\n_z</p>" in mail_html(question)
    assert told["messageHtml"] == "&lt;!-- [x](y)<br>_z"
    assert told["messageMarkdown"] == "\\<!-- \\[x\\]\\(y\\)\n\\_z"
    assert told["format"] == "text"


def test_a_repeated_run_asks_with_the_same_links(site: Site) -> None:
    first = Asked(site)
    links = ResumeLinks(site.context)
    assert links.answer_url(first.ident, first.question.id, approved=True) == first.question.choices[0].url
    assert Asked(site, run_index=1).question.id != first.question.id
    token = first.question.choices[0].url.rpartition("/")[2]
    assert links.answer(token) is not None
    assert links.execution_id(token) is None, "the link of an answer is no link of the execution"
