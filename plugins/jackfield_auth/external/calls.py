"""Calls of a plugin's login: bounded in time, and whatever it raises becomes an answer that tells no secret."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable
from typing import TypeVar

from jackfield.api.containment import Escaped
from jackfield.api.errors import JackfieldError, UpstreamFailed
from jackfield.api.limits import contained

ResultT = TypeVar("ResultT")


class LoginCalls:
    """timeout: seconds."""

    def __init__(self, timeout: float, log: logging.Logger) -> None:
        self._timeout = timeout
        self._log = log

    async def answer(self, name: str, ask: Callable[[], Awaitable[ResultT]]) -> ResultT:
        """The login's answer. Raises its own `JackfieldError`, and `UpstreamFailed` for everything else."""
        try:
            async with asyncio.timeout(self._timeout):
                return await contained(ask)
        except JackfieldError:
            raise
        except TimeoutError:
            raise UpstreamFailed(f"The login {name} does not answer; try again later.") from None
        except Exception as exc:
            # The message may quote the password, so that the error names only type and place.
            cause = exc.cause if isinstance(exc, Escaped) else exc
            place = traceback.extract_tb(cause.__traceback__)[-1]
            kind = type(cause).__name__
            self._log.error("The login %s raised %s in %s:%s.", name, kind, place.filename, place.lineno)
            raise self.broken(name) from None

    @staticmethod
    def broken(name: str) -> UpstreamFailed:
        return UpstreamFailed(f"The login {name} has failed; the daemon's log says where.")
