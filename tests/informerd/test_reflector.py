"""The reflector's rules, one by one, against scripted answers."""

from __future__ import annotations

import logging

import msgspec
import pytest

from informerd.errors import Expired, NotFound, TooManyRequests, Unreachable
from informerd.watch_session import ShortWatch
from tests.clock import FakeClock
from tests.informerd.conftest import Setup, StartInformer
from tests.informerd.scripted import EXPIRED, TOO_LARGE, Request, ScriptedServer, bookmark, pod, status
from tests.wait import eventually


async def listed(start: StartInformer, server: ScriptedServer, **settings: object) -> tuple[Setup, Request]:
    """An informer without streaming lists that has listed pod a at version 10, and its open watch."""
    setup = await start(streaming_lists=False, **settings)
    (await server.take_list()).answer_list([pod("a", "5")], "10")
    watch = await server.take_watch()
    await watch.open()
    await eventually(lambda: setup.state == "live")
    return setup, watch


async def until_version(setup: Setup, version: str) -> None:
    await eventually(lambda: setup.informer.last_resource_version == version, what=f"version {version}")


class TestList:
    async def test_the_first_list_asks_for_version_0_in_pages_of_500(
        self, start: StartInformer, server: ScriptedServer
    ) -> None:
        await start(streaming_lists=False)
        request = await server.take_list()
        assert request.params == {"resourceVersion": "0", "limit": "500"}

    async def test_a_relist_asks_for_the_last_version_without_a_limit(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("MODIFIED", pod("a", "11"))
        await watch.send("ERROR", EXPIRED)
        await clock.sleeper(0.8, 1.6)
        assert setup.state == "stale"
        await clock.advance(0.8)
        request = await server.take_list()
        assert request.params == {"resourceVersion": "11"}

    async def test_an_expired_or_too_large_version_is_asked_for_again_at_once_as_any_version(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        """The reference's FullListIfTooLarge: versions 0, 20, "", 30, "", 40, ""."""
        await start(streaming_lists=False)
        asked = []
        for answer in ("20", TOO_LARGE, "30", EXPIRED, "40", TOO_LARGE, "50"):
            request = await server.take_list()
            asked.append(request.version)
            if not isinstance(answer, str):
                request.fail(answer)
                continue
            version = answer
            request.answer_list([], version)
            watch = await server.take_watch()
            assert watch.version == version
            await watch.send("ERROR", EXPIRED)
            await clock.sleeper(0.8, 60)
            await clock.advance(60)
        assert asked == ["0", "20", "", "30", "", "40", ""]

    @pytest.mark.parametrize(
        "failure",
        [
            status(504, "Timeout", "x", [{"reason": "ResourceVersionTooLarge"}]),
            status(504, "Timeout", "x", [{"reason": "", "message": "Too large resource version"}]),
            status(504, "Timeout", "Too large resource version: 9, current: 1"),
        ],
        ids=["cause type", "cause message", "message"],
    )
    async def test_too_large_is_understood_in_its_three_encodings(
        self, start: StartInformer, server: ScriptedServer, failure: dict[str, object]
    ) -> None:
        await start(streaming_lists=False)
        (await server.take_list()).fail(failure)
        assert (await server.take_list()).version == ""

    async def test_any_version_is_asked_for_again_until_such_a_list_has_worked(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start(streaming_lists=False)
        (await server.take_list()).fail(EXPIRED)
        (await server.take_list()).fail(EXPIRED)
        await eventually(lambda: setup.errors)
        assert isinstance(setup.errors[0], Expired)
        await clock.advance(0.8)
        assert (await server.take_list()).version == ""

    async def test_pages_are_joined_and_continue_without_a_version(
        self, start: StartInformer, server: ScriptedServer
    ) -> None:
        setup = await start(streaming_lists=False)
        (await server.take_list()).answer_list([pod("a", "1")], "10", continue_token="next", remaining=1)
        await eventually(lambda: setup.state == "syncing")
        assert (setup.informer.health().listed, setup.informer.health().remaining) == (1, 1)
        second = await server.take_list()
        assert second.params == {"limit": "500", "continue": "next"}
        second.answer_list([pod("b", "2")], "10")
        await until_version(setup, "10")
        assert setup.keys == {"default/a": "1", "default/b": "2"}

    async def test_an_expired_continue_token_leads_to_a_whole_list_at_the_version_first_asked_for(
        self, start: StartInformer, server: ScriptedServer
    ) -> None:
        setup = await start(streaming_lists=False)
        (await server.take_list()).answer_list([pod("gone", "1")], "10", continue_token="next")
        (await server.take_list()).fail(EXPIRED)
        whole = await server.take_list()
        assert whole.params == {"resourceVersion": "0"}
        whole.answer_list([pod("a", "2")], "12")
        await until_version(setup, "12")
        assert setup.keys == {"default/a": "2"}

    async def test_later_lists_stay_in_pages_where_the_first_at_version_0_came_in_pages(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        await start(streaming_lists=False)
        (await server.take_list()).answer_list([pod("a", "1")], "10", continue_token="next")
        (await server.take_list()).answer_list([], "10")
        await (await server.take_watch()).send("ERROR", EXPIRED)
        await clock.sleeper(0.8, 1.6)
        await clock.advance(0.8)
        assert (await server.take_list()).params == {"resourceVersion": "10", "limit": "500"}

    async def test_items_of_a_list_and_of_a_watch_give_equal_objects(
        self, start: StartInformer, server: ScriptedServer
    ) -> None:
        setup, watch = await listed(start, server)
        from_list = setup.informer.store.get("default/a")
        assert from_list is not None
        assert from_list.full() == pod("a", "5")
        await watch.send("DELETED", pod("a", "5"))
        await watch.send("ADDED", pod("a", "5"))
        await watch.send("BOOKMARK", bookmark("12"))
        await until_version(setup, "12")
        assert setup.informer.store.get("default/a") == from_list

    async def test_a_relist_computes_the_deletes_and_tells_them_before_the_adds(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("ADDED", pod("b", "11"))
        await watch.send("ERROR", EXPIRED)
        await clock.sleeper(0.8, 1.6)
        await clock.advance(0.8)
        (await server.take_list()).answer_list([pod("c", "14"), pod("b", "13")], "15")
        await eventually(lambda: len(setup.recorder.told) == 5)
        assert setup.recorder.told[2:] == [
            ("delete", "default/a", "5", True),
            ("add", "default/c", "14", False),
            ("update", "default/b", "13", "11"),
        ]

    async def test_a_malformed_list_is_reported_and_tried_again(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start(streaming_lists=False)
        (await server.take_list()).answer_text('{"items": [')
        await eventually(lambda: setup.state == "unreachable")
        assert "malformed" in setup.informer.health().problem
        await clock.advance(0.8)
        (await server.take_list()).answer_list([], "3")
        await until_version(setup, "3")


class TestStreamingList:
    async def test_it_is_the_default_and_its_stream_goes_on_as_the_watch(
        self, start: StartInformer, server: ScriptedServer
    ) -> None:
        setup = await start()
        request = await server.take()
        timeout = request.params.pop("timeoutSeconds")
        assert 300 <= int(timeout) <= 600
        assert request.params == {
            "watch": "true",
            "sendInitialEvents": "true",
            "resourceVersionMatch": "NotOlderThan",
            "allowWatchBookmarks": "true",
        }
        await request.send("ADDED", pod("a", "5"))
        await eventually(lambda: setup.state == "syncing" and setup.informer.health().listed == 1)
        assert setup.recorder.told == []
        await request.send_list([pod("b", "6")], "10")
        await request.send("ADDED", pod("c", "11"))
        await eventually(lambda: setup.keys == {"default/a": "5", "default/b": "6", "default/c": "11"})
        assert [extra for *_, extra in setup.recorder.told] == [True, True, False]
        assert setup.state == "live"
        assert server.waiting == 0

    async def test_events_that_came_with_the_closing_bookmark_are_not_lost(
        self, start: StartInformer, server: ScriptedServer
    ) -> None:
        setup = await start()
        request = await server.take()
        events = [
            ("ADDED", pod("a", "5")),
            ("BOOKMARK", bookmark("9")),
            ("BOOKMARK", bookmark("10", ends_initial=True)),
            ("DELETED", pod("a", "11")),
        ]
        await request.send_all(events)
        await eventually(lambda: setup.recorder.words == ["add default/a@5", "delete default/a@11"])

    async def test_a_relist_asks_for_the_last_version(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        await start()
        request = await server.take()
        await request.send_list([pod("a", "5")], "10")
        await request.send("ERROR", EXPIRED)
        await clock.sleeper(0.8, 5)
        await clock.advance(1)
        assert (await server.take_streaming_list()).version == "10"

    @pytest.mark.parametrize("failure", [EXPIRED, TOO_LARGE], ids=["expired", "too large"])
    @pytest.mark.parametrize("in_stream", [True, False])
    async def test_an_expired_or_too_large_version_becomes_any_version_at_once(
        self,
        start: StartInformer,
        server: ScriptedServer,
        clock: FakeClock,
        failure: dict[str, object],
        in_stream: bool,
    ) -> None:
        setup = await start()
        request = await server.take()
        await request.send_list([], "10")
        await request.send("ERROR", EXPIRED)
        await clock.sleeper(0.8, 5)
        await clock.advance(1)
        request = await server.take_streaming_list()
        if in_stream:
            await request.send("ERROR", failure)
            await clock.sleeper(0.1, 1.1)
            await clock.advance(1)
        else:
            request.fail(failure)
        assert (await server.take_streaming_list()).version == ""
        assert len(setup.errors) == 1

    async def test_other_failures_fall_back_to_a_list(self, start: StartInformer, server: ScriptedServer) -> None:
        setup = await start()
        (await server.take_streaming_list()).fail(status(422, "Invalid", "sendInitialEvents is forbidden"))
        (await server.take_list()).answer_list([pod("a", "5")], "10")
        assert (await server.take_watch()).version == "10"
        assert setup.keys == {"default/a": "5"}

    async def test_too_many_requests_are_waited_out(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start()
        (await server.take_streaming_list()).fail(status(429, "TooManyRequests"), retry_after=7)
        await clock.sleeper(7, 7.1)
        assert isinstance(setup.errors[0], TooManyRequests)
        await clock.advance(7)
        await server.take_streaming_list()

    async def test_a_clean_end_before_the_bookmark_begins_a_new_one(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start()
        request = await server.take()
        await request.send("ADDED", pod("a", "5"))
        await eventually(lambda: setup.informer.health().listed == 1)
        await clock.advance(2)
        request.end()
        await (await server.take_streaming_list()).send_list([pod("b", "6")], "10")
        await eventually(lambda: setup.keys == {"default/b": "6"})

    async def test_a_very_short_one_falls_back_to_a_list(self, start: StartInformer, server: ScriptedServer) -> None:
        await start()
        request = await server.take()
        await request.open()
        request.end()
        assert (await server.take_list()).version == "0"

    async def test_a_missing_bookmark_is_warned_of_every_10_seconds(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup = await start()
        request = await server.take()
        await request.send("ADDED", pod("a", "5"))
        await eventually(lambda: setup.informer.health().listed == 1)
        with caplog.at_level(logging.WARNING, "informerd"):
            await clock.sleeper(10)
            await clock.advance(20)
        assert caplog.text.count("nor anything for") == 2

    async def test_a_server_that_never_sends_the_bookmark_is_asked_for_a_list(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start()
        request = await server.take()
        await request.send("ADDED", pod("a", "5"))
        await eventually(lambda: setup.informer.health().listed == 1)
        await clock.sleeper(10)
        await clock.advance(30)
        (await server.take_list()).answer_list([pod("a", "5")], "10")
        await until_version(setup, "10")


class TestWatch:
    async def test_it_asks_for_bookmarks_and_an_end_within_5_to_10_minutes(
        self, start: StartInformer, server: ScriptedServer
    ) -> None:
        await start(streaming_lists=False, chance=lambda: 0.5)
        (await server.take_list()).answer_list([], "10")
        request = await server.take_watch()
        assert request.params == {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": "10",
            "timeoutSeconds": "450",
        }

    async def test_a_clean_end_is_resumed_at_the_last_version_without_a_list_or_a_stale_moment(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        states: list[str] = []
        setup.informer.on_health(lambda health: states.append(health.state))
        await watch.send("MODIFIED", pod("a", "12"))
        await watch.send("BOOKMARK", bookmark("20"))
        await until_version(setup, "20")
        await clock.advance(100)
        watch.end()
        resumed = await server.take_watch()
        assert resumed.version == "20"
        await resumed.send("MODIFIED", pod("a", "21"))
        await until_version(setup, "21")
        assert states == []
        assert setup.informer.health().reconnects == 1

    async def test_a_watch_that_the_server_does_not_end_in_time_is_ended_and_resumed_without_a_stale_moment(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        """A proxy between may have forgotten the stream: it is silent, while probes go through."""
        setup, watch = await listed(start, server, watch_timeout=300)
        states: list[str] = []
        setup.informer.on_health(lambda health: states.append(health.state))
        await watch.send("MODIFIED", pod("a", "12"))
        await until_version(setup, "12")
        await clock.advance(329)
        assert not watch.is_gone
        await clock.advance(1)
        resumed = await server.take_watch()
        assert resumed.version == "12"
        await eventually(lambda: watch.is_gone)
        await resumed.send("MODIFIED", pod("a", "21"))
        await until_version(setup, "21")
        assert (states, setup.errors) == ([], [])

    async def test_a_watch_that_began_as_a_streaming_list_is_ended_in_time_too(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start(watch_timeout=300)
        await (await server.take_streaming_list()).send_list([pod("a", "5")], "10")
        await eventually(lambda: setup.state == "live")
        await clock.advance(330)
        assert (await server.take_watch()).version == "10"

    async def test_watches_start_a_second_apart_at_least(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        for version in ("11", "12", "13"):
            await watch.send("MODIFIED", pod("a", version))
            watch.end()
            await clock.sleeper(0.5, 1.1)
            assert server.waiting == 0
            await clock.advance(1)
            watch = await server.take_watch()
            assert watch.version == version
        assert setup.errors == []

    async def test_a_very_short_watch_without_an_event_leads_to_a_relist_after_the_backoff(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        watch.end()
        await clock.sleeper(0.8, 1.6)
        assert isinstance(setup.errors[0], ShortWatch)
        await clock.advance(0.8)
        assert (await server.take_list()).version == "10"

    async def test_too_many_requests_at_the_start_are_waited_out_without_a_relist(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start(streaming_lists=False)
        (await server.take_list()).answer_list([], "10")
        (await server.take_watch()).fail(status(429, "TooManyRequests"), retry_after=4)
        await clock.sleeper(4, 4.1)
        assert setup.state == "stale"
        await clock.advance(4)
        assert (await server.take_watch()).version == "10"

    async def test_too_many_requests_in_the_stream_are_waited_out_without_a_relist(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("MODIFIED", pod("a", "11"))
        await watch.send("ERROR", status(429, "TooManyRequests"))
        await clock.sleeper(0.8, 1.6)
        await clock.advance(1)
        assert (await server.take_watch()).version == "11"
        assert setup.keys == {"default/a": "11"}

    async def test_a_refused_connection_makes_it_stale_and_is_resumed_without_a_relist(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("MODIFIED", pod("a", "11"))
        await until_version(setup, "11")
        await server.stop()
        await clock.sleeper(0.5, 1.1)
        await clock.advance(1)
        await eventually(lambda: setup.state == "stale")
        health = setup.informer.health()
        assert "refused" in health.problem
        assert health.retry_at == pytest.approx(clock.time() + 0.8)
        assert isinstance(setup.errors[0], Unreachable)
        await server.start()
        await clock.advance(1.6)
        (await server.take_list()).answer_list([pod("a", "11")], "11")
        assert (await server.take_watch()).version == "11"

    @pytest.mark.parametrize("streaming", [True, False], ids=["streaming list", "list"])
    async def test_a_server_that_came_back_older_than_it_was_is_listed_anew(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, streaming: bool
    ) -> None:
        """Restored from a backup: a watch from the last version would be silent until versions have caught up."""
        setup = await start(streaming_lists=streaming)
        first = await server.take()
        await first.send_list([pod("a", "5")], "10") if streaming else first.answer_list([pod("a", "5")], "10")
        await eventually(lambda: setup.keys == {"default/a": "5"})
        await server.stop()
        await clock.advance(2)
        await eventually(lambda: setup.state == "stale")
        await server.start()
        await clock.advance(3.2)
        look = await server.take_list()
        assert look.params == {"limit": "1"}
        look.answer_list([pod("b", "3")], "7")
        await eventually(lambda: "is at version 7, but was at 10" in setup.informer.health().problem)
        assert setup.state == "stale"
        await clock.advance(6.4)
        again = await server.take()
        assert again.version == ""
        await again.send_list([pod("b", "3")], "7") if streaming else again.answer_list([pod("b", "3")], "7")
        await eventually(lambda: setup.keys == {"default/b": "3"})
        assert ("delete", "default/a", "5", True) in setup.recorder.told

    async def test_a_410_in_the_stream_leads_to_a_relist_after_the_backoff(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("ERROR", EXPIRED)
        await clock.sleeper(0.8, 1.6)
        assert isinstance(setup.errors[0], Expired)
        assert server.waiting == 0
        await clock.advance(1)
        (await server.take_list()).answer_list([], "20")
        await eventually(lambda: setup.keys == {})

    @pytest.mark.parametrize(("within", "relists"), [(0.0, True), (30.0, False)])
    async def test_an_internal_error_is_retried_without_a_relist_within_a_configured_time(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, within: float, relists: bool
    ) -> None:
        _, watch = await listed(start, server, internal_error_retry=within)
        await watch.send("ERROR", status(500, "InternalError", "etcd event received with PrevKv=nil"))
        await clock.sleeper(0.5, 2)
        await clock.advance(2)
        assert (await server.take()).is_watch is not relists

    async def test_a_cut_line_counts_as_a_clean_end(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("MODIFIED", pod("a", "11"))
        await until_version(setup, "11")
        await watch.send_raw(b'{"type":"MODIFIED","object":{"kind":"Po')
        await clock.advance(2)
        watch.drop()
        assert (await server.take_watch()).version == "11"
        assert setup.errors == []

    @pytest.mark.parametrize(
        "line", [b'{"type":"MODIFIED","object":{{}}\n', b'{"type":"SHRUNK","object":{"kind":"Pod"}}\n', b"[]\n"]
    )
    async def test_malformed_json_and_unknown_types_lead_to_a_relist(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock, line: bytes
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send_raw(line)
        await clock.sleeper(0.8, 1.6)
        assert setup.state == "stale"
        await clock.advance(1)
        assert (await server.take_list()).version == "10"

    async def test_members_in_any_order_are_understood(self, start: StartInformer, server: ScriptedServer) -> None:
        setup, watch = await listed(start, server)
        await watch.send_raw(b'{"object":' + msgspec.json.encode(pod("b", "11")) + b', "type": "ADDED"}\n')
        await until_version(setup, "11")
        assert setup.keys == {"default/a": "5", "default/b": "11"}

    async def test_a_bookmark_from_before_what_was_heard_leads_to_a_relist_at_any_version(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        """An API server restored from a backup: a watch from the old version would be silent for a long time."""
        setup, watch = await listed(start, server)
        await watch.send("BOOKMARK", bookmark("3"))
        await clock.sleeper(0.8, 1.6)
        assert setup.state == "stale"
        assert "at version 3, but was at 10 before" in setup.informer.health().problem
        await clock.advance(1)
        again = await server.take_list()
        assert again.version == ""
        again.answer_list([], "4")
        assert (await server.take_watch()).version == "4"
        assert setup.keys == {}

    async def test_adds_of_a_watch_from_the_start_do_not_advance_the_version(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start(streaming_lists=False)
        (await server.take_list()).answer_list([], "")
        watch = await server.take_watch()
        assert watch.version == ""
        await watch.send("ADDED", pod("a", "15"))
        await watch.send("ADDED", pod("b", "9"))
        await eventually(lambda: len(setup.keys) == 2)
        assert setup.informer.last_resource_version == ""
        await watch.send("MODIFIED", pod("b", "16"))
        await watch.send("ADDED", pod("c", "17"))
        await until_version(setup, "17")

    async def test_objects_of_another_kind_are_dropped_and_do_not_advance_the_version(
        self, start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("ADDED", pod("x", "11") | {"kind": "Table", "apiVersion": "meta.k8s.io/v1"})
        await watch.send("BOOKMARK", bookmark("12") | {"kind": "Node"})
        await watch.send("ADDED", pod("x", "13") | {"apiVersion": "v2"})
        await eventually(lambda: caplog.text.count("dropped from the watch") == 3)
        assert setup.informer.last_resource_version == "10"
        await watch.send("ADDED", pod("b", "14"))
        await until_version(setup, "14")
        assert setup.keys == {"default/a": "5", "default/b": "14"}

    async def test_an_event_whose_transform_fails_advances_the_version(
        self, start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        def transform(raw: bytes) -> bytes:
            if b'"bad"' in raw:
                raise ValueError("bad")
            return raw.replace(b"secret", b"******")

        setup, watch = await listed(start, server, transform=transform)
        await watch.send("ADDED", pod("bad", "11"))
        await until_version(setup, "11")
        assert "the transform failed on pods default/bad" in caplog.text
        await watch.send("ADDED", pod("b", "12", labels={"x": "secret"}))
        await until_version(setup, "12")
        masked = setup.informer.store.get("default/b")
        assert masked is not None
        assert masked.metadata.labels == {"x": "******"}
        assert masked.full()["metadata"]["labels"] == {"x": "******"}
        assert setup.keys == {"default/a": "5", "default/b": "12"}

    async def test_a_deletion_needs_no_transform(
        self, start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        def transform(raw: bytes) -> bytes:
            if b"unheard-of" in raw:
                raise ValueError("bad")
            return raw

        setup, watch = await listed(start, server, transform=transform)
        await watch.send("ADDED", pod("b", "11", labels={"x": "y"}))
        await watch.send("DELETED", pod("b", "12", annotations={"secret": "unheard-of"}))
        await watch.send("DELETED", pod("never-seen", "13", annotations={"secret": "unheard-of"}))
        await until_version(setup, "13")
        assert setup.keys == {"default/a": "5"}
        assert setup.informer.store.resource_version == "13"
        await eventually(lambda: len(setup.recorder.told) == 3)
        assert setup.recorder.told[-1] == ("delete", "default/b", "11", True), "the last state that was seen"
        assert "the transform failed on pods default/b" in caplog.text

    async def test_a_deletion_of_another_kind_that_cannot_be_transformed_is_dropped(
        self, start: StartInformer, server: ScriptedServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        def transform(raw: bytes) -> bytes:
            if b"Table" in raw:
                raise ValueError("bad")
            return raw

        setup, watch = await listed(start, server, transform=transform)
        await watch.send("DELETED", pod("a", "11") | {"kind": "Table"})
        await watch.send("ADDED", pod("b", "12"))
        await until_version(setup, "12")
        assert setup.keys == {"default/a": "5", "default/b": "12"}
        assert "dropped from the watch of pods: expected v1 Pod, got v1 Table" in caplog.text


class TestBackoffAndHealth:
    async def test_failures_are_spaced_0_8_to_30_seconds_doubled_by_chance_and_start_over_after_two_quiet_minutes(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start(streaming_lists=False)
        waits = []
        for _ in range(8):
            (await server.take_list()).fail(status(500, "InternalError"))
            waits.append(await clock.sleeper())
            await clock.advance(waits[-1])
        assert waits == pytest.approx([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30])
        (await server.take_list()).answer_list([], "10")
        watch = await server.take_watch()
        await watch.open()
        await eventually(lambda: setup.state == "live")
        await clock.advance(121)
        await watch.send("ERROR", EXPIRED)
        assert await clock.sleeper(below=60) == pytest.approx(0.8)

    async def test_an_unreachable_server_is_said_to_be_so_until_it_is_there(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        await server.stop()
        setup = await start()
        assert setup.state == "starting"
        await eventually(lambda: setup.state == "unreachable")
        assert "refused" in setup.informer.health().problem
        assert not setup.informer.health().answered
        await server.start()
        await clock.advance(2)
        await (await server.take()).send_list([], "10")
        await eventually(lambda: setup.state == "live")
        assert setup.informer.health().problem == ""

    async def test_a_forbidden_list_is_forbidden_before_the_first_and_stale_after_it(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start(streaming_lists=False)
        (await server.take_list()).fail(status(403, "Forbidden", "pods is forbidden: User bob cannot list"))
        await eventually(lambda: setup.state == "forbidden")
        assert "User bob cannot list" in setup.informer.health().problem
        await clock.advance(1)
        (await server.take_list()).answer_list([pod("a", "5")], "10")
        watch = await server.take_watch()
        await watch.send("ERROR", EXPIRED)
        await clock.sleeper(1.6, 3.2)
        await clock.advance(2)
        (await server.take_list()).fail(status(403, "Forbidden"))
        await eventually(lambda: setup.informer.health().problem == "Forbidden")
        assert setup.state == "stale"
        assert setup.informer.health().answered
        assert setup.keys == {"default/a": "5"}

    async def test_a_resource_that_does_not_exist_is_asked_for_every_5_seconds_at_most(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup = await start()
        waits = []
        for _ in range(5):
            (await server.take_streaming_list()).fail(status(404, "NotFound"))
            (await server.take_list()).fail(status(404, "NotFound"))
            waits.append(await clock.sleeper())
            assert setup.state == "absent"
            await clock.advance(5)
        assert waits == pytest.approx([0.8, 1.6, 3.2, 5, 5])
        assert not setup.informer.has_synced
        await (await server.take_streaming_list()).send_list([pod("a", "5")], "10")
        await eventually(lambda: setup.state == "live")
        assert setup.keys == {"default/a": "5"}

    async def test_a_resource_that_vanishes_takes_its_objects_with_it(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await clock.advance(2)
        watch.end()
        (await server.take_watch()).fail(status(404, "NotFound"))
        await clock.sleeper(0.8, 1.6)
        assert setup.state == "absent"
        assert isinstance(setup.errors[0], NotFound)
        await eventually(lambda: setup.recorder.words[-1] == "delete default/a@5")
        assert setup.recorder.told[-1][3] is True
        await clock.advance(1)
        again = await server.take_list()
        assert again.version == "0"
        again.answer_list([pod("a", "30")], "31")
        await (await server.take_watch()).open()
        await eventually(lambda: setup.state == "live")
        assert setup.recorder.words[-1] == "add default/a@30"

    async def test_silence_on_a_stream_that_sent_bookmarks_means_that_it_is_dead(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("BOOKMARK", bookmark("11"))
        await until_version(setup, "11")
        await clock.sleeper(150, 151)
        await clock.advance(149)
        assert setup.state == "live"
        await clock.advance(1)
        await eventually(lambda: setup.state == "stale")
        assert "nothing was heard for 150 s" in setup.informer.health().problem
        await eventually(lambda: watch.is_gone)
        await clock.advance(2)
        assert (await server.take_watch()).version == "11"

    async def test_an_idle_stream_without_bookmarks_is_left_alone(
        self, start: StartInformer, server: ScriptedServer, clock: FakeClock
    ) -> None:
        setup, watch = await listed(start, server)
        await watch.send("MODIFIED", pod("a", "11"))
        await until_version(setup, "11")
        await clock.advance(329)
        assert setup.state == "live"
        assert not watch.is_gone
        assert clock.sleeps == [330], "the watch's own end"
