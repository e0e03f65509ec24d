"""What the inbox shows of waiting executions, and answers that are given there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.plugins.forms.form_lab import Site
from tests.plugins.forms.test_questions import AT, TWO, Asked

from jackfield.api.engine import Mode
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.records import replace
from jackfield.api.storage import NewExecution
from jackfield_forms.open_questions import FormQuestions
from jackfield_forms.settings import FormSettings


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, FormSettings(inbox_executions=2))


async def stored(site: Site, ident: str, at: int = 1) -> None:
    """The execution waits in the store too."""
    await site.store.add_execution(NewExecution(ident, None, 1, "webhook", "running", at, b"{}", at))
    await site.store.set_waiting(ident, None, b"[{}]", 0)


async def test_an_approval_is_listed_and_answered(site: Site) -> None:
    made = Asked(site, **TWO)
    await stored(site, made.ident)
    questions = FormQuestions(site.context)
    (found,) = (await questions.open()).rows
    assert (found.kind, found.message, found.execution_id) == ("question", "Ship <it>?", made.ident)
    assert not found.test
    assert [(one.id, one.label, one.allows) for one in found.options] == [
        ("no", "No <way>", False),
        ("yes", "Yes", True),
    ]
    for option, fields, details in (
        ("perhaps", {}, {"option": "give one of no, yes"}),
        ("yes", {"text": "x"}, {"fields": "leave it out"}),
    ):
        with pytest.raises(InvalidInput) as caught:
            await questions.answer(found.id, option, fields)
        assert caught.value.details == details
    await questions.answer(found.id, "no", {})
    assert site.engine.resumed == [[{"json": {"data": {"approved": False, "respondedAt": AT}}}]]


@pytest.mark.parametrize("mode", ["test", "manual"])
async def test_what_a_test_run_asks_is_marked(site: Site, mode: Mode) -> None:
    made = Asked(site, **TWO)
    await stored(site, made.ident)
    site.engine.waits[made.ident] = replace(made.waiting, mode=mode)
    (found,) = (await FormQuestions(site.context).open()).rows
    assert found.test


async def test_a_form_is_filled_in(site: Site) -> None:
    made = Asked(site, responseType="freeText")
    await stored(site, made.ident)
    questions = FormQuestions(site.context)
    (found,) = (await questions.open()).rows
    assert [(one["key"], one["kind"], one["required"]) for one in found.fields] == [("text", "textarea", True)]
    for fields, named in (({}, "fields.text"), ({"text": "x", "other": "y"}, "fields.other")):
        with pytest.raises(InvalidInput) as caught:
            await questions.answer(found.id, "", fields)
        assert list(caught.value.details or {}) == [named]
    with pytest.raises(InvalidInput, match="no options"):
        await questions.answer(found.id, "yes", {"text": "Ship it."})
    await questions.answer(found.id, "", {"text": "Ship it."})
    assert site.engine.resumed == [[{"json": {"data": {"text": "Ship it.", "respondedAt": AT}}}]]


async def test_a_page_is_listed_until_the_execution_waits_for_another(site: Site) -> None:
    address = site.wait()
    ident = next(iter(site.engine.waits))
    await stored(site, ident)
    questions = FormQuestions(site.context)
    (found,) = (await questions.open()).rows
    assert (found.kind, found.id, found.url.endswith(address)) == ("form", f"{ident}.4", True)
    with pytest.raises(Conflict) as caught:
        await questions.answer(f"{ident}.3", "", {"Name": "Ada"})
    assert caught.value.code == "APPROVAL_CLOSED"
    site.engine.waits[ident] = Conflict("It waits for a time.")
    assert (await questions.open()).rows == [found], "nothing has changed in the store"
    await site.store.append_steps(ident, b"[{}]", 1)
    assert (await questions.open()).rows == []
    with pytest.raises(NotFound):
        await questions.answer("unknown.1", "yes", {})


async def test_the_list_says_that_it_is_not_complete(site: Site) -> None:
    for number in range(3):
        made = Asked(site)
        await stored(site, made.ident, number)
    found = await FormQuestions(site.context).open()
    assert (len(found.rows), found.complete) == (2, False)


async def test_a_wait_for_a_time_is_looked_at_once(site: Site) -> None:
    site.wait()
    ident = next(iter(site.engine.waits))
    await stored(site, ident)
    person = site.engine.waits[ident]
    site.engine.waits[ident] = Conflict("It waits for a time.", details={"status": "waiting"})
    questions = FormQuestions(site.context)
    assert (await questions.open()).rows == []
    site.engine.waits[ident] = person
    assert (await questions.open()).rows == [], "nothing has changed in the store"
    await site.store.append_steps(ident, b"[{}]", 1)
    assert len((await questions.open()).rows) == 1


async def test_an_execution_that_goes_on_meanwhile_is_looked_at_again(site: Site) -> None:
    site.wait()
    ident = next(iter(site.engine.waits))
    await stored(site, ident)
    person = site.engine.waits[ident]
    site.engine.waits[ident] = Conflict("It is running.", details={"status": "running"})
    questions = FormQuestions(site.context)
    assert (await questions.open()).rows == []
    site.engine.waits[ident] = person
    assert len((await questions.open()).rows) == 1
