"""Certificates for tests: an authority and the certificates that it signs, as PEM."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = timedelta(days=1)


class Authority:
    """A certificate authority as kubeadm makes them: without key identifiers."""

    def __init__(self, name: str = "test-ca") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        builder = _builder(self._name, self._name, self._key.public_key())
        basic = x509.BasicConstraints(ca=True, path_length=None)
        self._certificate = builder.add_extension(basic, critical=True).sign(self._key, hashes.SHA256())

    @property
    def pem(self) -> bytes:
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    def issue(self, name: str, *addresses: str, lasting: timedelta = _DAY) -> tuple[bytes, bytes]:
        """A certificate for `name` (and for DNS names or IP addresses) and its key; it ends after `lasting`."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_name(name), self._name, key.public_key(), lasting)
        if addresses:
            names = x509.SubjectAlternativeName([_address(each) for each in addresses])
            builder = builder.add_extension(names, critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        return certificate.public_bytes(serialization.Encoding.PEM), _key_pem(key)

    def server_context(self, folder: Path, *addresses: str, ask_client: bool = False) -> ssl.SSLContext:
        """What a server with a certificate for `addresses` needs; `ask_client` demands one of this authority back."""
        certificate, key = self.issue("server", *addresses)
        file = folder / "server.pem"
        file.write_bytes(certificate + key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        if ask_client:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(cadata=self.pem.decode())
        return context


def encrypted_key() -> bytes:
    """A private key that wants a password."""
    key = ec.generate_private_key(ec.SECP256R1())
    return _key_pem(key, serialization.BestAvailableEncryption(b"password"))


def _key_pem(
    key: ec.EllipticCurvePrivateKey, encryption: serialization.KeySerializationEncryption | None = None
) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption or serialization.NoEncryption()
    )


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, lasting: timedelta = _DAY
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + lasting)
    )


def _address(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        return x509.DNSName(text)
