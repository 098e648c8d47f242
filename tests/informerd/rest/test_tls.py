"""Tests of TLS contexts, which follow their files."""

from __future__ import annotations

import errno
import os
import ssl
import tempfile
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from informerd.errors import CredentialsError
from informerd.rest.load_config import TlsConfig
from informerd.rest.tls import CHECK_INTERVAL, TlsFiles
from tests.support.clock import FakeClock
from tests.support.informerd.certificates import Authority, encrypted_key


def write(folder: Path, cert: bytes, key: bytes) -> TlsConfig:
    (folder / "cert.pem").write_bytes(cert)
    (folder / "key.pem").write_bytes(key)
    return TlsConfig(cert_file=folder / "cert.pem", key_file=folder / "key.pem", insecure=True)


async def test_the_context_stays_while_the_files_do(tmp_path: Path) -> None:
    clock = FakeClock()
    files = TlsFiles(write(tmp_path, *Authority().issue("me")), clock)
    first = files.context()
    await clock.advance(3600)
    assert files.context() is first


async def test_a_new_certificate_makes_a_new_context_within_seconds(tmp_path: Path) -> None:
    clock, authority = FakeClock(), Authority()
    files = TlsFiles(write(tmp_path, *authority.issue("me")), clock)
    first = files.context()
    write(tmp_path, *authority.issue("me"))
    assert files.context() is first
    await clock.advance(CHECK_INTERVAL)
    assert files.context() is not first


async def test_a_rotation_half_done_leaves_the_old_context_in_use(tmp_path: Path) -> None:
    clock, authority = FakeClock(), Authority()
    cert, key = authority.issue("me")
    files = TlsFiles(write(tmp_path, cert, key), clock)
    first = files.context()
    new_cert, new_key = authority.issue("me")
    write(tmp_path, new_cert, key)
    await clock.advance(CHECK_INTERVAL)
    assert files.context() is first
    (tmp_path / "cert.pem").unlink()
    await clock.advance(CHECK_INTERVAL)
    assert files.context() is first
    write(tmp_path, new_cert, new_key)
    await clock.advance(CHECK_INTERVAL)
    assert files.context() is not first


async def test_a_symlink_that_is_swapped_counts_as_a_change(tmp_path: Path) -> None:
    clock = FakeClock()
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(Authority(name).pem)
    (tmp_path / "ca.crt").symlink_to("one")
    files = TlsFiles(TlsConfig(ca_file=tmp_path / "ca.crt"), clock)
    assert _authorities(files.context()) == ["one"]
    (tmp_path / "next").symlink_to("two")
    (tmp_path / "next").rename(tmp_path / "ca.crt")
    await clock.advance(CHECK_INTERVAL)
    assert _authorities(files.context()) == ["two"]


def test_an_empty_authority_never_comes_to_mean_the_systems(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("\n")
    with pytest.raises(CredentialsError, match="is empty"):
        TlsFiles(TlsConfig(ca_file=tmp_path / "ca.crt"), FakeClock()).context()


def test_an_authority_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n")
    with pytest.raises(CredentialsError, match=f"certificate authority {tmp_path}/ca.crt cannot be used"):
        TlsFiles(TlsConfig(ca_file=tmp_path / "ca.crt"), FakeClock()).context()


def test_files_that_are_gone_are_named(tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match=f"{tmp_path}/ca.crt: cannot be read: No such file"):
        TlsFiles(TlsConfig(ca_file=tmp_path / "ca.crt"), FakeClock()).context()


def test_an_encrypted_key_is_refused_and_nobody_is_asked(tmp_path: Path) -> None:
    cert, _ = Authority().issue("me")
    with pytest.raises(CredentialsError, match="the key is encrypted"):
        TlsFiles(write(tmp_path, cert, encrypted_key()), FakeClock()).context()


def test_a_plugins_certificate_takes_the_place_of_the_configured_one() -> None:
    authority = Authority()
    files = TlsFiles(TlsConfig(insecure=True), FakeClock())
    bare = files.context()
    first = files.context(authority.issue("me"))
    assert first is not bare
    second = authority.issue("me")
    assert files.context(second) is files.context(second)


def test_a_key_given_as_data_never_touches_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    cert, key = Authority().issue("me")
    monkeypatch.setattr(tempfile, "TemporaryDirectory", full)
    TlsFiles(TlsConfig(cert_data=cert, key_data=key, insecure=True), FakeClock()).context()
    monkeypatch.delattr(os, "memfd_create")  # as on systems that have no files in memory
    with pytest.raises(CredentialsError, match=r"cannot be used: .*No space left on device"):
        TlsFiles(TlsConfig(cert_data=cert, key_data=key, insecure=True), FakeClock()).context()
    monkeypatch.undo()
    monkeypatch.delattr(os, "memfd_create")
    TlsFiles(TlsConfig(cert_data=cert, key_data=key, insecure=True), FakeClock()).context()


def _authorities(context: ssl.SSLContext) -> list[str]:
    """The common names of what the context trusts."""
    certificates = [x509.load_der_x509_certificate(each) for each in context.get_ca_certs(binary_form=True)]
    return [str(each.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value) for each in certificates]
