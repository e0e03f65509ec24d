"""Send Email against a real SMTP server, and the mails that it makes."""

from __future__ import annotations

import contextlib
import email
import email.policy
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from integration_fakes import Bench, rows

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, Suspend
from jackfield.api.resume import ResumeLinks
from jackfield.testing.smtp import PASSWORD, USER, Postbox, smtp_server
from jackfield_integrations.mail.composing import OutgoingMail, envelope, message


@pytest.fixture
def postbox() -> Postbox:
    return Postbox()


@pytest.fixture
def serve(postbox: Postbox, certificate: tuple[Path, Path]) -> Iterator[Callable[..., dict[str, str]]]:
    """Starts a server; gives the values of a credential."""
    with contextlib.ExitStack() as running:

        def start(*, tls: bool = True, login: bool = True) -> dict[str, str]:
            port = running.enter_context(smtp_server(postbox, certificate if tls else None, login=login))
            values = {
                "host": "localhost",
                "port": str(port),
                "secure": "false",
                "caCertificate": certificate[0].read_text(),
            }
            return values | ({"user": USER, "password": PASSWORD} if login else {})

        yield start


BASE: Mapping[str, Json] = {"fromEmail": "Ada <ada@example.com>", "toEmail": "bob@example.com", "subject": "Hi"}


async def test_a_mail_goes_out_through_tls(
    bench: Bench, serve: Callable[..., dict[str, str]], postbox: Postbox
) -> None:
    parameters: dict[str, Json] = {
        "fromEmail": "Ädä <ada@example.com>",
        "toEmail": '"Roe, Bob" <bob@example.com>, carl@example.com',
        "subject": "=?\r\nBcc: evil@example.com\nGrüße",
        "emailFormat": "both",
        "text": "täxt\n.\nend",
        "html": "<p>hällo</p>",
        "options": {
            "ccEmail": "dora@example.com",
            "bccEmail": "hidden@example.com, refused@example.com",
            "replyTo": "reply@example.com",
            "attachments": "data, more",
        },
    }
    item = rows({})
    item[0]["binary"] = {
        "data": await bench.files.write(b"\x00\xff", mime_type="image/png", file_name="ü\r\nX: 1.png"),
        "more": await bench.files.write(b"text", mime_type="text/plain", file_name="a.txt"),
    }
    (made,) = await bench.json("emailSend", 2.1, parameters, item, credentials={"smtp": serve()})
    names = ["bob@example.com", "carl@example.com", "dora@example.com", "hidden@example.com"]
    assert made["accepted"] == names
    assert made["rejected"] == ["refused@example.com"]
    assert made["envelope"] == {"from": "ada@example.com", "to": [*names, "refused@example.com"]}
    mail = postbox.mail()
    assert postbox.envelopes[0].rcpt_tos == names
    assert mail["From"] == "Ädä <ada@example.com>"
    assert mail["Cc"] == "dora@example.com"
    assert mail["Reply-To"] == "reply@example.com"
    assert mail["Subject"] == "=? Bcc: evil@example.com Grüße"
    assert mail["Bcc"] is None
    assert b"hidden@example.com" not in mail.as_bytes()
    assert mail["Message-ID"] == made["messageId"]
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert html is not None
    assert text.get_content().splitlines() == ["täxt", ".", "end"]
    assert html.get_content().strip() == "<p>hällo</p>"
    first, second = mail.iter_attachments()
    assert (first.get_content_type(), first.get_content(), first.get_filename()) == (
        "image/png",
        b"\x00\xff",
        "ü__X: 1.png",
    )
    assert (second.get_content(), second.get_filename()) == (b"text", "a.txt")


@pytest.mark.parametrize(
    ("version", "more", "kind", "content"),
    [
        (2.1, {"html": "<b>x</b>", "text": "not sent"}, "text/html", "<b>x</b>"),
        (2, {"html": "not sent", "text": "x"}, "text/plain", "x"),
        (2.1, {"emailFormat": "text", "text": None}, "text/plain", ""),
        (1, {"html": "<b>x</b>"}, "text/html", "<b>x</b>"),
        (1, {"text": "x", "ccEmail": "cc@example.com"}, "text/plain", "x"),
    ],
)
async def test_formats(
    bench: Bench,
    serve: Callable[..., dict[str, str]],
    postbox: Postbox,
    version: float,
    more: dict[str, Json],
    kind: str,
    content: str,
) -> None:
    await bench.json("emailSend", version, {**BASE, **more}, credentials={"smtp": serve(tls=False, login=False)})
    assert postbox.mail().get_content_type() == kind
    assert postbox.mail().get_content().strip() == content
    assert ("cc@example.com" in postbox.envelopes[0].rcpt_tos) == ("ccEmail" in more)


