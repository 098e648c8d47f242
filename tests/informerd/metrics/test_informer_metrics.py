"""Tests of an informer's metrics: store, lag, health and probes, each changed by what it counts."""

from __future__ import annotations

import asyncio

import pytest

from informerd.cache.api_server_probe import Probe
from informerd.cache.handler import HandlerFunctions
from informerd.errors import CredentialsError, Forbidden, Status, Unreachable
from informerd.objects import Object
from tests.informerd.metrics.conftest import Metered
from tests.support.scripted_api_server import EXPIRED, bookmark, pod


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
        await metered.clock.wait_for_sleeper(0.8, 1.6)
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
        await metered.becomes(0, "handler_queued_notifications", handler="recorder")
        assert metered.value("handler_oldest_age_seconds", handler="recorder") == 0
        gate.set()
        await metered.becomes(0, "handler_queued_notifications", handler="stuck")
        assert metered.value("handler_oldest_age_seconds", handler="stuck") == 0
        assert metered.value("handler_notifications_total", handler="stuck") == 3


class TestHealth:
    @pytest.mark.slow
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


class TestProbes:
    async def test_probes_are_counted_by_outcome(self, metered: Metered) -> None:
        failure: Exception | None = None

        class Patient:
            async def probe(self) -> None:
                if failure is not None:
                    raise failure

        probe = metered.factory.probe = Probe(Patient(), clock=metered.clock)
        assert metered.value("probes_total", outcome="silent") == 0
        await probe.probe_once()
        failure = Forbidden(Status(code=403))
        await probe.probe_once()
        failure = CredentialsError("no")
        await probe.probe_once()
        assert metered.value("api_server_silent") == 0
        failure = Unreachable("no")
        await probe.probe_once()
        assert metered.value("api_server_silent") == 1
        outcomes = {each["outcome"] for each in metered.scrape().labels("probes_total")}
        assert outcomes == {"answered", "refused", "no_credentials", "silent"}
        assert {metered.value("probes_total", outcome=each) for each in outcomes} == {1}
