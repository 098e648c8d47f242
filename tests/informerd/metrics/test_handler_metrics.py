"""Tests of handlers' metrics: waiting notifications, durations, exceptions."""

from __future__ import annotations

import asyncio

import pytest

from informerd.cache.counters import MAX_HANDLER_NAMES, OTHER_HANDLERS
from informerd.cache.handler import FilteringHandler, HandlerFunctions
from informerd.objects import Object
from tests.informerd.metrics.conftest import Metered
from tests.support.clock import run_ready_tasks
from tests.support.informerd.recording_handler import Recorder
from tests.support.wait import eventually


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
        for number in range(MAX_HANDLER_NAMES + 100):
            metered.informer.add_handler(Recorder(), name=f"handler {number}")
        metered.informer.add_handler(type("Long" * 100, (Recorder,), {})())
        await metered.listed("a")
        await eventually(lambda: all(each.has_synced for each in metered.informer.registrations))
        labels = [each["handler"] for each in metered.scrape().labels("handler_notifications_total")]
        assert len(labels) == MAX_HANDLER_NAMES + 1
        assert max(map(len, labels)) <= 80
        assert metered.value("handler_notifications_total", handler=OTHER_HANDLERS) == 102

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
            await run_ready_tasks()
        assert counts() == [9, 9, 3]

    async def test_a_failure_after_the_removal_is_counted(self, metered: Metered) -> None:
        gate = asyncio.Event()

        async def failing(obj: Object, is_in_initial_list: bool) -> None:
            await gate.wait()
            raise ValueError("late")

        registration = metered.informer.add_handler(HandlerFunctions(on_add=failing), name="late")
        other = metered.informer.add_handler(Recorder(), name="other")
        await metered.listed("a")
        await run_ready_tasks()
        registration.remove()
        assert metered.value("handler_failures_total", handler="late") == 0
        gate.set()
        await metered.becomes(1, "handler_failures_total", handler="late")
        other.remove()
        assert metered.value("handler_failures_total", handler="late") == 1
