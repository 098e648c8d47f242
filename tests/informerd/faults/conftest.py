"""Fixtures with API servers that tests of this folder share and may harm; each test leaves them whole."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane, ControlPlaneError
from tests.support.informerd.certificates import Authority
from tests.support.informerd.faults.audit_log import FLAGS, write_policy
from tests.support.informerd.faults.informer_rig import Rig, rigged
from tests.support.skip_if_missing import controlplane_binaries


@pytest.fixture(scope="package")
def _fragile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    controlplane = ControlPlane(tmp_path_factory.mktemp("fragile"), controlplane_binaries())
    try:
        controlplane.start()
        yield controlplane
    finally:
        controlplane.stop()


@pytest.fixture
def fragile_controlplane(_fragile: ControlPlane) -> Iterator[ControlPlane]:
    """An API server for harm that can be undone: kill it, pause it, kill or compact its etcd."""
    yield _fragile
    _fragile.etcd.run()
    with contextlib.suppress(ControlPlaneError):  # it was killed
        _fragile.resume()
    _fragile.start_apiserver()


@pytest.fixture(scope="package")
def uncached_controlplane(_fragile: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A second API server with the same objects and no watch cache: it really pages, and its versions expire.

    Leave it running.
    """
    directory = tmp_path_factory.mktemp("uncached")
    flags = ("--watch-cache=false",)
    controlplane = ControlPlane(directory, controlplane_binaries(), apiserver_flags=flags, etcd=_fragile.etcd)
    try:
        controlplane.start()
        yield controlplane
    finally:
        controlplane.stop()


@pytest.fixture
async def rig(controlplane: ControlPlane) -> AsyncIterator[Rig]:
    """A rig on the run's API server, for faults that harm nobody else."""
    async with rigged(controlplane) as rig:
        yield rig


@pytest.fixture
async def fragile(fragile_controlplane: ControlPlane) -> AsyncIterator[Rig]:
    """A rig on an API server that may be harmed."""
    async with rigged(fragile_controlplane) as rig:
        yield rig


@pytest.fixture
async def uncached(uncached_controlplane: ControlPlane) -> AsyncIterator[Rig]:
    """A rig on the API server without watch cache."""
    async with rigged(uncached_controlplane) as rig:
        yield rig


@pytest.fixture(scope="package")
def _crowded(_fragile: ControlPlane) -> str:
    """A namespace with 5,000 objects, made once; its name."""
    _fragile.create_namespace("crowd")
    with ThreadPoolExecutor(1) as thread:  # pytest-asyncio has this thread's event loop
        thread.submit(asyncio.run, _fill(_fragile, "crowd")).result()
    return "crowd"


async def _fill(controlplane: ControlPlane, namespace: str) -> None:
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        await Rig(controlplane, client, namespace).create(*(f"c{number}" for number in range(5000)), at_once=50)


@pytest.fixture
async def crowd(fragile_controlplane: ControlPlane, _crowded: str) -> AsyncIterator[Rig]:
    """A rig in a namespace of 5,000 objects."""
    async with Client(load_kubeconfig(fragile_controlplane.kubeconfig)) as client:
        rig = Rig(fragile_controlplane, client, _crowded)
        try:
            yield rig
        finally:
            await rig.stop()


@pytest.fixture(scope="package")
def authority() -> Authority:
    return Authority("clients")


@pytest.fixture(scope="package")
def audited_controlplane(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Iterator[ControlPlane]:
    """An API server that accepts certificates of `authority` and writes down who watches."""
    directory = tmp_path_factory.mktemp("audited")
    write_policy(directory)
    (directory / "clients.pem").write_bytes(authority.pem)
    flags = (*FLAGS, "--client-ca-file=clients.pem")
    controlplane = ControlPlane(directory, controlplane_binaries(), apiserver_flags=flags)
    try:
        controlplane.start()
        yield controlplane
    finally:
        controlplane.stop()


@pytest.fixture
async def audited(audited_controlplane: ControlPlane) -> AsyncIterator[Rig]:
    async with rigged(audited_controlplane) as rig:
        yield rig
