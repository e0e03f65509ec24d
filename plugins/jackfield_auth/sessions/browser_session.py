"""One session of a browser, and when it is over."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.auth import PEERS, Peer
from jackfield.api.clock import Clock
from jackfield.api.records import record, state
from jackfield_auth.settings import SessionSettings
from jackfield_auth.tokens.web_tokens import CLOCK_STEP

LONGEST_DEVICE = 300
WRITE_MS = 60_000
"""A session's last use is written at most once in this many milliseconds."""


@record
class BrowserSessionAbout:
    """For people who look at their sessions. `device`: as the browser names itself, at most `LONGEST_DEVICE`
    characters. `address`: that it began from. `how`: the proofs of the login, such as `password` and `totp`."""

    device: str = ""
    address: str = ""
    how: tuple[str, ...] = ()


NOTHING_KNOWN = BrowserSessionAbout()
"""Of sessions of earlier versions."""


@state
class BrowserSession:
    """version: the user's, at its begin; times: Unix ms; peer: whose process began it: it is good for such, and for
    what is nearer."""

    user_id: str
    version: int
    created_at: int
    used_at: int
    peer: Peer = "other"
    about: BrowserSessionAbout = NOTHING_KNOWN


class SessionTimes:
    """When sessions end."""

    def __init__(self, settings: SessionSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    def expires_at(self, session: BrowserSession) -> tuple[int, int]:
        """At the latest, and if it is not used any more; Unix ms."""
        latest = session.created_at + self._settings.lifetime * 1000
        return latest, min(latest, session.used_at + self._settings.idle_time * 1000)

    def over(self, session: BrowserSession) -> bool:
        """One that begins in the future is of a clock that was wrong, and would last until that is right again."""
        now = self._clock.now_ms()
        return now >= self.expires_at(session)[1] or session.created_at > now + CLOCK_STEP * 1000


def row_of(session: BrowserSession) -> Sequence[object]:
    """As it is kept, in JSON. Daemons of the version before read it, too."""
    return [session.user_id, session.version, session.created_at, session.used_at, session.peer]


def restored(row: object, about: BrowserSessionAbout = NOTHING_KNOWN) -> BrowserSession:
    """The inverse of `row_of`. Raises TypeError, ValueError."""
    if not isinstance(row, list):
        raise TypeError("a session is no list")
    user_id, version, created_at, used_at, peer = row
    if not isinstance(user_id, str) or peer not in PEERS:
        raise TypeError("a session is damaged")
    if not (isinstance(version, int) and isinstance(created_at, int) and isinstance(used_at, int)):
        raise TypeError("a session is damaged")
    return BrowserSession(user_id, version, created_at, used_at, peer, about)


def about_row(about: BrowserSessionAbout) -> Sequence[object]:
    """As it is kept, in JSON."""
    return [about.device, about.address, *about.how]


def restored_about(row: object) -> BrowserSessionAbout:
    """The inverse of `about_row`; what is damaged tells nothing."""
    if not isinstance(row, list) or len(row) < 2 or not all(isinstance(text, str) for text in row):
        return NOTHING_KNOWN
    return BrowserSessionAbout(row[0], row[1], tuple(row[2:]))
