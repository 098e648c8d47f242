"""Printer of HorizontalPodAutoscalers: metrics, and whether they can reach their targets."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.objects.health import Health
from dashboard.objects.printers.pod_projection import Condition
from dashboard.objects.printers.printer import Printer, created_at
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    STATUS_CELL,
    condition_since,
    condition_text,
    find_condition,
    shorten,
    table_column,
    table_printer,
)
from informerd.objects import Object

_MOST = 2
"""Maximum number of metrics that kubectl writes out."""
_UNKNOWN = "<unknown>"


class Amount(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A target or a current value: one of the three is set."""

    average_utilization: int | None = None
    average_value: str | None = None
    value: str | None = None


class Source(msgspec.Struct, frozen=True, gc=False):
    """A source of a metric, in the spec with a target, in the status with a current value."""

    name: str = ""
    target: Amount = Amount()
    current: Amount = Amount()


class Metric(msgspec.Struct, frozen=True, rename="camel", gc=False):
    type: str = ""
    resource: Source | None = None
    container_resource: Source | None = None
    pods: Source | None = None
    object: Source | None = None
    external: Source | None = None

    @property
    def source(self) -> Source | None:
        """The one source that is set."""
        return self.resource or self.container_resource or self.pods or self.object or self.external


class Target(msgspec.Struct, frozen=True, gc=False):
    kind: str = ""
    name: str = ""


class AutoscalerSpec(msgspec.Struct, frozen=True, rename="camel", gc=False):
    scale_target_ref: Target = Target()
    min_replicas: int | None = None
    max_replicas: int = 0
    metrics: tuple[Metric, ...] = ()


class AutoscalerStatus(msgspec.Struct, frozen=True, rename="camel", gc=False):
    current_replicas: int = 0
    desired_replicas: int = 0
    current_metrics: tuple[Metric, ...] | None = ()
    conditions: tuple[Condition, ...] | None = ()
    last_scale_time: datetime | None = None


class Autoscaler(Object, frozen=True, kw_only=True):
    spec: AutoscalerSpec = AutoscalerSpec()
    status: AutoscalerStatus = AutoscalerStatus()


def _health(scaler: Autoscaler) -> Health:
    status, conditions = scaler.status, scaler.status.conditions or ()
    unable, inactive = (
        find_condition(conditions, "AbleToScale", "False"),
        find_condition(conditions, "ScalingActive", "False"),
    )
    if unable is not None:
        return Health("Unable", "bad", f"cannot scale: {condition_text(unable)}", condition_since(unable))
    if inactive is not None and inactive.reason == "ScalingDisabled":
        return Health("Disabled", "idle", "its target is scaled to no pods")
    if inactive is not None:
        return Health(
            "NoMetrics", "bad", f"has no metrics to go by: {condition_text(inactive)}", condition_since(inactive)
        )
    if not conditions:
        return Health("Pending", "busy", "not processed yet", created_at(scaler))
    limited = find_condition(conditions, "ScalingLimited", "True")
    if limited is not None and status.desired_replicas >= scaler.spec.max_replicas:
        words = f"wants more pods than its maximum, {scaler.spec.max_replicas}: {condition_text(limited)}"
        return Health("AtMax", "warn", words, condition_since(limited))
    if status.current_replicas != status.desired_replicas:
        words = f"from {status.current_replicas} to {status.desired_replicas} pods"
        return Health("Scaling", "busy", words)
    return Health("Active", "ok")


def _targets(scaler: Autoscaler) -> str | None:
    """Current and target value of each metric. Resources are named, because there may be several of them."""
    now = scaler.status.current_metrics or ()
    texts = [
        _target(metric, now[index] if index < len(now) else None) for index, metric in enumerate(scaler.spec.metrics)
    ]
    return shorten(texts, _MOST, between=", ")


def _target(metric: Metric, now: Metric | None) -> str:
    wanted = metric.source
    if wanted is None:
        return "<unknown type>"
    current_source = now.source if now is not None and now.type == metric.type else None
    current, target = current_source.current if current_source is not None else Amount(), wanted.target
    if metric.type in ("Resource", "ContainerResource"):
        if target.average_value is not None:
            return f"{wanted.name}: {current.average_value or _UNKNOWN}/{target.average_value}"
        return f"{wanted.name}: {_percent(current, _UNKNOWN)}/{_percent(target, '<auto>')}"
    if metric.type == "Pods":
        return f"{current.average_value or _UNKNOWN}/{target.average_value}"
    if target.average_value is not None:
        return f"{current.average_value or _UNKNOWN}/{target.average_value} (avg)"
    return f"{current.value or _UNKNOWN}/{target.value}"


def _percent(amount: Amount, otherwise: str) -> str:
    return otherwise if amount.average_utilization is None else f"{amount.average_utilization}%"


AUTOSCALERS = table_printer(
    Autoscaler,
    STATUS_CELL,
    table_column(
        "reference", "Reference", lambda s: f"{s.spec.scale_target_ref.kind}/{s.spec.scale_target_ref.name}", "mono"
    ),
    table_column("targets", "Targets", _targets),
    table_column("min-pods", "Min pods", "spec.min_replicas", "number"),
    table_column("max-pods", "Max pods", "spec.max_replicas", "number"),
    table_column("replicas", "Replicas", "status.current_replicas", "number"),
    AGE_CELL,
    health_of=_health,
)
PRINTERS: dict[str, Printer] = {"horizontalpodautoscalers.autoscaling": AUTOSCALERS}
