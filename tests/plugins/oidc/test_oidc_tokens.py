"""What of a provider's answers counts: hostile tokens, keys that change, and answers of somebody else."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from loopback_provider import CLIENT, SECRET, Claims, LoopbackProvider, rsa_key

from jackfield.api.errors import UpstreamFailed
from jackfield.api.logins import Identity, LoginRefused, RedirectAnswer, RedirectStart
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_oidc.login import OidcLogin
from jackfield_oidc.tokens import LOGOUT, IdTokenRefused

START = RedirectStart("state-1", "http://127.0.0.1:8765/auth/callback/corp", "nonce-1", "verifier-1")
MakeLogin = Callable[..., OidcLogin]


async def answered(login: OidcLogin, provider: LoopbackProvider, start: RedirectStart = START) -> RedirectAnswer:
    """The person has said yes."""
    url = await login.begin(start)
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    query = {name: values[0] for name, values in parse_qs(provider.approve(asked)).items()}
    query.pop("state")
    return RedirectAnswer(query, start.callback, start.nonce, start.verifier)


async def through(login: OidcLogin, provider: LoopbackProvider) -> Identity:
    return await login.finish(await answered(login, provider))


async def test_a_login_is_an_identity_by_issuer_and_subject(make_login: MakeLogin, provider: LoopbackProvider) -> None:
    found = await through(make_login(), provider)
    assert found == Identity(f"{provider.issuer} s-1", "Ada", "member", projects={})


async def test_the_browser_takes_the_challenge_and_not_the_verifier(make_login: MakeLogin) -> None:
    url = await make_login(prompt="select_account").begin(START)
    query = parse_qs(urlsplit(url).query)
    assert (query["state"], query["nonce"], query["prompt"]) == (["state-1"], ["nonce-1"], ["select_account"])
    assert (query["code_challenge_method"], query["response_type"]) == (["S256"], ["code"])
    assert "verifier-1" not in url


def without(name: str) -> Callable[[Claims], Claims]:
    return lambda claims: {key: value for key, value in claims.items() if key != name}


def changed(**changes: object) -> Callable[[Claims], Claims]:
    return lambda claims: {**claims, **changes}


def later(name: str, seconds: int) -> Callable[[Claims], Claims]:
    return lambda claims: {**claims, name: claims["iat"] + seconds}


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (changed(iss="https://evil.example.com"), "iss"),
        (changed(aud="another"), "aud"),
        (changed(aud=["another", "third"]), "aud"),
        (changed(aud=[CLIENT, "another"]), "azp"),
        (changed(azp="another"), "azp"),
        (changed(nonce="of another login"), "nonce"),
        (changed(nonce=["nonce-1"]), "nonce"),
        (without("nonce"), "nonce"),
        (without("exp"), "exp"),
        (without("iat"), "iat"),
        (without("sub"), "sub"),
        (changed(sub=""), "sub"),
        (changed(sub="a\x00"), "sub"),
        (changed(sub=7), "sub"),
        (changed(exp="tomorrow"), "exp"),
        (changed(exp=True), "exp"),
        (later("exp", -31), "expired"),
        (later("nbf", 31), "nbf"),
        (later("iat", 31), "iat"),
    ],
)
async def test_a_claim_that_is_not_right_is_refused_and_the_log_says_which(
    make_login: MakeLogin,
    provider: LoopbackProvider,
    spoil: Callable[[Claims], Claims],
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    provider.spoil = spoil
    with caplog.at_level(logging.WARNING), pytest.raises(IdTokenRefused) as told:
        await through(make_login(), provider)
    assert reason in caplog.text
    assert told.value.message == "The provider's token is not valid; begin again."


@pytest.mark.parametrize("spoil", [later("exp", -29), later("nbf", 29), later("iat", 29)])
async def test_clocks_may_differ_by_the_leeway(
    make_login: MakeLogin, provider: LoopbackProvider, spoil: Callable[[Claims], Claims]
) -> None:
    provider.spoil = spoil
    assert (await through(make_login(), provider)).role == "member"
    with pytest.raises(IdTokenRefused):
        await through(make_login(settings={"leeway": 5}), provider)


async def test_signatures_that_nobody_or_somebody_else_has_made_are_refused(
    make_login: MakeLogin, provider: LoopbackProvider
) -> None:
    other = LoopbackProvider("other")
    forgeries: list[Callable[[Claims], str]] = [
        provider.plain,
        provider.by_public_key,
        other.signed,
        lambda claims: provider.signed(claims, kid="unknown"),
        lambda claims: provider.signed(claims, crit=["b64"], b64=True),
        lambda claims: provider.signed(claims)[:-8] + "AAAAAAAA",
        lambda claims: provider.signed({"a": "x" * 70_000}),
        lambda claims: "a.b.c",
        lambda claims: "{}",
    ]
    login = make_login()
    for sign in forgeries:
        provider.sign = sign
        with pytest.raises(IdTokenRefused):
            await through(login, provider)


async def test_a_key_inside_of_the_token_counts_for_nothing(make_login: MakeLogin, provider: LoopbackProvider) -> None:
    thief = LoopbackProvider("thief")
    public = thief.keys["k1"].as_dict(private=False)
    provider.sign = lambda claims: thief.signed(claims, jwk=public)
    with pytest.raises(IdTokenRefused):
        await through(make_login(), provider)


async def test_an_algorithm_that_the_settings_leave_out_is_refused(
    make_login: MakeLogin, provider: LoopbackProvider
) -> None:
    with pytest.raises(IdTokenRefused):
        await through(make_login(algorithms=["ES256"]), provider)


async def test_a_key_for_encryption_or_of_two_that_fit_verifies_nothing(
    make_login: MakeLogin, provider: LoopbackProvider
) -> None:
    login = make_login()
    provider.keys["k2"] = rsa_key("k1", "second")
    with pytest.raises(IdTokenRefused):
        await through(login, provider)


async def test_a_new_key_is_fetched_once_in_the_pause(
    make_login: MakeLogin, provider: LoopbackProvider, clock: FakeClock
) -> None:
    login = make_login()
    await through(login, provider)
    provider.rotate("k2")
    with pytest.raises(IdTokenRefused):
        await through(login, provider)
    assert provider.asked.count("keys") == 1
    await clock.advance(10)
    assert (await through(login, provider)).role == "member"
    await through(login, provider)
    assert (provider.asked.count("keys"), provider.asked.count("discovery")) == (2, 1)
    await clock.advance(3600)
    await through(login, provider)
    assert (provider.asked.count("keys"), provider.asked.count("discovery")) == (3, 2)


# -- answers and codes


async def test_a_code_of_another_login_is_not_taken(make_login: MakeLogin, provider: LoopbackProvider) -> None:
    """Whoever injects a stolen code has another verifier."""
    login = make_login()
    stolen = await answered(login, provider, RedirectStart("s2", START.callback, "nonce-2", "verifier-2"))
    with pytest.raises(LoginRefused, match="begin again"):
        await login.finish(RedirectAnswer(stolen.query, START.callback, START.nonce, START.verifier))


async def test_an_answer_counts_once(make_login: MakeLogin, provider: LoopbackProvider) -> None:
    login = make_login()
    answer = await answered(login, provider)
    await login.finish(answer)
    with pytest.raises(LoginRefused):
        await login.finish(answer)


@pytest.mark.parametrize(
    "query", [{}, {"code": ""}, {"error": "access_denied"}, {"code": "c", "iss": "https://evil.example.com"}]
)
async def test_an_answer_without_a_code_or_of_another_provider_asks_for_no_token(
    make_login: MakeLogin, provider: LoopbackProvider, query: dict[str, str]
) -> None:
    with pytest.raises(LoginRefused):
        await make_login().finish(RedirectAnswer(query, START.callback, START.nonce, START.verifier))
    assert "token" not in provider.asked


async def test_a_provider_that_promises_its_name_must_give_it(
    make_login: MakeLogin, provider: LoopbackProvider
) -> None:
    provider.metadata = {"authorization_response_iss_parameter_supported": True}
    login = make_login()
    answer = await answered(login, provider)
    unnamed = {name: value for name, value in answer.query.items() if name != "iss"}
    with pytest.raises(LoginRefused):
        await login.finish(RedirectAnswer(unnamed, answer.callback, answer.nonce, answer.verifier))
    assert (await login.finish(answer)).role == "member"


async def test_the_userinfo_adds_what_the_token_lacks_and_takes_nothing_back(
    make_login: MakeLogin, provider: LoopbackProvider
) -> None:
    provider.spoil = without("groups")
    provider.userinfo = {"groups": ["chiefs"], "name": "Eve", "iss": "x"}
    found = await through(make_login(), provider)
    assert (found.role, found.display_name) == ("admin", "Ada")
    provider.userinfo = {"groups": ["chiefs"], "sub": "s-2"}
    with pytest.raises(LoginRefused, match="two people"):
        await through(make_login(), provider)


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example.com"},
        {"token_endpoint": "http://id.example.com/token"},
        {"token_endpoint": None},
        {"jwks_uri": "file:///etc/passwd"},
        {"padding": "x" * 20_000},
    ],
)
async def test_metadata_that_is_not_usable_fails_the_login(
    make_login: MakeLogin, provider: LoopbackProvider, metadata: Claims
) -> None:
    provider.metadata = metadata
    with pytest.raises(UpstreamFailed):
        await through(make_login(settings={"answer_limit": 16_384}), provider)


async def test_the_secret_is_read_at_each_use_and_never_told(
    make_login: MakeLogin, provider: LoopbackProvider, context: FakeContext
) -> None:
    file = context.config_dir / "idp-secret"
    file.write_text("another secret of a test\n")
    login = make_login(client_secret_env="", client_secret_file="idp-secret")
    with pytest.raises(UpstreamFailed, match="client id or secret") as told:
        await through(login, provider)
    assert "another" not in told.value.message
    file.write_text(SECRET)
    assert (await through(login, provider)).role == "member"
    assert SECRET in context.secrets.redacted


# -- logouts


def notice(provider: LoopbackProvider, **changes: object) -> Claims:
    """What a provider says of somebody who has left."""
    kept = {name: value for name, value in provider.claims("").items() if name not in ("nonce", "name", "groups")}
    return {**kept, "jti": "n-1", "events": {LOGOUT: {}}, **changes}


async def test_a_notice_of_a_logout_names_the_subject(make_login: MakeLogin, provider: LoopbackProvider) -> None:
    found = await make_login().left(provider.signed(notice(provider)))
    assert (found.subject, found.id, found.lifetime) == (f"{provider.issuer} s-1", "n-1", 180)


@pytest.mark.parametrize(
    "changes",
    [
        {"events": {}},
        {"events": "logout"},
        {"events": {LOGOUT: None}},
        {"nonce": "nonce-1"},
        {"sub": None},
        {"jti": None},
        {"aud": "another"},
        {"iss": "https://evil.example.com"},
        {"iat": 1},
        {"exp": 1},
    ],
)
async def test_a_notice_that_is_none_ends_nothing(
    make_login: MakeLogin, provider: LoopbackProvider, changes: Claims
) -> None:
    login = make_login()
    with pytest.raises(IdTokenRefused):
        await login.left(provider.signed(notice(provider, **changes)))
    with pytest.raises(IdTokenRefused):
        await login.left(provider.plain(notice(provider)))
    with pytest.raises(IdTokenRefused):
        await login.left(provider.signed(provider.claims("nonce-1")))  # an ID token


async def test_a_logout_goes_on_to_the_provider_where_the_settings_say_so(
    make_login: MakeLogin, provider: LoopbackProvider
) -> None:
    assert await make_login().leave("http://127.0.0.1:8765/auth/left") is None
    provider.metadata = {"end_session_endpoint": f"{provider.issuer}/end"}
    url = await make_login(logout="provider").leave("http://127.0.0.1:8765/auth/left")
    assert url is not None
    query = parse_qs(urlsplit(url).query)
    assert query == {"client_id": [CLIENT], "post_logout_redirect_uri": ["http://127.0.0.1:8765/auth/left"]}
