"""Certificates for tests of plugins that speak TLS."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def self_signed(directory: Path, name: str) -> tuple[Path, Path]:
    """A certificate for this name and its key, as files of the directory; it is its own authority, for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    return _written(directory, name, _made(name, key, name, key, is_authority=True), key)


def issued(directory: Path, name: str) -> tuple[Path, Path, Path]:
    """The certificate of an authority, and that for this name with its key, for libraries that take no authority's for
    a server's."""
    signer, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = f"Authority of {name}"
    cert, _ = _written(directory, "authority", _made(authority, signer, authority, signer, is_authority=True), signer)
    return cert, *_written(directory, name, _made(name, key, authority, signer, is_authority=False), key)


def _made(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    signer: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .sign(signer, hashes.SHA256())
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _written(directory: Path, name: str, made: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> tuple[Path, Path]:
    certificate, secret = directory / f"{name}.pem", directory / f"{name}.key"
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return certificate, secret
