"""The collector: each number moves when what it counts happens, and Prometheus can read it."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics

from informerd.cache.counters import HANDLERS, OTHER
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.handler import FilteringHandler, HandlerFunctions
from informerd.cache.probe import Probe
from informerd.cache.reflector_settings import ReflectorSettings
from informerd.cache.shared_informer import SharedInformer
from informerd.errors import CredentialsError, Forbidden, Status, Unreachable
from informerd.metrics import InformerCollector
from informerd.objects import Object
from informerd.resource import MYDEMOS, PODS
from tests.clock import FakeClock, settle
from tests.informerd.exposition import Scrape
from tests.informerd.recorder import Recorder
from tests.informerd.scripted import EXPIRED, TOO_LARGE, Request, ScriptedServer, bookmark, pod, status
from tests.wait import eventually

REFUSALS = {
    "expired": EXPIRED,
    "too_large": TOO_LARGE,
    "too_many_requests": status(429, "TooManyRequests"),
    "forbidden": status(403, "Forbidden"),
    "unauthorized": status(401, "Unauthorized"),
    "absent": status(404, "NotFound"),
    "server_error": status(500, "InternalError"),
    "refused": status(400, "BadRequest"),
}


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""


class Pod(Object, frozen=True):
    spec: Spec = Spec()


class Metered:
    """A factory with an informer of pods against a scripted server, and the collector that shows it."""

    def __init__(self, factory: SharedInformerFactory, server: ScriptedServer, clock: FakeClock) -> None:
        self.factory = factory
        self.server = server
        self.clock = clock
        self.collector = InformerCollector(factory, clock=clock)
        self.informer: SharedInformer[Pod] = factory.informer(PODS, Pod, transform=broken_for_broken)
        self.recorder = Recorder()
        self.informer.add_handler(self.recorder, name="recorder")

    def scrape(self) -> Scrape:
        return Scrape(self.collector)

    def value(self, name: str, **labels: str) -> float | None:
        return self.scrape().get(name, **labels)

    async def becomes(self, expected: float, name: str, **labels: str) -> None:
        await eventually(lambda: self.value(name, **labels) == expected, within=5, what=f"{name} {labels} {expected}")

    async def listed(self, *names: str) -> Request:
        """Start, and list these pods in a page; the watch, which is open."""
        self.factory.start()
        (await self.server.take_list()).answer_list([pod(name, "5") for name in names], "10")
        watch = await self.server.take_watch()
        await watch.open()
        await eventually(lambda: self.informer.health().state == "live")
        return watch


def broken_for_broken(raw: bytes) -> bytes:
    if b'"broken"' in raw:
        raise ValueError("broken")
    return raw


@pytest.fixture
async def metered(server: ScriptedServer, clock: FakeClock) -> AsyncIterator[Metered]:
    settings = ReflectorSettings(streaming_lists=False, chance=lambda: 0.0)
    async with server.client(clock) as client:
        metered = Metered(SharedInformerFactory(client, clock=clock, settings=settings), server, clock)
        yield metered
        await metered.factory.stop()


class TestStore:
    async def test_objects_and_the_version_of_the_store(self, metered: Metered) -> None:
        assert metered.value("objects") == 0
        assert metered.value("synced") == 0
        assert metered.value("store_resource_version") is None
        watch = await metered.listed("a", "b")
        await metered.becomes(2, "objects")
        assert metered.value("synced") == 1
        assert metered.value("store_resource_version") == 10
        await watch.send("DELETED", pod("a", "11"))
        await metered.becomes(1, "objects")
        assert metered.value("store_resource_version") == 11

    async def test_of_a_version_the_last_15_digits_are_shown(self, metered: Metered) -> None:
        """A double holds no more; client-go does the same."""
        watch = await metered.listed()
        await watch.send("ADDED", pod("a", "7123456789012345"))
        await metered.becomes(123456789012345, "store_resource_version")

    async def test_deltas_are_counted_by_what_they_were_to_the_store(self, metered: Metered) -> None:
        watch = await metered.listed("a", "b")
        await watch.send_all(
            [
                ("ADDED", pod("c", "11")),
                ("ADDED", pod("a", "12")),  # known already: an update
                ("MODIFIED", pod("b", "13")),
                ("MODIFIED", pod("d", "14")),  # not known yet: an add
                ("DELETED", pod("c", "15")),
                ("DELETED", pod("never-seen", "16")),
                ("BOOKMARK", bookmark("17")),
            ]
        )
        await metered.becomes(1, "deltas_total", type="bookmark")
        kinds = ("added", "updated", "deleted", "ignored", "replaced_all", "sync_all")
        counts = {kind: metered.value("deltas_total", type=kind) for kind in kinds}
        assert counts == {"added": 2, "updated": 2, "deleted": 1, "ignored": 1, "replaced_all": 1, "sync_all": 0}

    async def test_resyncs_are_counted(self, metered: Metered) -> None:
        metered.informer.add_handler(HandlerFunctions(), resync=30)
        await metered.listed("a")
        await metered.clock.advance(31)
        await metered.becomes(1, "deltas_total", type="sync_all")

    async def test_what_a_list_changed_is_counted_and_with_it_missed_deletions(self, metered: Metered) -> None:
        watch = await metered.listed("a", "b", "c")
        assert metered.value("list_objects_total", change="new") == 3
        await watch.send("ERROR", EXPIRED)
        await metered.clock.sleeper(0.8, 1.6)
        await metered.clock.advance(1)
        (await metered.server.take_list()).answer_list([pod("a", "5"), pod("d", "20")], "20")
        await metered.becomes(2, "list_objects_total", change="gone")
        assert metered.value("list_objects_total", change="new") == 4
        assert metered.value("list_objects_total", change="known") == 1
        assert metered.value("relists_total") == 1

    async def test_a_fault_of_the_informers_own_is_counted_as_a_restart(
        self, metered: Metered, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        watch = await metered.listed()
        monkeypatch.setattr(metered.informer._processor, "_on_batch", lambda: 1 / 0)
        await watch.send("ADDED", pod("a", "11"))
        await metered.becomes(1, "restarts_total")

    async def test_an_index_that_raises_is_counted(self, metered: Metered) -> None:
        metered.informer.add_index("broken", lambda obj: [str(1 // 0)])
        await metered.listed("a", "b")
        await metered.becomes(2, "index_failures_total", index="broken")
        assert metered.value("index_failures_total", index="namespace") == 0

    async def test_faulty_objects_are_counted_by_their_fault(self, metered: Metered) -> None:
        watch = await metered.listed("a", "broken")
        assert metered.value("faulty_objects_total", fault="untransformed") == 1
        await watch.send("ADDED", pod("b", "11") | {"kind": "Table"})
        await watch.send("ADDED", pod("broken", "12"))
        await watch.send("ADDED", pod("c", "13") | {"spec": {"nodeName": 7}})
        await metered.becomes(1, "faulty_objects_total", fault="unfit")
        assert metered.value("faulty_objects_total", fault="unexpected") == 1
        assert metered.value("faulty_objects_total", fault="untransformed") == 2


class TestLag:
    async def test_deltas_that_wait_for_the_store_are_counted_and_the_oldest_of_them_ages(
        self, metered: Metered
    ) -> None:
        """The processor is not started, so that what is queued waits."""
        fifo = metered.informer._fifo
        assert metered.value("queued_deltas") == 0
        assert metered.value("queued_deltas_oldest_age_seconds") == 0
        fifo.replace({}, "1")
        await metered.clock.advance(3)
        fifo.replace({}, "2")
        await metered.clock.advance(4)
        assert metered.value("queued_deltas") == 2
        assert metered.value("queued_deltas_oldest_age_seconds") == 7
        fifo.done(await fifo.pop())
        assert metered.value("queued_deltas_oldest_age_seconds") == 4
        fifo.done(await fifo.pop())
        assert metered.value("queued_deltas_oldest_age_seconds") == 0

    async def test_a_handler_that_is_stuck_shows_what_waits_for_it_and_how_long(self, metered: Metered) -> None:
        gate = asyncio.Event()

        async def stuck(obj: Object, is_in_initial_list: bool) -> None:
            await gate.wait()

        metered.informer.add_handler(HandlerFunctions(on_add=stuck), name="stuck")
        watch = await metered.listed("a", "b")
        await metered.clock.advance(5)
        await watch.send("ADDED", pod("c", "11"))
        await metered.becomes(3, "handler_queued_notifications", handler="stuck")
        assert metered.value("handler_oldest_age_seconds", handler="stuck") == 5
        assert metered.value("handler_queued_notifications", handler="recorder") == 0
        assert metered.value("handler_oldest_age_seconds", handler="recorder") == 0
        gate.set()
        await metered.becomes(0, "handler_queued_notifications", handler="stuck")
        assert metered.value("handler_oldest_age_seconds", handler="stuck") == 0
        assert metered.value("handler_notifications_total", handler="stuck") == 3


class TestHealth:
    async def test_the_state_is_1_for_one_of_all_states_and_changes_are_counted(self, metered: Metered) -> None:
        assert metered.value("state", state="starting") == 1
        watch = await metered.listed()
        states = {
            each["state"]: metered.value("state", state=each["state"]) for each in metered.scrape().labels("state")
        }
        assert [state for state, value in states.items() if value] == ["live"]
        assert set(states) == {"starting", "syncing", "live", "stale", "absent", "forbidden", "unreachable"}
        await watch.send("ERROR", EXPIRED)
        await metered.becomes(1, "state", state="stale")
        assert metered.value("state", state="live") == 0
        assert metered.value("states_entered_total", state="stale") == 1
        assert metered.value("states_entered_total", state="live") == 1

    async def test_the_last_word_has_an_age_once_there_was_one(self, metered: Metered) -> None:
        assert metered.value("last_word_age_seconds") is None
        assert metered.value("last_word_timestamp_seconds") is None
        watch = await metered.listed()
        assert metered.value("last_event_timestamp_seconds") is None
        await metered.clock.advance(4)
        assert metered.value("last_word_age_seconds") == 4
        await watch.send("ADDED", pod("a", "11"))
        await metered.becomes(0, "last_word_age_seconds")
        assert metered.value("last_word_timestamp_seconds") == metered.clock.time()
        assert metered.value("last_event_timestamp_seconds") == metered.clock.time()

    async def test_watches_are_counted_and_timed_at_their_end_and_reconnects_when_they_begin(
        self, metered: Metered
    ) -> None:
        watch = await metered.listed()
        assert metered.value("watches_total", outcome="ok") is None
        assert metered.value("reconnects_total") == 0
        await metered.clock.advance(100)
        watch.end()
        again = await metered.server.take_watch()
        await metered.becomes(1, "watches_total", outcome="ok")
        await again.open()
        await metered.becomes(1, "reconnects_total")
        scrape = metered.scrape()
        assert scrape.get("watch_duration_seconds_bucket", le="60.0") == 0
        assert scrape.get("watch_duration_seconds_bucket", le="120.0") == 1
        assert scrape.get("watch_duration_seconds_sum") == 100


class TestOutcomes:
    @pytest.mark.parametrize("outcome", REFUSALS)
    async def test_a_list_that_is_refused_is_counted_by_the_reason(self, metered: Metered, outcome: str) -> None:
        answer = REFUSALS[outcome]
        metered.factory.start()
        (await metered.server.take_list()).fail(answer, retry_after=0 if outcome == "too_many_requests" else None)
        for _ in range(9 if outcome == "too_many_requests" else 0):  # the client itself tries again, ten times
            await settle()
            (await metered.server.take_list()).fail(answer, retry_after=0)
        await metered.becomes(1, "lists_total", method="pages", outcome=outcome)
        assert metered.value("list_duration_seconds_count", method="pages") == 0

    async def test_a_list_that_is_malformed_is_counted(self, metered: Metered) -> None:
        metered.factory.start()
        (await metered.server.take_list()).answer_text("no JSON")
        await metered.becomes(1, "lists_total", method="pages", outcome="malformed")

    async def test_a_list_that_nobody_answers_is_counted(self, metered: Metered) -> None:
        await metered.server.stop()
        metered.factory.start()
        await metered.becomes(1, "lists_total", method="pages", outcome="unreachable")
        assert metered.value("state", state="unreachable") == 1

    async def test_a_list_that_comes_is_counted_and_timed(self, metered: Metered) -> None:
        metered.factory.start()
        request = await metered.server.take_list()
        await metered.clock.advance(2)
        request.answer_list([], "10")
        await metered.becomes(1, "lists_total", method="pages", outcome="ok")
        scrape = metered.scrape()
        assert scrape.get("list_duration_seconds_sum", method="pages") == 2
        assert scrape.get("list_duration_seconds_bucket", method="pages", le="1.0") == 0
        assert scrape.get("list_duration_seconds_bucket", method="pages", le="2.5") == 1

    async def test_a_watch_that_ends_at_once_is_short(self, metered: Metered) -> None:
        (await metered.listed()).end()
        await metered.becomes(1, "watches_total", outcome="short")

    async def test_a_watch_whose_connection_breaks_is_cut_off(self, metered: Metered) -> None:
        watch = await metered.listed()
        await watch.send("ADDED", pod("a", "11"))
        await metered.becomes(1, "objects")
        watch.drop()
        await metered.becomes(1, "watches_total", outcome="cut_off")

    async def test_a_watch_that_the_server_forgets_to_end_is_overtime(self, metered: Metered) -> None:
        watch = await metered.listed()
        await watch.send("ADDED", pod("a", "11"))
        await metered.becomes(1, "objects")
        await metered.clock.advance(331)
        await metered.becomes(1, "watches_total", outcome="overtime")

    async def test_a_watch_that_ends_with_an_error_is_counted_by_it(self, metered: Metered) -> None:
        watch = await metered.listed()
        await watch.send("ERROR", EXPIRED)
        await metered.becomes(1, "watches_total", outcome="expired")

    async def test_a_watch_whose_server_has_gone_back_in_time_has_lost_its_history(self, metered: Metered) -> None:
        watch = await metered.listed()
        await watch.send("BOOKMARK", bookmark("3"))
        await metered.becomes(1, "watches_total", outcome="history_lost")

    async def test_a_watch_that_cannot_begin_is_counted_without_a_duration(self, metered: Metered) -> None:
        metered.factory.start()
        (await metered.server.take_list()).answer_list([], "10")
        (await metered.server.take_watch()).fail(status(403, "Forbidden"))
        await metered.becomes(1, "watches_total", outcome="forbidden")
        assert metered.value("watch_duration_seconds_count") == 0

    async def test_streaming_lists_are_lists_of_their_own_method_and_then_watches(
        self, server: ScriptedServer, clock: FakeClock
    ) -> None:
        async with server.client(clock) as client:
            factory = SharedInformerFactory(client, clock=clock, settings=ReflectorSettings(chance=lambda: 0.0))
            metered = Metered(factory, server, clock)
            factory.start()
            cut = await server.take_streaming_list()
            await cut.send("ADDED", pod("a", "1"))
            await eventually(lambda: metered.informer.health().listed == 1)
            await clock.advance(2)
            cut.end()
            stream = await server.take_streaming_list()
            await metered.becomes(1, "lists_total", method="stream", outcome="cut_off")
            await stream.send_list([pod("a", "1")], "10")
            await metered.becomes(1, "lists_total", method="stream", outcome="ok")
            assert metered.value("watches_total", outcome="ok") is None
            await clock.advance(2)
            stream.end()
            await metered.becomes(1, "watches_total", outcome="ok")
            await factory.stop()


class TestHandlers:
    async def test_failures_and_overflows_are_counted(self, metered: Metered, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("informerd.cache.listener.BUFFER_WARNING", 2)

        def raising(obj: Object, is_in_initial_list: bool) -> None:
            raise ValueError("no")

        metered.informer.add_handler(HandlerFunctions(on_add=raising), name="raising")
        await metered.listed("a", "b", "c")
        await metered.becomes(3, "handler_failures_total", handler="raising")
        assert metered.value("handler_failures_total", handler="recorder") == 0
        assert metered.value("handler_overflows_total", handler="raising") == 1

    async def test_handlers_are_called_by_their_class_or_functions(self, metered: Metered) -> None:
        def on_add(obj: Object, is_in_initial_list: bool) -> None: ...

        metered.informer.add_handler(Recorder())
        metered.informer.add_handler(HandlerFunctions(on_add=on_add))
        metered.informer.add_handler(FilteringHandler(lambda obj: True, Recorder()))
        names = [each["handler"] for each in metered.scrape().labels("handler_failures_total")]
        assert names[:2] == ["recorder", "Recorder"]
        assert len(names) == 3, "the filtered one has its inner handler's name"
        assert names[2].endswith("called_by_their_class_or_functions.on_add")
        assert "0x" not in "".join(names)

    async def test_handlers_of_one_name_are_counted_together(self, metered: Metered) -> None:
        metered.informer.add_handler(Recorder(), name="recorder")
        await metered.listed("a", "b")
        await metered.becomes(4, "handler_notifications_total", handler="recorder")

    async def test_names_of_handlers_are_bounded_in_number_and_length(self, metered: Metered) -> None:
        for number in range(HANDLERS + 100):
            metered.informer.add_handler(Recorder(), name=f"handler {number}")
        metered.informer.add_handler(type("Long" * 100, (Recorder,), {})())
        await metered.listed("a")
        await eventually(lambda: all(each.has_synced for each in metered.informer.registrations))
        labels = [each["handler"] for each in metered.scrape().labels("handler_notifications_total")]
        assert len(labels) == HANDLERS + 1
        assert max(map(len, labels)) <= 80
        assert metered.value("handler_notifications_total", handler=OTHER) == 102

    async def test_of_handlers_of_one_name_the_longest_lag_is_shown(self, metered: Metered) -> None:
        gate = asyncio.Event()

        async def stuck(obj: Object, is_in_initial_list: bool) -> None:
            await gate.wait()

        metered.informer.add_handler(HandlerFunctions(on_add=stuck), name="stuck")
        await metered.listed("a")
        await metered.clock.advance(5)
        metered.informer.add_handler(HandlerFunctions(on_add=stuck), name="stuck")
        await metered.clock.advance(3)
        assert metered.value("handler_oldest_age_seconds", handler="stuck") == 8
        gate.set()

    async def test_what_waits_for_a_handler_is_shown_no_more_when_it_is_removed(self, metered: Metered) -> None:
        registration = metered.informer.add_handler(Recorder(), name="leaving")
        assert metered.value("handler_queued_notifications", handler="leaving") == 0
        registration.remove()
        assert metered.value("handler_queued_notifications", handler="leaving") is None
        assert metered.value("handler_failures_total", handler="leaving") == 0

    async def test_what_a_handler_has_counted_stays_when_it_is_removed(
        self, metered: Metered, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A counter that falls is one that began anew, to Prometheus."""
        monkeypatch.setattr("informerd.cache.listener.BUFFER_WARNING", 2)

        def raising(obj: Object, is_in_initial_list: bool) -> None:
            raise ValueError("no")

        def counts() -> list[float | None]:
            names = ("notifications", "failures", "overflows")
            return [metered.value(f"handler_{name}_total", handler="raising") for name in names]

        registrations = [
            metered.informer.add_handler(HandlerFunctions(on_add=raising), name="raising") for _ in range(2)
        ]
        await metered.listed("a", "b", "c")
        await metered.becomes(6, "handler_failures_total", handler="raising")
        for registration in registrations:
            registration.remove()
            assert counts() == [6, 6, 2]
        metered.informer.add_handler(HandlerFunctions(on_add=raising), name="raising")
        await metered.becomes(9, "handler_failures_total", handler="raising")
        for registration in metered.informer.registrations:
            registration.remove()
            await settle()
        assert counts() == [9, 9, 3]

    async def test_a_failure_after_the_removal_is_counted(self, metered: Metered) -> None:
        gate = asyncio.Event()

        async def failing(obj: Object, is_in_initial_list: bool) -> None:
            await gate.wait()
            raise ValueError("late")

        registration = metered.informer.add_handler(HandlerFunctions(on_add=failing), name="late")
        other = metered.informer.add_handler(Recorder(), name="other")
        await metered.listed("a")
        await settle()
        registration.remove()
        assert metered.value("handler_failures_total", handler="late") == 0
        gate.set()
        await metered.becomes(1, "handler_failures_total", handler="late")
        other.remove()
        assert metered.value("handler_failures_total", handler="late") == 1


