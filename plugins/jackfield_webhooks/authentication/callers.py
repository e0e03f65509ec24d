"""The rules of who may call a webhook at all: addresses, robots, origins."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

from jackfield.api.errors import AccessDenied
from jackfield.api.records import record
from jackfield_webhooks.parameters import Findings, text

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Headers = list[tuple[bytes, bytes]]

_ROBOT = re.compile(
    r"bot\b|bot/|crawl|spider|slurp|facebookexternalhit|embedly|quora link preview|whatsapp|telegrambot|slackbot|"
    r"discordbot|linkedinbot|pinterest|preview|headlesschrome|lighthouse|archiver|scanner|monitor",
    re.IGNORECASE,
)
_HEADER_LIST = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,2000}")


def networks(options: Mapping[str, object], findings: Findings) -> tuple[Network, ...] | None:
    """`options.ipWhitelist`: addresses and CIDR ranges, separated by commas. None: every address may call."""
    written = text(options, "ipWhitelist", findings, "options.")  # type: ignore[arg-type]
    if "options.ipWhitelist" in findings:
        return ()
    named = [part.strip() for part in written.split(",") if part.strip()]
    found: list[Network] = []
    for part in named:
        try:
            found.append(ipaddress.ip_network(part, strict=False))
        except ValueError:
            findings["options.ipWhitelist"] = "ipWhitelist must be addresses or CIDR ranges, separated by commas."
            return ()
    if written.strip() and not named:
        findings["options.ipWhitelist"] = "ipWhitelist names no address; leave it out to let everybody call."
        return ()
    return tuple(found) if named else None


def check_address(allowed: tuple[Network, ...], client: str) -> None:
    """Raises `AccessDenied` unless the address is in one of the networks."""
    try:
        address: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(client.partition("%")[0])
    except ValueError:
        address = ipaddress.IPv6Address(0)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if not any(address in network for network in allowed):
        raise AccessDenied("This address may not call the webhook; see its ipWhitelist.")


def check_robot(user_agent: str) -> None:
    """Raises `AccessDenied` for what calls itself a robot."""
    if _ROBOT.search(user_agent):
        raise AccessDenied("This webhook does not answer robots.", code="BOT_IGNORED")


@record
class Origins:
    """`options.allowedOrigins`: which web pages may read the answers."""

    everyone: bool = False
    named: frozenset[str] = frozenset()

    def permission(self, origin: str) -> Headers:
        """Headers of an answer to a call from this origin."""
        if self.everyone:
            return [(b"access-control-allow-origin", b"*")]
        vary = (b"vary", b"Origin")
        if origin.lower() in self.named:
            return [(b"access-control-allow-origin", origin.encode("latin-1")), vary]
        return [vary]

    def preflight(self, origin: str, methods: list[str], asked: str) -> Headers:
        """Headers of the answer to a preflight. asked: Access-Control-Request-Headers."""
        found = self.permission(origin)
        if len(found) == 1 and not self.everyone:
            return found
        found.append((b"access-control-allow-methods", ", ".join(methods).encode()))
        if _HEADER_LIST.fullmatch(asked):
            found.append((b"access-control-allow-headers", asked.encode()))
        return [*found, (b"access-control-max-age", b"300")]


def origins(options: Mapping[str, object], findings: Findings) -> Origins | None:
    """None: the option is not given, so that no page of another origin may read an answer."""
    written = text(options, "allowedOrigins", findings, "options.")  # type: ignore[arg-type]
    named = [part.strip().lower().rstrip("/") for part in written.split(",") if part.strip()]
    if not named:
        return None
    return Origins(everyone="*" in named, named=frozenset(named))
