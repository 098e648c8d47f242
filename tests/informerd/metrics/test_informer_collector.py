"""Tests of the collector: its output is valid for Prometheus and complete."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics

from informerd.cache.factory import SharedInformerFactory
from informerd.metrics import InformerCollector
from informerd.resource import MYDEMOS, PODS
from tests.informerd.metrics.conftest import Metered
from tests.support.clock import FakeClock
from tests.support.informerd.metrics_scrape import Scrape
from tests.support.informerd.recording_handler import Recorder
from tests.support.scripted_api_server import ScriptedServer, pod


class TestCollector:
    async def test_every_family_is_there_with_its_meaning_before_anything_has_happened(self, metered: Metered) -> None:
        scrape = metered.scrape()
        described = {family.name for family in metered.collector.describe()}
        assert described == set(scrape.families)
        assert all(family.documentation for family in scrape.families.values())
        assert scrape.families["informerd_relists"].type == "counter"
        assert scrape.families["informerd_objects"].type == "gauge"
        assert scrape.families["informerd_list_duration_seconds"].type == "histogram"

    async def test_the_strict_openmetrics_parser_takes_it(self, metered: Metered) -> None:
        await metered.listed("a")
        registry = CollectorRegistry()
        registry.register(metered.collector)
        text = generate_openmetrics(registry).decode()  # type: ignore[no-untyped-call]
        families = list(parse_openmetrics(text))  # type: ignore[no-untyped-call]
        assert "informerd_lists" in {family.name for family in families}

    async def test_an_informer_is_known_by_cluster_resource_namespace_and_selectors(self, metered: Metered) -> None:
        factory = metered.factory
        factory.informer(MYDEMOS)
        factory.informer(PODS, namespace="one")
        factory.informer(PODS, label_selector="app=x", field_selector="spec.nodeName=n1")
        metered.collector.add(factory, cluster="main")
        common = {"cluster": "main", "group": "", "version": "v1", "resource": "pods", "namespace": "", "selector": ""}
        assert metered.scrape().labels("objects") == [
            common,
            common | {"group": "crddemo.k8s.io", "resource": "mydemos"},
            common | {"namespace": "one"},
            common | {"selector": "app=x fields:spec.nodeName=n1"},
        ]

    async def test_two_informers_of_the_same_do_not_spoil_the_scrape(
        self, metered: Metered, server: ScriptedServer, clock: FakeClock
    ) -> None:
        async with server.client(clock) as client:
            other = SharedInformerFactory(client, clock=clock)
            other.informer(PODS)
            metered.collector.add(other)
            selectors = [each["selector"] for each in metered.scrape().labels("objects")]
            assert selectors == ["", "(2)"]
            metered.collector.add(other, cluster="other")
            assert [each["selector"] for each in metered.scrape().labels("objects")] == ["", ""]
            metered.collector.remove(other)
            metered.collector.remove(other)
            assert len(metered.scrape().labels("objects")) == 1

    async def test_a_series_keeps_its_informer_when_another_of_the_same_is_dropped(
        self, metered: Metered, server: ScriptedServer, clock: FakeClock
    ) -> None:
        async with server.client(clock) as client:
            other = SharedInformerFactory(client, clock=clock)
            other.informer(PODS)
            metered.collector.add(other)
            assert [each["selector"] for each in metered.scrape().labels("objects")] == ["", "(2)"]
            await metered.factory.drop(metered.informer)
            assert [each["selector"] for each in metered.scrape().labels("objects")] == ["(2)"]
            metered.factory.informer(PODS)
            assert [each["selector"] for each in metered.scrape().labels("objects")] == ["", "(2)"]

    async def test_probes_of_two_factories_under_one_label_are_counted_together(
        self, metered: Metered, server: ScriptedServer, clock: FakeClock
    ) -> None:
        async with server.client(clock) as client:
            other = SharedInformerFactory(client, clock=clock)
            metered.collector.add(other)
            metered.factory.probe.outcomes["silent"] += 2
            other.probe.outcomes["silent"] += 3
            assert metered.value("probes_total", outcome="silent") == 5
            assert metered.value("api_server_silent") == 0
            metered.factory.probe.problem = "nobody answers"
            assert metered.value("api_server_silent") == 1
            metered.collector.add(other, cluster="other")
            assert metered.value("probes_total", outcome="silent", cluster="other") == 3

    async def test_one_informer_can_be_shown_without_its_factory(self, metered: Metered) -> None:
        scrape = Scrape(InformerCollector(metered.informer, clock=metered.clock))
        assert scrape.get("objects", resource="pods") == 0
        assert scrape.labels("probes_total") == []

    async def test_informers_asked_for_later_are_shown_too(self, metered: Metered) -> None:
        metered.scrape()
        metered.factory.informer(MYDEMOS)
        assert metered.value("objects", resource="mydemos") == 0

    @pytest.mark.slow
    async def test_a_scrape_may_come_from_another_thread_at_any_time(self, metered: Metered) -> None:
        watch = await metered.listed()

        scrapes: list[Scrape] = []

        def scrape() -> None:
            scrapes.extend(Scrape(metered.collector) for _ in range(5))

        scraping = asyncio.create_task(asyncio.to_thread(scrape))
        version = 10
        while not scraping.done() or version < 30:
            version += 1
            registration = metered.informer.add_handler(Recorder(), name=f"handler {version}")
            await watch.send("MODIFIED", pod("a", str(version)))
            metered.informer.counters.reflector.watches[f"outcome {version}"] += 1
            registration.remove()
            await asyncio.sleep(0)
        await scraping
        assert len(scrapes) == 5

    @pytest.mark.slow
    def test_nothing_else_of_the_library_imports_prometheus_client(self) -> None:
        folder = Path(__file__).parents[3] / "informerd"
        importing = set()
        for file in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
                if any(name.partition(".")[0] == "prometheus_client" for name in names):
                    importing.add(file.name)
        collectors = {f"{name}_collector.py" for name in ("informer", "controller", "manager", "client")}
        families = {"controller_families.py", "family_builder.py", "informer_families.py"}
        assert importing == collectors | families | {"metrics_page.py", "__init__.py"}  # the last of informerd.metrics
