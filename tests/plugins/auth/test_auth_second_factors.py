"""Second factors: who is asked for one, which answers count, how often, and who gets past without."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Any

import pyotp
import pytest

from jackfield.api.auth import OWNER
from jackfield.api.errors import AccessDenied, Conflict, InvalidCredentials, InvalidInput, RateLimited
from jackfield.api.logins import FactorStart, FactorUser
from jackfield.api.storage import User
from jackfield_auth.factors.drawing import drawn
from jackfield_auth.factors.records import content
from jackfield_auth.factors.resealing import FactorSecrets
from jackfield_auth.factors.setups import FactorOwner, LoginNotFresh
from jackfield_auth.logins.refusals import LoginOver
from jackfield_auth.settings import BasicSettings, LoginSettings, SecondFactorSettings

CLIENT, PASSWORD = "192.0.2.7", "correct horse battery"
Make = Callable[..., Awaitable[Any]]


async def with_app(world: Any, user: User) -> tuple[User, str, list[str]]:
    """Set up an authenticator app; the user as now, the secret, the recovery codes."""
    owner = FactorOwner(user, "", "")
    made = await world.auth.setups.begin_totp(owner)
    done = await world.auth.setups.finish_totp(owner, now_code(world, made.secret))
    return done.user, made.secret, done.codes


def now_code(world: Any, secret: str, steps: int = 0) -> str:
    return pyotp.TOTP(secret).at(world.clock.now_ms() // 1000 + 30 * steps)


async def begin(world: Any, user: User) -> Any:
    begun = await world.auth.second_steps.begin(user, user.username, "", "other")
    assert begun is not None
    return begun


async def answer(world: Any, user: User, text: str, factor: str = "totp", client: str = CLIENT) -> User:
    found: User = await world.auth.second_steps.answer((await begin(world, user)).token, "other", factor, text, client)
    return found


async def test_a_password_is_enough_until_a_factor_is_set_up(world: Any) -> None:
    user = await world.user()
    assert await world.auth.second_steps.begin(user, "ada", "", "other") is None
    user, secret, codes = await with_app(world, user)
    assert len(codes) == len(set(codes)) == 10
    begun = await begin(world, user)
    assert [choice.name for choice in begun.choices] == ["totp", "recovery"]
    await world.clock.advance(30)
    assert (await answer(world, user, now_code(world, secret))).id == user.id


async def test_the_login_of_the_api_has_two_steps(world: Any) -> None:
    user, secret, _ = await with_app(world, await world.user())
    await world.clock.advance(30)
    status, told = await world.login("ada", PASSWORD)
    assert (status, told["code"], told["details"]["factors"]) == (401, "SECOND_FACTOR_NEEDED", "totp, recovery")
    body = {"login": told["details"]["login"], "factor": "totp", "answer": now_code(world, secret)}
    status, found = await world.anonymous.send("POST", "/auth/login/answer", body)
    assert (status, found["user"]["id"]) == (200, user.id)
    assert (await world.anonymous.send("POST", "/auth/login/answer", body))[1]["code"] == "LOGIN_OVER"


async def test_a_code_counts_once_and_no_earlier_one_after_it(world: Any) -> None:
    user, secret, _ = await with_app(world, await world.user())
    with pytest.raises(InvalidCredentials):
        await answer(world, user, now_code(world, secret))  # the one that has confirmed the setup
    await world.clock.advance(60)
    code = now_code(world, secret)
    await answer(world, user, code)
    for used in (code, now_code(world, secret, -1)):
        with pytest.raises(InvalidCredentials):
            await answer(world, user, used)
    await answer(world, user, now_code(world, secret, 1))


@pytest.mark.parametrize(("drift", "right"), [(0, [0]), (1, [-1, 0, 1]), (2, [-2, -1, 0, 1, 2])])
async def test_the_setting_says_how_far_a_clock_may_be_off(make: Make, drift: int, right: list[int]) -> None:
    world = await make(SecondFactorSettings(drift=drift))
    totp, secret = world.auth.second_steps.totp, "JBSWY3DPEHPK3PXP" * 2
    counted = [steps for steps in range(-4, 5) if totp.step_of(secret, now_code(world, secret, steps)) is not None]
    assert counted == right
    assert totp.step_of(secret, " ".join(now_code(world, secret))) is not None
    assert [totp.step_of(secret, text) for text in ("", "12345", "1234567", "abcdef", "١٢٣٤٥٦")] == [None] * 5


async def test_a_recovery_code_counts_once(world: Any) -> None:
    user, _, codes = await with_app(world, await world.user())
    assert await answer(world, user, codes[0].upper().replace("-", " "), "recovery")
    with pytest.raises(InvalidCredentials):
        await answer(world, user, codes[0], "recovery")
    assert await world.auth.second_steps.recovery.left(user.id) == 9
    stored = await world.store.entry("recovery-codes", user.id)
    assert codes[1] not in stored.data.decode()


async def test_the_secret_is_sealed_in_the_store(world: Any) -> None:
    user, secret, _ = await with_app(world, await world.user())
    entry = await world.store.entry("totp", user.id)
    assert base64.b64decode(content(entry)["sealed"]) == world.context.secrets.seal(secret.encode())


async def test_guesses_of_one_user_count_whatever_address_they_come_from(world: Any) -> None:
    user, secret, _ = await with_app(world, await world.user())
    await world.clock.advance(30)
    for number in range(10):
        with pytest.raises(InvalidCredentials):
            await answer(world, user, "000000", client=f"198.51.100.{number}")
    with pytest.raises(RateLimited):
        await answer(world, user, now_code(world, secret), client="203.0.113.1")


async def test_guesses_of_one_user_count_whatever_name_was_typed(world: Any) -> None:
    """A directory may take several names for one user."""
    user, secret, _ = await with_app(world, await world.user())
    await world.clock.advance(30)
    steps = world.auth.second_steps
    for number in range(10):
        begun = await steps.begin(user, f"ada{number}@example.com", "directory", "other")
        with pytest.raises(InvalidCredentials):
            await steps.answer(begun.token, "other", "totp", "000000", CLIENT)
    begun = await steps.begin(user, "ada", "", "other")
    with pytest.raises(RateLimited):
        await steps.answer(begun.token, "other", "totp", now_code(world, secret), CLIENT)


async def test_wrong_passwords_of_others_forget_no_wrong_answer(make: Make) -> None:
    world = await make(LoginSettings(remembered=100))
    user, secret, _ = await with_app(world, await world.user())
    await world.clock.advance(30)
    for number in range(10):
        with pytest.raises(InvalidCredentials):
            await answer(world, user, "000000", client=f"198.51.100.{number}")
    for number in range(100):
        with pytest.raises(InvalidCredentials):
            async with world.auth.throttle.attempt(f"nobody{number}", CLIENT):
                raise InvalidCredentials
    with pytest.raises(RateLimited):
        await answer(world, user, now_code(world, secret), client="203.0.113.1")


async def test_a_token_of_a_password_alone_is_not_renewed_once_a_factor_is_demanded(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await make()
    user = await world.user()
    caller = await world.caller(user)
    monkeypatch.setattr(world.auth.second_steps, "settings", SecondFactorSettings(roles=["admin"]))
    status, told = await caller.send("POST", "/auth/refresh")
    assert (status, told["code"]) == (401, "SECOND_FACTOR_NEEDED")
    user, _, _ = await with_app(world, user)
    assert (await (await world.caller(user)).send("POST", "/auth/refresh"))[0] == 200


async def test_an_administrator_resets_no_factor_of_their_own_by_a_token(world: Any) -> None:
    user, _, _ = await with_app(world, await world.user("root"))
    assert (await (await world.caller(user)).send("DELETE", f"/users/{user.id}/factors"))[0] == 403
    assert await world.auth.second_steps.has_one(user.id)


async def test_a_right_password_forgets_no_failure_of_a_user_with_a_factor(world: Any) -> None:
    await with_app(world, await world.user())
    statuses = []
    for _ in range(6):
        statuses.append((await world.login("ada", "wrong password"))[0])
        statuses.append((await world.login("ada", PASSWORD))[1]["code"])
        _, told = await world.login("ada", PASSWORD)
        if "login" in (told.get("details") or {}):
            body = {"login": told["details"]["login"], "factor": "totp", "answer": "000000"}
            statuses.append((await world.anonymous.send("POST", "/auth/login/answer", body))[0])
    assert statuses[-1] == "RATE_LIMITED"


async def test_basic_is_no_way_around(make: Make) -> None:
    world = await make(BasicSettings(enabled=True))
    user = await world.user()
    assert (await world.by_basic("ada", PASSWORD).send("GET", "/auth/me"))[0] == 200
    await with_app(world, user)
    status, told = await world.by_basic("ada", PASSWORD).send("GET", "/auth/me")
    assert (status, told["code"]) == (401, "SECOND_FACTOR_NEEDED")


async def test_a_setup_ends_tokens_and_the_session_that_does_it_goes_on(world: Any) -> None:
    user = await world.user()
    caller = await world.caller(user)
    here, _ = await world.auth.sessions.begin(user.id, user.version, peer="other")
    there, _ = await world.auth.sessions.begin(user.id, user.version, peer="other")
    principal = await world.auth.session_method.of_token(here.encode())
    owner = await world.auth.setups.owner(principal, "", "other")
    made = await world.auth.setups.begin_totp(owner)
    await world.auth.setups.finish_totp(owner, now_code(world, made.secret))
    assert (await caller.send("GET", "/auth/me"))[0] == 401
    assert (await world.auth.session_method.of_token(here.encode())).user_id == user.id
    with pytest.raises(Exception, match="ended"):
        await world.auth.session_method.of_token(there.encode())


async def test_who_needs_a_factor_and_has_none_sets_it_up_within_the_login(make: Make) -> None:
    world = await make(SecondFactorSettings(roles=["admin"]))
    user, other = await world.user(), await world.user("bob", "viewer")
    assert await world.auth.second_steps.begin(other, "bob", "", "other") is None
    status, told = await world.login("ada", PASSWORD)
    assert (status, told["code"]) == (401, "SECOND_FACTOR_NEEDED")
    assert "details" not in told
    begun = await begin(world, user)
    assert begun.has_to_set_up
    owner = await world.auth.setups.owner(None, begun.token, "other")
    made = await world.auth.setups.begin_totp(owner)
    with pytest.raises(InvalidInput):
        await world.auth.setups.finish_totp(owner, "000000")
    done = await world.auth.setups.finish_totp(owner, now_code(world, made.secret))
    assert done.begins
    with pytest.raises(LoginOver):
        await world.auth.setups.owner(None, begun.token, "other")
    with pytest.raises(Conflict, match="set another one up"):
        await world.auth.setups.remove_totp(FactorOwner(done.user, "", ""))


async def test_a_browser_of_the_daemons_own_user_sets_it_up_as_well(make: Make) -> None:
    world = await make(SecondFactorSettings(roles=["admin"]))
    user = await world.user()
    begun = await world.auth.second_steps.begin(user, "ada", "", "owner")
    assert (await world.auth.setups.owner(OWNER, begun.token, "owner")).user.id == user.id
    with pytest.raises(AccessDenied):
        await world.auth.setups.owner(OWNER, "", "owner")


async def test_a_login_that_needs_an_answer_sets_nothing_up(world: Any) -> None:
    user, _, _ = await with_app(world, await world.user())
    begun = await begin(world, user)
    with pytest.raises(LoginOver):
        await world.auth.setups.owner(None, begun.token, "other")
    with pytest.raises(LoginOver):  # another's process
        await world.auth.second_steps.present(begun.token, "owner")


async def test_an_old_login_changes_no_factor(world: Any) -> None:
    user = await world.user()
    token, _ = await world.auth.sessions.begin(user.id, user.version, peer="other")
    caller = await world.auth.session_method.of_token(token.encode())
    await world.clock.advance(15 * 60 + 1)
    with pytest.raises(LoginNotFresh):
        await world.auth.setups.owner(caller, "", "other")
    key = await world.ask(authorization=f"Bearer {await world.token(user)}")
    with pytest.raises(AccessDenied):
        await world.auth.setups.owner(key, "", "other")


async def test_an_administrator_resets_what_a_user_has_lost(world: Any) -> None:
    admin = await world.user("root")
    user, _, _ = await with_app(world, await world.user("ada", "member"))
    status, _ = await (await world.caller(admin)).send("DELETE", f"/users/{user.id}/factors")
    assert status == 204
    now = await world.store.user(user.id)
    assert now.version == user.version + 1
    assert await world.auth.second_steps.begin(now, "ada", "", "other") is None


async def test_a_deleted_user_leaves_no_factor(world: Any) -> None:
    await world.user("root")
    user, _, _ = await with_app(world, await world.user("ada", "member"))
    await world.auth.accounts.delete(user.id)
    assert await world.store.entry("totp", user.id) is None
    assert await world.store.entry("recovery-codes", user.id) is None


class Messages:
    """A stranger's factor: a code that a message brings."""

    name, title = "sms", "Code by SMS"

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.fails = False

    async def is_set_up(self, user_id: str) -> bool:
        return True

    async def begin(self, user: FactorUser, origin: str) -> FactorStart:
        self.sent.append(str(len(self.sent) + 1000))
        return FactorStart({"hint": "to ...42"}, self.sent[-1].encode())

    async def verify(self, user: FactorUser, answer: str, kept: bytes) -> bool:
        if self.fails:
            raise RuntimeError(f"bug with {answer}")
        return bool(kept) and answer.encode() == kept

    async def reset(self, user_id: str) -> None:
        self.sent.clear()


