"""Email Trigger (IMAP) against Dovecot."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, date, datetime
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from integration_fakes import Bench

from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeError
from jackfield.testing.listening import HeardEvents, listen_run, listening
from jackfield_integrations.mail.imap_criteria import criteria_of
from jackfield_integrations.mail.imap_items import item_of
from jackfield_integrations.mail.mail_reading import read_mail

NOW = round(datetime.now(UTC).timestamp() * 1000)
USERS = itertools.count()


class Server:
    """A mailbox of its own."""

    def __init__(self, values: Mapping[str, str]) -> None:
        client = pytest.importorskip("imapclient")
        self.values = {**values, "user": f"user{next(USERS)}"}
        self.client: Any = client.IMAPClient("127.0.0.1", int(values["port"]), ssl=False)
        self.client.login(self.values["user"], values["password"])
        self.client.select_folder("INBOX")

    def add(self, subject: str, *, flags: tuple[bytes, ...] = (), text: str = "Hello\n") -> None:
        mail = EmailMessage()
        mail["Subject"], mail["From"], mail["To"] = subject, "Ada <ada@example.com>", "bob@example.com"
        mail.set_content(text)
        self.client.append("INBOX", mail.as_bytes().replace(b"\n", b"\r\n"), flags)

    def unseen(self) -> int:
        self.client.noop()
        return len(self.client.search("UNSEEN"))

    def delete_all(self) -> None:
        self.client.delete_messages(self.client.search("ALL"))
        self.client.expunge()


@pytest.fixture
def server(imap: Mapping[str, str]) -> Server:
    return Server(imap)


@pytest.fixture
def opened(bench: Bench, server: Server) -> Callable[..., Any]:
    @contextlib.asynccontextmanager
    async def open_it(
        parameters: Mapping[str, Json] | None = None, version: float = 2.1, values: Any = None, **more: Any
    ) -> AsyncIterator[HeardEvents]:
        node = bench.types["emailReadImap"]
        given: dict[str, Json] = {"format": "simple", "options": {}, **(parameters or {})}
        credentials = {"imap": values or server.values}
        async with listening(
            node, listen_run(node, given, version=version, credentials=credentials, now=NOW, **more)
        ) as found:
            yield found

    return open_it


async def subjects(events: HeardEvents, count: int) -> list[str]:
    found: list[str] = []
    while len(found) < count:
        found += [str(item["json"]["subject"]) for item in (await events.event()).items]
    return found


async def test_mails_that_are_there_and_that_arrive(server: Server, opened: Callable[..., Any]) -> None:
    server.add("one")
    server.add("read before", flags=(b"\\Seen",))
    async with opened() as events:
        assert await subjects(events, 1) == ["one"]
        assert server.unseen() == 0
        server.add("two")
        assert await subjects(events, 1) == ["two"]
        state = events.state
    assert (state["lastMessageUid"], state["marking"]) == (3, [3])
    server.add("while away")
    async with opened(state=state) as events:
        assert await subjects(events, 1) == ["while away"]


async def test_after_a_crash_nothing_is_told_twice_and_what_was_told_is_marked(
    server: Server, opened: Callable[..., Any]
) -> None:
    for version in (2, 2.1):
        server.delete_all()
        server.add("told")
        async with opened(version=version) as events:
            heard = [await events.event(settled="left") for _ in range(2)][-1]  # stored, and the process was killed
            assert server.unseen() == 1
        server.add("new")
        async with opened(version=version, state=heard.state) as events:
            assert await subjects(events, 1) == ["new"]
            assert server.unseen() == 0


async def test_other_uids_after_a_mailbox_was_made_anew(server: Server, opened: Callable[..., Any]) -> None:
    state = {"lastMessageUid": 900, "uidValidity": 1, "since": "2020-01-01"}
    server.add("one")
    async with opened(state=state) as events:
        assert await subjects(events, 1) == ["one"]
        assert events.state["lastMessageUid"] == 1


async def test_rules_and_no_mark(server: Server, opened: Callable[..., Any]) -> None:
    server.add("Kiln ü 1", flags=(b"\\Seen",))
    server.add("other")
    parameters: dict[str, Json] = {
        "postProcessAction": "nothing",
        "options": {"customEmailConfig": dumps([["SUBJECT", "Kiln ü"], ["!FROM", "eve"]]).decode()},
    }
    async with opened(parameters) as events:
        assert await subjects(events, 1) == ["Kiln ü 1"]
        assert server.unseen() == 1
        with pytest.raises(TimeoutError):
            await events.event(0.3)


async def test_batches_are_those_of_the_version(server: Server, opened: Callable[..., Any]) -> None:
    for number in range(23):
        server.add(str(number))
    async with opened() as events:
        await events.event()
        assert [len((await events.event()).items) for _ in range(2)] == [20, 3]


async def test_a_test_event_is_the_newest_mail_and_changes_nothing(server: Server, opened: Callable[..., Any]) -> None:
    server.add("one")
    server.add("two")
    async with opened(test=True) as events:
        assert await subjects(events, 1) == ["two"]
        assert server.unseen() == 2


async def test_the_connection_is_made_anew(server: Server, opened: Callable[..., Any]) -> None:
    async with opened({"options": {"forceReconnect": 0.002}}) as events:
        await events.event()
        server.add("one")
        assert await subjects(events, 1) == ["one"]
        server.add("two")
        assert await subjects(events, 1) == ["two"]


async def test_tls_and_refusals(imap: Mapping[str, str], server: Server, opened: Callable[..., Any]) -> None:
    server.add("safe")
    secure = {**server.values, "host": "localhost", "port": imap["tlsPort"], "secure": "true"}
    with pytest.raises(NodeError, match="certificate"):
        async with opened(values=secure):
            pass
    async with opened(values={**secure, "allowUnauthorizedCerts": "true"}) as events:
        assert await subjects(events, 1) == ["safe"]
        server.add("and quick")
        assert await subjects(events, 1) == ["and quick"]
    with pytest.raises(NodeError) as refused:
        async with opened(values={**server.values, "password": "wrong-secret"}):
            pass
    assert "wrong-secret" not in refused.value.message
    with pytest.raises(NodeError, match="mail server"):
        async with opened({"mailbox": "None"}):
            pass


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["UNSEEN"]', ["UNSEEN"]),
        ("[]", ["ALL"]),
        ('["!SEEN", ["SINCE", "May 20, 2010"]]', ["NOT", "SEEN", "SINCE", date(2010, 5, 20)]),
        ('[["OR", "UNSEEN", ["SINCE", "2010-05-20"]]]', ["OR", ["UNSEEN"], ["SINCE", date(2010, 5, 20)]]),
        (
            '[["HEADER", "X-A", "b"], ["UID", 1, "5:*"], ["larger", 7]]',
            ["HEADER", "X-A", "b", "UID", "1,5:*", "LARGER", 7],
        ),
    ],
)
def test_rules_in_the_words_of_node_imap(text: str, expected: list[Any]) -> None:
    assert criteria_of(text) == expected


@pytest.mark.parametrize("text", ["{}", "x", '["NONE"]', '[["SINCE", "never"]]', '[["LARGER", "x"]]', "[[]]", "[7]"])
def test_rules_that_are_none(text: str) -> None:
    with pytest.raises(NodeError, match="customEmailConfig"):
        criteria_of(text)


async def test_a_mail_that_is_too_large_is_told_by_its_uid_after_those_before_it(
    server: Server, make_bench: Callable[..., Bench]
) -> None:
    server.add("small")
    server.add("large", text="x" * 70 + "\n" + "y" * 70 * 100)
    node = make_bench(max_bytes=2048).types["emailReadImap"]
    run = listen_run(node, {"options": {}}, version=2.1, credentials={"imap": server.values}, now=NOW)
    async with listening(node, run) as events:
        assert await subjects(events, 1) == ["small"]
        with pytest.raises(NodeError, match=r"UID 2 is larger than integrations\.max_bytes allows"):
            await events.event()


async def test_mails_are_read_on_a_thread(
    server: Server, opened: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of 20 MB takes a second, in which the daemon would answer nobody."""
    threads: list[str] = []

    def read(*given: Any) -> Any:
        threads.append(threading.current_thread().name)
        return item_of(*given)

    monkeypatch.setattr("jackfield_integrations.listening.imap_trigger.item_of", read)
    server.add("one")
    async with opened() as events:
        assert await subjects(events, 1) == ["one"]
    assert threads
    assert threading.main_thread().name not in threads


@given(st.binary(max_size=200) | st.text('Content-Type: mulipr/xd;=?q?\r\n"<>@,', max_size=200).map(str.encode))
def test_any_bytes_are_a_mail(content: bytes) -> None:
    made, _ = read_mail(content, NOW)
    dumps(made)
