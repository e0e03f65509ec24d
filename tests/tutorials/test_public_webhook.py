"""The tutorial to a public webhook: a real Caddy with a certificate of the test, and a provider on loopback.

From `jackfield --help` to a login at the provider it takes the reader's time, and a minute of the machine's.
"""

from __future__ import annotations

import asyncio
import shutil
import ssl
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from aiohttp import web

from jackfield.testing.certificates import self_signed
from jackfield.testing.daemon import HOST, free_port

from .reader import Reader
from .reading import steps

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plugins" / "oidc"))

from loopback_provider import SECRET, LoopbackProvider

PUBLIC = "hooks.example.com"
ISSUER = "https://id.example.com"


class ConsentingProvider(LoopbackProvider):
    """Its person says yes to every login, in a thread with an event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.person = {"sub": "s-1", "preferred_username": "Ada", "name": "Ada", "groups": ["jackfield-admins"]}
        port = free_port()
        self.issuer = f"http://{HOST}:{port}"
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(self._listen(port))
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def authorize(self, request: web.Request) -> web.Response:
        asked = dict(request.query)
        if asked.get("prompt") == "none":
            raise web.HTTPSeeOther(f"{asked['redirect_uri']}?error=login_required&state={asked['state']}")
        raise web.HTTPSeeOther(f"{asked['redirect_uri']}?{self.approve(asked)}")

    async def _listen(self, port: int) -> None:
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self.discovery)
        app.router.add_get("/keys", self.jwks)
        app.router.add_post("/token", self.token)
        app.router.add_get("/me", self.me)
        app.router.add_get("/authorize", self.authorize)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, HOST, port).start()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


@pytest.fixture
def provider() -> Iterator[ConsentingProvider]:
    made = ConsentingProvider()
    yield made
    made.close()


@pytest.fixture
def public(reader: Reader, provider: ConsentingProvider, tmp_path: Path) -> Reader:
    """The public name is a port of this machine, and Caddy has a certificate instead of fetching one."""
    if shutil.which("caddy") is None:
        pytest.skip("caddy is not installed")
    trusted, key = self_signed(tmp_path, "localhost")
    front = free_port()
    options = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
    site = f"{options}https://localhost:{front} {{\n\tbind {HOST}\n\ttls {trusted} {key}"
    reader.replaced |= {
        f"{PUBLIC} {{": site,
        PUBLIC: f"localhost:{front}",
        ISSUER: provider.issuer,
        "sudo caddy": "caddy",
    }
    reader.env |= {"CLIENT_SECRET": SECRET, "SSL_CERT_FILE": str(trusted), "CURL_CA_BUNDLE": str(trusted)}

    def logs_in() -> None:
        address = f"https://localhost:{front}"
        verify = ssl.create_default_context(cafile=str(trusted))
        headers = {"Origin": address}
        with httpx.Client(base_url=address, verify=verify, trust_env=False, headers=headers) as browser:
            shown = browser.get("/api/session").json()["data"]["logins"]
            assert "Company account" in [login["title"] for login in shown]
            begun = browser.post("/api/session/redirect", json={"provider": "corp"}).raise_for_status().json()["data"]
            sent_back = httpx.get(begun["url"], trust_env=False).headers["location"]
            assert sent_back.startswith(f"{address}/auth/callback/corp?"), sent_back
            assert browser.get(sent_back).is_success
            brought = {"provider": "corp", "answer": urlsplit(sent_back).query}
            browser.post("/api/session", json=brought).raise_for_status()
            assert "Deploy" in browser.get("/api/v1/workflows").text

    reader.acts["logs in"] = logs_in
    return reader


def test_each_step_does_what_the_page_says(public: Reader) -> None:
    public.follow(steps("public-webhook.md"))
    assert SECRET not in public.printed()
