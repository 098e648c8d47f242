"""Faults injected into the informer, which the random histories must find."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from informerd.cache import pager
from informerd.cache.delta_fifo import DeltaFifo
from informerd.cache.index import Index
from informerd.cache.listener import Listener
from informerd.cache.reflector import Reflector
from informerd.cache.shared_informer import SharedInformer
from informerd.cache.store import Store
from informerd.cache.watch_event_stream import EventStream
from informerd.cache.watch_session import Cursor, WatchSession
from informerd.errors import Expired, MalformedStream
from informerd.rest.response_stream import Line, LineCutter, ResponseStream

Mutation = Callable[[pytest.MonkeyPatch], None]


def a_relist_keeps_what_was_deleted(patch: pytest.MonkeyPatch) -> None:
    replace = Store.replace

    async def keeping(self: Store[Any], objects: dict[str, Any], *others: Any) -> dict[str, Any]:
        return await replace(self, {**{obj.key: obj for obj in self}, **objects}, *others)

    patch.setattr(Store, "replace", keeping)


def a_relist_tells_nobody_of_deletes(patch: pytest.MonkeyPatch) -> None:
    replace = Store.replace

    async def forgetting(self: Store[Any], objects: dict[str, Any], *others: Any) -> dict[str, Any]:
        before = await replace(self, objects, *others)
        return {key: obj for key, obj in before.items() if key in objects}

    patch.setattr(Store, "replace", forgetting)


def the_version_runs_ahead_of_the_events(patch: pytest.MonkeyPatch) -> None:
    advance = Cursor.advance

    def running_ahead(self: Cursor, version: str, *, added: bool = False) -> None:
        advance(self, str(int(version) + 1), added=added)

    patch.setattr(Cursor, "advance", running_ahead)


def events_behind_the_bookmark_of_a_list_are_lost(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(EventStream, "push_back", lambda self, events: None)


def an_expired_watch_is_begun_again(patch: pytest.MonkeyPatch) -> None:
    follow = Reflector._follow

    async def deaf(self: Reflector[Any], session: Any) -> None:
        with contextlib.suppress(Expired):
            await follow(self, session)

    patch.setattr(Reflector, "_follow", deaf)


def a_mangled_line_is_passed_over(patch: pytest.MonkeyPatch) -> None:
    batch = EventStream.batch

    async def lenient(self: EventStream[Any]) -> list[Any]:
        try:
            return await batch(self)
        except MalformedStream:
            self._error = None
            return await batch(self)

    patch.setattr(EventStream, "batch", lenient)


def pieces_of_a_line_are_dropped(patch: pytest.MonkeyPatch) -> None:
    take = LineCutter.lines

    def dropping(self: LineCutter) -> list[Line]:
        lines = take(self)
        if lines:
            self.remainder()
        return lines

    patch.setattr(LineCutter, "lines", dropping)


def a_connection_that_breaks_takes_read_lines_with_it(patch: pytest.MonkeyPatch) -> None:
    read = ResponseStream.batch

    async def losing(self: ResponseStream) -> list[Line]:
        lines = await read(self)
        return lines[:-1] if len(lines) > 1 else lines

    patch.setattr(ResponseStream, "batch", losing)


def a_list_whose_pages_expire_ends_there(patch: pytest.MonkeyPatch) -> None:
    async def list_all(list_watch: Any, resource_version: str, *, limit: int, **_others: Any) -> Any:
        page = await list_watch.page(resource_version, limit=limit)
        objects = {obj.key: obj for obj in page.objects}
        version = page.resource_version
        while page.continue_token:
            try:
                page = await list_watch.page("", limit=limit, continue_token=page.continue_token)
            except Expired:
                break
            objects |= {obj.key: obj for obj in page.objects}
        return pager.Listing(objects, version, True)

    patch.setattr("informerd.cache.reflector.list_all", list_all)


def a_listener_drops_what_its_buffer_cannot_hold(patch: pytest.MonkeyPatch) -> None:
    give = Listener.enqueue

    def dropping(self: Listener[Any], notifications: Any) -> None:
        if self.depth < 4:
            give(self, notifications)

    patch.setattr(Listener, "enqueue", dropping)


def a_handler_has_synced_before_it_was_told(patch: pytest.MonkeyPatch) -> None:
    def hasty(self: Listener[Any]) -> None:
        self._synced = True
        self._settled.set()

    patch.setattr(Listener, "enqueue_end_of_initial_list", hasty)


def a_late_handler_is_told_nothing_of_what_is_there(patch: pytest.MonkeyPatch) -> None:
    add_handler = SharedInformer.add_handler

    def forgetting(self: SharedInformer[Any], handler: Any, **options: Any) -> Any:
        store, self.store = self.store, Store()
        try:
            return add_handler(self, handler, **options)
        finally:
            self.store = store

    patch.setattr(SharedInformer, "add_handler", forgetting)


def a_wait_for_a_version_ends_at_once(patch: pytest.MonkeyPatch) -> None:
    async def impatient(self: SharedInformer[Any], resource_version: str) -> None:
        return

    patch.setattr(SharedInformer, "wait_for", impatient)


def a_restored_backup_goes_unnoticed(patch: pytest.MonkeyPatch) -> None:
    async def trusting(self: Reflector[Any]) -> None:
        return

    patch.setattr(WatchSession, "_check_order", lambda self, bookmark: None)
    patch.setattr(Reflector, "_check_history", trusting)


def an_index_keeps_what_is_gone(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Index, "_discard", lambda self, value, key: None)


def a_stalled_watch_is_left_alone(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(WatchSession, "declare_dead", lambda self, problem: None)

    async def patient(self: WatchSession[Any]) -> None:
        return

    patch.setattr(WatchSession, "_end_overtime", patient)


def bookmarks_are_not_believed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(DeltaFifo, "bookmark", lambda self, bookmark: None)


MUTATIONS: dict[str, Mutation] = {
    mutation.__name__: mutation
    for mutation in (
        a_relist_keeps_what_was_deleted,
        a_relist_tells_nobody_of_deletes,
        the_version_runs_ahead_of_the_events,
        events_behind_the_bookmark_of_a_list_are_lost,
        an_expired_watch_is_begun_again,
        a_mangled_line_is_passed_over,
        pieces_of_a_line_are_dropped,
        a_connection_that_breaks_takes_read_lines_with_it,
        a_list_whose_pages_expire_ends_there,
        a_listener_drops_what_its_buffer_cannot_hold,
        a_handler_has_synced_before_it_was_told,
        a_late_handler_is_told_nothing_of_what_is_there,
        a_wait_for_a_version_ends_at_once,
        a_restored_backup_goes_unnoticed,
        an_index_keeps_what_is_gone,
        a_stalled_watch_is_left_alone,
        bookmarks_are_not_believed,
    )
}
