"""Tests of expiring credentials, replaced under a running watch; the API server's audit log shows which were used."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from informerd.cache.reflector_failures import CREDENTIALS_REFUSED
from informerd.errors import Unauthorized
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig, TlsConfig, UserConfig
from tests.support.informerd.certificates import Authority
from tests.support.informerd.faults.audit_log import Audit
from tests.support.informerd.faults.informer_rig import CONFIG_MAPS, QUICK, Rig
from tests.support.informerd.faults.rbac import allow
from tests.support.wait import eventually

ACCOUNTS = Resource(version="v1", plural="serviceaccounts", kind="ServiceAccount")
SECRETS = Resource(version="v1", plural="secrets", kind="Secret")
NAMES = [f"c{number}" for number in range(5)]
SHORT_LIVED = timedelta(seconds=12)


@pytest.mark.long
async def test_a_token_file_is_read_again_before_its_token_is_missed(audited: Rig, tmp_path: Path) -> None:
    """The first is revoked once there is a second; the second before there is a third."""
    rig, file = audited, tmp_path / "token"
    audit = Audit(rig.controlplane.directory, rig.namespace)
    await rig.client.create(ACCOUNTS, {"metadata": {"name": "watcher"}}, rig.namespace)
    await allow(rig, f"system:serviceaccount:{rig.namespace}:watcher")
    await rig.create(*NAMES)
    first = await _token(rig, "first")
    file.write_text(f"{first}\n")
    config = replace(rig.client.config, credentials=UserConfig(token_file=file))
    followed = rig.follow(rig.factory(config, watch_timeout=1.0, **QUICK))
    await rig.equal(followed)
    assert audit.begun(_id_of_token(first)) > 0

    second = await _token(rig, "second")
    file.write_text(f"{second}\n")
    await rig.client.delete(SECRETS, "first", rig.namespace)
    await _refused(replace(config, credentials=UserConfig(token=first)), rig)
    await rig.change(*NAMES)
    await eventually(lambda: audit.begun(_id_of_token(second)) > 1, what="watches with the second token")
    await eventually(lambda: audit.open(_id_of_token(first)) == 0, what="no watch with the first token")
    await rig.equal(followed)
    assert (followed.states, followed.errors, followed.informer.health().relists) == (["syncing", "live"], [], 0)

    await rig.client.delete(SECRETS, "second", rig.namespace)
    await followed.becomes("stale")
    assert followed.informer.health().problem.startswith(CREDENTIALS_REFUSED)
    assert followed.informer.health().has_answer
    await rig.change("c3", "c4", "c1")
    file.write_text(f"{await _token(rig, 'third')}\n")
    await followed.becomes("live")
    await rig.equal(followed)


@pytest.mark.long
async def test_a_client_certificate_replaced_drains_the_watch_that_was_begun_with_the_old_one(
    audited: Rig, authority: Authority, tmp_path: Path
) -> None:
    """The first ends by its date once there is a second, with which everything goes on without a relist."""
    rig = audited
    audit = Audit(rig.controlplane.directory, rig.namespace)
    await allow(rig, "watcher")
    await rig.create(*NAMES)
    started = time.monotonic()
    first = _issue(authority, tmp_path, SHORT_LIVED)
    tls = TlsConfig(
        ca_file=rig.controlplane.ca_file, cert_file=tmp_path / "client.pem", key_file=tmp_path / "client-key.pem"
    )
    config = replace(rig.client.config, tls=tls, credentials=UserConfig())
    followed = rig.follow(rig.factory(config, probe=0.5, **QUICK))
    await rig.equal(followed)
    assert audit.open(_id_of_certificate(first)) == 1
    old = replace(config, tls=TlsConfig(ca_file=rig.controlplane.ca_file, cert_data=first, key_data=_key(tmp_path)))

    second = _issue(authority, tmp_path)
    await eventually(lambda: audit.open(_id_of_certificate(second)) == 1, what="a watch with the second certificate")
    await eventually(lambda: audit.open(_id_of_certificate(first)) == 0, what="no watch with the first certificate")
    assert time.monotonic() - started < SHORT_LIVED.total_seconds()
    await _refused(old, rig)
    await rig.change(*NAMES)
    await rig.equal(followed)
    assert (followed.states, followed.errors, followed.informer.health().relists) == (["syncing", "live"], [], 0)


async def test_a_client_certificate_that_ends_unreplaced_makes_it_stale_until_there_is_a_new_one(
    audited: Rig, authority: Authority, tmp_path: Path
) -> None:
    rig = audited
    await allow(rig, "watcher")
    await rig.create(*NAMES)
    _issue(authority, tmp_path, timedelta(seconds=4))
    tls = TlsConfig(
        ca_file=rig.controlplane.ca_file, cert_file=tmp_path / "client.pem", key_file=tmp_path / "client-key.pem"
    )
    config = replace(rig.client.config, tls=tls, credentials=UserConfig())
    followed = rig.follow(rig.factory(config, probe=0.5, watch_timeout=1.0, **QUICK))
    await rig.equal(followed)
    await followed.becomes("stale")
    assert followed.informer.health().problem.startswith(CREDENTIALS_REFUSED)
    await rig.change(*NAMES)
    _issue(authority, tmp_path)
    await followed.becomes("live")
    await rig.equal(followed)


async def _token(rig: Rig, secret: str) -> str:
    """A token of the service account that lives as long as a Secret of that name."""
    await rig.client.create(SECRETS, {"metadata": {"name": secret}}, rig.namespace)
    bound = {"apiVersion": "v1", "kind": "Secret", "name": secret}
    path = ACCOUNTS.path(rig.namespace, "watcher", "token")
    answer = await rig.client.request("POST", path, body={"spec": {"boundObjectRef": bound}})
    return str(answer.json()["status"]["token"])


async def _refused(config: ClusterConfig, rig: Rig) -> None:
    """Wait until the API server does not accept these credentials (it remembers tokens for ten seconds)."""

    async def unauthorized() -> bool:
        async with Client(config) as client:
            try:
                await client.list(CONFIG_MAPS, rig.namespace)
            except Unauthorized:
                return True
        return False

    await eventually(unauthorized, what="the old credentials are refused")


def _issue(authority: Authority, folder: Path, lasting: timedelta = timedelta(days=1)) -> bytes:
    """Write a new certificate and key for the user watcher; the certificate."""
    certificate, key = authority.issue("watcher", lasting=lasting)
    (folder / "client.pem").write_bytes(certificate)
    (folder / "client-key.pem").write_bytes(key)
    return certificate


def _key(folder: Path) -> bytes:
    return (folder / "client-key.pem").read_bytes()


def _id_of_token(token: str) -> str:
    payload = token.split(".")[1]
    return f"JTI={json.loads(base64.urlsafe_b64decode(payload + '=' * (-len(payload) % 4)))['jti']}"


def _id_of_certificate(pem: bytes) -> str:
    return f"X509SHA256={x509.load_pem_x509_certificate(pem).fingerprint(hashes.SHA256()).hex()}"
