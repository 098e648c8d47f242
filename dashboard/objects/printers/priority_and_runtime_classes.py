"""Printers of PriorityClasses and RuntimeClasses."""

from __future__ import annotations

from dashboard.objects.printers.printer import Printer
from dashboard.objects.printers.table_printer import (
    AGE_CELL,
    table_column,
    table_printer,
)
from informerd.objects import Object


class Runtime(Object, frozen=True, kw_only=True):
    handler: str = ""


RUNTIMES = table_printer(Runtime, table_column("handler", "Handler", "handler", "mono"), AGE_CELL, namespaced=False)


class PriorityClass(Object, frozen=True, kw_only=True):
    value: int = 0
    global_default: bool = False
    preemption_policy: str = ""


PRIORITY_CLASSES = table_printer(
    PriorityClass,
    table_column("value", "Value", "value", "number"),
    table_column("global-default", "Global default", "global_default"),
    AGE_CELL,
    table_column("preemption-policy", "Preemption policy", "preemption_policy"),
    namespaced=False,
)
PRINTERS: dict[str, Printer] = {
    "runtimeclasses.node.k8s.io": RUNTIMES,
    "priorityclasses.scheduling.k8s.io": PRIORITY_CLASSES,
}
