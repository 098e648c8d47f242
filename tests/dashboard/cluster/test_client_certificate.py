"""Tests of the end of a client certificate."""

from __future__ import annotations

import time
from pathlib import Path

from dashboard.cluster.client_certificate import certificate_expiry
from informerd.rest.cluster_config import TlsConfig
from tests.support.certificates import write_certificate


def test_a_certificate_in_a_file_or_in_the_kubeconfig_itself_says_when_it_ends(tmp_path: Path) -> None:
    write_certificate(tmp_path, "client")
    of_file = certificate_expiry(TlsConfig(cert_file=tmp_path / "client.crt"))
    assert of_file is not None
    assert 23 * 3600 < of_file - time.time() <= 24 * 3600
    assert certificate_expiry(TlsConfig(cert_data=(tmp_path / "client.crt").read_bytes())) == of_file


def test_where_there_is_none_or_it_cannot_be_read_nothing_is_known(tmp_path: Path) -> None:
    assert certificate_expiry(TlsConfig()) is None
    assert certificate_expiry(TlsConfig(cert_file=tmp_path / "none")) is None
    assert certificate_expiry(TlsConfig(cert_data=b"no certificate")) is None
