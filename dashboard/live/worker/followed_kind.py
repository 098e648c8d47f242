"""One followed kind of a worker: its resolution where only its name is known, its informer and its publisher.

Where its definition changes the printer columns, the informer stays and all rows are built again, by another publisher
with a newer epoch, so that no replica mixes cells of different columns.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from dashboard.live.history.kind_recording import KindRecording
from dashboard.live.history.recorder import Recorder
from dashboard.live.replication.epoch import new_epoch
from dashboard.live.replication.messages import NOT_FOLLOWED
from dashboard.live.replication.publisher import Publisher
from dashboard.live.worker.crd_client import CrdClient, CustomResourceDefinition
from dashboard.live.worker.first_list_length import FirstListLength
from dashboard.live.worker.kind_informer import KindInformer
from dashboard.live.worker.namespace_access import NamespaceAccess
from dashboard.live.worker.namespace_pages import NamespacePages
from dashboard.live.worker.object_with_row import reduce_for
from dashboard.live.worker.poller import Poller
from dashboard.live.worker.published_health import PublishedHealth, stale_if_not_served
from dashboard.live.worker.row_handler import RowHandler
from dashboard.live.worker.served_version_resolver import RARE_INTERVAL, RETRY_RESOLVE, ServedVersionResolver
from dashboard.objects.health import rules_of
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.row import TableDefinition
from dashboard.objects.printers import mask_secret, needs_columns, printer_from_columns, projection_for
from dashboard.runtime.background_tasks import cancel_all, keep_running
from dashboard.runtime.shard import WHOLE, Shard
from informerd.cache.factory import SharedInformerFactory
from informerd.cache.health import Health, State
from informerd.cache.list_watch import ListWatch
from informerd.cache.namespace_informers import JoinedRegistration
from informerd.cache.shared_informer import Registration, SharedInformer
from informerd.clock import Clock
from informerd.errors import Forbidden, InformerdError, NotWatchable, UnknownResource
from informerd.resource import Resource
from informerd.rest.discovery import Discovery

logger = logging.getLogger(__name__)


class FollowedKind:
    """Follows `kind` from `start` to `stop`; problems are reported in its publisher's health."""

    def __init__(
        self,
        kind: KindInfo,
        make_publisher: Callable[[str], Publisher],
        epoch: str,
        factory: SharedInformerFactory,
        discovery: Discovery,
        definitions: CrdClient,
        count_objects: Callable[[Resource, str], Awaitable[int | None]],
        make_list_watch: Callable[[Resource, str], ListWatch[Any]],
        clock: Clock,
        access: NamespaceAccess | None = None,
        history: Recorder | None = None,
        hash_key: bytes = b"",
        shard: Shard = WHOLE,
    ) -> None:
        """`access` knows the namespaces that may be listed; without it all are. `history` records each version, and
        values of Secrets by their hashes with `hash_key`. Of all objects it has those of `shard`.
        """
        self.kind = kind
        self.publisher = make_publisher(epoch)
        self._make_publisher = make_publisher
        """Makes a publisher of an epoch; the last one made is the active one."""
        self._factory = factory
        self._definitions = definitions
        self._served = ServedVersionResolver(kind.key, discovery, definitions, clock)
        self._count = count_objects
        """Asks the API server how many objects there are in a namespace, or in all."""
        self._lists = make_list_watch
        """Lists a kind that cannot be watched, in a namespace or in all."""
        self._clock = clock
        self._access = access
        self._history = history
        self._hash_key = hash_key
        self._shard = shard
        self._recording: KindRecording | None = None
        self._informer: KindInformer | None = None
        self._definition: SharedInformer[Any] | None = None
        """Informer of its definition, where it is a custom resource's."""
        self._handled: Registration[Any] | JoinedRegistration[Any] | None = None
        """Registration of the handler that makes the present rows."""
        self._rows_health: Callable[[], Health] = self.publisher.health
        """Returns the informer's health, as far as that handler has caught up."""
        self._followed_health: Callable[[], Health] = self.publisher.health
        """Returns the same with what remains of the first list; the poller's health where the kind is polled."""
        self._described: TableDefinition | None = None
        self.tasks: list[asyncio.Task[None]] = []
        """All running tasks of this kind."""
        self._while_served: list[asyncio.Task[None]] = []
        """Those of `tasks` that end when the kind is served in another way."""

    def start(self) -> None:
        """Begin; returns at once. The informer runs with the factory's next start."""
        self.start_publishing()
        if self.kind.resolved:
            self._watch(self.kind.resource)
        self._keep(f"looking for {self.kind.key}", self._follow_served)

    def start_publishing(self) -> None:
        """Publish its health, without following it."""
        self._keep(f"publishing {self.kind.key}", self.publisher.run)

    async def stop(self) -> None:
        """End the watch and the publisher; returns when both have ended."""
        tasks, self.tasks, self._while_served = self.tasks, [], []
        for task in tasks:
            task.cancel()
        # before anything else is awaited: whoever follows the kind anew gets other informers
        await self._drop_informers()
        await cancel_all(tasks)

    def report_unresolved(self, error: InformerdError) -> None:
        """Report that discovery does not know it or does not answer, or that it cannot be listed."""
        state: State = "unreachable"
        if isinstance(error, UnknownResource):
            state = "absent"
            if self.publisher.rows:  # it was served until now
                self._renew()
                self.start_publishing()
        elif isinstance(error, Forbidden | NotWatchable):
            state = "forbidden"
        now = self._clock.time()
        before = self.publisher.health()
        since = before.since if before.state == state else now
        problem = f"{NOT_FOLLOWED}: {error}" if isinstance(error, NotWatchable) else str(error)
        health = Health(state=state, since=since, problem=problem, retry_at=now + RETRY_RESOLVE)
        self.publisher.health = lambda: health
        self.publisher.request_frame()

    def _keep(self, name: str, run: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        self.tasks = [task for task in self.tasks if not task.done()]
        task = asyncio.create_task(keep_running(name, run, self._clock), name=name)
        self.tasks.append(task)
        return task

    def _watch(self, resource: Resource, described: TableDefinition | None = None) -> None:
        is_secret = (resource.group, resource.plural) == ("", "secrets")
        transform = partial(mask_secret, hash_key=self._hash_key) if is_secret else None
        informer = self._informer = KindInformer(
            self._factory,
            resource,
            projection_for(self.kind.key),
            transform,
            reduce_for(self.kind.key),
            self._access,
            self._clock,
            on_health=self._health_changed,
            on_replaced=lambda: self._informers_replaced(informer),
            on_lost=self._forget_namespace,
            shard=self._shard,
        )
        expected = FirstListLength(lambda: self._rows_health(), partial(informer.count, self._count), self._clock)
        self._followed_health = expected
        self._feed(informer, described)
        if self._history is not None:
            self._recording = self._history.follow(self.kind.key, informer)
        self._while_served.append(self._keep(f"counting {self.kind.key}", expected.run))
        if self._access is not None and resource.namespaced:
            self._while_served.append(self._keep(f"asking where to list {self.kind.key}", informer.run))

    def _forget_namespace(self, namespace: str) -> None:
        """Take out the rows of a namespace that may no longer be listed. They are not deleted: no line says so."""
        for uid in [row.uid for row in self.publisher.rows.values() if row.namespace == namespace]:
            self.publisher.remove(uid)
        if self._recording is not None:
            self._recording.forget_namespace(namespace)

    def _informers_replaced(self, informer: KindInformer) -> None:
        self._feed_again(informer, self._described)
        if self._recording is not None:
            self._recording.list_again(reason="other namespaces are listed now")

    def _health_changed(self) -> None:
        self.publisher.request_frame()
        if self._is_absent():
            self._served.invalidate()

    def _poll(self, resource: Resource, described: TableDefinition) -> None:
        """List it again and again, because it cannot be watched."""
        self.publisher.set_table(described)
        feed = RowHandler(self.kind.key, self.publisher, printer_from_columns(described, rules_of(self.kind.key)))
        pages = NamespacePages(partial(self._lists, resource), resource, self._access, self._clock)
        polling = Poller(pages, feed, self._clock, self._health_changed, self._forget_namespace)
        self._followed_health, self.publisher.health = polling, self._health
        self._while_served.append(self._keep(f"polling {self.kind.key}", polling.run))

    def _feed(self, informer: KindInformer, described: TableDefinition | None) -> None:
        """Pass the publisher all that the informer knows and every change."""
        shape = None
        if described is not None:
            self._described = described
            self.publisher.set_table(described)
            shape = printer_from_columns(described, rules_of(self.kind.key)) if needs_columns(self.kind.key) else None
        handler = RowHandler(self.kind.key, self.publisher, shape, is_unreadable=lambda key: key in informer.unreadable)
        self._handled = informer.add_handler(handler)
        self._rows_health = PublishedHealth(informer, self._handled, self._clock)
        self.publisher.health = self._health

    def _health(self) -> Health:
        return stale_if_not_served(self._followed_health(), self.publisher.rows)

    def _reshape(self, informer: KindInformer, described: TableDefinition) -> None:
        """Build all rows again with the columns of another definition."""
        if described == self._described or informer is not self._informer:
            return
        logger.info("the definition of %s prints other columns now", self.kind.key)
        self._feed_again(informer, described)

    def _feed_again(self, informer: KindInformer, described: TableDefinition | None) -> None:
        """Build all rows again, under an epoch that is newer than the one they had."""
        told_from = self.publisher.announced_from
        self._renew()
        self.publisher.announced_from = told_from
        self._feed(informer, described)
        self.start_publishing()

    def _renew(self) -> None:
        """Replace the publisher by a new one, which has no rows yet."""
        before = self.publisher
        if self._handled is not None:
            self._handled.remove()
        before.end()
        self.publisher = self._make_publisher(new_epoch(self._clock, after=before.epoch))
        self.publisher.rates = before.rates

    async def _follow_served(self) -> None:
        """Follow a kind as it is served, and start again each time it is served in another way.

        A kind whose version is known is resolved again where the API server has nothing under that version.
        """
        if self.kind.resolved and self._informer is not None:
            await self._until_otherwise(self.kind.resource, at_most=RARE_INTERVAL)
        while True:
            before = await self._stop_serving()
            resource, definition = await self._served.find(self.report_unresolved, was_followed=before)
            if before:
                self._renew()
                self.start_publishing()
            described = (
                definition.table_for(resource)
                if definition
                else TableDefinition(resource.namespaced, (), resource.version)
            )
            if resource.verbs and "watch" not in resource.verbs:
                self._poll(resource, described)
            else:
                self._watch(resource, described)
            if definition is not None:
                self._watch_definition(resource)
            self._factory.start()
            await self._until_otherwise(resource)

    async def _until_otherwise(self, resource: Resource, *, at_most: float = RETRY_RESOLVE) -> None:
        await self._served.wait_until_changed(
            resource, self._is_absent, lambda: bool(self.publisher.rows), max_wait=at_most
        )
        logger.info("%s is no longer served in %s as before", self.kind.key, resource.version)
        self._mark_resolving(resource)

    def _watch_definition(self, resource: Resource) -> None:
        followed = self._informer

        def changed(definition: CustomResourceDefinition) -> None:
            self._served.receive_definition(definition)
            if definition.serves(resource) and followed is not None:
                self._reshape(followed, definition.table_for(resource))

        self._definition = self._definitions.watch(resource, changed, self._served.invalidate)

    def _is_absent(self) -> bool:
        return self._followed_health().state == "absent"

    def _mark_resolving(self, resource: Resource) -> None:
        """Mark the rows as stale: the kind is served in another way now, which is being resolved."""
        before, now = self.publisher.health(), self._clock.time()
        state: State = "stale" if before.state in ("live", "stale") else before.state
        since = before.since if before.state == state else now
        problem = f"the API server no longer serves it in {resource.version}; asking in which version it is served now"
        health = msgspec.structs.replace(before, state=state, since=since, problem=problem, has_answer=True)
        self.publisher.health = lambda: health
        self.publisher.request_frame()

    async def _stop_serving(self) -> bool:
        """End the tasks of the way in which it was served until now; False where there were none."""
        was_followed = bool(self._informer or self._definition or self._while_served)
        tasks, self._while_served = self._while_served, []
        for task in tasks:
            task.cancel()
        await self._drop_informers()
        await cancel_all(tasks)
        return was_followed

    async def _drop_informers(self) -> None:
        informer, self._informer = self._informer, None
        definition, self._definition = self._definition, None
        recording, self._recording = self._recording, None
        if recording is not None and self._history is not None:
            self._history.unfollow(recording)
        if informer is not None:
            await informer.close()
        if definition is not None:
            await self._factory.drop(definition)
