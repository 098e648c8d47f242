"""LIST and WATCH requests of one resource, with responses decoded into projections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Generic, TypeVar

import msgspec

from informerd.cache.watch_event_stream import EventStream
from informerd.clock import Clock
from informerd.decoding.decode_error_counts import DecodeErrors
from informerd.decoding.decoder import Decoder, NotSelected, Reduce, Transform, TransformFailed
from informerd.decoding.list_splitter import ListSplitter
from informerd.decoding.requested_object_form import METADATA_FORM, whole_object_form
from informerd.errors import UNREADABLE, MalformedStream, UnexpectedObject, Unreadable, UnreadableObject
from informerd.objects import Object
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.selectors.field_selector import FieldSelector, as_field_selector
from informerd.selectors.label_selector import LabelSelector, as_label_selector
from informerd.selectors.shard_selector import ShardSelector, as_shard_selector

T = TypeVar("T", bound=Object)


BYTES_PER_TURN = 2**15
"""Bytes of a list that are looked at before the event loop gets its turn."""


class Page(msgspec.Struct, Generic[T]):
    """A part of a list, or all of it where `continue_token` is empty."""

    objects: list[T]
    resource_version: str
    continue_token: str = ""
    remaining: int | None = None
    """Number of objects that follow, where the API server says so."""
    unusable: frozenset[str] = frozenset()
    """The keys of objects that exist and could not be transformed."""
    unreadable: dict[str, Unreadable] = {}
    """By key those that exist and cannot be read."""


class _Omitted(msgspec.Struct):
    """What a page has beside the objects that it returns."""

    unusable: set[str] = msgspec.field(default_factory=set)
    unreadable: dict[str, Unreadable] = msgspec.field(default_factory=dict)
    other_shards: int = 0
    """Number of objects that the shard selector leaves out, and the API server does not."""


class _ListMeta(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")
    remaining_item_count: int | None = None


class _List(msgspec.Struct, gc=False):
    kind: str = ""
    metadata: _ListMeta | None = None
    items: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET
    """May be absent where `kind` says that it is a list, as for client-go's typed clients: a Table has none, nor has
    what a proxy answers in the API server's place."""


_list = msgspec.json.Decoder(_List)


def _list_meta(without_items: bytes) -> _ListMeta:
    """Raises MalformedStream for what is no list, which must not be taken for an empty one."""
    content = _list.decode(without_items)
    if content.items is msgspec.UNSET and not content.kind.endswith("List"):
        raise MalformedStream(f"it is no list: it has no items, and its kind is {content.kind or 'not given'}")
    return content.metadata or _ListMeta()