async def test_a_plugin_may_bring_a_factor_whose_question_counts_for_one_answer(world: Any) -> None:
    messages = Messages()
    world.context.ports["jackfield_second_factors"] = [messages]
    user = await world.user()
    steps = world.auth.second_steps
    begun = await begin(world, user)
    assert [(one.name, one.title) for one in begun.choices] == [("sms", "Code by SMS")]
    assert await steps.ask(begun.token, "other", "sms", "http://x") == {"hint": "to ...42"}
    for text in ("1", "1000"):  # the first answer has used the question up
        with pytest.raises(InvalidCredentials):
            await steps.answer(begun.token, "other", "sms", text, CLIENT)
    await steps.ask(begun.token, "other", "sms", "http://x")
    assert (await steps.answer(begun.token, "other", "sms", "1001", CLIENT)).id == user.id


async def test_a_factor_with_a_bug_lets_nobody_in_and_tells_no_answer(
    world: Any, caplog: pytest.LogCaptureFixture
) -> None:
    messages = Messages()
    messages.fails = True
    world.context.ports["jackfield_second_factors"] = [messages]
    user = await world.user()
    with pytest.raises(Exception, match="has failed"):
        await answer(world, user, "s3cret-answer", "sms")
    assert "s3cret-answer" not in caplog.text


def test_the_picture_is_svg_without_script_and_style() -> None:
    picture = drawn("otpauth://totp/Jackfield:ada?secret=ABC&issuer=Jackfield")
    assert picture.startswith("<svg ")
    assert not any(word in picture for word in ("<script", "style=", "class=", "href"))


async def test_secrets_that_an_earlier_key_has_sealed_are_sealed_anew(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, secret, _ = await with_app(world, await world.user())
    secrets = world.context.secrets
    monkeypatch.setattr(secrets, "is_current", lambda sealed: sealed.startswith(b"new:"))
    monkeypatch.setattr(secrets, "seal", lambda plain: b"new:" + plain)
    assert (await FactorSecrets(world.context).reseal()).done == 1
    entry = await world.store.entry("totp", user.id)
    assert base64.b64decode(content(entry)["sealed"]) == b"new:" + secret.encode()
