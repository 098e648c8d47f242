"""Printers of FlowSchemas and PriorityLevelConfigurations."""

from __future__ import annotations

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    condition_since,
    condition_text,
    find_condition,
    table_column,
    table_printer,
)
from informerd.objects import Object


class Conditions(msgspec.Struct, frozen=True, gc=False):
    conditions: tuple[Condition, ...] = ()


class NameReference(msgspec.Struct, frozen=True, gc=False):
    name: str = ""


class TypeReference(msgspec.Struct, frozen=True, gc=False):
    type: str = ""


class FlowSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    priority_level_configuration: NameReference = NameReference()
    matching_precedence: int = 0
    distinguisher_method: TypeReference = TypeReference()


class FlowSchema(Object, frozen=True, kw_only=True):
    spec: FlowSpec = FlowSpec()
    status: Conditions = Conditions()


class Queuing(msgspec.Struct, frozen=True, rename="camel", gc=False):
    queues: int | None = None
    hand_size: int | None = None
    queue_length_limit: int | None = None


class Response(msgspec.Struct, frozen=True, gc=False):
    queuing: Queuing = Queuing()


class Level(msgspec.Struct, frozen=True, rename="camel", gc=False):
    nominal_concurrency_shares: int | None = None
    limit_response: Response = Response()


class LevelSpec(msgspec.Struct, frozen=True, gc=False):
    type: str = ""
    limited: Level | None = None

    @property
    def level(self) -> Level:
        """The settings of a limited level; kubectl prints none for an exempt one."""
        return self.limited or Level()


class PriorityLevel(Object, frozen=True, kw_only=True):
    spec: LevelSpec = LevelSpec()


def _flow_standing(flow: FlowSchema) -> Health:
    dangling = find_condition(flow.status.conditions, "Dangling", "True")
    if dangling is None:
        return Health("Current", "ok")
    return Health(
        "Dangling", "bad", f"its priority level is missing: {condition_text(dangling)}", condition_since(dangling)
    )


def _missing(flow: FlowSchema) -> str:
    return getattr(find_condition(flow.status.conditions, "Dangling"), "status", "?")


FLOWS = table_printer(
    FlowSchema,
    table_column("level", "Priority level", "spec.priority_level_configuration.name", "mono"),
    table_column("precedence", "Matching precedence", "spec.matching_precedence", "number"),
    table_column("distinguisher", "Distinguisher method", "spec.distinguisher_method.type"),
    AGE_CELL,
    table_column("missing", "Missing PL", _missing),
    health_of=_flow_standing,
    namespaced=False,
)
LEVELS = table_printer(
    PriorityLevel,
    table_column("type", "Type", "spec.type"),
    table_column("shares", "Nominal concurrency shares", "spec.level.nominal_concurrency_shares", "number"),
    table_column("queues", "Queues", "spec.level.limit_response.queuing.queues", "number"),
    table_column("hand-size", "Hand size", "spec.level.limit_response.queuing.hand_size", "number"),
    table_column(
        "queue-length", "Queue length limit", "spec.level.limit_response.queuing.queue_length_limit", "number"
    ),
    AGE_CELL,
    namespaced=False,
)
PRINTERS: dict[str, Printer] = {
    "flowschemas.flowcontrol.apiserver.k8s.io": FLOWS,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": LEVELS,
}
