"""Expiry of the client certificate of a kubeconfig."""

from __future__ import annotations

from cryptography import x509

from informerd.rest.cluster_config import TlsConfig


def certificate_expiry(tls: TlsConfig) -> float | None:
    """Unix seconds of the end of the client certificate; None where there is none, or it cannot be read.

    A file is read each time, because kubelets and tools renew it in its place.
    """
    try:
        pem = tls.cert_data or (tls.cert_file.read_bytes() if tls.cert_file is not None else b"")
        return x509.load_pem_x509_certificate(pem).not_valid_after_utc.timestamp() if pem else None
    except (OSError, ValueError):
        return None
