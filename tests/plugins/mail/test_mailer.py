"""Mail of the daemon against a real SMTP server, also one that refuses and one that hangs."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from jackfield.api.context import Service
from jackfield.api.errors import ConfigurationError, RateLimited
from jackfield.api.events import STOPPING
from jackfield.api.mail import Letter, MailFailed, MailNotSetUp, MailServerAway, is_address
from jackfield.testing.certificates import self_signed
from jackfield.testing.context import FakeContext
from jackfield.testing.smtp import PASSWORD, USER, Postbox, silent_server, smtp_server, text_of
from jackfield_mail.findings import findings
from jackfield_mail.mailer import SmtpMailer
from jackfield_mail.settings import MailSettings

SENDER = "Jäckfield <jackfield@example.com>"
LETTER = Letter("Grüße", ["Hello <Ada> & co.", "Second"], "https://x.example/?a=1&b=2", "Open it", ["Bye"], "de")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("certificate"), "localhost")


@pytest.fixture
def postbox() -> Postbox:
    return Postbox()


@pytest.fixture
def serve(postbox: Postbox, certificate: tuple[Path, Path]) -> Iterator[Callable[..., int]]:
    with contextlib.ExitStack() as running:
        yield lambda tls=True, login=True: running.enter_context(
            smtp_server(postbox, certificate if tls else None, login=login)
        )


@pytest.fixture
def mailer(
    tmp_path: Path, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., SmtpMailer]:
    """One for the server at this port."""
    monkeypatch.setenv("MAIL_PASSWORD", PASSWORD)

    def made(port: int, **more: Any) -> SmtpMailer:
        usual = {"host": "localhost", "port": port, "sender": SENDER, "ca_file": str(certificate[0])}
        login = {"username": USER, "password_env": "MAIL_PASSWORD"}
        settings = MailSettings(**{**usual, **login, **more})
        return FakeContext(tmp_path, "mail", tables=[settings]).port(SmtpMailer)

    return made


async def test_a_letter_goes_out_as_text_and_as_html(
    serve: Callable[..., int], mailer: Callable[..., SmtpMailer], postbox: Postbox
) -> None:
    await mailer(serve()).send("bob@example.com", LETTER)
    mail = postbox.mail()
    assert postbox.envelopes[0].rcpt_tos == ["bob@example.com"]
    assert (mail["From"], mail["To"], mail["Subject"]) == (SENDER, "bob@example.com", "Grüße")
    assert mail["Auto-Submitted"] == "auto-generated"
    text = "Hello <Ada> & co.\n\nSecond\n\nOpen it:\nhttps://x.example/?a=1&b=2\n\nBye\n"
    assert text_of(mail).replace("\r\n", "\n") == text
    html = text_of(mail, "html")
    assert "<p>Hello &lt;Ada&gt; &amp; co.</p>" in html
    assert html.count("https://x.example/?a=1&amp;b=2") == 2
    assert '<html lang="de">' in html


async def test_a_server_without_tls_and_login_is_enough_where_the_settings_say_so(
    serve: Callable[..., int], mailer: Callable[..., SmtpMailer], postbox: Postbox
) -> None:
    port = serve(tls=False, login=False)
    await mailer(port, tls="none", username="", password_env="").send("bob@example.com", LETTER)
    assert len(postbox.envelopes) == 1
    with pytest.raises(MailFailed, match="STARTTLS"):  # never in the clear where TLS is demanded
        await mailer(port).send("bob@example.com", LETTER)
    assert len(postbox.envelopes) == 1


async def test_failures_say_what_the_server_says_and_never_the_password(
    serve: Callable[..., int], mailer: Callable[..., SmtpMailer], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = serve()
    good = mailer(port)
    with pytest.raises(MailFailed, match=r"refuses every recipient: refused@example\.com: 550 no such user\."):
        await good.send("refused@example.com", LETTER)
    with pytest.raises(MailFailed, match="certificate verify failed"):
        await mailer(port, ca_file="").send("bob@example.com", LETTER)
    with pytest.raises(ConfigurationError, match=r"mail\.ca_file"):
        await mailer(port, ca_file="nowhere.pem").send("bob@example.com", LETTER)
    with pytest.raises(ConfigurationError, match=r"mail\.password_env"):
        await mailer(port, password_env="NOWHERE").send("bob@example.com", LETTER)
    monkeypatch.setenv("MAIL_PASSWORD", "wrong-and-secret")
    with pytest.raises(MailFailed, match="lets nobody in: 535") as failed:
        await good.send("bob@example.com", LETTER)
    assert "wrong-and-secret" not in failed.value.message
    with silent_server() as gone:
        pass
    with pytest.raises(MailFailed, match="lets nobody in"):
        await mailer(gone).send("bob@example.com", LETTER)


@pytest.mark.parametrize("method", ["PLAIN", "LOGIN"])
async def test_a_server_that_quotes_the_login_tells_no_password(mailer: Callable[..., SmtpMailer], method: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 hello\r\n")
        while line := (await reader.readline()).strip():
            if line.startswith(b"EHLO"):
                writer.write(b"250-hello\r\n250 AUTH %s\r\n" % method.encode())
            elif line.startswith(b"AUTH LOGIN"):
                writer.write(b"334 UGFzc3dvcmQ6\r\n")
            else:
                writer.write(b"535 you said " + line + b"\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        one = mailer(server.sockets[0].getsockname()[1], host="127.0.0.1", tls="none")
        with pytest.raises(MailFailed, match=r"535 you said .*\*\*\*") as failed:
            await one.send("bob@example.com", LETTER)
    quoted = [f"\0{USER}\0{PASSWORD}", PASSWORD]
    assert not any(base64.b64encode(text.encode()).decode() in failed.value.message for text in quoted)


async def test_a_server_that_hangs_holds_up_no_more_than_its_time_and_its_turns(
    mailer: Callable[..., SmtpMailer],
) -> None:
    with silent_server() as port:
        with pytest.raises(MailFailed, match=r"longer than 0\.3 seconds \(mail\.timeout\)|does not answer"):
            await mailer(port, timeout=0.3).send("bob@example.com", LETTER)
        one = mailer(port, timeout=60, connections=1, waiting=1)
        under_way = [asyncio.create_task(one.send("bob@example.com", LETTER)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(RateLimited):
            await one.send("bob@example.com", LETTER)
        for task in under_way:
            task.cancel()
        await asyncio.wait(under_way)
    with pytest.raises(MailFailed):  # their places are free again
        await one.send("bob@example.com", LETTER)


async def test_a_mail_under_way_does_not_hold_up_the_stop(mailer: Callable[..., SmtpMailer]) -> None:
    with silent_server() as port:
        one = mailer(port, timeout=60)
        under_way = asyncio.create_task(one.send("bob@example.com", LETTER))
        async with asyncio.timeout(20):
            while not under_way.done():
                one._context.events.publish("system", STOPPING, {})
                await asyncio.sleep(0)
        with pytest.raises(MailServerAway, match="stops"):
            await under_way
    assert one._pending == 0


async def test_a_mail_waits_for_its_turn_as_long_as_for_the_server(mailer: Callable[..., SmtpMailer]) -> None:
    one = mailer(1, timeout=0.05, connections=1)
    async with one._turns:
        with pytest.raises(MailServerAway, match="turn"):
            await one.send("bob@example.com", LETTER)


async def test_without_a_host_there_is_no_mail(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, "mail")
    one = context.port(SmtpMailer)
    assert not one.ready
    with pytest.raises(MailNotSetUp):
        await one.send("bob@example.com", LETTER)
    assert await findings(context) == []


async def test_doctor_connects_and_logs_in(
    serve: Callable[..., int], certificate: tuple[Path, Path], tmp_path: Path, postbox: Postbox
) -> None:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    port = serve()
    settings = MailSettings(
        host="localhost", port=port, sender=SENDER, ca_file=str(certificate[0]), username=USER, password_file="password"
    )
    context = FakeContext(tmp_path, "mail", tables=[settings])
    (good, link) = await findings(context)
    assert (good.good, good.message) == (True, f"localhost, port {port}, takes the login {USER}")
    assert (link.good, "server.public_url" in link.message) == (False, True)
    public = {"public_url": "https://x.example", "addressed": True}
    context.service = Service(tmp_path, "127.0.0.1", 8765, version="0", loopback=True, **public)  # type: ignore[arg-type]
    assert len(await findings(context)) == 1
    (tmp_path / "password").write_text("another")
    (bad,) = await findings(context)
    assert (bad.good, "535" in bad.message) == (False, True)
    assert postbox.envelopes == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"host": "x.example"},
        {"host": "x.example", "sender": "nobody"},
        {"host": "x.example", "sender": "a@x.example, b@x.example"},
        {"host": "x.example", "sender": "a@x.example\nBcc: b@x.example"},
        {"username": "ada"},
        {"password_env": "X"},
        {"username": "ada", "password_env": "X", "password_file": "y"},
        {"host": "x.example", "sender": "a@x.example", "username": "a", "password_env": "X", "tls": "none"},
        {"hosts": "x.example"},
    ],
)
def test_settings_that_do_not_fit_together_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        MailSettings(**wrong)  # type: ignore[arg-type]


def test_an_address_is_one_bare_address() -> None:
    assert all(map(is_address, ["ada@example.com", "a.b+c@mail.example", "u@münchen.example"]))
    wrong = ["", "ada", "@x.example", "a@", "a b@x.example", "a@x.example\n", "a@b@c", "<a@x.example>", "a@x, b@x"]
    wrong += ["ü@x.example", "a.@x.example", ".a@x.example", "a@x..example", "a@x.example.", "=?utf-8?q?a?=@x.example"]
    assert not any(map(is_address, wrong))


def test_ports_follow_the_encryption() -> None:
    ports = [MailSettings(tls=tls).used_port for tls in ("starttls", "implicit", "none")]  # type: ignore[arg-type]
    assert ports == [587, 465, 25]
