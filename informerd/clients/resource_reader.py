"""Reads of one resource (get, list and watch), with objects in the form that the caller chose."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from math import inf
from time import monotonic
from typing import Generic, TypedDict, TypeVar, Unpack

import msgspec

from informerd.clients.codec import Codec
from informerd.clients.object_list import ObjectList, decode_list
from informerd.clients.object_watch import ObjectWatch
from informerd.clock import within
from informerd.errors import UNREADABLE, ApiError, Expired, InvalidCall, MalformedAnswer, NotInTime
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.object_states import ObjectStates
from informerd.rest.response import Response
from informerd.rest.warning_log import OnWarning, pass_warnings
from informerd.selectors.field_selector import FieldSelector, as_field_selector
from informerd.selectors.label_selector import LabelSelector, as_label_selector

T = TypeVar("T")
R = TypeVar("R")

PAGE_SIZE = 500
"""Objects a page, as client-go's pager and kubectl have it."""
MOST_SAID = 500
"""Characters of an object's status in an error."""


class _SeenMeta(msgspec.Struct, frozen=True, rename="camel"):
    uid: str = ""
    resource_version: str = ""


class _Seen(msgspec.Struct):
    """What an error says of an object."""

    metadata: _SeenMeta = _SeenMeta()
    status: msgspec.Raw = msgspec.Raw()

    @classmethod
    def of(cls, state: bytes) -> _Seen:
        """Raises MalformedAnswer."""
        try:
            return msgspec.json.decode(state, type=cls)
        except UNREADABLE as error:
            raise MalformedAnswer(f"an object is malformed: {error}") from error

    @property
    def words(self) -> str:
        status = bytes(self.status).decode(errors="replace")
        shown = status if len(status) <= MOST_SAID else f"{status[:MOST_SAID]}…"
        return f"its resource version was {self.metadata.resource_version}{f' and its status {shown}' if shown else ''}"


class Selection(TypedDict, total=False):
    """Selection of objects of a collection."""

    label_selector: str | LabelSelector
    field_selector: str | FieldSelector