class ListWatch(Generic[T]):
    """LIST and WATCH of one resource, in one namespace or all, narrowed by selectors.

    With `metadata_only` the objects come as PartialObjectMetadata. Raises UnusableProjection, MalformedSelector, and
    InvalidCall for a namespace that cannot be one.
    """

    def __init__(
        self,
        client: Client,
        resource: Resource,
        *,
        projection: type[T],
        transform: Transform | None = None,
        namespace: str = "",
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        shard_selector: str | ShardSelector = "",
        metadata_only: bool = False,
        reduce: Reduce | None = None,
        clock: Clock | None = None,
    ) -> None:
        resource.path(namespace)
        self.resource = resource
        self.namespace = namespace
        self.projection = projection
        self._client = client
        self.faults = DecodeErrors(resource.key, clock)
        self._form = METADATA_FORM if metadata_only else whole_object_form(resource)
        labels, fields = as_label_selector(label_selector), as_field_selector(field_selector)
        shards = as_shard_selector(shard_selector)
        self.label_selector, self.field_selector, self.shard_selector = str(labels), str(fields), str(shards)
        self._decoder = Decoder(
            resource,
            projection,
            transform,
            self.faults,
            form=self._form,
            clock=clock,
            selects=shards.matches if shards else None,  # an API server may know no shards
            reduce=reduce,
        )

    @property
    def server_version(self) -> str:
        """The API server's version, as the client last heard; empty where it was not asked."""
        return self._client.server_version

    @property
    def selector(self) -> str:
        """Description of its limits for people: its label selector, its field selector after ``fields:``, its shard
        selector, ``metadata only``.

        Empty for an unlimited one.
        """
        fields = self.field_selector
        parts = (
            self.label_selector,
            fields and f"fields:{fields}",
            self.shard_selector,
            "metadata only" if self._form == METADATA_FORM else "",
        )
        return " ".join(part for part in parts if part)

    async def page(
        self,
        resource_version: str,
        *,
        limit: int = 0,
        continue_token: str = "",
        on_progress: Callable[[int], None] = lambda _count: None,
    ) -> Page[T]:
        """One page of a list; `limit` 0 means all of it. `on_progress` gets the number of objects so far.

        Objects of another kind, and those that could not be transformed, are logged and left out. Raises the errors of
        `informerd.errors`; UnexpectedObject where all are of another kind, so that this is not taken for an empty list.
        """
        parameters = {
            "resourceVersion": resource_version,
            "limit": str(limit) if limit else "",
            "continue": continue_token,
        }
        objects: list[T] = []
        omitted = _Omitted()
        items = 0
        splitter = ListSplitter(partial(self._decode_item, omitted), partial(self._take_unreadable, omitted))
        path, headers = self.resource.path(self.namespace), {"Accept": self._form.list_accept}
        try:
            async with self._client.download(path, self._parameters(parameters), headers=headers) as body:
                while chunk := await body.read():
                    for start in range(0, len(chunk), BYTES_PER_TURN):
                        items += self._keep(splitter.feed(chunk[start : start + BYTES_PER_TURN]), objects)
                        await asyncio.sleep(0)
                    on_progress(len(objects))
            rest, without_items = splitter.finish()
            items += self._keep(rest, objects)
            meta = _list_meta(without_items)
        except (*UNREADABLE, MalformedStream) as error:
            raise MalformedStream(f"the list of {self.resource.key} is malformed: {error}") from error
        items -= omitted.other_shards
        if items and not (objects or omitted.unusable or omitted.unreadable):
            raise UnexpectedObject(
                f"none of the {items} objects in the list of {self.resource.key} has the expected kind"
            )
        return Page(
            objects,
            meta.resource_version,
            meta.continue_,
            meta.remaining_item_count,
            unusable=frozenset(omitted.unusable),
            unreadable=omitted.unreadable,
        )

    async def watch(
        self, resource_version: str, *, timeout: float, begin_within: float = 30.0, send_initial_events: bool = False
    ) -> EventStream[T]:
        """Begin a watch that the API server is to end after `timeout` seconds; release the stream when done.

        Its answer must begin within `begin_within` seconds. With `send_initial_events` it is a streaming list. Raises
        the errors of `informerd.errors`.
        """
        parameters = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(int(timeout)),
        }
        if send_initial_events:
            parameters |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        path, headers = self.resource.path(self.namespace), {"Accept": self._form.object_accept}
        async with AsyncExitStack() as stack:
            stream = await stack.enter_async_context(
                self._client.stream(path, self._parameters(parameters), headers=headers, timeout=begin_within)
            )
            return EventStream(stream, self._decoder, stack.pop_all())

    def _parameters(self, given: Mapping[str, str]) -> dict[str, str]:
        selectors = {
            "labelSelector": self.label_selector,
            "fieldSelector": self.field_selector,
            "shardSelector": self.shard_selector,
        }
        return {name: value for name, value in {**given, **selectors}.items() if value}

    @staticmethod
    def _keep(decoded: list[T | None], objects: list[T]) -> int:
        """Add what could be decoded. Returns the number of all items, decoded or not."""
        objects += [obj for obj in decoded if obj is not None]
        return len(decoded)

    def _decode_item(self, omitted: _Omitted, item: memoryview) -> T | None:
        try:
            return self._decoder.decode_item(item)
        except UnreadableObject:
            raise
        except NotSelected:
            omitted.other_shards += 1
        except UnexpectedObject as error:
            self.faults.add_unexpected(f"left out of the list of {self.resource.key}", error)
        except TransformFailed as error:
            omitted.unusable.add(error.key)
            self.faults.add_untransformed(f"left out of the list of {self.resource.key}", error)
        return None

    def _take_unreadable(self, omitted: _Omitted, item: memoryview, error: Exception) -> None:
        """Note an item that came whole and that cannot be decoded. Raises MalformedStream where it is no JSON."""
        try:
            _, problem = self._decoder.unreadable(item, error)
        except NotSelected:
            omitted.other_shards += 1
        except UnexpectedObject as nameless:
            self.faults.add_unexpected(f"left out of the list of {self.resource.key}", nameless)
        except ValueError as malformed:
            raise MalformedStream(f"an item of the list is malformed: {error}") from malformed
        else:
            omitted.unreadable[problem.key] = problem.unreadable
            self.faults.add_unreadable(f"left out of the list of {self.resource.key}", problem)
