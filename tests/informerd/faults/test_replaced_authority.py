"""Tests of a server certificate replaced by one of another authority, under a running watch."""

from __future__ import annotations

import ssl
from dataclasses import replace
from pathlib import Path

from informerd.errors import Unreachable
from informerd.rest.cluster_config import TlsConfig
from tests.support.informerd.certificates import Authority
from tests.support.informerd.faults.informer_rig import QUICK, Rig
from tests.support.tcp_proxy import Wire
from tests.support.wait import eventually

NAMES = [f"c{number}" for number in range(5)]


async def test_a_new_authority_is_trusted_once_it_is_in_the_file_and_an_unknown_one_never(
    audited: Rig, tmp_path: Path
) -> None:
    """As a rotation goes: first both authorities in the file, then the new certificate."""
    rig, second, file = audited, Authority("second"), tmp_path / "ca.pem"
    first = rig.controlplane.ca_file.read_bytes()
    file.write_bytes(first)
    await rig.create(*NAMES)
    async with Wire(rig.controlplane.api_port) as wire:
        config = replace(rig.client.config, server=f"https://127.0.0.1:{wire.port}")
        followed = rig.follow(rig.factory(replace(config, tls=TlsConfig(ca_file=file)), probe=0.5, **QUICK))
        behind = rig.follow(rig.factory(replace(config, tls=TlsConfig(ca_data=first)), probe=0.5, **QUICK))
        await rig.equal(followed, behind)
        file.write_bytes(first + second.pem)
        await eventually(lambda: followed.informer.health().reconnects == 1, what="the old stream drained")

        before = _presented(rig)
        _present(rig, second)
        await eventually(lambda: _presented(rig) != before, what="the new certificate")
        wire.drop()
        await behind.becomes("stale")
        assert "is not accepted" in behind.informer.health().problem
        await rig.change(*NAMES)
        await followed.becomes("live")
        await rig.equal(followed)
        assert not [error for error in followed.errors if isinstance(error, Unreachable)]
        assert len(behind.informer.store) == len(NAMES)


def _present(rig: Rig, authority: Authority) -> None:
    """Give the API server another certificate; it looks at its files by itself."""
    certificate, key = authority.issue("kube-apiserver", "127.0.0.1")
    rig.controlplane.ca_file.with_suffix(".key").write_bytes(key)
    rig.controlplane.ca_file.write_bytes(certificate)


def _presented(rig: Rig) -> str:
    return ssl.get_server_certificate(("127.0.0.1", rig.controlplane.api_port))
