"""The owner of the other end of a TCP connection within this machine (Linux)."""

from __future__ import annotations

import socket
import struct
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST = 1
NLMSG_ERROR = 2
TCP_ESTABLISHED = 1
NO_COOKIE = b"\xff" * 8
OVERFLOW_UID = 65534
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBxI")
_ENDPOINTS = struct.Struct("!HH16s16s")


def normalised(address: str) -> IPv4Address | IPv6Address:
    """IPv4-mapped addresses as IPv4: their row stands in the IPv4 table."""
    found = ip_address(address.split("%")[0])
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def diag_request(local: tuple[str, int], remote: tuple[str, int]) -> bytes:
    """One inet_diag_req_v2 for an exact TCP socket."""
    source, target = normalised(local[0]), normalised(remote[0])
    family = socket.AF_INET if source.version == 4 else socket.AF_INET6
    body = (
        _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 1 << TCP_ESTABLISHED)
        + _ENDPOINTS.pack(local[1], remote[1], source.packed, target.packed)
        + struct.pack("=I", 0)
        + NO_COOKIE
    )
    return _HEADER.pack(_HEADER.size + len(body), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 1, 0) + body


def owner_by_netlink(local: tuple[str, int], remote: tuple[str, int]) -> tuple[int, int, int] | None:
    """(state, uid, inode) of the socket with this local and remote end; None when there is none. Raises OSError."""
    with _netlink() as sock:
        return _asked(sock, local, remote)


def _netlink() -> socket.socket:
    made = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_SOCK_DIAG)
    made.settimeout(0.2)
    return made


def _asked(sock: socket.socket, local: tuple[str, int], remote: tuple[str, int]) -> tuple[int, int, int] | None:
    sock.sendto(diag_request(local, remote), (0, 0))
    answer = sock.recv(4096)
    _, kind, _, _, _ = _HEADER.unpack_from(answer)
    if kind != SOCK_DIAG_BY_FAMILY or len(answer) < _HEADER.size + 72:
        return None
    state = answer[_HEADER.size + 1]
    uid, inode = struct.unpack_from("=II", answer, _HEADER.size + 64)
    return state, uid, inode


def owner_by_proc(local: tuple[str, int], remote: tuple[str, int]) -> tuple[int, int, int] | None:
    """The same from /proc/net/tcp{,6}: slow with many connections."""
    table = "tcp" if normalised(local[0]).version == 4 else "tcp6"
    wanted = (_hex(local), _hex(remote))
    for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
        fields = line.split()
        if (fields[1], fields[2]) == wanted:
            return int(fields[3], 16), int(fields[7]), int(fields[9])
    return None


def _hex(end: tuple[str, int]) -> str:
    packed = normalised(end[0]).packed
    words = [packed[start : start + 4][::-1] for start in range(0, len(packed), 4)]
    return f"{b''.join(words).hex().upper()}:{end[1]:04X}"


class SocketOwners:
    """The same with one netlink socket for all questions, which needs no further descriptor; by /proc where there is no
    netlink. Not for several threads."""

    def __init__(self) -> None:
        self._sock: socket.socket | None = None
        self._by_proc = False

    def of(self, local: tuple[str, int], remote: tuple[str, int]) -> tuple[int, int, int] | None:
        """(state, uid, inode). Raises OSError, ValueError."""
        if self._by_proc:
            return owner_by_proc(local, remote)
        try:
            if self._sock is None:
                self._sock = _netlink()
            return _asked(self._sock, local, remote)
        except OSError:
            self.close()  # an answer that came too late would be taken for the next one's
            self._by_proc = self._by_proc or not hasattr(socket, "AF_NETLINK")
            return owner_by_proc(local, remote)

    def close(self) -> None:
        if self._sock is not None:
            self._sock.close()
            self._sock = None
