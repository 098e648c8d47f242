"""Lister: reads an informer's store by name, namespace, labels, fields and indexes."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from informerd.cache.index import NAMESPACE
from informerd.cache.index_functions import field_index_name, label_index_name
from informerd.cache.store import Store
from informerd.errors import NotFound, NotSynced, Status, StatusDetails, UnknownIndex, UnreadableObject
from informerd.objects import Object
from informerd.resource import Resource
from informerd.selectors.field_selector import FieldSelector, as_field_selector
from informerd.selectors.label_selector import LabelSelector, as_label_selector

T = TypeVar("T", bound=Object)
Test = Callable[[T], bool]

MOST_MATCHERS = 100
"""Field selectors whose compiled tests are cached."""


class Lister(Generic[T]):
    """Reads from the store, without a request to the API server: as fresh as the informer's health says.

    The objects are shared by all readers: they are frozen, and values inside them must not be changed either. Selectors
    are given as text or parsed. It raises NotSynced until a first complete list has come, so that what is not there
    yet is never taken for what does not exist; `store` can be read before. Objects that exist and cannot be read
    (`SharedInformer.unreadable`) are in no list, and `get` raises UnreadableObject for them. Indexes are used where
    they exist: that of namespaces always, those of `label_index` and `field_index` where a selector asks for equality.
    """

    def __init__(
        self, resource: Resource, store: Store[T], projection: type[T], pending: Callable[[], str] = lambda: ""
    ) -> None:
        """`pending` says why no list has come yet, empty once one has."""
        self._pending = pending
        self._resource = resource
        self._store = store
        self._projection = projection
        self._matchers: dict[FieldSelector, Test[T]] = {}

    def get(self, name: str, namespace: str = "") -> T:
        """The object of that name.

        Raises NotFound, as the API server would, NotSynced, and UnreadableObject where the object exists and its
        present state cannot be read.
        """
        key = f"{namespace}/{name}" if namespace else name
        obj = self._store.get(key)
        if obj is None:
            self._check_synced()
            if (unreadable := self._store.unreadable.get(key)) is not None:
                raise UnreadableObject(self._resource.key, unreadable)
            raise NotFound(
                Status(
                    code=404,
                    reason="NotFound",
                    message=f'{self._resource.key} "{name}" not found',
                    details=StatusDetails(name=name, group=self._resource.group, kind=self._resource.plural),
                )
            )
        return obj

    def list(
        self,
        namespace: str = "",
        *,
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        where: Callable[[T], bool] | None = None,
    ) -> builtins.list[T]:
        """The objects of a namespace (of all without one) that meet all that is asked for, in no particular order.

        Raises NotSynced, MalformedSelector, and UnknownField where the projection does not have a field.
        """
        self._check_synced()
        labels, fields = as_label_selector(label_selector), as_field_selector(field_selector)
        tests = self._tests(namespace, labels, fields, where)
        keys = self._fewest_keys(namespace, labels, fields)
        return self._filtered(self._store if keys is None else self._at(keys), tests)

    def by_index(
        self,
        index: str,
        value: str,
        *,
        namespace: str = "",
        label_selector: str | LabelSelector = "",
        field_selector: str | FieldSelector = "",
        where: Callable[[T], bool] | None = None,
    ) -> builtins.list[T]:
        """The objects that an index has under a value and that match the selectors.

        Raises NotSynced, UnknownIndex, MalformedSelector and UnknownField.
        """
        self._check_synced()
        labels, fields = as_label_selector(label_selector), as_field_selector(field_selector)
        return self._filtered(self._store.by_index(index, value), self._tests(namespace, labels, fields, where))

    def _check_synced(self) -> None:
        if why := self._pending():
            raise NotSynced({self._resource.key: why}, "the cache has not synced yet: {}")

    def _filtered(self, objects: Iterable[T], tests: builtins.list[Test[T]]) -> builtins.list[T]:
        if not tests:
            return [*objects]
        if len(tests) == 1:
            return [*filter(tests[0], objects)]
        return [obj for obj in objects if all(test(obj) for test in tests)]

    def _tests(
        self, namespace: str, labels: LabelSelector, fields: FieldSelector, where: Test[T] | None
    ) -> builtins.list[Test[T]]:
        """The conditions that an object must meet, the cheapest first; `where` runs after all others."""
        tests: builtins.list[Test[T]] = []
        if namespace:
            tests.append(lambda obj: obj.metadata.namespace == namespace)
        if fields:
            tests.append(self._matcher(fields))
        if labels:
            matches = labels.matches
            tests.append(lambda obj: matches(obj.metadata.labels))
        if where is not None:
            tests.append(where)
        return tests

    def _matcher(self, fields: FieldSelector) -> Test[T]:
        matcher = self._matchers.get(fields)
        if matcher is None:
            if len(self._matchers) >= MOST_MATCHERS:
                self._matchers.clear()
            matcher = self._matchers[fields] = fields.matcher(self._projection)
        return matcher

    def _at(self, keys: Iterable[str]) -> Iterator[T]:
        get = self._store.get
        return (obj for key in keys if (obj := get(key)) is not None)

    def _fewest_keys(self, namespace: str, labels: LabelSelector, fields: FieldSelector) -> Iterable[str] | None:
        """The smallest set of keys that an index has for these selectors; None where no index helps."""
        key_lists: builtins.list[builtins.list[str]] = []
        if namespace:
            key_lists.append(self._store.index_keys(NAMESPACE, namespace))
        wanted = [(label_index_name(each.key), each.values) for each in labels.requirements if each.operator == "In"]
        wanted += [
            (field_index_name(each.path), frozenset((each.value,))) for each in fields.terms if not each.negative
        ]
        for index, values in wanted:
            try:
                key_lists.append([*{key: None for value in values for key in self._store.index_keys(index, value)}])
            except UnknownIndex:
                continue
        fewest = min(key_lists, key=len, default=None)
        return None if fewest is None or len(fewest) > len(self._store) / 2 else fewest
