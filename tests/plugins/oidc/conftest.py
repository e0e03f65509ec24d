"""A provider on loopback, and the plugin's login at it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from loopback_provider import CLIENT, SECRET, LoopbackProvider, loopback_provider

from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_oidc.login import OidcLogin, logins
from jackfield_oidc.settings import OidcSettings

ROWS = [{"group": "staff", "role": "member"}, {"group": "chiefs", "role": "admin"}]
MakeLogin = Callable[..., OidcLogin]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def provider(clock: FakeClock) -> AsyncIterator[LoopbackProvider]:
    async with loopback_provider() as made:
        made.now = lambda: clock.now_ms() // 1000
        yield made


@pytest.fixture
def context(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> FakeContext:
    monkeypatch.setenv("IDP_SECRET", SECRET)
    return FakeContext(tmp_path, "oidc", clock)


@pytest.fixture
def make_login(context: FakeContext, provider: LoopbackProvider) -> MakeLogin:
    """`make_login(key=value ...)`: of the provider's table; `settings`: of `[security.oidc]`."""

    def make(*, settings: dict[str, Any] | None = None, **changes: Any) -> OidcLogin:
        row = {"name": "corp", "issuer": provider.issuer, "client_id": CLIENT, "client_secret_env": "IDP_SECRET"}
        table = {"providers": [{**row, "groups": ROWS, **changes}], **(settings or {})}
        context.tables = [OidcSettings.model_validate(table)]
        (made,) = logins(context)
        assert isinstance(made, OidcLogin)
        return made

    return make