async def test_a_question_is_one_mail_with_its_links(
    bench: Bench, serve: Callable[..., dict[str, str]], postbox: Postbox
) -> None:
    double: Json = {"values": {"approvalType": "double", "approveLabel": "Yes"}}
    limit: Json = {"values": {"resumeAmount": 2}}
    parameters: dict[str, Json] = {
        **BASE,
        "operation": "sendAndWait",
        "message": "Ship <b>it</b>?",
        "approvalOptions": double,
        "options": {"limitWaitTime": limit},
    }
    values = serve()
    run = bench.run("emailSend", 2.1, parameters, rows({"n": 1}, {"n": 2}), credentials={"smtp": values})
    began = bench.context.clock.now_ms()
    wait = await run.type.execute(run)
    assert isinstance(wait, Suspend)
    assert wait.until is not None
    assert began <= wait.until - 7_200_000 <= bench.context.clock.now_ms()
    assert [item["json"] for item in wait.outputs[0]] == [{"n": 1}, {"n": 2}]
    (sent,) = postbox.envelopes
    assert sent.rcpt_tos == ["bob@example.com"]
    mail = postbox.mail()
    assert (mail["Subject"], mail.get_content_type()) == ("Hi", "text/html")
    text = mail.get_content()
    assert "Ship <b>it</b>?" in text
    found = re.findall(r'href="[^"]+/form-waiting/(e1[^"]+)"[^>]*>([^<]+)<', text)
    answers = [(ResumeLinks(bench.context).answer(token), label) for token, label in found]
    assert [(link and link.approved, label) for link, label in answers] == [(False, "Decline"), (True, "Yes")]
    failed = bench.run(
        "emailSend", 2.1, {**parameters, "toEmail": "refused@example.com"}, rows({}, {}), credentials={"smtp": values},
        on_error="continueRegularOutput",
    )  # fmt: skip
    (outputs,) = (await failed.outcome()).json()
    assert [list(one) for one in outputs] == [["error"]], "one mail, so one error"


async def test_failures(
    make_bench: Callable[..., Bench], serve: Callable[..., dict[str, str]], postbox: Postbox
) -> None:
    values, bench = serve(), make_bench()
    wrong = values | {"password": "wrong-and-secret"}
    with pytest.raises(NodeError, match="535") as failed:
        await bench.json("emailSend", 2.1, BASE, credentials={"smtp": wrong})
    assert "wrong-and-secret" not in failed.value.message
    with pytest.raises(NodeError, match="certificate verify failed"):
        await bench.json("emailSend", 2.1, BASE, credentials={"smtp": values | {"caCertificate": ""}})
    await bench.json(
        "emailSend", 2.1, {**BASE, "options": {"allowUnauthorizedCerts": True}}, credentials={"smtp": values}
    )
    with pytest.raises(NodeError, match="certificate verify failed"):
        await bench.json("emailSend", 2.1, BASE, credentials={"smtp": values | {"host": "127.0.0.1"}})
    with pytest.raises(NodeError, match=r"refuses every recipient: refused@example\.com: 550"):
        await bench.json("emailSend", 2.1, {**BASE, "toEmail": "refused@example.com"}, credentials={"smtp": values})
    with pytest.raises(NodeError, match=r"integrations\.allowed_hosts"):
        await make_bench(allowed_hosts=[]).json("emailSend", 2.1, BASE, credentials={"smtp": values})
    with pytest.raises(NodeError, match="sendAndWait"):
        await bench.json("emailSend", 1, {**BASE, "operation": "sendAndWait"}, credentials={"smtp": values})
    with pytest.raises(NodeError, match="no binary field 'data'; it has: none"):
        await bench.json("emailSend", 2.1, {**BASE, "options": {"attachments": "data"}}, credentials={"smtp": values})
    assert len(postbox.envelopes) == 1


async def test_a_password_is_not_sent_in_the_clear(bench: Bench, serve: Callable[..., dict[str, str]]) -> None:
    values = serve(tls=False)
    with pytest.raises(NodeError, match="STARTTLS"):
        await bench.json("emailSend", 2.1, BASE, credentials={"smtp": values})
    told = values | {"disableStartTls": "true"}
    assert len(await bench.json("emailSend", 2.1, BASE, credentials={"smtp": told})) == 1


async def test_one_failure_leaves_the_other_items(
    bench: Bench, serve: Callable[..., dict[str, str]], postbox: Postbox
) -> None:
    each = [{**BASE, "toEmail": "refused@example.com"}, BASE]
    made = await bench.json(
        "emailSend", 2.1, each, rows({}, {}), credentials={"smtp": serve()}, on_error="continueRegularOutput"
    )
    assert "refuses every recipient" in str(made[0]["error"])
    assert made[1]["accepted"] == ["bob@example.com"]


def letter(**more: str) -> OutgoingMail:
    given = {"sender": "a@example.com", "to": "b@example.com", "subject": "s", "text": "t", "html": ""}
    return OutgoingMail(**{**dict.fromkeys(("cc", "bcc", "reply_to"), ""), **given, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["sender", "to", "cc", "bcc", "reply_to"])
@pytest.mark.parametrize("text", ["x@example.com\r\nBcc: e@example.com", "nobody", "a@example.com\x00", "@", "<>"])
def test_addresses_are_checked(field: str, text: str) -> None:
    made = letter(**{field: text})
    make = message if field == "reply_to" else envelope
    arguments = (made, []) if field == "reply_to" else (made,)
    with pytest.raises(NodeError, match="The parameter"):
        make(*arguments)  # type: ignore[operator]


def test_domains_of_any_script() -> None:
    assert envelope(letter(to="b@münchen.example")).recipients == ["b@xn--mnchen-3ya.example"]


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=30))
def test_no_text_makes_a_header(subject: str, text: str, name: str) -> None:
    made = message(letter(subject=subject, text=text), [(b"x", "image/png", name)])
    read = email.message_from_bytes(made.as_bytes(), policy=email.policy.default)
    assert set(read.keys()) == {"From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"}