class ResourceReader(Generic[T]):
    """The reading verbs of one resource; `ResourceClient` has the others and says what is raised."""

    def __init__(
        self,
        client: Client,
        resource: Resource | Callable[[], Awaitable[Resource]],
        codec: Callable[[Resource], Codec[T]],
        namespace: str = "",
        *,
        on_warning: OnWarning | None = None,
    ) -> None:
        self.namespace = namespace
        self._client = client
        self._requested = resource
        self._make_codec = codec
        self._codec: Codec[T] | None = None
        self._coded: Resource | None = None
        self._on_warning = on_warning

    async def get(self, name: str, *, resource_version: str = "") -> T:
        """One object; with a `resource_version`, at that version or later ("0": any cached one). Raises NotFound."""
        params = {"resourceVersion": resource_version}
        return await self._object(lambda r: self._client.get(r, name, self.namespace, params=params))

    async def list(
        self, *, limit: int = PAGE_SIZE, resource_version: str = "", **selection: Unpack[Selection]
    ) -> ObjectList[T]:
        """All selected objects, at one resource version, fetched `limit` at a time (0: in one page).

        Where a page has expired in the meantime, the whole list is fetched again, without pages: never a mixture.
        """
        first = await self._page(limit, resource_version, "", selection)
        items, token = first.items, first.continue_token
        while token:
            try:
                page = await self._page(limit, "", token, selection)
            except Expired:
                return await self._page(0, resource_version, "", selection)
            items += page.items
            token = page.continue_token
        return ObjectList(items, first.resource_version)

    async def iterate(
        self, *, limit: int = PAGE_SIZE, resource_version: str = "", mixed: bool = False, **selection: Unpack[Selection]
    ) -> AsyncIterator[T]:
        """The same objects one after the other, with no more than one page in memory.

        Raises Expired where a page has expired, because the objects before it were already returned. With `mixed` it
        continues with the present rest instead, and the whole is of no single resource version: what changed in between
        may be missing or old, though no object comes twice.
        """
        page = await self._page(limit, resource_version, "", selection)
        while True:
            for obj in page.items:
                yield obj
            if not page.continue_token:
                return
            page = await self._next_page(limit, page.continue_token, mixed, selection)

    @contextlib.asynccontextmanager
    async def watch(
        self, resource_version: str = "", *, timeout: int | None = None, **selection: Unpack[Selection]
    ) -> AsyncIterator[ObjectWatch[T]]:
        """Changes since `resource_version`; without one, what is there comes first, as ADDED.

        Ends after `timeout` seconds if given; where the API server ends it before, WatchEnded is raised. See
        `ObjectWatch`.
        """
        resource, codec = await self._ready(self.namespace, needs_namespace=False)
        params: dict[str, str | int | bool | None] = {
            "watch": True, "allowWatchBookmarks": True, "resourceVersion": resource_version, "timeoutSeconds": timeout,
            **selectors(selection),
        }  # fmt: skip
        ends_at = inf if timeout is None else monotonic() + timeout
        async with contextlib.AsyncExitStack() as stack:
            try:
                stream = await stack.enter_async_context(self._client.stream(resource.path(self.namespace), params))
            except ApiError as error:
                self._warn(error.warnings)
                raise
            self._warn(stream.warnings)
            yield ObjectWatch(stream, codec, resource_version, name=resource.key, ends_at=ends_at)

    async def page(
        self,
        *,
        limit: int = PAGE_SIZE,
        continue_token: str = "",
        resource_version: str = "",
        **selection: Unpack[Selection],
    ) -> ObjectList[T]:
        """One page of at most `limit` selected objects (0: all of them): the first, or the one after `continue_token`.

        The page's own `continue_token` asks for the next one, with the same selection; it is empty on the last page.
        Pages are of one resource version. Raises Expired some minutes later; its `continue_token` goes on with the
        present rest. Raises InvalidCall for a `resource_version` with a token, which has one.
        """
        if continue_token and resource_version:
            raise InvalidCall("leave resource_version out: the continue_token says of which version the page is")
        return await self._page(limit, resource_version, continue_token, selection)

    async def wait_until(self, name: str, predicate: Callable[[T], object], timeout: float | None = None) -> T:
        """Wait until `predicate` is true of the object `name`; returns the object, at once where it is true already.

        It is asked about each state that the API server tells, in order, and not while the object does not exist. The
        wait survives broken connections, an API server that is away and expired versions (only then a state may be
        left out): it lists once and watches, and never polls. The account needs the rights to list and watch.

        Raises NotInTime, a TimeoutError, after `timeout` seconds (None: never), which says what was seen last; what
        `predicate` raises; and the errors of `ResourceClient` that do not pass, such as Forbidden.
        """
        if inspect.iscoroutinefunction(predicate):
            raise InvalidCall("the predicate must be a plain function, not an async one")

        def choose(state: bytes | None, codec: Codec[T]) -> T | None:
            obj = codec.decode(state) if state is not None else None
            return obj if obj is not None and predicate(obj) else None

        return await self._first_state(name, timeout, choose)

    async def wait_until_gone(self, name: str, timeout: float | None = None, *, uid: str = "") -> None:
        """Wait until there is no object `name`, or, with `uid`, none of that uid. As `wait_until` otherwise."""

        def choose(state: bytes | None, _: Codec[T]) -> bool | None:
            return state is None or (uid != "" and uid != _Seen.of(state).metadata.uid) or None

        await self._first_state(name, timeout, choose)

    async def _first_state(
        self, name: str, timeout: float | None, choose: Callable[[bytes | None, Codec[T]], R | None]
    ) -> R:
        """The first answer of `choose` to the states of an object that is not None. Raises NotInTime."""
        resource, codec = await self._ready(self.namespace, needs_namespace=True)
        states = ObjectStates(self._client, resource, name, self.namespace)
        seen = "nothing was heard of it"
        try:
            async with within(timeout, self._client.clock), contextlib.aclosing(aiter(states)) as each_state:
                async for state in each_state:
                    if (answer := choose(state, codec)) is not None:
                        return answer
                    seen = "it does not exist" if state is None else _Seen.of(state).words
        except TimeoutError:
            problem = f" ({states.problem})" if states.problem else ""
            where = f" in {self.namespace}" if self.namespace else ""
            raise NotInTime(f"waited {timeout:g} s for {resource.key} {name}{where}; last, {seen}{problem}") from None
        raise AssertionError("the states of an object have no end")

    async def _page(self, limit: int, resource_version: str, token: str, selection: Selection) -> ObjectList[T]:
        resource, codec = await self._ready(self.namespace, needs_namespace=False)
        params = {"resourceVersion": resource_version, "limit": limit or None, "continue": token}
        call = self._client.list(resource, self.namespace, {**params, **selectors(selection)})
        return await decode_list(await self._warned(call), codec)

    async def _next_page(self, limit: int, token: str, mixed: bool, selection: Selection) -> ObjectList[T]:
        try:
            return await self._page(limit, "", token, selection)
        except Expired as error:
            if not mixed or not error.continue_token:
                raise
            return await self._page(limit, "", error.continue_token, selection)

    async def _object(self, call: Callable[[Resource], Awaitable[Response]], place: str | None = None) -> T:
        """The object that a call about one object answers; `place` is its namespace where it is not this one."""
        resource, codec = await self._ready(self.namespace if place is None else place, needs_namespace=True)
        return codec.decode((await self._warned(call(resource))).body)

    async def _call(self, call: Callable[[Resource], Awaitable[Response]]) -> Response:
        resource, _ = await self._ready(self.namespace, needs_namespace=True)
        return await self._warned(call(resource))

    async def _ready(self, place: str, *, needs_namespace: bool) -> tuple[Resource, Codec[T]]:
        """The resource, once it is resolved. Raises InvalidCall where the namespace does not fit it."""
        requested = self._requested
        resource = requested if isinstance(requested, Resource) else await requested()
        if not resource.namespaced and place:
            raise InvalidCall(f"{resource.key} are cluster-scoped: leave {place!r} out")
        if resource.namespaced and needs_namespace and not place:
            raise InvalidCall(f"{resource.key} are namespaced: give a namespace")
        if self._codec is None or self._coded is not resource:
            self._codec, self._coded = self._make_codec(resource), resource
        return resource, self._codec

    async def _warned(self, call: Awaitable[Response]) -> Response:
        try:
            answer = await call
        except ApiError as error:
            self._warn(error.warnings)
            raise
        self._warn(answer.warnings)
        return answer

    def _warn(self, warnings: tuple[str, ...]) -> None:
        if self._on_warning is not None:
            pass_warnings(warnings, self._on_warning)


def selectors(selection: Selection) -> dict[str, str]:
    """The query of a selection. Raises MalformedSelector."""
    return {
        "labelSelector": str(as_label_selector(selection.get("label_selector", ""))),
        "fieldSelector": str(as_field_selector(selection.get("field_selector", ""))),
    }
