"""HorizontalPodAutoscalers: what they measure, and whether they can do what they want."""

from __future__ import annotations

from datetime import datetime

import msgspec

from dashboard.resources.rows.declared import (
    AGE_SHOWN,
    STATUS_SHOWN,
    Standing,
    condition,
    declare,
    said,
    shown,
    since,
    some,
)
from dashboard.resources.rows.pod_types import Condition
from dashboard.resources.rows.shape import Shape, age
from informerd.objects import Object

_MOST = 2
"""Metrics that kubectl writes out."""
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


def _standing(scaler: Autoscaler) -> Standing:
    status, conditions = scaler.status, scaler.status.conditions or ()
    unable, inactive = condition(conditions, "AbleToScale", "False"), condition(conditions, "ScalingActive", "False")
    if unable is not None:
        return Standing("Unable", "bad", f"cannot scale: {said(unable)}", since(unable))
    if inactive is not None and inactive.reason == "ScalingDisabled":
        return Standing("Disabled", "idle", "its target is scaled to no pods")
    if inactive is not None:
        return Standing("NoMetrics", "bad", f"has no metrics to go by: {said(inactive)}", since(inactive))
    if not conditions:
        return Standing("Pending", "busy", "not looked at yet", age(scaler))
    limited = condition(conditions, "ScalingLimited", "True")
    if limited is not None and status.desired_replicas >= scaler.spec.max_replicas:
        words = f"wants more pods than its most, {scaler.spec.max_replicas}: {said(limited)}"
        return Standing("AtMax", "warn", words, since(limited))
    if status.current_replicas != status.desired_replicas:
        words = f"from {status.current_replicas} to {status.desired_replicas} pods"
        return Standing("Scaling", "busy", words)
    return Standing("Active", "ok")


def _targets(scaler: Autoscaler) -> str | None:
    """Of each metric what is and what should be. Resources are named, since there are several of them."""
    now = scaler.status.current_metrics or ()
    texts = [
        _target(metric, now[index] if index < len(now) else None) for index, metric in enumerate(scaler.spec.metrics)
    ]
    return some(texts, _MOST, between=", ")


def _target(metric: Metric, now: Metric | None) -> str:
    wanted = metric.source
    if wanted is None:
        return "<unknown type>"
    found = now.source if now is not None and now.type == metric.type else None
    current, target = found.current if found is not None else Amount(), wanted.target
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


AUTOSCALERS = declare(
    Autoscaler,
    STATUS_SHOWN,
    shown("reference", "Reference", lambda s: f"{s.spec.scale_target_ref.kind}/{s.spec.scale_target_ref.name}", "mono"),
    shown("targets", "Targets", _targets),
    shown("min-pods", "Min pods", "spec.min_replicas", "number"),
    shown("max-pods", "Max pods", "spec.max_replicas", "number"),
    shown("replicas", "Replicas", "status.current_replicas", "number"),
    AGE_SHOWN,
    judge=_standing,
)
SHAPES: dict[str, Shape] = {"horizontalpodautoscalers.autoscaling": AUTOSCALERS}
