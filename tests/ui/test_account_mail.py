"""Mails about accounts in the browser: a test mail, an invitation, a forgotten password, one's own address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("aiosmtpd", reason="aiosmtpd is not installed; `tox -e ui` has it")

from jackfield.testing.certificates import self_signed
from jackfield.testing.daemon import PASSWORD, Daemon
from jackfield.testing.smtp import PASSWORD as MAIL_PASSWORD
from jackfield.testing.smtp import USER, Postbox, smtp_server, text_of

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

NEW = "another horse battery"
SETTINGS = """
[server]
public_url = "http://127.0.0.1:{daemon}"
trusted_proxies = ["127.0.0.1"]

[mail]
host = "localhost"
port = {port}
ca_file = "{authority}"
username = "{user}"
password_env = "MAIL_PASSWORD"
sender = "Jackfield <jackfield@example.com>"
"""


@pytest.fixture(scope="module")
def postbox() -> Postbox:
    return Postbox()


@pytest.fixture(scope="module")
def mailing(postbox: Postbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that sends mail; the shared one sends none."""
    certificate = self_signed(tmp_path_factory.mktemp("certificate"), "localhost")
    with smtp_server(postbox, certificate) as port:
        made = Daemon(tmp_path_factory.mktemp("mailing"), env={"MAIL_PASSWORD": MAIL_PASSWORD})
        filled = SETTINGS.format(daemon=made.port, port=port, authority=certificate[0], user=USER)
        (made.config_dir / "config.toml").write_text(filled)
        yield made.start()
        made.close()


def link_in(postbox: Postbox, to: str, count: int = 1) -> str:
    found = re.search(r"https?://\S+#token=\S+", text_of(postbox.arrived(to, count)))
    assert found is not None
    return found[0]


def log_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("User name").fill(name)
    page.locator("input[autocomplete=current-password]").fill(password)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("button", name="Account").wait_for()


def choose_password(page: Page, address: str, password: str, button: str, name: str = "") -> None:
    page.goto(address)
    if name:
        page.get_by_label("User name").fill(name)
    for field in range(2):
        page.locator("input[autocomplete=new-password]").nth(field).fill(password)
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("button", name="Account").wait_for()


def test_an_invitation_a_forgotten_password_and_an_address(
    mailing: Daemon, postbox: Postbox, make_context: Callable[..., BrowserContext], axe: Callable[[Page], None]
) -> None:
    """One story, as a team lives it."""
    admin = make_context(base_url=mailing.base_url).new_page()
    admin.goto("/ui/settings/users")
    admin.get_by_label("Address of the test mail").fill("refused@example.com")
    admin.get_by_role("button", name="Send a test mail").click()
    admin.get_by_text("550 no such user").wait_for()
    admin.get_by_label("Address of the test mail").fill("root@example.com")
    admin.get_by_role("button", name="Send a test mail").click()
    assert postbox.arrived("root@example.com")["Subject"] == "Test mail of Jackfield"
    admin.get_by_role("button", name="Invite somebody").first.click()
    admin.get_by_label("For", exact=True).fill("ada@example.com")
    admin.get_by_role("button", name="Create the link").click()
    admin.get_by_text("The invitation was mailed to ada@example.com.").wait_for()
    axe(admin)

    page = make_context(stranger=True, base_url=mailing.base_url).new_page()
    choose_password(page, link_in(postbox, "ada@example.com"), PASSWORD, "Begin", name="ada")
    page.goto("/ui/settings")
    box = page.get_by_role("region", name="Mail address").get_by_label("Mail address")
    assert box.input_value() == "ada@example.com"
    box.fill("countess@example.com")
    page.get_by_role("button", name="Set the address").click()
    page.get_by_text("Your mail address is set.").wait_for()
    assert "has another mail address" in text_of(postbox.arrived("ada@example.com", 2))

    other = make_context(stranger=True, base_url=mailing.base_url).new_page()
    other.goto("/ui/login")
    other.get_by_role("button", name="Forgot your password?").click()
    other.get_by_label("User name or mail address").fill("countess@example.com")
    axe(other)
    other.get_by_role("button", name="Send me a link").click()
    other.get_by_text("a mail with a link is on its way").wait_for()
    choose_password(other, link_in(postbox, "countess@example.com"), NEW, "Set the password")
    page.reload()  # every session from before has ended
    log_in(page, "ada", NEW)


def test_without_mail_nobody_is_offered_a_link(stranger_page: Page) -> None:
    stranger_page.goto("/ui/login")
    stranger_page.get_by_role("button", name="Log in", exact=True).wait_for()
    assert not stranger_page.get_by_role("button", name="Forgot your password?").is_visible()