class TestProbes:
    async def test_probes_are_counted_by_outcome(self, metered: Metered) -> None:
        failure: Exception | None = None

        class Patient:
            async def probe(self) -> None:
                if failure is not None:
                    raise failure

        probe = metered.factory.probe = Probe(Patient(), clock=metered.clock)
        assert metered.value("probes_total", outcome="silent") == 0
        await probe.once()
        failure = Forbidden(Status(code=403))
        await probe.once()
        failure = CredentialsError("no")
        await probe.once()
        assert metered.value("api_server_silent") == 0
        failure = Unreachable("no")
        await probe.once()
        assert metered.value("api_server_silent") == 1
        outcomes = {each["outcome"] for each in metered.scrape().labels("probes_total")}
        assert outcomes == {"answered", "refused", "no_credentials", "silent"}
        assert {metered.value("probes_total", outcome=each) for each in outcomes} == {1}


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

    def test_nothing_else_of_the_library_imports_prometheus_client(self) -> None:
        folder = Path(__file__).parents[3] / "informerd"
        importing = set()
        for file in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
                if any(name.partition(".")[0] == "prometheus_client" for name in names):
                    importing.add(file.name)
        collectors = {"collector.py", "controller_collector.py", "manager_collector.py", "families.py"}
        assert importing == collectors | {"metrics_page.py"}
