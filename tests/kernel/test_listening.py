"""The port at both loopback addresses: `localhost` is either."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from jackfield.api.errors import ConfigurationError
from jackfield.core.tables import ServerSettings
from jackfield.http.server import hold_beside, listen
from jackfield.testing.daemon import free_port

PAIRS = [("127.0.0.1", "::1"), ("0.0.0.0", "::1"), ("::1", "127.0.0.1")]


def has_ipv6() -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


pytestmark = pytest.mark.skipif(not has_ipv6(), reason="there is no IPv6 here")


@contextlib.contextmanager
def taken(address: str, port: int) -> Iterator[None]:
    """As a server of somebody else takes it."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind((address, port))
        other.listen()
        yield


@pytest.mark.parametrize(("own", "beside"), PAIRS)
def test_nobody_else_answers_at_the_other_address(own: str, beside: str) -> None:
    port = free_port()
    with listen(ServerSettings(host=own, port=port)) as sock:
        held = hold_beside(sock)
        assert held is not None
        with held:
            with pytest.raises(OSError, match="in use"), taken(beside, port):
                pass
            with (
                pytest.raises(ConnectionRefusedError),
                socket.create_connection((beside, port), timeout=5),
            ):  # a caller tries the first address then
                pass
        with taken(beside, port):
            pass


@pytest.mark.parametrize(("own", "beside"), PAIRS)
def test_a_port_that_somebody_has_there_is_not_ours(own: str, beside: str) -> None:
    port = free_port()
    with (
        taken(beside, port),
        listen(ServerSettings(host=own, port=port)) as sock,
        pytest.raises(ConfigurationError, match="choose another --port"),
    ):
        hold_beside(sock)


def test_every_address_needs_no_other() -> None:
    with listen(ServerSettings(host="::", port=free_port())) as sock:
        assert hold_beside(sock) is None
