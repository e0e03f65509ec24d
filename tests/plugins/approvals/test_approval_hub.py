"""Requests of agents: one answer counts, time ends them, and what nobody saw whole is not allowed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from jackfield.api.approvals import AgentRequest, ApprovalAnswer, ApprovalOption
from jackfield.api.auth import Principal
from jackfield.api.errors import AccessDenied, AuthRequired, Conflict, InvalidInput
from jackfield.api.jsontext import Json
from jackfield.testing.context import FakeContext
from jackfield_approvals.asking.asking import ApprovalDecision, Asking
from jackfield_approvals.asking.tokens import Asker, AskTokens
from jackfield_approvals.auditing import require_person
from jackfield_approvals.hub import AgentApprovalHub, hub
from jackfield_approvals.settings import ApprovalsSettings

ALLOW = ApprovalAnswer("allow", by="ada")
REJECT = ApprovalAnswer("reject", "Not today.", "bob")
ASKER = Asker("work", "run", "r1", "off")


@pytest.fixture
def context(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path, tables=[ApprovalsSettings(max_open=2, keep_closed=1, input_limit=1024)])


def request(
    answer: Callable[[ApprovalAnswer], None] = lambda answer: None,
    *,
    cut: bool = False,
    until: int | None = None,
    session: str = "r1",
    command: str = "ls",
) -> AgentRequest:
    options = [ApprovalOption("allow", "Allow", allows=True), ApprovalOption("reject", "Reject", allows=False)]
    return AgentRequest("work", "run", session, "Bash", "", {"command": command}, options, answer, cut, until)


async def opened(context: FakeContext) -> str:
    """The id of the one that is open, once it is."""
    while not (found := [one.id for one in hub(context).all() if one.state == "open"]):
        await asyncio.sleep(0)
    return found[0]


async def test_one_answer_counts(context: FakeContext) -> None:
    told: list[ApprovalAnswer] = []
    known = AgentApprovalHub(context)
    ident = known.open(request(told.append))
    with pytest.raises(InvalidInput, match="no such option"):
        known.answer(ident, ApprovalAnswer("perhaps"))
    kept = known.answer(ident, ALLOW)
    assert (kept.state, kept.option, kept.by, kept.request.input) == ("answered", "allow", "ada", None)
    with pytest.raises(Conflict) as caught:
        known.answer(ident, REJECT)
    assert caught.value.code == "APPROVAL_CLOSED"
    assert told == [ALLOW]


async def test_one_that_the_agents_side_refuses_stays_open(context: FakeContext) -> None:
    def refuse(answer: ApprovalAnswer) -> None:
        raise Conflict("The session has ended.")

    known = AgentApprovalHub(context)
    ident = known.open(request(refuse))
    with pytest.raises(Conflict, match="has ended"):
        known.answer(ident, ALLOW)
    assert (known.find(ident).state, known.find(ident).by) == ("open", "")


async def test_one_that_was_cut_can_only_be_rejected(context: FakeContext) -> None:
    told: list[ApprovalAnswer] = []
    known = AgentApprovalHub(context)
    ident = known.open(request(told.append, cut=True))
    with pytest.raises(Conflict) as caught:
        known.answer(ident, ALLOW)
    assert caught.value.code == "PERMISSION_CUT"
    known.answer(ident, REJECT)
    assert told == [REJECT]


async def test_time_rejects(context: FakeContext) -> None:
    told: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
    known = AgentApprovalHub(context)
    ident = known.open(request(told.set_result, until=0))
    assert (await told).option == "reject"
    assert known.find(ident).state == "expired"


async def test_time_rejects_for_this_once(context: FakeContext) -> None:
    told: asyncio.Future[ApprovalAnswer] = asyncio.get_running_loop().create_future()
    options = [ApprovalOption(name, name, allows=False, lasting=name == "never") for name in ("never", "reject")]
    asked = AgentRequest("work", "agent_session", "s", "Bash", "", {}, options, told.set_result, until_ms=0)
    AgentApprovalHub(context).open(asked)
    assert (await told).option == "reject"


async def test_how_many_are_kept(context: FakeContext) -> None:
    known = AgentApprovalHub(context)
    first, second = (known.open(request()) for _ in range(2))
    with pytest.raises(Conflict, match=r"approvals\.max_open\."):
        known.open(request())
    for ident in (first, second):
        known.closed(ident, "withdrawn")
    assert [one.id for one in known.all()] == [second]


async def test_one_agent_leaves_room_for_others(tmp_path: Path) -> None:
    settings = ApprovalsSettings(max_open_of_agent=1, inputs_limit=64 * 1024)
    known = AgentApprovalHub(FakeContext(tmp_path, tables=[settings]))
    first = known.open(request())
    with pytest.raises(Conflict, match=r"approvals\.max_open_of_agent") as caught:
        known.open(request())
    assert caught.value.code == "TOO_MANY_APPROVALS"
    known.open(request(session="r2", command="x" * 65_000))
    with pytest.raises(Conflict, match=r"approvals\.inputs_limit"):
        known.open(request(session="r3", command="x" * 1000))
    known.closed(first, "withdrawn")
    known.open(request())


@pytest.mark.parametrize(
    ("answer", "decision"),
    [(ALLOW, ApprovalDecision(allowed=True)), (REJECT, ApprovalDecision(allowed=False, reason="Not today."))],
)
async def test_an_agent_hears_the_decision(
    context: FakeContext, answer: ApprovalAnswer, decision: ApprovalDecision
) -> None:
    asked = asyncio.ensure_future(Asking(context).ask(ASKER, "Bash", {"command": "ls"}))
    hub(context).answer(await opened(context), answer)
    assert await asked == decision


async def test_an_agent_that_leaves_withdraws(context: FakeContext) -> None:
    asked = asyncio.ensure_future(Asking(context).ask(ASKER, "Bash", {}))
    ident = await opened(context)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    assert hub(context).find(ident).state == "withdrawn"


async def test_what_is_long_is_cut(context: FakeContext) -> None:
    asked = asyncio.ensure_future(Asking(context).ask(ASKER, "Write", {"text": "x" * 5000}))
    kept = hub(context).find(await opened(context))
    assert kept.request.cut
    assert len(str(kept.request.input)) == 1024
    hub(context).answer(kept.id, REJECT)
    await asked


async def test_a_secret_at_the_cut_is_not_shown_in_part(context: FakeContext) -> None:
    secret = "correct-horse-battery-staple"
    context.secrets.redact(secret)
    text = "x" * (1024 - len('{"text":"') - 10) + secret + "y" * 5000
    asked = asyncio.ensure_future(Asking(context).ask(ASKER, "Write", {"text": text}))
    kept = hub(context).find(await opened(context))
    assert "correct" not in str(kept.request.input)
    hub(context).answer(kept.id, REJECT)
    await asked


@pytest.mark.parametrize(("tool", "given"), [("", {}), (["Bash"], {}), (None, {}), ("x" * 201, {}), ("Bash", "ls")])
async def test_nobody_is_asked_about_nothing(context: FakeContext, tool: Json, given: Json) -> None:
    with pytest.raises(InvalidInput):
        await Asking(context).ask(ASKER, tool, given)
    assert hub(context).all() == []


async def test_from_the_network_only_what_a_sandbox_holds_is_allowed(context: FakeContext) -> None:
    asked = asyncio.ensure_future(Asking(context).ask(ASKER, "Bash", {}))
    ident = await opened(context)
    with pytest.raises(AccessDenied, match=r"approvals\.network_sandbox"):
        hub(context).answer(ident, ApprovalAnswer("allow", by="ada", remote=True))
    hub(context).answer(ident, ApprovalAnswer("reject", by="ada", remote=True))
    assert not (await asked).allowed


def test_a_token_is_of_its_launch(context: FakeContext) -> None:
    tokens = AskTokens(context)
    token = tokens.make(ASKER)
    assert tokens.read(token) == ASKER
    for wrong in (token[:-2], token.replace("jf_ap_", ""), "", "jf_ap_", token + "AAAA", "jf_ap_ä"):
        with pytest.raises(AuthRequired):
            tokens.read(wrong)


@pytest.mark.parametrize("method", ["mcp_oauth", "mcp_profile"])
def test_an_agent_answers_nothing(method: str) -> None:
    with pytest.raises(AccessDenied) as caught:
        require_person(Principal("u", "ada", "admin", method))
    assert caught.value.code == "APPROVAL_BY_PERSON"
    require_person(Principal("u", "ada", "admin", "api_key"))
