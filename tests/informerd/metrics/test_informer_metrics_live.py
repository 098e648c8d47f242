"""Tests of the metrics of an informer of the real kube-apiserver."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from informerd.cache.factory import SharedInformerFactory
from informerd.metrics import InformerCollector
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.load_config import load_kubeconfig
from tests.support.controlplane import ControlPlane
from tests.support.informerd.metrics_scrape import Scrape
from tests.support.informerd.recording_handler import Recorder
from tests.support.wait import eventually

CONFIG_MAPS = Resource(version="v1", plural="configmaps", kind="ConfigMap")
SECRETS = Resource(version="v1", plural="secrets", kind="Secret")


async def test_numbers_of_a_real_api_server_are_what_happened(controlplane: ControlPlane) -> None:
    namespace = await asyncio.to_thread(controlplane.create_namespace, f"metrics-{uuid4().hex[:8]}")
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    for name in ("a", "b"):
        await asyncio.to_thread(controlplane.create, path, {"metadata": {"name": name}})
    async with Client(load_kubeconfig(controlplane.kubeconfig)) as client:
        factory = SharedInformerFactory(client, probe_interval=0.2)
        informer = factory.informer(CONFIG_MAPS, namespace=namespace)
        recorder = Recorder()
        informer.add_handler(recorder, name="recorder")
        factory.start()
        await factory.wait_for_cache_sync()
        await asyncio.to_thread(controlplane.create, path, {"metadata": {"name": "c"}})
        await asyncio.to_thread(controlplane.patch, f"{path}/a", {"data": {"x": "y"}})
        await asyncio.to_thread(controlplane.delete, f"{path}/b")
        await eventually(lambda: len(recorder.told) == 5 and factory.probe.outcomes["answered"])
        scrape = Scrape(InformerCollector(factory))
        await factory.stop()
    assert scrape.get("objects", namespace=namespace) == 2
    assert scrape.get("lists_total", method="stream", outcome="ok") == 1
    assert scrape.get("list_objects_total", change="new") == 2
    deltas = {each["type"]: scrape.get("deltas_total", type=each["type"]) for each in scrape.labels("deltas_total")}
    assert (deltas["added"], deltas["updated"], deltas["deleted"], deltas["ignored"]) == (1, 1, 1, 0)
    assert scrape.get("state", state="live") == 1
    assert (scrape.get("last_word_age_seconds") or 0.0) < 30
    assert scrape.get("handler_notifications_total", handler="recorder") == 5
    assert scrape.get("store_resource_version") == float(informer.store.resource_version[-15:])
    assert (scrape.get("probes_total", outcome="answered") or 0) > 0


async def test_what_a_user_may_not_list_is_counted_as_forbidden(controlplane: ControlPlane) -> None:
    async with Client(load_kubeconfig(controlplane.kubeconfig_of("bob"))) as client:
        factory = SharedInformerFactory(client)
        informer = factory.informer(SECRETS)
        factory.start()
        await eventually(lambda: informer.health().state == "forbidden")
        scrape = Scrape(InformerCollector(factory))
        await factory.stop()
    assert scrape.get("lists_total", method="stream", outcome="forbidden") == 1
    assert scrape.get("lists_total", method="pages", outcome="forbidden") == 1
    assert scrape.get("state", state="forbidden") == 1
    assert scrape.get("objects", resource="secrets") == 0
