"""Objects with a certificate or a certificate request, which the API server parses."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Json = dict[str, Any]
API = "certificates.k8s.io/v1"
SIGNER = "example.com/signer"


def signed_objects() -> Iterator[Json]:
    """Requests that are pending, approved and denied, and bundles with a signer and without one."""
    for name, decision in (("pending", ""), ("approved", "Approved"), ("denied", "Denied")):
        spec = {"signerName": SIGNER, "usages": ["client auth"], "request": _request(), "expirationSeconds": 86400}
        if decision == "":
            del spec["expirationSeconds"]
        obj: Json = {"apiVersion": API, "kind": "CertificateSigningRequest", "metadata": {"name": name}, "spec": spec}
        if decision:
            obj["status"] = {"conditions": [{"type": decision, "status": "True", "reason": "ByHand", "message": "no"}]}
        yield obj
    bundle = {"apiVersion": API, "kind": "ClusterTrustBundle"}
    yield {**bundle, "metadata": {"name": "plain"}, "spec": {"trustBundle": _certificate()}}
    name = SIGNER.replace("/", ":")
    yield {
        **bundle,
        "metadata": {"name": f"{name}:all"},
        "spec": {"signerName": SIGNER, "trustBundle": _certificate()},
    }


def _name() -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "someone")])


def _request() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(_name()).sign(key, hashes.SHA256())
    return base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()


def _certificate() -> str:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(_name()).issuer_name(_name()).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()
