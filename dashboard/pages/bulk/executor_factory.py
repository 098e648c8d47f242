"""Factory of the executors of a run's objects."""

from __future__ import annotations

from dashboard.access.identity import Identity
from dashboard.live.moments.history_objects import HistoryObjects
from dashboard.objects.kinds.catalog import kind_of
from dashboard.objects.schemas.schema_store import SchemaStore
from dashboard.pages.authors.record_and_lookup import WriteRecorder
from dashboard.pages.authors.store import AuthorStore
from dashboard.pages.bulk.item_execution import ItemExecution
from dashboard.pages.bulk.operation import BulkOperation
from dashboard.pages.bulk.run import ExecutorFactory, ItemExecutor
from dashboard.pages.bulk.undo_execution import UndoExecution
from informerd.clock import Clock
from informerd.resource import Resource
from informerd.rest.client import Client


def item_executor_factory(
    schemas: SchemaStore, authors: AuthorStore, clock: Clock, history: HistoryObjects | None = None
) -> ExecutorFactory:
    """Returns a factory of executors for objects of a resource. Without a `history` nothing can be undone."""

    def executor_for(client: Client, resource: Resource, operation: BulkOperation, identity: Identity) -> ItemExecutor:
        recorder = WriteRecorder(authors, identity, client.field_manager, clock)
        kind = kind_of(resource).with_resource(resource)
        if operation.undo is not None:
            return UndoExecution(client, kind, operation, schemas, recorder, undo=operation.undo, history=history)
        return ItemExecution(client, kind, operation, schemas, recorder)

    return executor_for
