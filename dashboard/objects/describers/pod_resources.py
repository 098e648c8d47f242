"""Resource requests and limits of a pod."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dashboard.objects.fields.quantity import parse_quantity
from dashboard.objects.fields.unstructured import as_map, as_maps, as_text

Amounts = Mapping[str, float]
"""By resource: cores, bytes, pieces."""
_SHARED = ("cpu", "memory", "ephemeral-storage")
"""Resources that containers without a limit share; of all others a container gets at most its request."""
_UNITS = (("Ti", 2.0**40), ("Gi", 2.0**30), ("Mi", 2.0**20), ("Ki", 2.0**10))


def pod_resources(spec: Mapping[str, Any], field: str) -> Amounts:
    """A pod's ``requests`` or ``limits``, as the scheduler adds them up (KEP-753, KEP-2837).

    Containers and sidecars run together, the other init containers one after another before them, and what the pod
    itself says goes before both.
    """
    steady, peak = _sum(_amounts(each, field) for each in as_maps(spec.get("containers"))), dict[str, float]()
    sidecars: Amounts = {}
    for container in as_maps(spec.get("initContainers")):
        amounts = _amounts(container, field)
        if container.get("restartPolicy") == "Always":
            sidecars = _sum((sidecars, amounts))
            amounts = {}
        peak = _most(peak, _sum((sidecars, amounts)))
    needed = {**_most(_sum((steady, sidecars)), peak), **_amounts(spec, field)}
    overhead = _parsed(spec.get("overhead"))
    if field == "limits":  # overhead adds to limits, and sets none
        overhead = {name: amount for name, amount in overhead.items() if needed.get(name)}
    return _sum((needed, overhead))


def unlimited_resources(spec: Mapping[str, Any]) -> frozenset[str]:
    """Resources without a limit in some container, of which the pod may use all that its node has."""
    sidecars = (each for each in as_maps(spec.get("initContainers")) if each.get("restartPolicy") == "Always")
    limits = [_amounts(each, "limits") for each in (*as_maps(spec.get("containers")), *sidecars)]
    known = _amounts(spec, "limits")
    return frozenset(name for name in _SHARED if not known.get(name) and not all(each.get(name) for each in limits))


def format_amount(resource: str, amount: float) -> str:
    """``5.25`` cores, ``12.5Gi``, ``2`` pieces."""
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        unit, size = next(((unit, size) for unit, size in _UNITS if amount >= size), ("", 1.0))
        return f"{round(amount / size, 1):g}{unit}"
    return f"{round(amount, 3):g}"


def sum_amounts(amounts: Iterable[Amounts]) -> Amounts:
    """The sum of several pods' requests or limits."""
    return _sum(amounts)


def _amounts(holder: Mapping[str, Any], field: str) -> Amounts:
    return _parsed(as_map(holder.get("resources")).get(field))


def _parsed(amounts: Any) -> Amounts:
    quantities = {as_text(name): parse_quantity(as_text(amount)) for name, amount in as_map(amounts).items()}
    return {name: amount for name, amount in quantities.items() if amount is not None}


def _sum(amounts: Iterable[Amounts]) -> dict[str, float]:
    total: dict[str, float] = {}
    for each in amounts:
        for name, amount in each.items():
            total[name] = total.get(name, 0.0) + amount
    return total


def _most(one: Amounts, other: Amounts) -> dict[str, float]:
    return {name: max(one.get(name, 0.0), other.get(name, 0.0)) for name in one.keys() | other.keys()}
